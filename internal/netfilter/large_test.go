package netfilter

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"gateway/internal/packetfilter"
)

// This is the kernel's part of bar 4; the whole way is measured where the whole way is.
func TestChangeOfOneMemberOfAHundredThousand(t *testing.T) {
	r := newRig(t)
	const members, rounds = 100_000, 7
	text := largeGroup(members)
	r.replace(string(text.Rules), string(text.Elements))
	was := text.Elements
	var took []time.Duration
	for i := range rounds {
		now := largeGroup(members + i + 1).Elements
		batch, ok := packetfilter.Delta(was, now)
		if !ok {
			t.Fatal("there is no delta")
		}
		r.must(func() error {
			begin := time.Now()
			err := r.table.Change(t.Context(), batch)
			took = append(took, time.Since(begin))
			return err
		})
		was = now
	}
	r.nft("", "get", "element", "inet", "gateway", "a4_a", fmt.Sprintf("{ %s }", member(members+rounds-1)))
	slices.Sort(took)
	t.Logf("%v at the median, %v at most", took[rounds/2], took[rounds-1])
}

// largeGroup is a policy with a group of so many addresses, none next to another.
func largeGroup(members int) packetfilter.Text {
	var group packetfilter.Addresses
	for i := range members {
		group.V4 = append(group.V4, packetfilter.Range{From: member(i), To: member(i)})
	}
	p := floodPolicy(0, 10)
	p.Sets["a"] = &group
	return packetfilter.Compile(p)
}

func member(i int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(i >> 15), byte(i >> 7), byte(i << 1)})
}
