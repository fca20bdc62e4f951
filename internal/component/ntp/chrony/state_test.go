package chrony

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway/internal/fault"
)

// wrongs are the fields that a validation complains about.
func wrongs(validate func(*fault.Problems)) []string {
	var p fault.Problems
	validate(&p)
	f, ok := fault.Of(p.Err())
	if !ok {
		return nil
	}
	var out []string
	for _, field := range f.Fields {
		out = append(out, field.Name)
	}
	return out
}

func TestSettingsThatAreRefused(t *testing.T) {
	for _, tc := range []struct {
		name   string
		listen []string
		allow  []string
		want   []string
	}{
		{"none of either", nil, nil, nil},
		{"one of each family", []string{"192.0.2.1", "2001:db8::1"}, []string{"192.0.2.0/24", "192.0.2.7", "::/0"}, nil},
		{"the addresses of all interfaces", []string{"0.0.0.0", "::"}, []string{"0.0.0.0/0"}, nil},
		{"two of a family", []string{"192.0.2.1", "2001:db8::1", "192.0.2.2"}, nil, []string{"listen_addresses[2]"}},
		{"a name", []string{"ntp.example.com"}, []string{"ntp.example.com"}, []string{"listen_addresses[0]", "allow_acl[0]"}},
		{"a network to listen on", []string{"192.0.2.0/24"}, nil, []string{"listen_addresses[0]"}},
		{"a port", []string{"192.0.2.1:123"}, nil, []string{"listen_addresses[0]"}},
		{"addresses of nobody's own", []string{"224.0.1.1", "fe80::1"}, nil, []string{"listen_addresses[0]", "listen_addresses[1]"}},
		{"a zone", []string{"fe80::1%eth0"}, []string{"fe80::1%eth0"}, []string{"listen_addresses[0]", "allow_acl[0]"}},
		{"an IPv4 network in IPv6", []string{"::ffff:192.0.2.1"}, []string{"::ffff:192.0.2.1", "::ffff:192.0.2.0/120"}, []string{"allow_acl[1]"}},
		{"octal numbers", []string{"010.0.0.1"}, []string{"010.0.0.0/8"}, []string{"listen_addresses[0]", "allow_acl[0]"}},
		{"an address within a network", nil, []string{"192.0.2.1/24"}, nil},
		{"a short form", nil, []string{"192.0.2", "10/8", "all"}, []string{"allow_acl[0]", "allow_acl[1]", "allow_acl[2]"}},
		{"the same twice", nil, []string{"2001:db8::/32", "2001:DB8:0::/32"}, []string{"allow_acl[1]"}},
		{"nothing at all", []string{""}, []string{"", " "}, []string{"listen_addresses[0]", "allow_acl[0]", "allow_acl[1]"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := Settings{ListenAddresses: tc.listen, AllowACL: tc.allow}
			if diff := cmp.Diff(tc.want, wrongs(s.Validate)); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			if s.ListenAddresses == nil || s.AllowACL == nil {
				t.Error("a list is null, which the table refuses")
			}
		})
	}
}

func TestSourcesThatAreRefused(t *testing.T) {
	long := strings.Repeat("a", 63)
	name253 := strings.Join([]string{long, long, long, strings.Repeat("a", 61)}, ".")
	for _, tc := range []struct {
		name   string
		source Source
		want   []string
	}{
		{"a name", Source{Kind: "pool", Address: "0.debian.pool.ntp.org"}, nil},
		{"a name of one part", Source{Kind: "server", Address: "ntp"}, nil},
		{"a name as long as can be", Source{Kind: "server", Address: name253}, nil},
		{"an address", Source{Kind: "server", Address: "192.0.2.1"}, nil},
		{"an IPv6 address", Source{Kind: "server", Address: "2001:db8::1"}, nil},
		{"the widest range", Source{Kind: "server", Address: "a", Minpoll: pointer(-6), Maxpoll: pointer(24)}, nil},
		{"only a least", Source{Kind: "server", Address: "a", Minpoll: pointer(20)}, nil},
		{"a most below the daemon's least", Source{Kind: "server", Address: "a", Maxpoll: pointer(5)}, []string{"maxpoll"}},
		{"a most below the least", Source{Kind: "server", Address: "a", Minpoll: pointer(8), Maxpoll: pointer(7)}, []string{"maxpoll"}},
		{"beyond the range", Source{Kind: "server", Address: "a", Minpoll: pointer(-7), Maxpoll: pointer(25)}, []string{"minpoll", "maxpoll"}},
		{"another kind", Source{Kind: "peer", Address: "a"}, []string{"kind"}},
		{"all wrong", Source{Address: "-x", Minpoll: pointer(99)}, []string{"kind", "address", "minpoll"}},
		{"too long", Source{Kind: "server", Address: "a" + name253}, []string{"address"}},
		{"a part too long", Source{Kind: "server", Address: long + "a.example.com"}, []string{"address"}},
		{"a dash at an end", Source{Kind: "server", Address: "a-.example.com"}, []string{"address"}},
		{"a dot at the end", Source{Kind: "server", Address: "ntp.example.com."}, nil},
		{"an underscore", Source{Kind: "server", Address: "my_ntp.example.com"}, nil},
		{"what a resolver takes for an address", Source{Kind: "server", Address: "10.1"}, []string{"address"}},
		{"the same in hexadecimal", Source{Kind: "server", Address: "0x7f.1"}, []string{"address"}},
		{"the same in octal", Source{Kind: "server", Address: "010.0.0.1"}, []string{"address"}},
		{"letters beyond ASCII", Source{Kind: "server", Address: "zeit.exämple.com"}, nil},
		{"nobody's address", Source{Kind: "server", Address: "0.0.0.0"}, []string{"address"}},
		{"everybody's address", Source{Kind: "server", Address: "224.0.1.1"}, []string{"address"}},
		{"a zone", Source{Kind: "server", Address: "fe80::1%eth0"}, []string{"address"}},
		{"more words", Source{Kind: "server", Address: "a.example.com key 1 port 22"}, []string{"address"}},
		{"more lines", Source{Kind: "server", Address: "a.example.com\ninclude /etc/passwd"}, []string{"address"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, wrongs(tc.source.Validate)); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOneSpelling(t *testing.T) {
	s := Source{Kind: "server", Address: "NTP.Example.COM"}
	ip := Source{Kind: "server", Address: "2001:DB8:0:0::1"}
	set := Settings{ListenAddresses: []string{"2001:DB8::1"}, AllowACL: []string{"2001:DB8::/32"}}
	if w := append(append(wrongs(s.Validate), wrongs(ip.Validate)...), wrongs(set.Validate)...); len(w) > 0 {
		t.Fatal(w)
	}
	if s.Address != "ntp.example.com" || ip.Address != "2001:db8::1" || set.ListenAddresses[0] != "2001:db8::1" || set.AllowACL[0] != "2001:db8::/32" {
		t.Errorf("spelled %q, %q, %q, %q", s.Address, ip.Address, set.ListenAddresses, set.AllowACL)
	}
}

func TestReachable(t *testing.T) {
	for _, tc := range []struct {
		listen []string
		want   bool
	}{
		{nil, true},
		{[]string{"127.0.0.1"}, false},
		{[]string{"127.0.0.1", "::1"}, false},
		{[]string{"127.0.0.1", "2001:db8::1"}, true},
		{[]string{"0.0.0.0"}, true},
		{[]string{"192.0.2.1"}, true},
	} {
		if got := (Settings{ListenAddresses: tc.listen}).reachable(); got != tc.want {
			t.Errorf("listening on %v is reachable: %t, want %t", tc.listen, got, tc.want)
		}
	}
}
