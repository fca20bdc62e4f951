// Package testrun runs "go test -json", prints what a reader needs of it, runs what
// failed once more, and counts. Which tests to run is left to its callers, the
// commands gotest and bars.
package testrun

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// Options say what a run prints and who listens.
type Options struct {
	Out    io.Writer
	Stream bool // print every line as it comes, not only what failed
	// Retry runs a failed test once more, alone. One that then passes is unsteady,
	// and does not count as failed.
	Retry bool
	// OnOutput, if set, sees every line of output with the test that printed it.
	OnOutput func(pkg, test, line string)
	// OnEnd, if set, sees how each test ended: pass, fail or skip.
	OnEnd func(pkg, test, action string)
}

// Go runs "go test -json" with these flags, written -name=value, on these packages.
// The error is about the run itself; failed tests are in the report.
func Go(ctx context.Context, o Options, flags, pkgs []string) (*Report, error) {
	first, err := run(ctx, o, slices.Concat(flags, pkgs))
	r := newReport(first, flags)
	if err == nil && o.Retry {
		err = r.retry(func(args ...string) (attempt, error) {
			return run(ctx, o, slices.Concat(flags, args))
		}, o.Out)
	}
	return r, errors.Join(err, r.Result().append(os.Getenv(CountsEnv)))
}

func run(ctx context.Context, o Options, args []string) (attempt, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = o.Out
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return attempt{}, fmt.Errorf("pipe of go test: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return attempt{}, fmt.Errorf("start go test: %w", err)
	}
	// A test's own children may outlive go test and hold the pipe; stop reading then.
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(cmd.WaitDelay, func() { out.Close() }) })
	defer stop()
	a, readErr := read(o, out)
	waitErr := cmd.Wait()
	if waitErr != nil && !a.failed() {
		a.end(event{Action: "fail"}, nil) // go test itself refused: a bad flag, an unknown package, a signal
	}
	if exit := (*exec.ExitError)(nil); errors.As(waitErr, &exit) {
		waitErr = nil
	}
	return a, errors.Join(readErr, waitErr, ctx.Err())
}

// read consumes the events of one "go test -json".
func read(o Options, r io.Reader) (attempt, error) {
	p := newPrinter(o)
	br := bufio.NewReader(r)
	for {
		line, err := br.ReadBytes('\n')
		if len(line) > 0 {
			p.line(line)
		}
		if err != nil {
			p.finish()
		}
		if errors.Is(err, io.EOF) {
			return p.attempt, nil
		}
		if err != nil {
			return p.attempt, fmt.Errorf("read test events: %w", err)
		}
	}
}

func (p *printer) line(b []byte) {
	var e event
	if err := json.Unmarshal(b, &e); err != nil || e.Action == "" {
		fmt.Fprintf(p.o.Out, "%s", b) // not an event: the tool chain's own words
		return
	}
	p.event(e)
}
