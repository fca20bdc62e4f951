package packetfilter

import (
	"maps"
	"net/netip"
	"slices"
)

// namedSet is a set of the table.
type namedSet struct{ name, kind string }

// setNames is the sets of the table, sorted by their names: those that rules use, in both
// families, and the cluster's peers.
func (c *compiler) setNames() []namedSet {
	ids := c.setIDs()
	sets := make([]namedSet, 0, 2*len(ids)+2)
	for _, id := range ids {
		sets = append(sets, namedSet{families[0].set + id, "ipv4_addr; flags interval"})
	}
	for _, id := range ids {
		sets = append(sets, namedSet{families[1].set + id, "ipv6_addr; flags interval"})
	}
	return append(sets, namedSet{"peers4", "ipv4_addr"}, namedSet{"peers6", "ipv6_addr"})
}

func (c *compiler) setIDs() []string { return slices.Sorted(maps.Keys(c.sets)) }

// elements fills the sets: each is emptied and, unless it stays empty, filled with one
// element a line. Delta reads this form.
func (c *compiler) elements() []byte {
	var b []byte
	ids := c.setIDs()
	for _, f := range families {
		for _, id := range ids {
			b = appendSet(b, f.set+id, c.setRanges(id, f.v4))
		}
	}
	peers4, peers6 := c.peers()
	b = appendSet(b, "peers4", peers4)
	return appendSet(b, "peers6", peers6)
}

func (c *compiler) setRanges(id string, v4 bool) []Range {
	set := c.policy.Sets[id]
	if !set.good() {
		if v4 {
			c.skip(id, "group "+id, "it has an invalid address; the group is empty until that is corrected")
		}
		return nil
	}
	return set.Of(v4)
}

// peers is the addresses of the other nodes.
func (c *compiler) peers() (v4, v6 []Range) {
	sorted := slices.Clone(c.policy.Peers)
	slices.SortFunc(sorted, netip.Addr.Compare)
	for _, a := range slices.Compact(sorted) {
		switch {
		case a.Is4():
			v4 = append(v4, Range{a, a})
		case isPlain6(a):
			v6 = append(v6, Range{a, a})
		default:
			c.skip("", "cluster peer", "its address is invalid")
		}
	}
	return v4, v6
}

func appendSet(b []byte, name string, ranges []Range) []byte {
	b = append(append(append(b, "flush set inet gateway "...), name...), '\n')
	if len(ranges) == 0 {
		return b
	}
	b = append(append(append(b, "add element inet gateway "...), name...), " {\n"...)
	b = slices.Grow(b, 20*len(ranges))
	for _, r := range ranges {
		b = append(appendRange(b, r), ",\n"...)
	}
	return append(b, "}\n"...)
}
