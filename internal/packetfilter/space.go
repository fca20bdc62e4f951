package packetfilter

import (
	"cmp"
	"net/netip"
	"slices"
)

// flow is a protocol and, below it, the destination port; ICMP has its message type there,
// in the byte where the packet has it too. So whatever a service is about, it is one span,
// and all that can be sent is one span too.
type flow uint32

func (f flow) Compare(o flow) int { return cmp.Compare(f, o) }
func (f flow) Next() flow         { return f + 1 }
func (f flow) Prev() flow         { return f - 1 }

// hasTypes is whether messages of the protocol have a type.
func hasTypes(p Protocol) bool { return p == ICMP || p == ICMPv6 }

// isOf is whether a service of the protocol takes packets of a family.
func isOf(p Protocol, v4 bool) bool { return !hasTypes(p) || (p == ICMP) == v4 }

// span is what a service takes.
func (s Service) span() Span[flow] {
	base := flow(s.Protocol) << 16
	switch {
	case hasPorts(s.Protocol) && s.From|s.To != 0:
		return Span[flow]{base | flow(s.From), base | flow(s.To)}
	case hasTypes(s.Protocol) && s.Type >= 0:
		return Span[flow]{base | flow(s.Type)<<8, base | flow(s.Type)<<8 | 0xff}
	}
	return Span[flow]{base, base | 0xffff}
}

// flow is where the packet stands among all flows.
func (k Packet) flow() flow {
	base := flow(k.Protocol) << 16
	switch {
	case hasPorts(k.Protocol):
		return base | flow(k.Port)
	case hasTypes(k.Protocol):
		return base | flow(uint8(k.Type))<<8
	}
	return base
}

// withFlow is the packet with another flow.
func (k Packet) withFlow(f flow) Packet {
	k.Protocol, k.Port, k.Type = Protocol(f>>16), 0, 0
	switch {
	case hasPorts(k.Protocol):
		k.Port = uint16(f)
	case hasTypes(k.Protocol):
		k.Type = int(uint8(f >> 8))
	}
	return k
}

// match is which packets a question is about. What is nil takes all.
type match struct {
	source, destination *Addresses
	services            []Service
	flows               func(v4 bool) []Span[flow] // instead of services
}

// misses says what of a packet does not fit, and is empty when all of it does.
func (m match) misses(k Packet) string {
	switch {
	case m.source != nil && !m.source.Has(k.Source):
		return "source"
	case m.destination != nil && !m.destination.Has(k.Destination):
		return "destination"
	case len(m.services) > 0 && !serve(m.services, k):
		return "service"
	case m.flows != nil && !holds(m.flows(k.Source.Is4()), k.flow()):
		return "service"
	}
	return ""
}

func serve(services []Service, k Packet) bool {
	f, v4 := k.flow(), k.Source.Is4()
	for _, s := range services {
		if span := s.span(); span.From <= f && f <= span.To && isOf(s.Protocol, v4) {
			return true
		}
	}
	return false
}

// region is every packet of a family whose source, destination and flow are in its lists.
type region struct {
	source, destination []Range
	flows               []Span[flow]
}

// region is all that the match takes in a family.
func (m match) region(v4 bool) region {
	r := region{listed(m.source, v4), listed(m.destination, v4), flowsOf(m.services, v4)}
	if m.flows != nil {
		r.flows = m.flows(v4)
	}
	return r
}

func (r region) empty() bool {
	return len(r.source) == 0 || len(r.destination) == 0 || len(r.flows) == 0
}

func (r region) common(o region) region {
	return region{common(r.source, o.source), common(r.destination, o.destination), common(r.flows, o.flows)}
}

func (r region) touches(o region) bool {
	return touch(r.flows, o.flows) && touch(r.source, o.source) && touch(r.destination, o.destination)
}

func (r region) covers(o region) bool {
	return covers(r.flows, o.flows) && covers(r.source, o.source) && covers(r.destination, o.destination)
}

// without is what is left when another region is taken away: up to three, apart from each other.
func (r region) without(o region) []region {
	in := r.common(o)
	parts := []region{
		{without(r.source, o.source), r.destination, r.flows},
		{in.source, without(r.destination, o.destination), r.flows},
		{in.source, in.destination, without(r.flows, o.flows)},
	}
	return slices.DeleteFunc(parts, region.empty)
}

func listed(a *Addresses, v4 bool) []Range {
	if a == nil {
		return everywhere(v4)
	}
	return a.Of(v4)
}

// What takes everything. Nobody writes into these lists.
var (
	every4     = []Range{RangeOf(netip.PrefixFrom(netip.IPv4Unspecified(), 0))}
	every6     = []Range{RangeOf(netip.PrefixFrom(netip.IPv6Unspecified(), 0))}
	everyFlows = []Span[flow]{{0, 0xff_ffff}}
)

// everywhere are all addresses of a family.
func everywhere(v4 bool) []Range {
	if v4 {
		return every4
	}
	return every6
}

// flowsOf are what services take in a family; no services take everything.
func flowsOf(services []Service, v4 bool) []Span[flow] {
	if len(services) == 0 {
		return everyFlows
	}
	list := make([]Span[flow], 0, len(services))
	for _, s := range services {
		if isOf(s.Protocol, v4) {
			list = append(list, s.span())
		}
	}
	return sorted(list)
}

// sorted makes a list of spans of some in any order, which may overlap.
func sorted(list []Span[flow]) []Span[flow] {
	slices.SortFunc(list, func(a, b Span[flow]) int { return cmp.Compare(a.From, b.From) })
	merged := list[:0]
	for _, s := range list {
		merged = join(merged, s)
	}
	return merged
}
