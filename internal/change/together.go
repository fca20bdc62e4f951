package change

import (
	"sync"
	"time"
)

// patience is how long the first of many changes waits for the others.
const patience = 500 * time.Millisecond

// together lets changes of one component that are under way at the same time share one
// apply: it starts when the last of them is committed, or when the first has waited long enough.
type together struct {
	mu    sync.Mutex
	parts map[string]*crossing
	sync  func(component string) Applied
}

type crossing struct {
	under int // changes begun and not yet committed
	next  *ride
}

// ride is one apply, and everybody who waits for it.
type ride struct {
	done  chan struct{}
	came  Applied
	timer *time.Timer
}

func newTogether(sync func(component string) Applied) *together {
	return &together{parts: map[string]*crossing{}, sync: sync}
}

// enter counts a change that has begun. Either leave or join ends it.
func (t *together) enter(component string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.parts[component] == nil {
		t.parts[component] = &crossing{}
	}
	t.parts[component].under++
}

// leave ends a change that stored nothing.
func (t *together) leave(component string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.parts[component]
	c.under--
	t.startIfLast(component, c)
}

// join ends a change that is committed and returns the apply it will be live after.
func (t *together) join(component string) *ride {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.parts[component]
	c.under--
	if c.next == nil {
		r := &ride{done: make(chan struct{})}
		r.timer = time.AfterFunc(patience, func() { t.startLate(component, r) })
		c.next = r
	}
	r := c.next
	t.startIfLast(component, c)
	return r
}

func (t *together) startIfLast(component string, c *crossing) {
	if c.under == 0 && c.next != nil {
		t.start(component, c)
	}
}

func (t *together) startLate(component string, r *ride) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.parts[component]; c.next == r {
		t.start(component, c)
	}
}

func (t *together) start(component string, c *crossing) {
	r := c.next
	c.next = nil
	r.timer.Stop()
	go func() {
		r.came = t.sync(component)
		close(r.done)
	}()
}
