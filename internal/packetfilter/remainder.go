package packetfilter

import (
	"errors"
	"net/netip"
	"slices"
)

// The most that is done for one answer: about a second. Beyond it there is none, because a
// policy that needs more is one that nobody asks about twice.
const (
	maxRegions  = 200_000
	maxCompared = 50_000_000
)

var errTooMuch = errors.New("the rules overlap in too many ways to decide within a second; narrow the zones, addresses or services")

// work counts what was done.
type work struct{ regions, compared int }

// remainder finds a packet of a region that is in none of those that are denied. It tries one
// packet, and takes away the region that denies it: so it looks closely at those regions
// alone that stand in the way.
func (w *work) remainder(r region, denied []region) (packetAt, bool, error) {
	w.regions++
	w.compared += len(denied)
	if w.regions > maxRegions || w.compared > maxCompared {
		return packetAt{}, false, errTooMuch
	}
	at := r.pick()
	best, parts := -1, 4
	for i, d := range denied {
		if !d.holds(at) {
			continue
		}
		if n := d.cuts(r); n < parts {
			best, parts = i, n
		}
		if parts == 0 {
			return packetAt{}, false, nil
		}
	}
	if best < 0 {
		return at, true, nil
	}
	for _, part := range r.without(denied[best]) {
		if at, found, err := w.remainder(part, denied); found || err != nil {
			return at, found, err
		}
	}
	return packetAt{}, false, nil
}

func (r region) holds(at packetAt) bool {
	return holds(r.flows, at.flow) && holds(r.source, at.source) && holds(r.destination, at.destination)
}

// cuts is in how many dimensions something of another region is left beside this one.
func (r region) cuts(o region) int {
	n := 0
	for _, whole := range []bool{covers(r.source, o.source), covers(r.destination, o.destination), covers(r.flows, o.flows)} {
		if !whole {
			n++
		}
	}
	return n
}

// What a picked packet has if it can: addresses that stand for any, and services that
// everybody knows.
var (
	knownSources      = []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")}
	knownDestinations = []netip.Addr{netip.MustParseAddr("198.51.100.1"), netip.MustParseAddr("203.0.113.1"), netip.MustParseAddr("2001:db8:1::1")}
	knownFlows        = []flow{flow(TCP)<<16 | 443, flow(TCP)<<16 | 80, flow(UDP)<<16 | 53, flow(ICMP)<<16 | 8<<8, flow(ICMPv6)<<16 | 128<<8}
)

// pick is a packet of the region.
func (r region) pick() packetAt {
	return packetAt{prefer(r.source, knownSources), prefer(r.destination, knownDestinations), prefer(r.flows, knownFlows)}
}

func prefer[P point[P]](list []Span[P], known []P) P {
	for _, at := range known {
		if holds(list, at) {
			return at
		}
	}
	return list[0].From
}

// drawn draws steps together that follow each other, are alike, and differ in one dimension
// alone: a list of hosts that were blocked one by one is one step. Who decides is not told. It writes into the list that it is given.
func drawn(steps []located, alike func(a, b located) bool, dimension func(*region) *[]Range) []located {
	fewer := steps[:0] // never longer than what was read already
	for len(steps) > 0 {
		n := 1
		for n < len(steps) && alike(steps[0], steps[n]) && differsIn(steps[0].region, steps[n].region, dimension) {
			n++
		}
		fewer = append(fewer, union(steps[:n], dimension))
		steps = steps[n:]
	}
	return fewer
}

// differsIn reports whether two regions are the same in all other dimensions.
func differsIn(a, b region, dimension func(*region) *[]Range) bool {
	*dimension(&a), *dimension(&b) = nil, nil
	return slices.Equal(a.flows, b.flows) && slices.Equal(a.source, b.source) && slices.Equal(a.destination, b.destination)
}

func union(steps []located, dimension func(*region) *[]Range) located {
	all := steps[0]
	if len(steps) == 1 {
		return all
	}
	var list []Range
	for _, s := range steps {
		list = append(list, *dimension(&s.region)...)
	}
	*dimension(&all.region) = Merge(list).Of(list[0].From.Is4())
	return all
}
