package haproxyconf

import (
	"net/netip"
	"slices"
)

// allowLists makes one question out of all allow lists. A client's address leads to the
// most specific network that any list names; whether a domain allows that network, because
// its list has it or a wider one, is written out beforehand.
func (s *sites) allowLists(domains map[string]*site) {
	if !s.use.allow {
		return
	}
	// All of both families are always there: where HAProxy finds nothing, it looks an IPv4
	// address up among those of IPv6, and the other way round.
	nets := []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
	for _, d := range domains {
		for _, n := range d.AllowFrom {
			nets = append(nets, netip.MustParsePrefix(n)) // valid looked at it
		}
	}
	slices.SortFunc(nets, comparePrefixes)
	nets = slices.Compact(nets)
	for _, n := range nets {
		s.nets = append(s.nets, n.String()+" "+n.String())
	}
	for _, d := range domains {
		for _, n := range d.AllowFrom {
			for _, narrower := range within(nets, netip.MustParsePrefix(n)) {
				s.allowed = append(s.allowed, d.ID+"|"+narrower.String()+" 1")
			}
		}
	}
	slices.Sort(s.allowed)
	s.allowed = slices.Compact(s.allowed)
}

func comparePrefixes(a, b netip.Prefix) int {
	if c := a.Addr().Compare(b.Addr()); c != 0 {
		return c
	}
	return a.Bits() - b.Bits()
}

// within are the networks inside n, itself among them: they stand together.
func within(sorted []netip.Prefix, n netip.Prefix) []netip.Prefix {
	from, _ := slices.BinarySearchFunc(sorted, n, comparePrefixes)
	to := from
	for to < len(sorted) && n.Contains(sorted[to].Addr()) {
		to++
	}
	return sorted[from:to]
}
