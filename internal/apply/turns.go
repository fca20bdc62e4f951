package apply

import (
	"context"
	"fmt"
	"sync"
)

// turns lets one caller at a time at each unit. The zero value is ready.
type turns struct {
	mu    sync.Mutex
	units map[string]chan struct{}
}

// take waits for the unit, but not longer than ctx; the caller gives it back by leave.
func (t *turns) take(ctx context.Context, unit string) (leave func(), err error) {
	turn := t.of(unit)
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the turn at %s: %w", unit, context.Cause(ctx))
	}
}

func (t *turns) of(unit string) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.units == nil {
		t.units = map[string]chan struct{}{}
	}
	if t.units[unit] == nil {
		t.units[unit] = make(chan struct{}, 1)
	}
	return t.units[unit]
}
