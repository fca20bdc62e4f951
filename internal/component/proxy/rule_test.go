package proxy

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gateway/internal/api/apitest"
)

// shows PROXY-38, PROXY-40
func TestRoutingRules(t *testing.T) {
	r := newRig(t)
	pool, tcp := r.Backend("web"), r.Backend("mail", object{"scheme": "tcp"})
	site := r.Site("shop.example.com", pool)
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
		if a := r.Do("PUT", "/routing-rules/"+made.ID(), apitest.With(object{"domain_id": site, "path_prefix": "/", "backend_id": pool}, in)); a.Status != http.StatusBadRequest || a.Complaint(field) == "" {
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
	r := newRig(t)
	pool := r.Backend("web")
	site, other := r.Site("a.example.com", pool), r.Site("b.example.com", pool)
	one, two, three := r.Rule(site, "/1", pool, 100), r.Rule(site, "/2", pool, 100), r.Rule(site, "/3", pool, 100)
	foreign := r.Rule(other, "/1", pool, 7)
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
