package wgquick_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gateway/internal/component/tunnel/wgquick"
)

// summary is what a file was read as.
func summary(c wgquick.Config, err error) string {
	if err != nil {
		return "broken: " + err.Error()
	}
	out := fmt.Sprintf("%v port=%d mtu=%d client=%v", c.Addresses, c.ListenPort, c.MTU, c.Client())
	for _, p := range c.Peers {
		out += fmt.Sprintf("; %q %v %s %d", p.Name, p.AllowedIPs, p.Endpoint, p.Keepalive)
	}
	for _, l := range c.Left {
		out += fmt.Sprintf("; left %d %s", l.Line, l.Name)
	}
	return out
}

func TestFilesAsPeopleWriteThem(t *testing.T) {
	for name, want := range map[string]string{
		"plain":      `[10.1.0.1/24] port=52001 mtu=0 client=false; "" [10.1.0.2/32]  0`,
		"client":     `[10.2.0.2/32] port=0 mtu=0 client=true; "" [0.0.0.0/0 ::/0] vpn.example.com:51820 25`,
		"nospace":    `[10.3.0.1/24] port=52002 mtu=0 client=false; "" [10.3.0.2/32 10.3.0.3/32]  0`,
		"wide":       `[10.4.0.1/24] port=52003 mtu=0 client=false; "" [10.4.0.2/32 10.4.0.3/32]  0`,
		"crlf":       `[10.5.0.1/24] port=52004 mtu=0 client=false; "" [10.5.0.2/32]  0`,
		"bom":        `[10.6.0.1/24] port=52005 mtu=0 client=false`,
		"lower":      `[10.7.0.1/24] port=52006 mtu=0 client=false; "" [10.7.0.2/32]  0`,
		"comments":   `[10.8.0.1/24] port=52007 mtu=0 client=false`,
		"names":      `[10.9.0.1/24] port=52008 mtu=0 client=false; "ann" [10.9.0.2/32]  0; "bob" [10.9.0.3/32]  0; "carol" [10.9.0.4/32]  0; "ann" [10.9.0.5/32]  0; "" [10.9.0.6/32]  0`,
		"commands":   `[10.10.0.1/24] port=52009 mtu=0 client=false; "" [10.10.0.2/32]  0; left 5 PreUp; left 6 PostUp; left 7 PostDown; left 8 PreDown; left 9 SaveConfig; left 10 Table; left 11 FwMark`,
		"twice":      `[10.12.0.1/24 fd12::1/64] port=52011 mtu=0 client=false; "" [10.12.0.2/32 fd12::2/128]  0`,
		"bare":       `[10.13.0.1/32] port=52012 mtu=0 client=false; "" [10.13.0.2]  0`,
		"shared":     `[10.14.0.1/24] port=52013 mtu=1380 client=false; "" [10.14.0.2/32]  0`,
		"site":       `[10.16.0.1/30] port=52015 mtu=0 client=false; "" [10.16.0.2/32 192.168.16.0/24] [2001:db8::7]:51820 25`,
		"nopeer":     `[10.17.0.1/24] port=0 mtu=0 client=false`,
		"noallowed":  `[10.18.0.1/24] port=52016 mtu=0 client=false; "" [10.18.0.3/32]  0; left 5 [Peer] without AllowedIPs`,
		"reversed":   `[10.19.0.1/24] port=52017 mtu=0 client=false; "" [10.19.0.2/32]  0`,
		"unknown":    `[10.23.0.1/24] port=52019 mtu=0 client=false; "" [10.23.0.2/32]  0; left 5 Jc; left 9 AdvancedSecurity`,
		"xgarbage":   `broken: line 1 is not NAME = VALUE`,
		"xnokey":     `broken: has no PrivateKey`,
		"xnoaddress": `broken: has no Address`,
		"xsection":   `broken: line 4 is not a section of wg-quick`,
		"xoutside":   `broken: line 1 is outside of a section`,
		"xport":      `broken: line 4: ListenPort is not a number from 0 to 65535`,
		"xpeer":      `broken: line 4: the peer has no PublicKey`,
		"xvalue":     `broken: line 3 is not NAME = VALUE`,
		"yempty":     `broken: has no PrivateKey`,
	} {
		text, err := os.ReadFile(filepath.Join("testdata", name+".conf"))
		if err != nil {
			t.Fatal(err)
		}
		if got := summary(wgquick.Parse(string(text))); got != want {
			t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
		}
	}
	if _, err := wgquick.Parse(strings.Repeat("#", wgquick.MaxSize+1)); err == nil {
		t.Error("a file of more than 1 MiB was read")
	}
}

func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.conf")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := wgquick.Parse(text)
		if err != nil {
			return
		}
		for _, p := range c.Peers {
			if p.PublicKey == "" || len(p.AllowedIPs) == 0 || strings.ContainsAny(p.Name+p.Endpoint, "\n\r") {
				t.Errorf("read a peer %+v", p)
			}
		}
	})
}
