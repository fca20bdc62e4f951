package packetfilter

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// groupOf is a policy with one rule about one group.
func groupOf(members ...string) *Policy {
	return &Policy{
		Zones: zonesOfHouse(),
		Sets:  map[string]*Addresses{"5e1": ptr(some(members...).Listed)},
		Rules: []Rule{{ID: "a1", From: "lan", To: "wan", Source: Selector{Set: "5e1"}, Action: Accept}},
	}
}

func TestDelta(t *testing.T) {
	for _, tc := range []struct {
		name     string
		was, now []string
		want     string
	}{
		{"nothing changed", []string{"10.0.0.1", "fd00::1"}, []string{"fd00::1", "10.0.0.1"}, ""},
		{"a member more", []string{"10.0.0.1", "10.0.0.9"}, []string{"10.0.0.1", "10.0.0.5", "10.0.0.9"}, "add a4_5e1 10.0.0.5"},
		{"the first member", nil, []string{"fd00::1"}, "add a6_5e1 fd00::1"},
		{"the last member went", []string{"10.0.0.1"}, nil, "delete a4_5e1 10.0.0.1"},
		{
			"a host became a network that begins with it",
			[]string{"10.0.0.0", "10.0.9.0"},
			[]string{"10.0.0.0/24", "10.0.9.0"},
			"delete a4_5e1 10.0.0.0; add a4_5e1 10.0.0.0/24",
		},
		{
			"a network was split",
			[]string{"10.0.0.0/24"},
			[]string{"10.0.0.0/25", "10.0.0.200"},
			"delete a4_5e1 10.0.0.0/24; add a4_5e1 10.0.0.0/25 10.0.0.200",
		},
		{
			"lines that end alike are not the same lines",
			[]string{"1.1.1.1", "3.3.3.3"},
			[]string{"21.1.1.1", "33.3.3.3"},
			"delete a4_5e1 1.1.1.1 3.3.3.3; add a4_5e1 21.1.1.1 33.3.3.3",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			batch, ok := Delta(Compile(groupOf(tc.was...)).Elements, Compile(groupOf(tc.now...)).Elements)
			if got := shortened(batch); got != tc.want || !ok {
				t.Errorf("got %q, %v, want %q", got, ok, tc.want)
			}
		})
	}
}

// shortened is a batch on one line.
func shortened(batch []byte) string {
	return strings.TrimSuffix(strings.NewReplacer(" element inet gateway", "", " {\n", " ", ",\n}\n", "; ", ",\n", " ").Replace(string(batch)), "; ")
}

func TestDeltaIsAboutTheSameSets(t *testing.T) {
	other := groupOf("10.0.0.1")
	other.Sets["5e2"] = other.Sets["5e1"]
	other.Rules[0].Source.Set = "5e2"
	was, now := Compile(groupOf("10.0.0.1")), Compile(other)
	for _, tc := range [][2][]byte{{was.Elements, now.Elements}, {nil, now.Elements}, {was.Elements, nil}, {[]byte("x"), now.Elements}, {was.Elements[:30], now.Elements}} {
		if batch, ok := Delta(tc[0], tc[1]); ok {
			t.Errorf("Delta(%q, %q) = %q", tc[0], tc[1], batch)
		}
	}
}

// FuzzDelta looks for texts that make it fail otherwise than by saying so.
func FuzzDelta(f *testing.F) {
	was, now := Compile(groupOf("10.0.0.1")).Elements, Compile(groupOf("10.0.0.0/24", "fd00::1")).Elements
	f.Add(was, now)
	f.Fuzz(func(t *testing.T, was, now []byte) {
		if batch, ok := Delta(was, was); ok && len(batch) > 0 {
			t.Errorf("%q differs from itself by %q", was, batch)
		}
		Delta(was, now)
	})
}

func TestRulesDoNotChangeWithMembers(t *testing.T) {
	was, now := Compile(groupOf("10.0.0.1")), Compile(groupOf("fd00::/8", "10.0.0.0/8"))
	if string(was.Rules) != string(now.Rules) {
		t.Errorf("other members gave other rules:\n%s\n%s", was.Rules, now.Rules)
	}
}

// TestDeltaInTheKernel goes from one random group to the next and finds the same in the
// kernel as when each is loaded afresh.
func TestDeltaInTheKernel(t *testing.T) {
	k, fresh := newKernel(t), newKernel(t)
	g := newGenerator(7)
	p := groupOf()
	was := Compile(p)
	k.mustLoad(t, was)
	for i := range 40 {
		p.Sets["5e1"] = ptr(g.neighbours(p.Sets["5e1"]))
		now := Compile(p)
		batch, ok := Delta(was.Elements, now.Elements)
		if _, err := k.Nft(t.Context(), batch, "-f", "-"); err != nil || !ok {
			t.Fatalf("step %d: %v, %v\n%s", i, ok, err, batch)
		}
		fresh.mustLoad(t, now)
		for _, set := range []string{"a4_5e1", "a6_5e1"} {
			got, errGot := k.Nft(t.Context(), nil, "list", "set", "inet", "gateway", set)
			want, errWant := fresh.Nft(t.Context(), nil, "list", "set", "inet", "gateway", set)
			if got != want || errGot != nil || errWant != nil {
				t.Fatalf("step %d: %v, %v\n%s\ngot %s\nwant %s", i, errGot, errWant, batch, got, want)
			}
		}
		was = now
	}
}

// neighbours is a group with some of the members of another and some more beside them.
func (g generator) neighbours(a *Addresses) Addresses {
	var list []Range
	for _, r := range slices.Concat(a.V4, a.V6) {
		switch {
		case g.chance(20):
		case g.chance(20) && r.To.Next().IsValid():
			list = append(list, Range{r.From, r.To.Next()})
		default:
			list = append(list, r)
		}
	}
	for range g.IntN(12) {
		list = append(list, g.someRange())
	}
	// The widest networks would swallow everything.
	return Merge(slices.DeleteFunc(list, func(r Range) bool { return r.From.IsUnspecified() }))
}

func many(n int) *Policy {
	p := groupOf()
	list := make([]Range, n)
	for i := range list {
		a := netip.AddrFrom4([4]byte{byte(11 + i>>15), byte(i >> 7), byte(i << 1), 1})
		list[i] = Range{a, a}
	}
	p.Sets["5e1"] = ptr(Merge(list))
	return p
}

func BenchmarkDelta(b *testing.B) {
	p := many(100_000)
	was := Compile(p).Elements
	one, all := slices.Clone(p.Sets["5e1"].V4), slices.Clone(p.Sets["5e1"].V4)
	one = slices.Delete(one, 50_000, 50_001)
	all = slices.Delete(all, 0, 1)
	all = slices.Delete(all, len(all)-1, len(all))
	for name, list := range map[string][]Range{"one of 100000": one, "the first and the last of 100000": all} {
		p.Sets["5e1"].V4 = list
		now := Compile(p).Elements
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if batch, ok := Delta(was, now); !ok || len(batch) > 200 {
					b.Fatal(len(batch), ok)
				}
			}
		})
	}
}

// BenchmarkCompile has 10,000 rules over 100 pairs of zones, and another over each zone.
func BenchmarkCompile(b *testing.B) {
	p := estate(10_000)
	for b.Loop() {
		if text := Compile(p); len(text.Problems) > 0 {
			b.Fatal(text.Problems)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(p.Rules)), "ns/rule")
}

// estate is a policy of ten zones and rules spread over all pairs of them.
func estate(rules int) *Policy {
	p := &Policy{Zones: map[string][]string{}}
	for i := range 10 {
		p.Zones[fmt.Sprint("zone", i)] = []string{fmt.Sprint("eth", i)}
	}
	for i := range rules {
		p.Rules = append(p.Rules, Rule{
			ID: fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i), Name: "rule", Priority: i,
			From: fmt.Sprint("zone", i/10%10), To: fmt.Sprint("zone", i%10), Action: Accept,
			Source:   some(fmt.Sprintf("10.%d.%d.0/24", i>>8&255, i&255)),
			Services: []Service{tcp(443, 443)},
		})
	}
	return p
}
