package ctl

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"time"

	"gateway/internal/app"
	"gateway/internal/apply"
	"gateway/internal/change"
	"gateway/internal/fault"
)

// confirmation is the wait of a change that is reverted unless confirmed.
type confirmation struct {
	State    string    `json:"state"` // as in the history
	Deadline time.Time `json:"deadline"`
	Command  string    `json:"command"`
}

// confirmationOf is nil for a change that is not waiting for confirmation.
func confirmationOf(ctx context.Context, l *app.Local, id string) (*confirmation, error) {
	c, err := recordOf(ctx, l, id)
	if err != nil || c.ConfirmState == nil {
		return nil, err
	}
	left, known := timeLeft(ctx, l)[id]
	if !known && c.ConfirmSeconds != nil {
		left = time.Until(c.CreatedAt) + time.Duration(*c.ConfirmSeconds)*time.Second
	}
	deadline := time.Now().Add(left).Round(time.Second)
	return &confirmation{State: *c.ConfirmState, Deadline: deadline, Command: "gateway-ctl confirm " + id}, nil
}

func recordOf(ctx context.Context, l *app.Local, id string) (c change.Record, err error) {
	err = get(ctx, l, "/changes/"+url.PathEscape(id), &c)
	return c, err
}

// timeLeft is how long each waiting change still has, by the clock that decides: the applier's.
func timeLeft(ctx context.Context, l *app.Local) map[string]time.Duration {
	var states []apply.State
	left := map[string]time.Duration{}
	if get(ctx, l, "/system/components", &states) != nil {
		return left // then the time of the change has to do
	}
	for _, s := range states {
		if s.Confirm != nil {
			left[s.Confirm.Change] = time.Duration(s.Confirm.SecondsLeft) * time.Second
		}
	}
	return left
}

func (c *confirmation) waiting() bool { return c != nil && c.State == change.Waiting }

func (c *confirmation) print(w io.Writer) {
	if c.waiting() {
		fmt.Fprintf(w, "Reverting at %s, %s, unless confirmed:\n  %s\n", c.Deadline.Local().Format(time.TimeOnly), in(c.Deadline), c.Command)
	}
}

// in words how long there is until then.
func in(deadline time.Time) string {
	left := time.Until(deadline).Round(time.Second)
	if left <= 0 {
		return "now"
	}
	return fmt.Sprintf("in %d s", int(left.Seconds()))
}

// askEvery is how often the end of a wait is looked for.
const askEvery = 500 * time.Millisecond

// await waits until the change is confirmed or reverted. A database that is away meanwhile
// says nothing about it.
func (c *confirmation) await(ctx context.Context, l *app.Local, id string) error {
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for {
		now, err := recordOf(ctx, l, id)
		switch {
		case err != nil && !fault.Is(err, fault.Unavailable):
			return err
		case err == nil && now.ConfirmState != nil && *now.ConfirmState != change.Waiting:
			c.State = *now.ConfirmState
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("interrupted; the change is still waiting for confirmation: %s", c.Command)
		case <-tick.C:
		}
	}
}

// verdict is an error unless the change was confirmed, or can still be.
func (c *confirmation) verdict(id string) error {
	if c == nil || c.State == change.Waiting || c.State == change.Confirmed {
		return nil
	}
	return verdict(exitNotLive, "change %s was not confirmed and was reverted", id)
}
