package haproxyconf

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestWhetherThereIsAnAccessLog(t *testing.T) {
	for _, tc := range []struct {
		name           string
		socket         bool
		missed, pid    string // empty: there is no such file
		unknown, isOff bool
	}{
		{"no socket", false, "", "42\n", false, true},
		{"all is there", true, "", "42\n", false, false},
		{"started before its unit mounted the socket", true, "42\n", "42\n", false, true},
		{"restarted since", true, "42\n", "43\n", false, false},
		{"stopped", true, "42\n", "", false, false},
		{"nothing is known of either", true, "\n", "\n", false, false},
		{"not on a node", false, "42\n", "42\n", true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			l := LogPlaces{Socket: filepath.Join(dir, "dev-log"), Missed: filepath.Join(dir, "missed"), PID: filepath.Join(dir, "pid")}
			if tc.socket {
				conn, err := net.ListenPacket("unixgram", l.Socket)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
			}
			for at, text := range map[string]string{l.Missed: tc.missed, l.PID: tc.pid} {
				if text == "" {
					continue
				}
				if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if tc.unknown {
				l.Socket = ""
			}
			if got := l.off(); got != tc.isOff {
				t.Errorf("off is %t, want %t", got, tc.isOff)
			}
		})
	}
}
