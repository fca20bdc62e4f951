package change

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gateway/internal/audit"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/identity"
)

// Act does something that stores no configuration: restart a daemon, empty a cache. The
// audit entry comes first, so that nothing is ever done that the log does not know; what
// then fails is a second entry. Without the database the entries wait in a file. No
// transaction and no lock is held meanwhile. It goes on when whoever asked hangs up, so that
// the log does not call a failure what is done after all; when its process is to end, it soon does too.
func (r *Runner) Act(ctx context.Context, c Change, fn func(ctx context.Context) error) error {
	ctx, cancel := Hold(ctx)
	defer cancel()
	entry, err := c.entry(ctx)
	if err != nil {
		return err
	}
	if err := r.log.RecordLater(ctx, r.pool, entry); err != nil {
		return db.Busy(fmt.Errorf("record %s: %w", c.Action, err))
	}
	err = fn(ctx)
	if err == nil {
		return nil
	}
	if errors.Is(context.Cause(ctx), errStopped) {
		err = errors.Join(errStopped, err)
	}
	entry.Action += ".failed"
	entry.Detail, _ = json.Marshal(map[string]string{"why": why(err)}) // a text can always be encoded
	return errors.Join(err, r.log.RecordLater(context.WithoutCancel(ctx), r.pool, entry))
}

// lastActs is how long what was begun may go on once its process is to end.
const lastActs = 2 * time.Second

// errStopped is why an act ended that had no more time than that.
var errStopped = fault.New(fault.Unavailable, "gateway-api was stopped meanwhile; look whether it was done all the same")

type process struct{}

// OfProcess has the acts of all requests below ctx end soon after it does: as a process that goes away would end them without a
// word in the log.
func OfProcess(ctx context.Context) context.Context { return context.WithValue(ctx, process{}, ctx) }

// Hold is the context of a request without its end but for the deadline: it goes on when the
// caller hangs up. What has no deadline is no request, and ends as it would.
func Hold(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	held, cancel := context.WithDeadline(context.WithoutCancel(ctx), end)
	all, ok := ctx.Value(process{}).(context.Context)
	if !ok {
		return held, cancel
	}
	held, stop := context.WithCancelCause(held)
	forget := context.AfterFunc(all, func() {
		select {
		case <-time.After(lastActs):
			stop(errStopped)
		case <-held.Done():
		}
	})
	return held, func() { forget(); stop(nil); cancel() }
}

// why is what the audit log may say of an error.
func why(err error) string {
	if f, ok := fault.Of(err); ok {
		return f.Message
	}
	return "the log of this node has the details"
}

// entry is what the audit log says of the change.
func (c Change) entry(ctx context.Context) (audit.Entry, error) {
	if c.Actor == "" {
		c.Actor = identity.From(ctx).Actor()
	}
	if c.Actor == "" || c.Action == "" || c.Component == "" {
		return audit.Entry{}, fmt.Errorf("change %q of component %q by %q lacks a name", c.Action, c.Component, c.Actor)
	}
	e := audit.Entry{Actor: c.Actor, Action: c.Action, Subject: c.Subject}
	if c.Detail == nil {
		return e, nil
	}
	detail, err := json.Marshal(c.Detail)
	if err != nil {
		return audit.Entry{}, fmt.Errorf("detail of %s: %w", c.Action, err)
	}
	e.Detail = detail
	return e, nil
}
