package problems

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"gateway/internal/component"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/problem"
)

const (
	// findTime bounds each source, so that one that hangs does not hide the others.
	findTime = 2 * time.Second
	// lostTime is what they have once the database is known to be away: who needs it hangs
	// with it, and the others answer at once.
	lostTime = 600 * time.Millisecond
	// lookTime is how often that is looked at while somebody is waited for.
	lookTime = 200 * time.Millisecond
	// fresh is how old an answer may be: many pages ask, and all get the same one.
	fresh = time.Second
)

// Named is the source of one component.
type Named struct {
	Component string
	problem.Source
	busy *atomic.Bool // it is still looking, perhaps since long
}

// snapshot is what was found at one moment.
type snapshot struct {
	at       time.Time
	took     time.Duration
	problems []problem.Problem // the worst first
	unknown  []Unknown
	states   map[string]problem.States // by kind of object
	version  string                    // changes with any of it
	database bool                      // whether it answered when the sources were asked
}

// collector asks all sources, at most once at a time.
type collector struct {
	sources  []Named
	database interface{ Up() bool }
	now      func() time.Time
	log      *slog.Logger
	news     *component.Broadcast // of an answer that says something else

	flight     singleflight.Group
	mu         sync.Mutex
	last       *snapshot
	told       string         // version of the last answer, also of one that was forgotten
	generation int            // counts what made the last answer an old one
	since      map[string]age // by the problem's key, of those there are
}

// age is since when a problem is there, and when it was last seen.
type age struct{ since, seen time.Time }

// lately is how long ago a problem was seen that is still the same, whatever its component says of its beginning.
const lately = time.Minute

// get is what is wrong now, not older than fresh. Whoever stops waiting does not end it for
// the others.
func (c *collector) get(ctx context.Context) (*snapshot, error) {
	if s := c.recent(); s != nil {
		return s, nil
	}
	found := c.flight.DoChan("", func() (any, error) {
		if s := c.recent(); s != nil {
			return s, nil // another flight ended just before
		}
		return c.collect(context.WithoutCancel(ctx)), nil
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-found:
		s, _ := r.Val.(*snapshot)
		return s, r.Err
	}
}

func (c *collector) recent() *snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil {
		return nil
	}
	if age := c.now().Sub(c.last.at); age < 0 || age >= fresh { // a clock may be set back
		return nil
	}
	return c.last
}

// forget makes the next answer a new one: something has changed.
func (c *collector) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	c.last = nil
}

type found struct {
	report problem.Report
	err    error
}

func (c *collector) collect(ctx context.Context) *snapshot {
	begin := time.Now()
	c.mu.Lock()
	generation := c.generation
	c.mu.Unlock()
	up := c.database.Up()
	all := c.askAll(ctx, up)
	s := &snapshot{at: c.now(), database: up, unknown: []Unknown{}, problems: []problem.Problem{}, states: map[string]problem.States{}}
	for i, f := range all {
		source := c.sources[i]
		s.problems = append(s.problems, f.report.Problems...)
		if f.err != nil {
			s.unknown = append(s.unknown, Unknown{source.Component, c.reason(f.err)})
			continue
		}
		for _, kind := range source.Objects {
			s.states[kind] = f.report.States[kind]
			if s.states[kind] == nil {
				s.states[kind] = problem.States{}
			}
		}
	}
	s.problems = merge(s.problems)
	s.took = time.Since(begin)
	c.keep(s, generation)
	return s
}

// askAll asks everybody at once, and waits for nobody longer than findTime: a disk that hangs
// heeds no deadline.
func (c *collector) askAll(ctx context.Context, up bool) []found {
	timeout := findTime
	if !up {
		timeout = lostTime
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	type answer struct {
		from int
		found
	}
	answers := make(chan answer, len(c.sources))
	all := make([]found, len(c.sources))
	waiting := 0
	for i, s := range c.sources {
		all[i].err = context.DeadlineExceeded
		if !s.busy.CompareAndSwap(false, true) {
			continue // since the last time
		}
		waiting++
		go func() {
			found := c.ask(ctx, s)
			s.busy.Store(false) // before the answer: whoever has it may ask again at once
			answers <- answer{i, found}
		}()
	}
	look := time.NewTicker(lookTime)
	defer look.Stop()
	late := time.NewTimer(timeout + time.Second/2) // who heeds the deadline has answered by then
	defer late.Stop()
	for waiting > 0 {
		select {
		case a := <-answers:
			all[a.from] = a.found
			waiting--
		case <-look.C:
			if up && !c.database.Up() { // it was lost meanwhile
				up = false
				defer time.AfterFunc(lostTime, cancel).Stop()
				late.Reset(lostTime + time.Second/2)
			}
		case <-late.C:
			return all
		}
	}
	return all
}

func (c *collector) ask(ctx context.Context, s Named) (f found) {
	defer func() {
		if p := recover(); p != nil { // one component's mistake must not end the process
			f = found{err: fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
		}
		if _, worded := fault.Of(f.err); f.err != nil && !worded && !db.Unavailable(f.err) {
			c.log.WarnContext(ctx, "look for problems", "component", s.Component, "err", f.err)
		}
	}()
	f.report, f.err = s.Find(ctx)
	return f
}

// reason is what an operator may read of why it is not known.
func (c *collector) reason(err error) fault.Sentence {
	if f, ok := fault.Of(err); ok {
		return fault.SentenceOf(f)
	}
	late := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	if db.Unavailable(err) || late && !c.database.Up() {
		return fault.Said("the database does not answer")
	}
	if late {
		return fault.Said("no answer within %v", findTime)
	}
	return fault.Said("internal error; see the log of gateway-api")
}

// keep orders what was found, and remembers since when.
func (c *collector) keep(s *snapshot, generation int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	since := make(map[string]age, len(s.problems))
	if len(s.unknown) > 0 {
		maps.Copy(since, c.since) // theirs may still be there
	}
	for i := range s.problems {
		p := &s.problems[i]
		reported := !p.Since.IsZero()
		if !reported {
			p.Since = s.at.UTC()
		}
		// A daemon that is loaded anew counts from then on; the problem is as old as before. While nobody looked it may
		// have been over, and is another one now.
		before, known := c.since[p.Key()]
		if known && before.since.Before(p.Since) && (!reported || s.at.Sub(before.seen) < lately) {
			p.Since = before.since
		}
		since[p.Key()] = age{p.Since, s.at}
	}
	slices.SortFunc(s.problems, func(a, b problem.Problem) int {
		return cmp.Or(a.Severity.Compare(b.Severity), strings.Compare(a.Key(), b.Key()))
	})
	s.version = version(s)
	c.since = since
	if c.generation != generation {
		return // something changed meanwhile
	}
	c.last = s
	if c.told != s.version {
		c.told = s.version
		c.news.Notify()
	}
}

// version is the same as long as a page would show the same.
func version(s *snapshot) string {
	h := fnv.New64a()
	for _, p := range s.problems {
		_, _ = fmt.Fprintln(h, p.Severity, p.Key(), p.Message, p.Subject.Name, p.AffectsTotal, p.Affects)
	}
	_, _ = fmt.Fprintln(h, s.unknown)
	for _, kind := range slices.Sorted(maps.Keys(s.states)) {
		for _, id := range slices.Sorted(maps.Keys(s.states[kind])) {
			one := s.states[kind][id]
			_, _ = fmt.Fprintln(h, kind, id, one.State, one.Message)
		}
	}
	return fmt.Sprintf("%016x", h.Sum64())
}
