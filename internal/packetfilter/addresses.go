package packetfilter

import (
	"net/netip"
	"slices"
)

// Range is what lies between two addresses of one family, both included.
type Range = Span[netip.Addr]

// Addresses are ranges by family, each list sorted, apart from each other and not touching.
type Addresses struct{ V4, V6 []Range }

// RangeOf is the range of a network.
func RangeOf(p netip.Prefix) Range {
	p = p.Masked()
	last := p.Addr().AsSlice()
	for bit := p.Bits(); bit < len(last)*8; bit++ {
		last[bit/8] |= 1 << (7 - bit%8)
	}
	to, _ := netip.AddrFromSlice(last)
	return Range{p.Addr(), to}
}

// Merge makes addresses of ranges that may overlap, in any order.
func Merge(ranges []Range) Addresses {
	var a Addresses
	sorted := slices.Clone(ranges)
	slices.SortFunc(sorted, func(x, y Range) int { return x.From.Compare(y.From) })
	for _, r := range sorted {
		if r.From.Is4() {
			a.V4 = join(a.V4, r)
		} else {
			a.V6 = join(a.V6, r)
		}
	}
	return a
}

// Has reports whether an address is in one of the ranges.
func (a Addresses) Has(addr netip.Addr) bool {
	return holds(a.Of(addr.Is4()), addr)
}

// Of is the list of one family.
func (a Addresses) Of(v4 bool) []Range {
	if v4 {
		return a.V4
	}
	return a.V6
}
