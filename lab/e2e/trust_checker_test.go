package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gateway/lab"
)

// What a daemon's checker runs, when somebody got a program into its configuration, is nobody on
// the node: the tests of package sys that need a systemd and an HAProxy run there.
func TestConfinedCheckers(t *testing.T) {
	l := lab.New(t)
	gw := l.Node("gw1")
	program := filepath.Join(t.TempDir(), "sys.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", program, "gateway/internal/sys")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the tests: %v\n%s", err, out)
	}
	l.Must(gw.CopyIn(program, "/root/sys.test", 0o755))
	out, err := gw.Run(t.Context(), "/root/sys.test", "-test.v", "-test.run", "^TestAPayload|^TestAConfined")
	t.Logf("%s", out)
	if err != nil || strings.Count(string(out), "--- PASS") != 2 {
		t.Errorf("on the node: %v", err)
	}
}
