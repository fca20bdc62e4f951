package sys

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func sh(script string) Command { return Command{Path: "/bin/sh", Args: []string{"-c", script}} }

func TestRun(t *testing.T) {
	t.Setenv("SECRET", "canary")
	for _, tc := range []struct {
		name     string
		cmd      Command
		out, err string
		code     int
		cut      bool
	}{
		{name: "stdout is returned", cmd: sh("echo hello"), out: "hello\n"},
		{name: "stdin reaches the program", cmd: Command{Path: "/bin/cat", Stdin: []byte("in")}, out: "in"},
		{name: "without stdin the program reads nothing", cmd: Command{Path: "/bin/cat"}},
		{name: "words are not split or expanded", cmd: Command{Path: "/bin/echo", Args: []string{"$HOME; a  b"}}, out: "$HOME; a  b\n"},
		{name: "our environment is not inherited", cmd: sh("echo $SECRET$LC_ALL:$PATH"), out: "C.UTF-8:/usr/sbin:/usr/bin:/sbin:/bin\n"},
		{name: "a variable can be added", cmd: Command{Path: "/bin/sh", Args: []string{"-c", "echo $A"}, Env: []string{"A=b"}}, out: "b\n"},
		{name: "the last value of a variable wins", cmd: Command{Path: "/bin/sh", Args: []string{"-c", "echo $LC_ALL"}, Env: []string{"LC_ALL=C"}}, out: "C\n"},
		{name: "a failing program is an error with its complaint", cmd: sh("echo out; echo bad >&2; exit 3"), out: "out\n", err: "/bin/sh: exit status 3: bad", code: 3},
		{name: "a program killed by a signal has no status", cmd: sh("kill -9 $$"), err: "/bin/sh: exit status -1", code: -1},
		{name: "a relative path is refused", cmd: Command{Path: "sh"}, err: `run "sh": the path is not absolute`, code: -1},
		{name: "a missing program is an error", cmd: Command{Path: "/no/such"}, err: "run /no/such: fork/exec /no/such: no such file or directory", code: -1},
		{name: "output beyond the limit is dropped and the program lives on", cmd: Command{Path: "/bin/sh", Args: []string{"-c", "yes | head -c 300000; echo end >&2"}, MaxOutput: 4}, out: "y\ny\n", cut: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			res, err := Run(t.Context(), tc.cmd)
			if got := fmt.Sprint(err); err != nil && got != tc.err || err == nil && tc.err != "" {
				t.Errorf("err = %q, want %q", got, tc.err)
			}
			if got := string(res.Stdout); got != tc.out {
				t.Errorf("stdout = %q, want %q", got, tc.out)
			}
			if res.ExitCode != tc.code || res.Truncated != tc.cut {
				t.Errorf("exit code, truncated = %d, %t, want %d, %t", res.ExitCode, res.Truncated, tc.code, tc.cut)
			}
		})
	}
}

func TestRunKeepsOneMebibyteByDefault(t *testing.T) {
	res, err := Run(t.Context(), sh("head -c 2000000 /dev/zero"))
	if err != nil || len(res.Stdout) != 1<<20 || !res.Truncated {
		t.Errorf("err, bytes, truncated = %v, %d, %t, want nil, 1 MiB, true", err, len(res.Stdout), res.Truncated)
	}
}

func TestRunShortensTheComplaint(t *testing.T) {
	_, err := Run(t.Context(), sh("yes complaint | head -c 5000 >&2; exit 1"))
	var exit *ExitError
	if !errors.As(err, &exit) || len(exit.Stderr) > maxErrorText {
		t.Errorf("err = %v, want an ExitError with at most %d bytes of stderr", err, maxErrorText)
	}
}

func TestRunKillsTheWholeGroupWhenTheContextEnds(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "pid")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	pid := make(chan int, 1)
	go func() {
		defer cancel()
		data, _ := os.ReadFile(fifo) // blocks until the grandchild runs
		var n int
		_, _ = fmt.Sscan(string(data), &n)
		pid <- n
	}()
	start := time.Now()
	_, err := Run(ctx, sh("sleep 600 & echo $! >"+fifo+"; wait"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want context.Canceled", err)
	}
	if d := time.Since(start); d > time.Minute {
		t.Errorf("took %s", d)
	}
	waitGone(t, <-pid)
}

func TestRunEndsThoughAChildHoldsTheOutput(t *testing.T) {
	res, err := Run(t.Context(), sh("sleep 600 & echo $!"))
	if err == nil || !strings.Contains(err.Error(), "WaitDelay") {
		t.Errorf("err = %v, want WaitDelay expired", err)
	}
	var pid int
	if _, err := fmt.Sscan(string(res.Stdout), &pid); err != nil {
		t.Fatal(err)
	}
	waitGone(t, pid)
}

// waitGone waits until the process is dead, by the event rather than by polling.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 10_000)
	if n != 1 {
		t.Errorf("process %d still runs (%v)", pid, err)
	}
}
