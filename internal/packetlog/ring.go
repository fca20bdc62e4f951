// Package packetlog carries what the packet filter logs from the kernel to whoever watches:
// a ring of the last events in the applier, and a copy of it in the API, which is filled only
// while somebody reads. Reading the kernel's log is left to package netfilter, serving it to
// browsers to package firewall.
package packetlog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Size is how many events are kept; the specification says so.
const Size = 1000

// Event is one packet that was logged.
type Event struct {
	Seq         int64     `json:"seq" doc:"Grows by one with every event since the applier's start"`
	At          time.Time `json:"timestamp" doc:"When the packet was seen, in UTC"`
	RuleID      string    `json:"rule_id,omitempty" doc:"The rule that logged it; absent for unmatched packets"`
	Action      string    `json:"action" doc:"Verdict: accept, drop or reject"`
	Protocol    string    `json:"proto" doc:"icmp, tcp, udp, icmpv6, or the protocol's number"`
	Source      string    `json:"source" doc:"Source address"`
	SourcePort  int       `json:"source_port,omitempty" doc:"Source port, for protocols with ports"`
	Destination string    `json:"destination" doc:"Destination address"`
	Port        int       `json:"port,omitempty" doc:"Destination port, for protocols with ports"`
	Interface   string    `json:"interface" doc:"Incoming interface, or outgoing for the gateway's own packets"`
	Out         string    `json:"out_interface,omitempty" doc:"Outgoing interface of a forwarded packet"`
	Chain       string    `json:"chain,omitempty" doc:"input or forward, for unmatched packets"`
	Size        int       `json:"size" doc:"Bytes"`

	json string // itself, once it was encoded for many readers
}

// Message is a page as its readers get it: its events, and how many were lost. What was
// encoded for one reader is not encoded again for the next.
func Message(events []Event, lost int64) (json.RawMessage, error) {
	size := 64
	for i := range events {
		size += len(events[i].json) + 1
	}
	b := append(make([]byte, 0, size), `{"events":[`...)
	for i, e := range events {
		if i > 0 {
			b = append(b, ',')
		}
		if e.json == "" {
			if err := e.encode(); err != nil {
				return nil, err
			}
		}
		b = append(b, e.json...)
	}
	return fmt.Appendf(b, `],"lost":%d}`, lost), nil
}

func (e *Event) encode() error {
	b, err := json.Marshal(e)
	e.json = string(b)
	return err
}

// Ring keeps the last events, and numbers them. The zero value is empty.
type Ring struct {
	mu    sync.Mutex
	last  []Event // at most Size, oldest first, numbered without gaps
	seq   int64   // of the newest one
	added chan struct{}
	start int64 // tells two rings apart: seq begins anew with each
}

// NewRing returns an empty ring; start should differ from that of the ring before it.
func NewRing(start int64) *Ring { return &Ring{added: make(chan struct{}), start: start} }

// Add numbers events and keeps them.
func (r *Ring) Add(events ...Event) {
	if len(events) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range events {
		r.seq++
		e.Seq = r.seq
		r.last = append(r.last, e)
	}
	r.trim()
}

// trim lets the oldest go, many at a time, and wakes those who wait.
func (r *Ring) trim() {
	if len(r.last) > 2*Size {
		r.last = slices.Clone(r.last[len(r.last)-Size:])
	}
	close(r.added)
	r.added = make(chan struct{})
}

// Page is what came after some event.
type Page struct {
	Start  int64   `json:"start"` // of the ring
	Next   int64   `json:"next"`  // where to go on
	Lost   int64   `json:"lost"`  // events that were gone before they were asked for
	Events []Event `json:"events"`
}

// After returns what came after the event with that number; a number of another ring is none.
func (r *Ring) After(start, seq int64) Page {
	r.mu.Lock()
	defer r.mu.Unlock()
	if start != r.start || seq > r.seq {
		seq = 0
	}
	kept := r.last[max(0, len(r.last)-Size):]
	page := Page{Start: r.start, Next: r.seq, Events: []Event{}}
	first := r.seq - int64(len(kept)) // the one before the oldest
	if seq < first {
		if seq > 0 {
			page.Lost = first - seq
		}
		seq = first
	}
	page.Events = append(page.Events, kept[seq-first:]...)
	return page
}

// Wait is After, once there is something or ctx ends.
func (r *Ring) Wait(ctx context.Context, start, seq int64) Page {
	for {
		r.mu.Lock()
		added := r.added
		r.mu.Unlock()
		page := r.After(start, seq)
		if len(page.Events) > 0 {
			return page
		}
		select {
		case <-added:
		case <-ctx.Done():
			return page
		}
	}
}

// follow takes over a page of another ring, with its numbers.
func (r *Ring) follow(p Page) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.start != p.Start {
		r.start, r.last, r.seq = p.Start, nil, 0
	}
	if p.Lost > 0 {
		r.last = nil // numbered without gaps: what is older is gone there too, nearly
	}
	if len(p.Events) > 0 {
		r.last, r.seq = append(r.last, p.Events...), p.Next
		r.trim()
	}
}
