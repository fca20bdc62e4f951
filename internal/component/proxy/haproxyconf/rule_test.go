package haproxyconf

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gateway/internal/haproxy"
)

// first is what routing rules mean: the first by priority that is a prefix of the path; of
// two with the same priority, the longer one.
func first(rules []rankedRule, path string) string {
	var best *rankedRule
	for i, r := range rules {
		if !strings.HasPrefix(path, r.prefix) {
			continue
		}
		if best == nil || r.priority < best.priority || r.priority == best.priority && len(r.prefix) > len(best.prefix) {
			best = &rules[i]
		}
	}
	if best == nil {
		return ""
	}
	return best.to
}

type rankedRule struct {
	priority   int
	prefix, to string
}

// longest is what HAProxy does with the map.
func longest(all entries, path string) string {
	best := haproxy.MapEntry{}
	for _, e := range all {
		if strings.HasPrefix(path, e.Key) && len(e.Key) > len(best.Key) {
			best = e
		}
	}
	return best.Value
}

// The map of longest prefixes says the same as the rules by their priority.
func TestTheFirstRuleThatFitsIsTaken(t *testing.T) {
	paths := rapid.StringMatching(`/[ab/]{0,5}`)
	rapid.Check(t, func(t *rapid.T) {
		s := state{backends: []pool{web(1), web(2), web(3)}, domains: []site{domain(21, "a.example.com", 1), domain(22, "b.example.com", 1)}}
		rules := map[string][]rankedRule{}
		for range rapid.IntRange(0, 8).Draw(t, "rules") {
			of := id(rapid.IntRange(21, 22).Draw(t, "domain"))
			r := rankedRule{rapid.IntRange(0, 3).Draw(t, "priority"), paths.Draw(t, "prefix"), id(rapid.IntRange(1, 3).Draw(t, "to"))}
			if slices.ContainsFunc(rules[of], func(o rankedRule) bool { return o.priority == r.priority && o.prefix == r.prefix }) {
				continue // which of two equal ones is nobody's promise
			}
			rules[of] = append(rules[of], r)
		}
		for _, of := range []string{id(21), id(22)} {
			for _, r := range ranked(rules[of]) {
				s.rules = append(s.rules, route{of, r.prefix, r.to})
			}
		}
		all := parseMap(render(s).File(routesMap))
		for range 20 {
			path := paths.Draw(t, "path")
			for _, of := range []string{id(21), id(22)} {
				want := first(rules[of], path)
				if want != "" {
					want = number(want)
				}
				if got := longest(all, of+path); got != want {
					t.Fatalf("%s of %s leads to %q, want %q; rules %v, map %v", path, of, got, want, rules[of], all)
				}
			}
		}
	})
}

// ranked is the order in which the database has them.
func ranked(rules []rankedRule) []rankedRule {
	return slices.SortedFunc(slices.Values(rules), func(a, b rankedRule) int {
		return cmp.Or(a.priority-b.priority, len(b.prefix)-len(a.prefix), strings.Compare(a.prefix, b.prefix))
	})
}

// And so do the database and HAProxy.
func TestRulesOnHAProxy(t *testing.T) {
	r := newRig(t)
	names := []string{"one", "two", "three"}
	pools := map[string]string{}
	for _, name := range names {
		pools[name] = r.Backend(name)
		r.Server(pools[name], name, newOrigin(t, name).at)
	}
	site := r.Site("a.example.com", pools["one"])
	rnd := rand.New(rand.NewPCG(1, 2))
	prefixes := []string{"/", "/a", "/a/", "/a/b", "/ab", "/b", "/a'b", "/a%20b"}
	var rules []rankedRule
	for range 12 {
		rule := rankedRule{rnd.IntN(3), prefixes[rnd.IntN(len(prefixes))], names[rnd.IntN(3)]}
		if slices.ContainsFunc(rules, func(o rankedRule) bool { return o.priority == rule.priority && o.prefix == rule.prefix }) {
			continue
		}
		rules = append(rules, rule)
		r.Rule(site, rule.prefix, pools[rule.to], rule.priority)
		for _, path := range []string{"/", "/a", "/a/", "/a/b/c", "/abc", "/b?x=/a", "/a'b", "/a%20b", "/c"} {
			plain, _, _ := strings.Cut(path, "?")
			want := cmp.Or(first(rules, plain), "one")
			if got := r.leads("https://a.example.com" + path); got != want {
				t.Errorf("%s leads to %s, want %s; rules %v", path, got, want, rules)
			}
		}
	}
	r.holds(t)
}
