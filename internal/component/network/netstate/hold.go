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
	firstHold = time.Second
	longHold  = 5 * time.Minute
)

// pace is how long events are collected before the kernel is looked at. Where they never end,
// as with a routing daemon's, or another manager that takes away what we put back, it grows up
// to busy.
type pace struct {
	wait time.Duration
	last time.Time // when it was looked at
}

// next is the time to wait now that there was an event.
func (p *pace) next(now time.Time) time.Duration {
	if p.wait == 0 || now.Sub(p.last) > p.wait {
		p.wait = calm
	} else {
		p.wait = min(2*p.wait, busy)
	}
	return p.wait
}

// hold is something that the kernel refused, and when it is tried again.
type hold struct {
	Trouble
	wait  time.Duration
	until time.Time
}

// held are the attempts that are not due yet, and what was said of them.
func (n *network) held() (not map[string]bool, wrong []Trouble) {
	not = map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(n.holds)) {
		if h := n.holds[name]; n.now().Before(h.until) {
			not[name], wrong = true, append(wrong, h.Trouble)
		}
	}
	return not, wrong
}

// refuse puts an attempt off.
func (n *network) refuse(attempt string, t Trouble) {
	h := hold{Trouble: t, wait: min(max(firstHold, 2*n.holds[attempt].wait), longHold)}
	h.until = n.now().Add(h.wait)
	if n.holds == nil {
		n.holds = map[string]hold{}
	}
	n.holds[attempt] = h
}

// due is how long until something is to be tried again.
func (n *network) due() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	wait := again
	for _, h := range n.holds {
		if left := h.until.Sub(n.now()); left > 0 { // else it is no longer wanted
			wait = min(wait, left)
		}
	}
	return wait
}

// forget has everything tried at once: what is wanted is something else now.
func (n *network) forget(links []Link) {
	if !reflect.DeepEqual(n.want.Links, links) {
		n.holds = nil
	}
}
