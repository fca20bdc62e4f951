package packetlog

import (
	"net/netip"
	"strconv"
	"time"

	"gateway/internal/fault"
	"gateway/internal/value"
)

// Query is what a reader wants to see, as text. Empty fields want everything.
type Query struct {
	Since, Until                       time.Time
	RuleID, Source, Destination, Proto string
	Action                             string
}

// Filter is a query that was understood.
type Filter struct {
	q                   Query
	source, destination netip.Prefix
}

// Filter reads the query; an address may be one address or a network.
func (q Query) Filter() (Filter, error) {
	var p fault.Problems
	f := Filter{q: q}
	f.source = value.OptionalPrefix(&p, "src", q.Source)
	f.destination = value.OptionalPrefix(&p, "dst", q.Destination)
	return f, p.Err()
}

// Takes reports whether an event is wanted.
func (f Filter) Takes(e Event) bool {
	return (f.q.Since.IsZero() || !e.At.Before(f.q.Since)) &&
		(f.q.Until.IsZero() || !e.At.After(f.q.Until)) &&
		(f.q.RuleID == "" || f.q.RuleID == e.RuleID) &&
		(f.q.Proto == "" || f.q.Proto == e.Protocol) &&
		(f.q.Action == "" || f.q.Action == e.Action) &&
		within(f.source, e.Source) && within(f.destination, e.Destination)
}

func within(net netip.Prefix, text string) bool {
	if !net.IsValid() {
		return true
	}
	addr, err := netip.ParseAddr(text)
	return err == nil && net.Contains(addr)
}

// Of are the events that are wanted, in their order.
func (f Filter) Of(events []Event) []Event {
	out := make([]Event, 0, len(events))
	for _, e := range events {
		if f.Takes(e) {
			out = append(out, e)
		}
	}
	return out
}

// Protocol is how an event calls a protocol.
func Protocol(number uint8) string {
	switch number {
	case 1:
		return "icmp"
	case 6:
		return "tcp"
	case 17:
		return "udp"
	case 58:
		return "icmpv6"
	}
	return strconv.Itoa(int(number))
}
