package packetfilter

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
)

// manyRules are rules between hosts, spread over pairs of zones.
func manyRules(n, zones int) *Policy {
	rnd := rand.New(rand.NewPCG(1, 2))
	p := &Policy{Zones: map[string][]string{}, Sets: map[string]*Addresses{"b10c": manyAddresses(100_000)}}
	for i := range zones {
		p.Zones[fmt.Sprint("z", i)] = []string{fmt.Sprint("eth", i)}
	}
	for i := range n {
		host := func() Selector {
			return Selector{Listed: Merge([]Range{RangeOf(netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(rnd.IntN(256)), byte(rnd.IntN(256)), byte(rnd.IntN(256))}), 32))})}
		}
		r := Rule{ID: fmt.Sprintf("%08x", i), Priority: i, From: fmt.Sprint("z", i%zones), To: fmt.Sprint("z", i/zones%zones), Action: Accept, Source: host(), Destination: host()}
		r.Services = ports(TCP, uint16(1+i%1000))
		if i%2 == 1 {
			r.Action = Drop
		}
		p.Rules = append(p.Rules, r)
	}
	return p
}

// manyAddresses are single addresses, none next to another.
func manyAddresses(n int) *Addresses {
	var a Addresses
	for i := range n {
		at := netip.AddrFrom4([4]byte{11, byte(i >> 15), byte(i >> 7), byte(i << 1)})
		a.V4 = append(a.V4, Range{From: at, To: at})
	}
	return &a
}

func BenchmarkCovered(b *testing.B) {
	for _, zones := range []int{1, 10} {
		p := manyRules(10_000, zones)
		b.Run(fmt.Sprint(zones*zones, " pairs"), func(b *testing.B) {
			for b.Loop() {
				Covered(p)
			}
		})
	}
}

func BenchmarkExplain(b *testing.B) {
	for _, zones := range []int{1, 10} {
		p := manyRules(10_000, zones)
		p.Rules = append(p.Rules, Rule{ID: "ff", Priority: 20_000, From: Any, To: Any, Source: Selector{Set: "b10c"}, Action: Drop})
		k := Packet{In: "eth0", Source: netip.MustParseAddr("11.0.0.2"), Destination: netip.MustParseAddr("10.9.9.9"), Protocol: TCP, Port: 1}
		b.Run(fmt.Sprint(zones*zones, " pairs"), func(b *testing.B) {
			for b.Loop() {
				if t := Explain(p, k, func(netip.Addr) (string, bool, bool) { return "eth0", false, true }); t.Decided.ID != "ff" {
					b.Fatalf("%+v", t)
				}
			}
		})
	}
}
