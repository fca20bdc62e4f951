package auth

import (
	"context"
	"slices"
	"sync"

	"gateway/internal/fault"
)

// Lane is the queue a caller waits in for the hashing gate.
type Lane int

const (
	// Untrusted is the lane of callers we know nothing about.
	Untrusted Lane = iota
	// Trusted is the lane of callers with a valid session or device cookie; it goes first.
	Trusted
)

// How many callers wait in each lane before the next is sent away. At a third of a
// second per hash nobody waits long, and a flood of logins cannot pile up.
const (
	maxUntrusted = 3
	maxTrusted   = 8
)

// gate lets one caller through at a time, trusted callers first.
type gate struct {
	mu      sync.Mutex
	busy    bool
	waiting [2][]chan struct{} // by lane, first come first
}

// enter waits for the gate. Every nil return must be paired with leave.
func (g *gate) enter(ctx context.Context, lane Lane) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ready, err := g.queue(lane)
	if err != nil || ready == nil {
		return err
	}
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		g.abandon(lane, ready)
		return ctx.Err()
	}
}

// queue returns nil when the gate is free, else the channel that is closed when the caller may enter.
func (g *gate) queue(lane Lane) (chan struct{}, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.busy {
		g.busy = true
		return nil, nil
	}
	limit := maxUntrusted
	if lane == Trusted {
		limit = maxTrusted
	}
	if len(g.waiting[lane]) >= limit {
		return nil, fault.New(fault.TooMany, "too many logins at the moment, try again in a few seconds").WithRetry(retryBusy)
	}
	ready := make(chan struct{})
	g.waiting[lane] = append(g.waiting[lane], ready)
	return ready, nil
}

// abandon leaves the queue. When the gate was handed to us just before, it is passed on.
func (g *gate) abandon(lane Lane, ready chan struct{}) {
	g.mu.Lock()
	i := slices.Index(g.waiting[lane], ready)
	if i >= 0 {
		g.waiting[lane] = slices.Delete(g.waiting[lane], i, i+1)
	}
	g.mu.Unlock()
	if i < 0 {
		g.leave()
	}
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, lane := range [...]Lane{Trusted, Untrusted} {
		if queue := g.waiting[lane]; len(queue) > 0 {
			g.waiting[lane] = queue[1:]
			close(queue[0]) // the gate stays busy: it is handed over
			return
		}
	}
	g.busy = false
}
