package ctl_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// other is an interface that is not loopback.
func other(t *testing.T) string {
	t.Helper()
	links, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		if l.Flags&net.FlagLoopback == 0 {
			return l.Name
		}
	}
	t.Skip("this machine has no interface but loopback")
	return ""
}

func TestCapture(t *testing.T) {
	n := newNode(t).on(t)
	file := filepath.Join(t.TempDir(), "a.pcap")
	if err := os.WriteFile(file, []byte("an older capture"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"an interface that is not there": {[]string{"nowhere0", file}, "no such interface"},
		"an option for a host":           {[]string{"lo", file, "--host=-w/tmp/x"}, "must be an IP address"},
		"a port of ICMP":                 {[]string{"lo", file, "--protocol=icmp", "--port=53"}, "only TCP and UDP have ports"},
		"too long":                       {[]string{"lo", file, "--max-seconds=301"}, "max_seconds"},
		"the loopback interface":         {[]string{"lo", file}, "sessions and passwords of the management"},
		"nobody records here":            {[]string{other(t), file}, "gateway-capture"},
	} {
		if out, err := n.try(append([]string{"capture"}, tc.args...)...); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %s, %v", name, out, err)
		}
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "an older capture" {
		t.Errorf("a capture that did not begin left %q in its file, %v", b, err)
	}
}
