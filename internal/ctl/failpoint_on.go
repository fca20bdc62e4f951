//go:build failpoint

package ctl

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// failpoint ends the process, as a power cut would, at the point that a file names. Only
// builds for the fault tests have it.
func failpoint(dir string) func(point string) {
	path := filepath.Join(dir, "restore-failpoint")
	return func(point string) {
		want, err := os.ReadFile(path)
		if err != nil || strings.TrimSpace(string(want)) != point {
			return
		}
		_ = os.Remove(path)
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}
