package lab_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gateway/lab"
)

// TestDoomed is the test that TestNothingIsLeft runs in processes of its own.
func TestDoomed(t *testing.T) {
	end := os.Getenv("LAB_TEST_END")
	if end == "" {
		t.Skip("only runs inside TestNothingIsLeft")
	}
	l := lab.New(t)
	l.Node("doomed")
	l.Client("witness")
	if _, _, err := lab.Postgres(t.Context()); err != nil {
		t.Fatal(err)
	}
	switch end {
	case "fail":
		t.Fatal("failing on purpose")
	case "panic":
		panic("panicking on purpose")
	case "goroutine":
		go func() { panic("panicking on purpose, where no cleanup runs") }()
		select {}
	case "kill":
		p, err := os.FindProcess(os.Getpid())
		l.Must(err)
		l.Must(p.Kill())
		select {}
	}
}

func TestNothingIsLeft(t *testing.T) {
	needRoot(t)
	// Other tests on this machine have labs too: these get a cache of their own,
	// with the same root.
	root, err := lab.Root(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"pass", "fail", "panic", "goroutine", "kill"} {
		t.Run("after "+end, func(t *testing.T) {
			cache := t.TempDir()
			t.Setenv("GATEWAY_LAB_CACHE", cache)
			if err := os.Symlink(root, filepath.Join(cache, filepath.Base(root))); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDoomed$")
			cmd.Env = append(os.Environ(), "LAB_TEST_END="+end)
			out, err := cmd.CombinedOutput()
			if (err == nil) != (end == "pass") {
				t.Fatalf("the doomed process: %v\n%s", err, out)
			}
			checkNothingRuns(t, cache)
			swept, err := lab.Sweep(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("swept %d folders", len(swept))
			checkNothingLies(t, cache, swept)
		})
	}
}

// checkNothingRuns looks for processes that have a mount of the lab in view or
// were started with a path of it, and for mounts of this process's own.
func checkNothingRuns(t *testing.T, cache string) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for {
		left := runningIn(cache)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("left running: %s", strings.Join(left, "; "))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func runningIn(cache string) []string {
	var left []string
	procs, _ := filepath.Glob("/proc/[0-9]*")
	for _, proc := range procs {
		mounts, _ := os.ReadFile(proc + "/mountinfo")
		args, _ := os.ReadFile(proc + "/cmdline")
		if bytes.Contains(mounts, []byte(cache)) || bytes.Contains(args, []byte(cache)) {
			left = append(left, fmt.Sprintf("%s %s", proc, bytes.ReplaceAll(args, []byte{0}, []byte(" "))))
		}
	}
	return left
}

func checkNothingLies(t *testing.T, cache string, swept []string) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(cache, "run", "*-*")); len(left) > 0 {
		t.Errorf("folders left: %v", left)
	}
	for _, id := range swept {
		for _, pattern := range []string{"/sys/fs/cgroup/gateway-lab/", "/sys/fs/cgroup/unified/gateway-lab/"} {
			if _, err := os.Stat(pattern + id); err == nil {
				t.Errorf("control group left: %s", pattern+id)
			}
		}
	}
}
