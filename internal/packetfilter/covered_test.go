package packetfilter

import (
	"slices"
	"testing"
)

func TestCoveredNamesBothRules(t *testing.T) {
	web := []Service{tcp(80, 80), tcp(443, 443)}
	for _, tc := range []struct {
		name          string
		earlier, rule Rule
		want          string
	}{
		{"the same twice is redundant", Rule{From: "lan", To: "wan"}, Rule{From: "lan", To: "wan"}, Redundant},
		{"the opposite is contradicted", Rule{From: "lan", To: "wan"}, Rule{From: "lan", To: "wan", Action: Drop}, Contradicted},
		{"other zones have nothing to do with each other", Rule{From: "lan", To: "wan"}, Rule{From: "lan", To: "dmz"}, ""},
		{"any covers a zone", Rule{From: Any, To: Any}, Rule{From: "lan", To: "wan"}, Redundant},
		{"a zone does not cover any", Rule{From: "lan", To: "wan"}, Rule{From: "lan", To: Any}, ""},
		{"a network covers a host", Rule{From: "lan", To: "wan", Source: some("10.0.0.0/8")}, Rule{From: "lan", To: "wan", Source: some("10.1.1.1"), Services: web}, Redundant},
		{"a host does not cover a network", Rule{From: "lan", To: "wan", Source: some("10.1.1.1")}, Rule{From: "lan", To: "wan", Source: some("10.0.0.0/8")}, ""},
		{"a host covers itself", Rule{From: "lan", To: Any, Source: some("10.1.1.1"), Services: web}, Rule{From: "lan", To: "wan", Source: some("10.1.1.1"), Services: web[:1]}, Redundant},
		{"one family does not cover both", Rule{From: "lan", To: "wan", Source: some("0.0.0.0/0")}, Rule{From: "lan", To: "wan"}, ""},
		{"all of a family covers a service of that family", Rule{From: "lan", To: "wan", Source: some("0.0.0.0/0")}, Rule{From: "lan", To: "wan", Services: []Service{icmp(8)}}, Redundant},
		{"services cover some of them", Rule{From: "lan", To: "wan", Services: web}, Rule{From: "lan", To: "wan", Services: web[1:]}, Redundant},
		{"a service does not cover another", Rule{From: "lan", To: "wan", Services: web[:1]}, Rule{From: "lan", To: "wan", Services: web}, ""},
		{"a group covers its members", Rule{From: "lan", To: "wan", Source: Selector{Set: "e1"}}, Rule{From: "lan", To: "wan", Source: some("10.1.1.1")}, Redundant},
		{"an empty group covers nothing", Rule{From: "lan", To: "wan", Source: Selector{Set: "e2"}}, Rule{From: "lan", To: "wan", Source: some("10.1.1.1")}, ""},
		{"what is left out covers nothing", Rule{From: "lan", To: "wan", Broken: "no service"}, Rule{From: "lan", To: "wan"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.earlier.ID, tc.rule.ID, tc.rule.Priority = "a1", "a2", 1
			for _, r := range []*Rule{&tc.earlier, &tc.rule} {
				if r.Action == "" {
					r.Action = Accept
				}
			}
			var want []Finding
			if tc.want != "" {
				want = []Finding{{tc.want, tc.rule.decider(), tc.earlier.decider()}}
			}
			p := &Policy{Rules: []Rule{tc.rule, tc.earlier}, Sets: map[string]*Addresses{"e1": ptr(some("10.1.1.0/24").Listed), "e2": {}}}
			if got := Covered(p); !slices.Equal(got, want) {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

// TestCoveredRulesAreNeverHit sends packets, none of which may come to a covered rule.
func TestCoveredRulesAreNeverHit(t *testing.T) {
	found := 0
	for seed := range uint64(300) {
		g := newGenerator(4_000_000 + seed)
		p := g.policy()
		covered := map[string]bool{}
		for _, f := range Covered(p) {
			covered[f.Rule.ID] = true
			found++
		}
		for i := range 100 {
			k := g.probe(i)
			if got := explained(p, k); len(got.by) > 5 && covered[got.by[5:]] {
				t.Fatalf("policy %d: %v comes to %s, which is covered", 4_000_000+seed, k, got.by)
			}
		}
	}
	if found == 0 {
		t.Error("this shows nothing")
	}
	t.Logf("%d rules were covered", found)
}
