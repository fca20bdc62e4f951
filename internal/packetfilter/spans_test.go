package packetfilter

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSpansAreSets compares the algebra of spans with that of the points in them.
func TestSpansAreSets(t *testing.T) {
	const points = 40
	some := func() (list []Span[flow], in [points]bool) {
		for range rand.IntN(8) {
			from := flow(rand.IntN(points))
			list = append(list, Span[flow]{from, min(from+flow(rand.IntN(5)), points-1)})
		}
		list = sorted(list)
		for i := range in {
			in[i] = slices.ContainsFunc(list, func(s Span[flow]) bool { return s.From <= flow(i) && flow(i) <= s.To })
		}
		return list, in
	}
	for range 20_000 {
		a, inA := some()
		b, inB := some()
		both, left := common(a, b), without(a, b)
		touches, all := false, true
		for i := range flow(points) {
			touches, all = touches || inA[i] && inB[i], all && (inA[i] || !inB[i])
			if holds(a, i) != inA[i] || holds(both, i) != (inA[i] && inB[i]) || holds(left, i) != (inA[i] && !inB[i]) {
				t.Fatalf("%d: of %v and %v both have %v, and %v is left", i, a, b, both, left)
			}
		}
		if touch(a, b) != touches || covers(a, b) != all {
			t.Fatalf("%v and %v: touch %v, want %v; covers %v, want %v", a, b, touch(a, b), touches, covers(a, b), all)
		}
		isList(t, both)
		isList(t, left)
	}
}

func isList(t *testing.T, list []Span[flow]) {
	t.Helper()
	for i, s := range list {
		if s.From > s.To || i > 0 && s.From <= list[i-1].To+1 {
			t.Fatalf("%v is not sorted, or its spans touch", list)
		}
	}
}

func TestSpansEndWithTheLastAddress(t *testing.T) {
	for _, v4 := range []bool{true, false} {
		all := everywhere(v4)
		last := []Range{{From: all[0].To, To: all[0].To}}
		rest := without(all, last)
		if len(rest) != 1 || rest[0].To.Next() != all[0].To {
			t.Errorf("all but the last = %v", rest)
		}
		if none := without(last, all); len(none) != 0 {
			t.Errorf("the last without all = %v", none)
		}
		if whole := Merge(append(rest, last...)).Of(v4); !slices.Equal(whole, all) {
			t.Errorf("together = %v", whole)
		}
	}
}

func TestRoutesShareAllAddresses(t *testing.T) {
	for seed := range uint64(500) {
		g := newGenerator(seed)
		routes := g.routes()
		behind, local := routes.places()
		for range 50 {
			to := g.host(g.chance(50))
			out, here, ok := routes.Route(to, 0)
			if local.Has(to) != (ok && here) {
				t.Fatalf("%v of %v: local %v, want %v", to, routes, local.Has(to), here)
			}
			for name, list := range behind {
				if list.Has(to) != (ok && !here && name == out) {
					t.Fatalf("%v of %v: behind %s %v, want %s", to, routes, name, list.Has(to), out)
				}
			}
		}
	}
}
