package multiwan

import (
	"slices"

	"gateway/internal/component/uplink/health"
)

// choose are the members of a group that take new connections: of those that can be used the
// ones of the lowest tier. When none can, those with a carrier: half a way is better than none.
func (g Group) choose(state func(number int) health.State) []Member {
	usable := func(m Member) bool { return state(m.Uplink).Usable() }
	if chosen := g.lowest(usable); len(chosen) > 0 {
		return chosen
	}
	return g.lowest(func(m Member) bool { return state(m.Uplink) != health.NoCarrier })
}

// lowest are the members of the lowest tier that has any of those.
func (g Group) lowest(which func(Member) bool) (out []Member) {
	for _, m := range g.Members {
		if !which(m) {
			continue
		}
		if len(out) > 0 && m.Tier < out[0].Tier {
			out = nil
		}
		if len(out) == 0 || m.Tier == out[0].Tier {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b Member) int { return a.Uplink - b.Uplink })
	return out
}
