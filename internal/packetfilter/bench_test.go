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
				if t := Explain(p, k, func(netip.Addr, uint32) (string, bool, bool) { return "eth0", false, true }); t.Decided.ID != "ff" {
					b.Fatalf("%+v", t)
				}
			}
		})
	}
}

func BenchmarkReaches(b *testing.B) {
	blocked := Rule{ID: "ff", Priority: -1, From: Any, To: Any, Source: Selector{Set: "b10c"}, Action: Drop}
	allowed := Rule{ID: "fe", Priority: 20_000, From: Any, To: Any, Source: Selector{Set: "b10c"}, Action: Accept}
	last := Rule{ID: "fd", Priority: 20_000, From: Any, To: Any, Action: Accept}
	for _, bc := range []struct {
		name  string
		rules []Rule // besides 10,000
		query Query
		zones int
		want  bool
	}{
		{"one pair of a hundred", nil, Query{From: "z2", To: "z4"}, 10, true},
		{"one service of one pair", nil, Query{From: "z0", To: "z0", Services: ports(TCP, 2000)}, 1, false},
		{"the last rule after all others", []Rule{last}, Query{From: "z0", To: "z0", Services: ports(TCP, 2000)}, 1, true},
		{"a group that is blocked as a whole", []Rule{blocked, allowed}, Query{From: "z0", To: "z0", Services: ports(TCP, 2000)}, 1, false},
		{"all but a blocked group", []Rule{blocked, last}, Query{From: "z0", To: "z0", Services: ports(TCP, 2000)}, 1, true},
		{"every zone to every other", nil, Query{From: Any, To: Any, Services: ports(TCP, 2000)}, 10, false},
		{"every zone to every other, with a blocked group", []Rule{blocked, allowed}, Query{From: Any, To: Any, Services: ports(TCP, 2000)}, 10, false},
	} {
		p := manyRules(10_000, bc.zones)
		p.Rules = append(p.Rules, bc.rules...)
		b.Run(bc.name, func(b *testing.B) {
			for b.Loop() {
				if w, got, err := Reaches(p, bc.query); err != nil || got != bc.want {
					b.Fatalf("%+v, %v, %v", w, got, err)
				}
			}
		})
	}
}

// BenchmarkReachesCoveredByMany has one accepting rule whose hosts are all dropped one by one.
func BenchmarkReachesCoveredByMany(b *testing.B) {
	p := &Policy{Zones: map[string][]string{"a": {"a0"}, "b": {"b0"}}}
	for i := range 4096 {
		host := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 32)
		p.Rules = append(p.Rules, Rule{ID: fmt.Sprintf("%04x", i), From: "a", To: Any, Source: Selector{Listed: *networks(host)}, Action: Drop})
	}
	p.Rules = append(p.Rules, Rule{ID: "ffff", Priority: 1, From: "a", To: "b", Source: some("10.0.0.0/20"), Action: Accept})
	for b.Loop() {
		if w, got, err := Reaches(p, Query{From: "a", To: "b"}); err != nil || got {
			b.Fatalf("%+v, %v, %v", w, got, err)
		}
	}
}
