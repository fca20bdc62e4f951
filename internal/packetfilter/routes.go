package packetfilter

import (
	"cmp"
	"net/netip"
	"slices"
)

// Hop is where packets to a network go: out through an interface, or to the gateway itself.
type Hop struct {
	Network netip.Prefix
	Out     string
	Local   bool
}

// Routes are the gateway's routes. The longest network wins, and of two for the same one the
// first. What no routing table lists is known here: broadcast and multicast are the gateway's.
type Routes []Hop

// ownHops are what every gateway has.
func ownHops() Routes {
	return Routes{
		{Network: netip.MustParsePrefix("224.0.0.0/4"), Local: true},
		{Network: netip.MustParsePrefix("255.255.255.255/32"), Local: true},
		{Network: netip.MustParsePrefix("ff00::/8"), Local: true},
	}
}

// Route is a Route by these routes, among which are none that a mark leads to.
func (r Routes) Route(to netip.Addr, _ uint32) (out string, local, ok bool) {
	best := Hop{}
	for _, h := range slices.Concat(ownHops(), r) {
		if h.Network.Contains(to) && (!ok || h.Network.Bits() > best.Network.Bits()) {
			best, ok = h, true
		}
	}
	return best.Out, best.Local, ok
}

// places are all destinations by the interface that they leave through, and those that are
// the gateway itself.
func (r Routes) places() (behind map[string]Addresses, local Addresses) {
	parts := map[string][]Range{}
	var own []Range
	for _, v4 := range []bool{true, false} {
		r.family(v4).share(func(h Hop, part Range) {
			if h.Local {
				own = append(own, part)
			} else {
				parts[h.Out] = append(parts[h.Out], part)
			}
		})
	}
	behind = make(map[string]Addresses, len(parts))
	for out, list := range parts {
		behind[out] = Merge(list)
	}
	return behind, Merge(own)
}

// family are the hops of one family, by where they begin, the wider ones first, each once.
func (r Routes) family(v4 bool) Routes {
	list := slices.DeleteFunc(slices.Concat(ownHops(), r), func(h Hop) bool { return !h.Network.IsValid() || h.Network.Addr().Is4() != v4 })
	for i := range list {
		list[i].Network = list[i].Network.Masked()
	}
	slices.SortStableFunc(list, func(a, b Hop) int {
		return cmp.Or(a.Network.Addr().Compare(b.Network.Addr()), cmp.Compare(a.Network.Bits(), b.Network.Bits()))
	})
	return slices.CompactFunc(list, func(a, b Hop) bool { return a.Network == b.Network })
}

// share gives each hop the addresses that no narrower one takes. Networks lie within each
// other or apart, so the ones that are open at an address are a stack, the narrowest on top.
func (r Routes) share(give func(Hop, Range)) {
	var open Routes
	var at netip.Addr // the first address that was not given yet
	upTo := func(end netip.Addr) {
		if at.IsValid() && at.Compare(end) <= 0 {
			give(open[len(open)-1], Range{From: at, To: end})
			at = end.Next()
		}
	}
	for _, h := range append(r, Hop{}) {
		begin := h.Network.Addr() // of the empty one at the end: none
		for ; len(open) > 0; open = open[:len(open)-1] {
			end := RangeOf(open[len(open)-1].Network).To
			if begin.IsValid() && end.Compare(begin) >= 0 {
				upTo(begin.Prev())
				break
			}
			upTo(end)
		}
		at, open = begin, append(open, h)
	}
}
