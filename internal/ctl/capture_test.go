package ctl_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
		"nobody records here":            {[]string{"lo", file}, "gateway-capture"},
	} {
		if out, err := n.try(append([]string{"capture"}, tc.args...)...); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %s, %v", name, out, err)
		}
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "an older capture" {
		t.Errorf("a capture that did not begin left %q in its file, %v", b, err)
	}
}
