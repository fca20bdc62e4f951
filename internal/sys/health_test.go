package sys

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestHealthOfThisMachine(t *testing.T) {
	got, err := NewHost(time.Now).Health()
	if err != nil {
		t.Fatal(err)
	}
	name, _ := os.Hostname()
	if got.Hostname != name {
		t.Errorf("hostname = %q, want %q", got.Hostname, name)
	}
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	if want := strings.TrimSpace(string(release)); got.Kernel != want {
		t.Errorf("kernel = %q, want %q", got.Kernel, want)
	}
	if !strings.Contains(got.OS, "Linux") {
		t.Errorf("os = %q, want a Linux", got.OS)
	}
}

func TestHealthDoesNotTellTheMachineID(t *testing.T) {
	got, err := json.Marshal(Health{Hostname: "gw1", OS: "Debian", Kernel: "6.12", MachineID: "canary"})
	if err != nil || string(got) != `{"hostname":"gw1","os":"Debian","kernel":"6.12"}` {
		t.Errorf("JSON = %s, %v", got, err)
	}
}

func TestHealthWithoutItsFiles(t *testing.T) {
	dir := t.TempDir()
	h := &Host{osRelease: []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}, machineID: filepath.Join(dir, "c")}
	got, err := h.Health()
	if err != nil || got.OS != "Linux" || got.MachineID != "" || got.Kernel == "" {
		t.Errorf("Health = %+v, %v, want a bare Linux", got, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b"), []byte("PRETTY_NAME=Fallback\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _ := h.Health(); got.OS != "Fallback" {
		t.Errorf("OS = %q, want that of the second file", got.OS)
	}
	if err := unix.Mkdir(filepath.Join(dir, "a"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Health(); err == nil {
		t.Error("a file that cannot be read is not reported")
	}
}

func TestPrettyName(t *testing.T) {
	for _, tc := range []struct{ name, file, want string }{
		{"double quotes are taken off", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\n", "Debian GNU/Linux 13 (trixie)"},
		{"single quotes keep a backslash", `PRETTY_NAME='a\b'`, `a\b`},
		{"a backslash escapes in double quotes", `PRETTY_NAME="a \"b\" \$c"`, `a "b" $c`},
		{"a bare word stands for itself", "PRETTY_NAME=Arch", "Arch"},
		{"a comment is no assignment", "#PRETTY_NAME=x\n", "Linux"},
		{"the last assignment wins", "PRETTY_NAME=a\nPRETTY_NAME=b\n", "b"},
		{"an empty file is a Linux", "", "Linux"},
		{"an empty name is a Linux", `PRETTY_NAME=""`, "Linux"},
		{"a lone quote does no harm", `PRETTY_NAME="`, `"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := prettyName(tc.file); got != tc.want {
				t.Errorf("prettyName = %q, want %q", got, tc.want)
			}
		})
	}
}

func TestMachineIDIsEmptyBeforeTheFirstBoot(t *testing.T) {
	for file, want := range map[string]string{
		"": "", "uninitialized\n": "", "00112233445566778899aabbccddeeff\n": "00112233445566778899aabbccddeeff",
	} {
		if got := machineID(file); got != want {
			t.Errorf("machineID(%q) = %q, want %q", file, got, want)
		}
	}
}
