package policy

import (
	"math/rand/v2"
	"net/netip"
	"reflect"
	"slices"
	"testing"

	"gateway/internal/packetfilter"
)

// someEntry is a range among few addresses, some of them the first and the last of all.
func someEntry(r *rand.Rand, of byte) entry {
	addr := func(n int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(n)}) }
	switch r.IntN(4) {
	case 0:
		addr = func(n int) netip.Addr { return netip.AddrFrom16([16]byte{0x20, 1, 15: byte(n)}) }
	case 1:
		addr = func(n int) netip.Addr { return netip.AddrFrom4([4]byte{255, 255, 255, byte(256 - 40 + n)}) }
	}
	from := r.IntN(40)
	to := min(39, from+r.IntN(2)*r.IntN(8))
	return entry{packetfilter.Range{From: addr(from), To: addr(to)}, id{of}}
}

func TestAGroupThatIsMendedIsOneThatIsMadeAnew(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 6))
	for range 30_000 {
		var list []entry
		for i := range r.IntN(12) {
			list = append(list, someEntry(r, byte(i)))
		}
		slices.SortFunc(list, entry.compare)
		was := &group{list, union(list)}
		e := &edit{}
		for i := range r.IntN(4) {
			e.added = append(e.added, someEntry(r, byte(100+i)))
		}
		for range min(len(list), r.IntN(4)) {
			if gone := list[r.IntN(len(list))]; !slices.Contains(e.removed, gone) {
				e.removed = append(e.removed, gone)
			}
		}
		want := merged(without(list, slices.SortedFunc(slices.Values(e.removed), entry.compare)), slices.SortedFunc(slices.Values(e.added), entry.compare))
		before := slices.Clone(list)
		got := was.with(e)
		if !slices.Equal(got.entries, want) || !reflect.DeepEqual(got.set, union(want)) {
			t.Fatalf("%v\nwith %v\nbecame %v\nset %v, want %v", before, *e, got.entries, *got.set, *union(want))
		}
		if !slices.Equal(was.entries, before) || !reflect.DeepEqual(was.set, union(before)) {
			t.Fatal("what was there before has changed")
		}
	}
}
