package graphs

import (
	"context"
	"errors"
	"strings"
	"time"

	"gateway/internal/fault"
	"gateway/internal/series"
)

// reopenAfter is how long it waits when the files cannot be written: a disk may be full.
const reopenAfter = time.Minute

// sample takes samples until ctx ends. That it cannot write them is a problem, and no reason
// to end.
func (h *handlers) sample(ctx context.Context) error {
	for ctx.Err() == nil {
		err := h.sampleTo(ctx)
		if ctx.Err() != nil {
			return nil
		}
		h.Log.Error("the samples for the graphs cannot be kept", "err", err)
		select {
		case <-ctx.Done():
		case <-time.After(reopenAfter):
		}
	}
	return nil
}

func (h *handlers) sampleTo(ctx context.Context) (err error) {
	store, err := series.Open(h.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	var m meter
	for next(ctx) {
		if err := h.take(ctx, &m, store); err != nil {
			return err
		}
	}
	return nil
}

// take keeps what is so now.
func (h *handlers) take(ctx context.Context, m *meter, store *series.Store) error {
	now := h.Now()
	looks := h.look(ctx)
	for _, l := range looks {
		h.tell(l)
	}
	values := m.values(looks)
	if len(values) == 0 {
		return nil
	}
	left := fit(values, h.kinds())
	more, err := store.Add(now, values)
	if left += more; left > 0 && !m.full {
		m.full = true
		h.Log.Warn("there are more values than the graphs keep", "left_out", left)
	}
	return err
}

// tell logs why there are no values, once. What has words is told elsewhere: a service that is off or
// does not answer is no news here.
func (h *handlers) tell(l look) {
	said := ""
	if _, worded := fault.Of(l.err); l.err != nil && !worded {
		said, _, _ = strings.Cut(l.err.Error(), "\n") // what follows may be a stack, which is another each time
	}
	if said != "" && said != l.source.said {
		h.Log.Warn("take samples for the graphs", "component", l.source.name, "err", l.err)
	}
	l.source.said = said
}

// next waits for the next tenth second of the clock, so that a slot has one sample.
func next(ctx context.Context) bool {
	now := time.Now()
	timer := time.NewTimer(now.Truncate(series.Step).Add(series.Step).Sub(now))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
