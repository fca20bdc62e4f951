package sys

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/coreos/go-systemd/v22/dbus"
	godbus "github.com/godbus/dbus/v5"

	"gateway/internal/fault"
)

// A unit may take its own TimeoutStartSec plus TimeoutStopSec, 90 s each by default.
// The bound here is for the case that the answer was lost with the bus.
const jobTimeout = 4 * time.Minute

// JobError says that systemd took the job and it did not end well. Result is systemd's
// word: failed, timeout, dependency, canceled, skipped.
type JobError struct{ Verb, Unit, Result string }

func (e *JobError) Error() string { return fmt.Sprintf("the job ended with %q", e.Result) }

// enqueue is the common shape of the library's job methods.
type enqueue func(c *dbus.Conn, ctx context.Context, name, mode string, done chan<- string) (int, error)

// Restart stops the unit if it runs, and starts it.
func (u *Units) Restart(ctx context.Context, unit string) error {
	return u.job(ctx, "restart", unit, (*dbus.Conn).RestartUnitContext)
}

// Start starts the unit; one that runs is left alone.
func (u *Units) Start(ctx context.Context, unit string) error {
	return u.job(ctx, "start", unit, (*dbus.Conn).StartUnitContext)
}

// Stop stops the unit; one that is down is left alone.
func (u *Units) Stop(ctx context.Context, unit string) error {
	return u.job(ctx, "stop", unit, (*dbus.Conn).StopUnitContext)
}

// RestartSoon has systemd restart the unit, and does not wait for it: for a unit that the unit may be ordered behind.
func (u *Units) RestartSoon(ctx context.Context, unit string) error {
	return u.with(ctx, "restart", unit, func(c *dbus.Conn) error {
		_, err := c.RestartUnitContext(ctx, unit, "replace", nil)
		return err
	})
}

// StartSoon is Start without the wait, as RestartSoon.
func (u *Units) StartSoon(ctx context.Context, unit string) error {
	return u.with(ctx, "start", unit, func(c *dbus.Conn) error {
		_, err := c.StartUnitContext(ctx, unit, "replace", nil)
		return err
	})
}

// Reload makes the running daemon read its configuration again.
func (u *Units) Reload(ctx context.Context, unit string) error {
	return u.job(ctx, "reload", unit, (*dbus.Conn).ReloadUnitContext)
}

// job enqueues and waits for the end of the job, not merely for its acceptance.
func (u *Units) job(ctx context.Context, verb, unit string, start enqueue) error {
	ctx, cancel := context.WithTimeoutCause(ctx, jobTimeout, fmt.Errorf("no answer within %s", jobTimeout))
	defer cancel()
	return u.with(ctx, verb, unit, func(c *dbus.Conn) error {
		// Room for the answer, so that the library never waits for a caller who left.
		done := make(chan string, 1)
		if _, err := start(c, ctx, unit, "replace", done); err != nil {
			return refused(unit, err)
		}
		select {
		case result := <-done:
			return jobResult(verb, unit, result)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
}

// refused has words for the one refusal that only an operator can end.
func refused(unit string, err error) error {
	var said godbus.Error
	if !errors.As(err, &said) || said.Name != "org.freedesktop.systemd1.UnitMasked" {
		return err
	}
	return errors.Join(fault.New(fault.Unavailable, "%s is masked on this node, so that nothing can start it; end that with systemctl unmask %s", unit, unit), err)
}

func jobResult(verb, unit, result string) error {
	if result == "done" {
		return nil
	}
	return &JobError{Verb: verb, Unit: unit, Result: result}
}

// Enable makes the unit start with the machine from now on. It does not start it.
func (u *Units) Enable(ctx context.Context, unit string) error {
	return u.with(ctx, "enable", unit, func(c *dbus.Conn) error {
		if _, _, err := c.EnableUnitFilesContext(ctx, []string{unit}, false, false); err != nil {
			return err
		}
		return c.ReloadContext(ctx) // systemd reads the links only now
	})
}

// Disable makes the unit stay down at the next boot. It does not stop it.
func (u *Units) Disable(ctx context.Context, unit string) error {
	return u.with(ctx, "disable", unit, func(c *dbus.Conn) error {
		if _, err := c.DisableUnitFilesContext(ctx, []string{unit}, false); err != nil {
			return err
		}
		return c.ReloadContext(ctx)
	})
}
