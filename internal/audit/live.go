package audit

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"gateway/internal/db"
)

const (
	// Snapshot is how many entries a new subscriber gets first.
	Snapshot = 50
	// Buffer is how many entries wait for a slow subscriber before it loses some.
	Buffer = 32
)

// Live passes new entries on to subscribers. It never waits for one: who does not
// keep up loses entries, writers never do.
type Live struct {
	q    db.DB
	node string
	log  *slog.Logger
	lost atomic.Int64

	mu   sync.Mutex
	last int64 // seq passed on last; -1 until first known
	subs map[chan Entry]struct{}
}

// NewLive returns the stream of this node's chain.
func NewLive(q db.DB, node string, log *slog.Logger) *Live {
	return &Live{q: q, node: node, log: log, last: -1, subs: map[chan Entry]struct{}{}}
}

// Lost counts the entries that slow subscribers missed.
func (l *Live) Lost() int64 { return l.lost.Load() }

// Subscription is one reader's place in the stream.
type Subscription struct {
	Snapshot []Entry // what was there already, oldest first
	next     chan Entry
	seen     int64
	close    func()
}

// Subscribe joins the stream first and reads the snapshot then, so that nothing
// falls between the two; Next leaves out what both have.
func (l *Live) Subscribe(ctx context.Context) (*Subscription, error) {
	s := &Subscription{next: make(chan Entry, Buffer)}
	s.close = func() { l.forget(s.next) }
	l.mu.Lock()
	l.subs[s.next] = struct{}{}
	l.mu.Unlock()
	var err error
	if s.Snapshot, err = latest(ctx, l.q, l.node, Snapshot); err != nil {
		s.Close()
		return nil, err
	}
	if n := len(s.Snapshot); n > 0 {
		s.seen = s.Snapshot[n-1].Seq
	}
	l.begin(s.seen)
	return s, nil
}

// begin makes the stream go on after seq, unless it is under way.
func (l *Live) begin(seq int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last < 0 {
		l.last = seq
	}
}

// Next waits for the entry that follows.
func (s *Subscription) Next(ctx context.Context) (Entry, error) {
	for {
		select {
		case <-ctx.Done():
			return Entry{}, ctx.Err()
		case e := <-s.next:
			if e.Seq > s.seen {
				return e, nil
			}
		}
	}
}

// Close leaves the stream.
func (s *Subscription) Close() { s.close() }

func (l *Live) forget(ch chan Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.subs, ch)
}

// Poll passes on what was committed since the last call. It is called at every
// notification, and looks at the table rather than at the notification, so a lost
// one delays an entry but never loses it.
func (l *Live) Poll(ctx context.Context) {
	const batch = 500
	for {
		entries, err := l.fetch(ctx, batch)
		if err != nil {
			l.log.Error("audit stream", "err", err)
			return
		}
		l.pass(entries)
		if len(entries) < batch {
			return
		}
	}
}

func (l *Live) fetch(ctx context.Context, batch int) ([]Entry, error) {
	l.mu.Lock()
	last := l.last
	l.mu.Unlock()
	if last >= 0 {
		return after(ctx, l.q, l.node, last, batch)
	}
	// The first look only finds the end: nobody has subscribed yet.
	entries, err := latest(ctx, l.q, l.node, 1)
	if err == nil && len(entries) == 0 {
		l.begin(0)
	}
	return entries, err
}

func (l *Live) pass(entries []Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range entries {
		if e.Seq <= l.last {
			continue
		}
		l.last = e.Seq
		for ch := range l.subs {
			select {
			case ch <- e:
			default:
				l.lost.Add(1)
			}
		}
	}
}
