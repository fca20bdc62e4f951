package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gateway/lab"
	"gateway/tools/bar"
)

// What a daemon's checker runs, when somebody got a program into its configuration, is nobody on
// the node: the tests of package sys that need a systemd and an HAProxy run there.
func TestBarTrust04Checkers(t *testing.T) {
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
	said := strings.Count(string(out), "--- PASS") == 2
	verdict := map[bool]string{true: "is nobody: no root, capability, file, bus or network; control: unconfined it has each of them", false: "has something"}[err == nil && said]
	bar.Report(t, "trust", 4, "a payload that HAProxy's checker runs "+verdict, "nothing, control all", err == nil && said)
}
