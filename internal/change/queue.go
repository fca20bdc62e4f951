package change

import (
	"context"
	"slices"
	"sync"
	"time"

	"gateway/internal/fault"
)

const (
	// writers is how many changes have a transaction at once. Each may need a second
	// connection, for reading what is committed, so half of the pool stays for those who read.
	writers = 4
	// maxWaiting is how many more may wait for their place.
	maxWaiting = 256
	// waitTime is how long one waits in the queue, and for each lock that another process holds. Whoever
	// waits for several may run out of the time that a request has.
	waitTime = 5 * time.Second
	// retryAfter is when trying again makes sense.
	retryAfter = 2 * time.Second
)

// queue lets few changes at a time begin their transaction: a connection that waits for a
// lock serves nobody. Changes of one component would wait for each other's lock anyway, so
// they go one by one, in the order they came; those of others pass them.
type queue struct {
	mu      sync.Mutex
	limit   int
	max     int
	running []string // the components whose locks they take
	waiting []*waiter
}

type waiter struct {
	component string
	ready     chan struct{} // closed when it may begin
}

func newQueue(limit, waiting int) *queue { return &queue{limit: limit, max: waiting} }

// Unqueue lets every change begin at once. It is for tests, and called before the first change.
func (r *Runner) Unqueue() { r.queue = nil }

// Unlock has changes judged without the daemons' locks, and components share none, as it was before there were any. It is the
// control of the tests about races, and called before the first change.
func (r *Runner) Unlock() { r.unlocked = true }

// enter waits until a change of the component may begin. Whoever entered must leave.
func (q *queue) enter(ctx context.Context, component string, timeout time.Duration) error {
	w, err := q.join(component)
	if err != nil {
		return err
	}
	late := time.NewTimer(timeout)
	defer late.Stop()
	select {
	case <-w.ready:
		return nil
	case <-late.C:
		err = busy()
	case <-ctx.Done():
		err = ctx.Err()
	}
	if q.quit(w) {
		return err
	}
	return nil // it was let in at the same moment
}

// leave frees the place of a change of the component.
func (q *queue) leave(component string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.running, component)
	q.running = slices.Delete(q.running, i, i+1)
	q.next()
}

func (q *queue) join(component string) (*waiter, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) >= q.max {
		return nil, busy()
	}
	w := &waiter{component: component, ready: make(chan struct{})}
	q.waiting = append(q.waiting, w)
	q.next()
	return w, nil
}

// quit reports whether w was still waiting.
func (q *queue) quit(w *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, w)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	return i >= 0
}

// next gives free places to those who have waited longest and whose component has no change under way.
func (q *queue) next() {
	for i := 0; i < len(q.waiting) && len(q.running) < q.limit; {
		w := q.waiting[i]
		if slices.Contains(q.running, w.component) {
			i++
			continue
		}
		q.running = append(q.running, w.component)
		q.waiting = slices.Delete(q.waiting, i, i+1)
		close(w.ready)
	}
}

func busy() error {
	return fault.New(fault.TooMany, "many changes are in progress; try again in a moment").WithCode("busy").WithRetry(retryAfter)
}

// queued runs the change when the queue lets it. Those in the queue count as under way, so
// that they share an apply with the ones before them.
func (w *work) queued(ctx context.Context, c Change, steps func(*work) error) error {
	if w.coalescer != nil {
		w.coalescer.begin(c.Component)
		defer w.coalescer.abandon(c.Component)
	}
	if w.queue == nil {
		return w.run(ctx, c, steps)
	}
	lock := w.lockOf(c.Component)
	if err := w.queue.enter(ctx, lock, waitTime); err != nil {
		return err
	}
	defer w.queue.leave(lock)
	return w.run(ctx, c, steps)
}

// lockTime is how long a change waits for a lock. A job, which nobody waits for, is as
// patient as the database lets it be.
func lockTime(ctx context.Context) time.Duration {
	if _, hurried := ctx.Deadline(); hurried {
		return waitTime
	}
	return 0
}
