package haproxyconf

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhetherThereIsAnAccessLog(t *testing.T) {
	for _, tc := range []struct {
		name           string
		socket         bool
		bound, pid     string // empty: there is no such file; FOLDER is that of the socket
		unknown, isOff bool
	}{
		{"no socket", false, "42 FOLDER\n", "42\n", false, true},
		{"all is there", true, "42 FOLDER\n", "42\n", false, false},
		{"started before there was the folder, and that was mended", true, "42 1:2\n", "42\n", false, true},
		{"started without any folder", true, "42 none\n", "42\n", false, true},
		{"restarted since", true, "42 1:2\n", "43\n", false, false},
		{"stopped", true, "42 1:2\n", "", false, false},
		{"nobody noted it", true, "", "42\n", false, false},
		{"nothing is known of either", true, "\n", "\n", false, false},
		{"not on a node", false, "42 1:2\n", "42\n", true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			l := LogPlaces{Socket: filepath.Join(dir, "journal", "dev-log"), Bound: filepath.Join(dir, "bound"), PID: filepath.Join(dir, "pid")}
			if err := os.Mkdir(filepath.Dir(l.Socket), 0o700); err != nil {
				t.Fatal(err)
			}
			if tc.socket {
				conn, err := net.ListenPacket("unixgram", l.Socket)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
			}
			// As the unit asks for it.
			folder, err := exec.Command("stat", "-L", "-c", "%d:%i", filepath.Dir(l.Socket)).Output()
			if err != nil {
				t.Fatal(err)
			}
			for at, text := range map[string]string{l.Bound: tc.bound, l.PID: tc.pid} {
				if text == "" {
					continue
				}
				if err := os.WriteFile(at, []byte(strings.Replace(text, "FOLDER", strings.TrimSpace(string(folder)), 1)), 0o600); err != nil {
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
