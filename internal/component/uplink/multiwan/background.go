package multiwan

import (
	"context"
	"os"
	"sync"
	"time"

	"gateway/internal/netfilter"
	"gateway/internal/process"
	"gateway/internal/rtnl/reconcile"
)

const (
	// recheckEvery is how soon the kernel is looked at without an event.
	recheckEvery = 30 * time.Second
	// recut is how long after the first cut connections are cut once more: those that were
	// being made while the routes changed.
	recut = 500 * time.Millisecond
	// minDebounce is how long events are collected before the kernel is looked at. A cable that is
	// pulled must count at once. A router that learns a million routes must not keep us busy:
	// between two looks it is quiet for so many times as long as the last one took, up to maxDebounce.
	minDebounce    = 5 * time.Millisecond
	debounceFactor = 4
	maxDebounce    = 2 * time.Second
)

// background keeps the kernel as it is wanted, and moves connections when a link goes.
func (d *uplinks) background(ctx context.Context, _ func()) error {
	var workers sync.WaitGroup
	defer workers.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watched := make(chan error, 1)
	workers.Go(func() { watched <- reconcile.Watch(ctx, d.Watch, d.woken, d.Log) })
	workers.Go(func() { d.cutAsked(ctx) })
	d.recall()
	timer := time.NewTimer(0)
	defer timer.Stop()
	var free time.Time // when the next look is due at the earliest
	for {
		marks := false
		select {
		case <-ctx.Done():
			return nil
		case err := <-watched:
			return err
		case <-d.changed:
			timer.Reset(d.next())
			continue
		case <-d.woken:
			if !process.Pause(ctx, max(time.Until(free), minDebounce)) {
				return nil
			}
		case <-timer.C:
			marks = true
		}
		began := time.Now()
		if err := d.repair(ctx, marks); err != nil {
			d.Log.WarnContext(ctx, "look at the uplinks", "err", err)
		}
		now := time.Now()
		free = now.Add(min(debounceFactor*now.Sub(began), maxDebounce))
		timer.Reset(d.next())
	}
}

// next is when time alone may change something.
func (d *uplinks) next() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, soon := d.Now(), recheckEvery
	for _, m := range d.machines {
		if at := m.Next(); !at.IsZero() {
			soon = min(soon, max(at.Sub(now), minDebounce))
		}
	}
	return soon
}

// recall reads what was installed last: with the database away nobody else says it.
func (d *uplinks) recall() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known {
		return
	}
	data, err := os.ReadFile(Path)
	if err != nil {
		return // nothing was installed yet
	}
	if c, err := Parse(data); err == nil {
		d.want, d.known = c, true
	}
}

// repair puts back what was taken away, and draws the conclusions of this moment. The marks
// are looked at when asked to, and whenever they follow from something else now.
func (d *uplinks) repair(ctx context.Context, marks bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.known || d.idle {
		return nil
	}
	before := d.wrong
	if err := d.settle(ctx); err != nil {
		return err
	}
	reconcile.LogNew(ctx, d.Log, before, d.wrong)
	if !marks && !d.marksDiffer() {
		return nil
	}
	return d.mark(ctx)
}

// cutAsked cuts the connections of dead uplinks, beside everything else: to go through a
// million of them takes a second.
func (d *uplinks) cutAsked(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.cutting:
		}
		for _, wait := range []time.Duration{0, recut} {
			if !process.Pause(ctx, wait) {
				return
			}
			d.cut(ctx, wait == recut)
		}
	}
}

// cut has the kernel forget the connections that left by dead uplinks. Those that came in
// by one stay: while a packet gets through, so does a session of management.
func (d *uplinks) cut(ctx context.Context, last bool) {
	d.mu.Lock()
	var numbers []int
	for n, since := range d.toCut {
		numbers = append(numbers, n)
		if last && d.Now().Sub(since) >= recut {
			delete(d.toCut, n)
		}
	}
	more := last && len(d.toCut) > 0
	d.mu.Unlock()
	for _, n := range numbers {
		count, err := d.Cut(ctx, netfilter.Filter{Mark: Uplink{Number: n}.mark(), MarkMask: markMask})
		if err != nil {
			d.Log.WarnContext(ctx, "cut the connections of an uplink", "err", err)
		}
		if count > 0 {
			d.Log.InfoContext(ctx, "cut the connections of an uplink", "number", n, "count", count)
		}
	}
	if more {
		process.Notify(d.cutting)
	}
}
