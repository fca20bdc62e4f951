package change

import (
	"sync"
	"time"
)

// coalesceTime is how long the first of many changes waits for the others.
const coalesceTime = 500 * time.Millisecond

// coalescer lets changes of one component that are in flight at the same time share one
// apply: it starts when the last of them is committed, or when the first has waited long enough.
type coalescer struct {
	mu         sync.Mutex
	components map[string]*inFlight
	sync       func(component string) Applied
}

// inFlight are the changes of one component.
type inFlight struct {
	begun int // and not yet committed
	next  *sharedApply
}

// sharedApply is one apply, and everybody who waits for it.
type sharedApply struct {
	done   chan struct{}
	result Applied
	timer  *time.Timer
}

func newCoalescer(sync func(component string) Applied) *coalescer {
	return &coalescer{components: map[string]*inFlight{}, sync: sync}
}

// begin counts a change that has begun. Either abandon or commit ends it.
func (c *coalescer) begin(component string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.components[component] == nil {
		c.components[component] = &inFlight{}
	}
	c.components[component].begun++
}

// abandon ends a change that stored nothing.
func (c *coalescer) abandon(component string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.components[component]
	f.begun--
	c.startIfLast(component, f)
}

// commit ends a change that is stored and returns the apply it will be live after.
func (c *coalescer) commit(component string) *sharedApply {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.components[component]
	f.begun--
	if f.next == nil {
		a := &sharedApply{done: make(chan struct{})}
		a.timer = time.AfterFunc(coalesceTime, func() { c.startLate(component, a) })
		f.next = a
	}
	a := f.next
	c.startIfLast(component, f)
	return a
}

func (c *coalescer) startIfLast(component string, f *inFlight) {
	if f.begun == 0 && f.next != nil {
		c.start(component, f)
	}
}

func (c *coalescer) startLate(component string, a *sharedApply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.components[component]; f.next == a {
		c.start(component, f)
	}
}

func (c *coalescer) start(component string, f *inFlight) {
	a := f.next
	f.next = nil
	a.timer.Stop()
	go func() {
		a.result = c.sync(component)
		close(a.done)
	}()
}
