// Package testrun runs "go test -json", prints what a reader needs of it, and counts.
// Which tests to run is left to its callers, the commands gotest and bars.
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
	"syscall"
	"time"
)

// CountsEnv names the file to which every run appends its counts, for the
// script that adds them up.
const CountsEnv = "GATEWAY_TEST_COUNTS"

// Result counts tests and subtests. A package that fails without a failed test
// (it does not build, it panics, it runs out of time) counts as one failure.
type Result struct {
	Passed, Failed, Skipped int
}

func (r Result) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", r.Passed, r.Failed, r.Skipped)
}

// Options say what a run prints and who listens.
type Options struct {
	Out    io.Writer
	Stream bool // print every line as it comes, not only what failed
	// Digest, if set, keeps the failures for the end of all output.
	Digest *Digest
	// OnOutput, if set, sees every line of output with the test that printed it.
	OnOutput func(pkg, test, line string)
	// OnEnd, if set, sees how each test ended: pass, fail or skip.
	OnEnd func(pkg, test, action string)
}

// Go runs "go test -json" with args. The error is about the run itself; failed
// tests are in the result.
func Go(ctx context.Context, o Options, args ...string) (Result, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = o.Out
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return Result{}, fmt.Errorf("pipe of go test: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return Result{}, fmt.Errorf("start go test: %w", err)
	}
	// A test's own children may outlive go test and hold the pipe; stop reading then.
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(cmd.WaitDelay, func() { out.Close() }) })
	defer stop()
	res, readErr := Read(o, out)
	waitErr := cmd.Wait()
	if waitErr != nil && res.Failed == 0 {
		res.Failed = 1 // go test itself refused: a bad flag, an unknown package, a signal
	}
	if exit := (*exec.ExitError)(nil); errors.As(waitErr, &exit) {
		waitErr = nil
	}
	return res, errors.Join(readErr, waitErr, ctx.Err(), res.append(os.Getenv(CountsEnv)))
}

// Read consumes the events of one "go test -json".
func Read(o Options, r io.Reader) (Result, error) {
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
			return p.res, nil
		}
		if err != nil {
			return p.res, fmt.Errorf("read test events: %w", err)
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

// Withdraw takes these counts out of the recorded ones, for a caller that ran the
// tests again: the later run's counts hold.
func (r Result) Withdraw() error {
	return Result{Passed: -r.Passed, Failed: -r.Failed, Skipped: -r.Skipped}.append(os.Getenv(CountsEnv))
}

func (r Result) append(path string) error {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("record counts: %w", err)
	}
	_, err = fmt.Fprintf(f, "%d %d %d\n", r.Passed, r.Failed, r.Skipped)
	return errors.Join(err, f.Close())
}
