package lab

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// children returns the pids directly below a process.
func children(pid int) []int {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	var pids []int
	for _, task := range tasks {
		b, _ := os.ReadFile(task)
		for _, field := range strings.Fields(string(b)) {
			if child, err := strconv.Atoi(field); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// killBelow kills what nsenter or unshare runs for us. They end by themselves
// when it is gone: whoever waits for them then knows that it is.
func killBelow(pid int) {
	below := children(pid)
	if len(below) == 0 {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
	for _, child := range below {
		killTree(child)
	}
}

func killTree(pid int) {
	below := children(pid)
	_ = unix.Kill(pid, unix.SIGKILL)
	for _, child := range below {
		killTree(child)
	}
}

// startTime tells a process from a later one with the same pid; it is empty
// for a process that is gone.
func startTime(pid int) string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The second field is the name in parentheses and may itself hold spaces.
	_, rest, _ := bytes.Cut(b, []byte(") "))
	if f := bytes.Fields(rest); len(f) > 19 {
		return string(f[19])
	}
	return ""
}

// run runs one command to its end and returns all it printed. When the context
// ends first, the command dies with everything below it, across nsenter's fork.
func run(ctx context.Context, stdin io.Reader, argv []string) (string, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = cleanEnv()
	cmd.Stdin = stdin
	cmd.Cancel = func() error {
		killBelow(cmd.Process.Pid)
		return nil
	}
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return string(out), err
}
