package filter

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// retryEvery is how soon it is tried again to let the kernel forward, and to cut connections.
const retryEvery = 10 * time.Second

// background is what goes on in gateway-apply between two applies.
func (f *filter) background(ctx context.Context, again func()) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return f.observer.Run(ctx) })
	g.Go(func() error { return f.watchTime(ctx, again) })
	return g.Wait()
}

// watchTime has rules applied anew when one runs out. What failed is tried again.
func (f *filter) watchTime(ctx context.Context, again func()) error {
	retry := time.NewTicker(retryEvery)
	defer retry.Stop()
	for {
		over := time.NewTimer(f.expiry.wait())
		select {
		case <-ctx.Done():
			over.Stop()
			return nil
		case <-over.C:
			f.expiry.expect(time.Time{}) // until the rendering says when the next one does
			again()
		case <-f.expiry.changed:
		case <-retry.C:
		}
		over.Stop()
		f.letForward(ctx)
		f.cutExpired(ctx)
	}
}

// expiry knows when a rule runs out next. Whoever renders says so; whoever applies waits for it.
type expiry struct {
	mu      sync.Mutex
	at      time.Time // zero for never
	changed chan struct{}
	cut     []string // rules that ran out and whose connections are cut; watchTime's alone
}

func newExpiry() *expiry { return &expiry{changed: make(chan struct{}, 1)} }

// expect is told when the next rule runs out; zero for never.
func (e *expiry) expect(at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.at = at
	if !at.IsZero() {
		e.at = at.Add(5 * time.Millisecond) // so that it is over by then
	}
	e.wake()
}

// wake has whoever waits look again.
func (e *expiry) wake() {
	select {
	case e.changed <- struct{}{}:
	default:
	}
}

// wait is how long it is until then, or as good as never.
func (e *expiry) wait() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.at.IsZero() {
		return 1 << 62
	}
	return time.Until(e.at)
}
