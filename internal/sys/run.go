package sys

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	defaultMaxOutput = 1 << 20
	// A child that outlives its parent may hold the output pipe open; after this
	// long it is cut off, so that Run always ends.
	waitDelay = 2 * time.Second
	// Enough of stderr to recognise the fault, not enough to flood a log line.
	maxErrorText = 512
)

// Command is one program run: an absolute path and its words, never a shell line.
type Command struct {
	Path  string
	Args  []string
	Stdin []byte
	// Env is added to a fixed PATH and LC_ALL=C.UTF-8. Nothing is inherited: our own
	// environment may hold secrets, and a translated message cannot be parsed.
	Env       []string
	MaxOutput int // bytes kept of stdout and of stderr each; 0 means 1 MiB
	// User is the system user that the program runs as, with that user's group alone; empty for our own.
	User string
	// Files are open files that the program gets as its descriptors 3 and up.
	Files []*os.File

	// Confined asks for a program without privilege and network, where the caller has them;
	// see Units.Confine. Reads is a folder below /run that it may read.
	Confined bool
	Reads    string
}

// Result is what the program left behind. It is filled as far as known even when Run
// returns an error.
type Result struct {
	Stdout    []byte
	Stderr    []byte
	Truncated bool // more was written than MaxOutput
	ExitCode  int  // -1 when the program did not start or was killed
	Duration  time.Duration
}

// ExitError says that the program ran and ended with a status other than zero. It is
// an error rather than a mere field, so that no caller can overlook it.
type ExitError struct {
	Path   string
	Code   int
	Stderr string // the beginning of what it complained
}

func (e *ExitError) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("%s: exit status %d", e.Path, e.Code)
	}
	return fmt.Sprintf("%s: exit status %d: %s", e.Path, e.Code, e.Stderr)
}

// Runner is Run as a value, for those who take it as an argument.
type Runner func(context.Context, Command) (Result, error)

// Run runs the program to its end. When ctx ends first, the program and everything it
// started in its process group are killed.
func Run(ctx context.Context, c Command) (Result, error) {
	if !filepath.IsAbs(c.Path) {
		return Result{ExitCode: -1}, fmt.Errorf("run %q: the path is not absolute", c.Path)
	}
	limit := c.MaxOutput
	if limit <= 0 {
		limit = defaultMaxOutput
	}
	stdout, stderr := &capped{limit: limit}, &capped{limit: limit}
	cmd, err := c.prepare(ctx, stdout, stderr)
	if err != nil {
		return Result{ExitCode: -1}, err
	}

	start := time.Now()
	err = cmd.Run()
	res := Result{
		Stdout:    stdout.data,
		Stderr:    stderr.data,
		Truncated: stdout.cut || stderr.cut,
		ExitCode:  cmd.ProcessState.ExitCode(),
		Duration:  time.Since(start),
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		// Somebody still holds our pipe, so the group still exists and its number
		// cannot have been given to others.
		_ = killGroup(cmd)
	}
	return res, c.explain(ctx, res, err)
}

func (c Command) prepare(ctx context.Context, stdout, stderr *capped) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Dir = "/"
	cmd.Env = append([]string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"}, c.Env...)
	if c.Stdin != nil {
		cmd.Stdin = bytes.NewReader(c.Stdin)
	}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.ExtraFiles = c.Files
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	if c.User != "" {
		var err error
		if cmd.SysProcAttr.Credential, err = credential(c.User); err != nil {
			return nil, err
		}
	}
	cmd.Cancel = func() error { return killGroup(cmd) }
	cmd.WaitDelay = waitDelay
	return cmd, nil
}

func credential(name string) (*syscall.Credential, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	if err := errors.Join(err, err2); err != nil {
		return nil, fmt.Errorf("user %s: %w", name, err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid), Groups: []uint32{uint32(gid)}}, nil
}

func killGroup(cmd *exec.Cmd) error {
	return unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
}

// explain turns what exec reports into what the caller wants to know first: that time
// was up, or which status and complaint the program ended with.
func (c Command) explain(ctx context.Context, res Result, err error) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("run %s: %w", c.Path, context.Cause(ctx))
	case errors.As(err, &exit):
		return &ExitError{Path: c.Path, Code: res.ExitCode, Stderr: firstBytes(res.Stderr)}
	default:
		return fmt.Errorf("run %s: %w", c.Path, err)
	}
}

func firstBytes(b []byte) string {
	if len(b) > maxErrorText {
		b = b[:maxErrorText]
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(b), "?"))
}

// capped keeps the first limit bytes and swallows the rest: a writer that failed
// instead would make the program die of a closed pipe and hide its own error.
type capped struct {
	data  []byte
	limit int
	cut   bool
}

func (w *capped) Write(p []byte) (int, error) {
	keep := min(len(p), w.limit-len(w.data))
	w.data = append(w.data, p[:keep]...)
	w.cut = w.cut || keep < len(p)
	return len(p), nil
}
