//go:build failpoint

package applier

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// failpoint ends the process, as a power cut would, at the step that a file names. Only
// builds for the fault tests have it.
func failpoint(dir string) func(step string) {
	path := filepath.Join(dir, "failpoint")
	return func(step string) {
		want, err := os.ReadFile(path)
		if err != nil || strings.TrimSpace(string(want)) != step {
			return
		}
		_ = os.Remove(path)
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}
