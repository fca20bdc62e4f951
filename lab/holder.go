package lab

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// holder is a process that does nothing but keep namespaces alive until its
// standard input ends.
type holder struct {
	cmd   *exec.Cmd
	stdin io.Closer
	pid   int // of the holding process itself, below nsenter or unshare
}

// drop starts a lab's anchor. Its network namespace is the switch that all
// bridges live in; its /proc is of its own PID namespace, which nspawn needs.
func drop(ctx context.Context) (*holder, error) {
	unshare := []string{"unshare", "--mount", "--net", "--ipc", "--pid", "--fork"}
	return hold(ctx, unshare, `mount -t proc proc /proc && ip link set lo up`)
}

// hold runs a script behind a prefix that enters or makes namespaces, and
// returns when it is done; the namespaces then stay until stop.
func hold(ctx context.Context, prefix []string, script string, args ...string) (*holder, error) {
	// PID 1 of a namespace has no default signal handlers, so what holds must
	// end by itself: cat does when the pipe from this process is closed.
	argv := append(prefix[1:len(prefix):len(prefix)], "sh", "-c", script+` && echo held && exec cat >/dev/null`, "sh")
	cmd := exec.Command(prefix[0], append(argv, args...)...)
	cmd.Env = cleanEnv()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("make the lifeline: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("make the ready pipe: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("hold namespaces: %w", err)
	}
	h := &holder{cmd: cmd, stdin: stdin}
	if err := h.ready(ctx, stdout); err != nil {
		h.stop()
		return nil, fmt.Errorf("hold namespaces: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return h, nil
}

// ready waits for the script's last word and finds the process that said it.
func (h *holder) ready(ctx context.Context, stdout io.Reader) error {
	said := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(stdout).ReadString('\n')
		said <- line
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case line := <-said:
		if line != "held\n" {
			return errors.New("the script did not finish")
		}
	}
	pids := children(h.cmd.Process.Pid)
	if len(pids) != 1 {
		return fmt.Errorf("%d processes where one was started", len(pids))
	}
	h.pid = pids[0]
	return nil
}

// stop ends the holder and returns when it is gone. The PID 1 of a namespace is
// only gone when everything in the namespace is.
func (h *holder) stop() {
	_ = h.stdin.Close()
	// The pipe is closed; killing as well covers a holder that was stopped or
	// whose script hangs.
	late := time.AfterFunc(5*time.Second, func() { killBelow(h.cmd.Process.Pid) })
	defer late.Stop()
	_ = h.cmd.Wait()
}

// enter is the command prefix that runs something in some of the holder's namespaces.
func (h *holder) enter(flags ...string) []string {
	return append([]string{"nsenter", fmt.Sprintf("--target=%d", h.pid)}, flags...)
}

// netPath is the holder's network namespace as a file.
func (h *holder) netPath() string { return fmt.Sprintf("/proc/%d/ns/net", h.pid) }
