package proxy

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gateway/internal/haproxy"
)

// shows PROXY-38, PROXY-40
func TestRoutingRules(t *testing.T) {
	r := newStore(t)
	pool, tcp := r.backend("web"), r.backend("mail", object{"scheme": "tcp"})
	site := r.site("shop.example.com", pool)
	made := r.Do("POST", "/routing-rules", object{"domain_id": site, "path_prefix": "/api/", "backend_id": pool}).Want(http.StatusCreated)
	for field, want := range map[string]string{"domain_id": site, "path_prefix": "/api/", "backend_id": pool, "priority": "100", "active": "true"} {
		if got := made.Field(field); got != want {
			t.Errorf("%s = %q, want %q", field, got, want)
		}
	}
	body := object{"domain_id": site, "path_prefix": "/v1", "backend_id": pool, "priority": -5, "active": false}
	changed := r.Do("PUT", "/routing-rules/"+made.ID(), body).Want(http.StatusOK)
	for field, want := range map[string]string{"path_prefix": "/v1", "priority": "-5", "active": "false"} {
		if got, again := changed.Field(field), r.As("viewer", "GET", "/routing-rules/"+made.ID(), nil).Want(http.StatusOK).Field(field); got != want || again != want {
			t.Errorf("%s = %q, then %q, want %q", field, got, again, want)
		}
	}
	for name, in := range map[string]object{
		"path_prefix":                      {"path_prefix": "api"},
		"path_prefix with a space":         {"path_prefix": "/a b"},
		"path_prefix with a query":         {"path_prefix": "/a?b"},
		"path_prefix on two lines":         {"path_prefix": "/a\n/b"},
		"path_prefix in another script":    {"path_prefix": "/ä"},
		"domain_id of nobody":              {"domain_id": id(1)},
		"backend_id of nobody":             {"backend_id": id(1)},
		"backend_id of one that knows tcp": {"backend_id": tcp},
	} {
		field, _, _ := strings.Cut(name, " ")
		if a := r.Do("PUT", "/routing-rules/"+made.ID(), with(object{"domain_id": site, "path_prefix": "/", "backend_id": pool}, []object{in})); a.Status != http.StatusBadRequest || a.Complaint(field) == "" {
			t.Errorf("%s is answered %d %+v", name, a.Status, a.Error)
		}
	}
	if got := r.Do("GET", "/routing-rules"+filter("domain_id", site), nil).Want(http.StatusOK).Total; got != "1" {
		t.Errorf("the domain has %s rules, want 1", got)
	}
	r.Do("DELETE", "/routing-rules/"+made.ID(), nil).Want(http.StatusOK)
	r.Do("GET", "/routing-rules/"+made.ID(), nil).Want(http.StatusNotFound)
}

func TestRulesAreOrderedTogetherOrNotAtAll(t *testing.T) {
	r := newStore(t)
	pool := r.backend("web")
	site, other := r.site("a.example.com", pool), r.site("b.example.com", pool)
	one, two, three := r.rule(site, "/1", pool, 100), r.rule(site, "/2", pool, 100), r.rule(site, "/3", pool, 100)
	foreign := r.rule(other, "/1", pool, 7)
	order := func(rules ...string) int {
		return r.Do("POST", "/routing-rules/order", object{"domain_id": site, "rules": rules}).Status
	}
	priorities := func() string {
		var out []string
		for _, id := range []string{one, two, three, foreign} {
			out = append(out, r.Do("GET", "/routing-rules/"+id, nil).Field("priority"))
		}
		return fmt.Sprint(out)
	}
	for name, rules := range map[string][]string{"one is missing": {one, two}, "one is there twice": {one, two, two}, "one is another's": {one, two, foreign}, "one is none": {one, two, "x"}} {
		if got := order(rules...); got != http.StatusBadRequest {
			t.Errorf("%s: answered %d, want 400", name, got)
		}
		if got := priorities(); got != "[100 100 100 7]" {
			t.Errorf("%s: priorities = %s", name, got)
		}
	}
	if got := order(three, one, two); got != http.StatusOK {
		t.Errorf("answered %d, want 200", got)
	}
	if got := priorities(); got != "[20 30 10 7]" {
		t.Errorf("priorities = %s", got)
	}
}

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
		pools[name] = r.backend(name)
		r.server(pools[name], name, newOrigin(t, name).at)
	}
	site := r.site("a.example.com", pools["one"])
	rnd := rand.New(rand.NewPCG(1, 2))
	prefixes := []string{"/", "/a", "/a/", "/a/b", "/ab", "/b", "/a'b", "/a%20b"}
	var rules []rankedRule
	for range 12 {
		rule := rankedRule{rnd.IntN(3), prefixes[rnd.IntN(len(prefixes))], names[rnd.IntN(3)]}
		if slices.ContainsFunc(rules, func(o rankedRule) bool { return o.priority == rule.priority && o.prefix == rule.prefix }) {
			continue
		}
		rules = append(rules, rule)
		r.rule(site, rule.prefix, pools[rule.to], rule.priority)
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
