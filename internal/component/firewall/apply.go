package firewall

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gateway/internal/daemon"
	"gateway/internal/packetfilter"
)

// apply brings the kernel to now: elements of sets one by one where only they changed, else
// all of it in one transaction, which counters outlive.
func (p *part) apply(ctx context.Context, old, now daemon.Rendering) error {
	p.tell(old.Problems, now.Problems)
	defer p.expiry.wake()
	err := p.change(ctx, old, now)
	if errors.Is(err, errOtherwise) {
		err = p.table.Replace(ctx, now.File(RulesPath), now.File(ElementsPath))
	}
	if err == nil {
		p.mark, err = p.marker.Mark(ctx)
	}
	if err == nil {
		p.forward.due.Store(true) // watchTime wakes and does it
	}
	return err
}

// errOtherwise says that elements alone do not lead from the one to the other.
var errOtherwise = errors.New("the table has to be replaced")

// change has only elements of sets change, if the table is as it was left.
func (p *part) change(ctx context.Context, old, now daemon.Rendering) error {
	if !bytes.Equal(old.File(RulesPath), now.File(RulesPath)) {
		return errOtherwise
	}
	batch, ok := packetfilter.Delta(old.File(ElementsPath), now.File(ElementsPath))
	if !ok {
		return errOtherwise
	}
	if mark, err := p.marker.Mark(ctx); err != nil || p.mark != "" && mark != p.mark {
		return errors.Join(errOtherwise, err)
	}
	if err := p.marker.Change(ctx, batch); err != nil && ctx.Err() == nil {
		return errors.Join(errOtherwise, err)
	}
	return ctx.Err()
}

// tell logs what was left out, once.
func (p *part) tell(old, now []daemon.Problem) {
	for _, problem := range now {
		if !slices.Contains(old, problem) {
			p.Log.Warn("left out of the packet filter", "what", problem.Subject, "why", problem.Message)
		}
	}
}

// expiry knows when a rule runs out next. Whoever renders says so; whoever applies waits for it.
type expiry struct {
	mu   sync.Mutex
	at   time.Time // zero for never
	news chan struct{}
	cut  []string // rules that ran out and whose connections are cut; watchTime's alone
}

func newExpiry() *expiry { return &expiry{news: make(chan struct{}, 1)} }

// expect is told how long the next rule to run out has, if there is any.
func (e *expiry) expect(in *time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.at = time.Time{}
	if in != nil {
		// A little late, so that it is over by then.
		e.at = time.Now().Add(*in + 5*time.Millisecond)
	}
	e.wake()
}

// wake has whoever waits look again.
func (e *expiry) wake() {
	select {
	case e.news <- struct{}{}:
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

// background is what goes on in gateway-apply between two applies.
func (p *part) background(ctx context.Context, again func()) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return p.watchLog(ctx) })
	g.Go(func() error { return p.watchTime(ctx, again) })
	return g.Wait()
}

// watchTime has rules applied anew when one runs out, and looks which are used.
func (p *part) watchTime(ctx context.Context, again func()) error {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		over := time.NewTimer(p.expiry.wait())
		select {
		case <-ctx.Done():
			over.Stop()
			return nil
		case <-over.C:
			p.expiry.expect(nil) // until the rendering says when the next one does
			again()
		case <-p.expiry.news:
		case <-look.C:
			if _, err := p.counts(); err != nil {
				p.Log.Error("count packets", "err", err)
			}
		}
		over.Stop()
		p.letForward(ctx)
		p.cutExpired(ctx)
	}
}
