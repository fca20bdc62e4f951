package netstate

import (
	"maps"
	"reflect"
	"slices"
	"time"
)

// What the kernel refused is tried again later and later: to try is to take the interface
// down and up, which ends its connections, and the kernel's events about that would have it
// tried ten times a second.
const (
	minBackoff = time.Second
	maxBackoff = 5 * time.Minute
)

// debounce is how long events are collected before the kernel is looked at. Where they never end,
// as with a routing daemon's, or another manager that takes away what we put back, it grows up
// to maxDebounce.
type debounce struct {
	wait time.Duration
	last time.Time // when it was looked at
}

// next is the time to wait now that there was an event.
func (p *debounce) next(now time.Time) time.Duration {
	if p.wait == 0 || now.Sub(p.last) > p.wait {
		p.wait = minDebounce
	} else {
		p.wait = min(2*p.wait, maxDebounce)
	}
	return p.wait
}

// backoff is something that the kernel refused, and when it is tried again.
type backoff struct {
	Trouble
	wait  time.Duration
	until time.Time
}

// backedOff are the attempts that are not due yet, and what was said of them.
func (n *network) backedOff() (not map[string]bool, wrong []Trouble) {
	not = map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(n.backoffs)) {
		if h := n.backoffs[name]; n.now().Before(h.until) {
			not[name], wrong = true, append(wrong, h.Trouble)
		}
	}
	return not, wrong
}

// backOff puts an attempt off.
func (n *network) backOff(attempt string, t Trouble) {
	h := backoff{Trouble: t, wait: min(max(minBackoff, 2*n.backoffs[attempt].wait), maxBackoff)}
	h.until = n.now().Add(h.wait)
	if n.backoffs == nil {
		n.backoffs = map[string]backoff{}
	}
	n.backoffs[attempt] = h
}

// due is how long until something is to be tried again.
func (n *network) due() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	wait := recheckEvery
	for _, h := range n.backoffs {
		if left := h.until.Sub(n.now()); left > 0 { // else it is no longer wanted
			wait = min(wait, left)
		}
	}
	return wait
}

// forget has everything tried at once: what is wanted is something else now.
func (n *network) forget(links []Link) {
	if !reflect.DeepEqual(n.want.Links, links) {
		n.backoffs = nil
	}
}
