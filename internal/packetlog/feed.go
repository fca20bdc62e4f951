package packetlog

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"gateway/internal/process"
)

// Ask gets a page from the applier's ring, once there is one.
type Ask func(ctx context.Context, start, after int64, wait time.Duration) (Page, error)

const (
	waitFor    = 20 * time.Second
	retryAfter = time.Second
	// gather is how long events are gathered before readers are told: a person sees no
	// difference, and a thousand events a second cost five messages.
	gather = 200 * time.Millisecond
)

// Feed is the copy of the ring in the API. It asks the applier only while somebody reads.
type Feed struct {
	Ask  Ask
	Name func(ctx context.Context, events []Event) // fills in what the kernel does not know
	Log  *slog.Logger

	mu      sync.Mutex
	readers int
	stop    context.CancelFunc
	ring    *Ring
	first   chan struct{} // closed when the applier was asked once
}

// Recent is what the applier's ring holds now.
func (f *Feed) Recent(ctx context.Context) ([]Event, error) {
	page, err := f.Ask(ctx, 0, 0, 0)
	if err != nil {
		return nil, err
	}
	f.Name(ctx, page.Events)
	return page.Events, nil
}

// Reader follows the ring from its oldest event on.
type Reader struct {
	feed       *Feed
	ring       *Ring
	start, seq int64
	begun      bool
}

// Read begins; end it with Close.
func (f *Feed) Read(ctx context.Context) (*Reader, error) {
	f.mu.Lock()
	if f.readers++; f.readers == 1 {
		f.begin()
	}
	ring, first := f.ring, f.first
	f.mu.Unlock()
	r := &Reader{feed: f, ring: ring}
	select {
	case <-first:
		return r, nil
	case <-ctx.Done():
		r.Close()
		return nil, ctx.Err()
	}
}

func (f *Feed) begin() {
	ctx, stop := context.WithCancel(context.Background())
	f.stop, f.ring, f.first = stop, NewRing(0), make(chan struct{})
	go f.follow(ctx, f.ring, f.first)
}

// Close lets the feed rest when nobody else reads.
func (r *Reader) Close() {
	f := r.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.readers--; f.readers == 0 {
		f.stop()
	}
}

// Next waits for events, and also says how many were gone before this reader came to them.
// The first time it is what there is, be it nothing: so a reader knows that it is heard.
func (r *Reader) Next(ctx context.Context) (events []Event, lost int64) {
	page := r.ring.After(r.start, r.seq)
	if r.begun {
		page = r.ring.Wait(ctx, r.start, r.seq)
	}
	r.start, r.seq, r.begun = page.Start, page.Next, true
	return page.Events, page.Lost
}

// follow copies the applier's ring until ctx ends. An applier that is away is asked again,
// and readers begin with nothing meanwhile.
func (f *Feed) follow(ctx context.Context, ring *Ring, first chan struct{}) {
	var start, after int64
	begin := sync.OnceFunc(func() { close(first) })
	wait := time.Duration(0) // the first page is whatever there is
	for ctx.Err() == nil {
		page, err := f.Ask(ctx, start, after, wait)
		if err != nil && ctx.Err() == nil {
			f.Log.Warn("read the packet log", "err", err)
			begin()
			process.Pause(ctx, retryAfter)
			continue
		}
		f.Name(ctx, page.Events)
		for i := range page.Events {
			_ = page.Events[i].encode() // whoever sends it would find out
		}
		ring.follow(page)
		start, after = page.Start, page.Next
		begin()
		wait = waitFor
		process.Pause(ctx, gather)
	}
}
