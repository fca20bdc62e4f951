package proxy

import (
	"net/http"
	"testing"
)

func TestACertificateKnowsItsDomains(t *testing.T) {
	r := newRig(t)
	if _, err := r.Pool.Exec(t.Context(), `create table if not exists certificates (id uuid primary key, issued_names text[], chain text, not_before timestamptz, not_after timestamptz)`); err != nil {
		t.Fatal(err)
	}
	for n, days := range []int{30, 60} {
		if _, err := r.Pool.Exec(t.Context(), `insert into certificates (id, issued_names, chain, not_before, not_after)
			values ($1, '{www.example.com,*.shop.example.com}', 'x', now(), now() + make_interval(days => $2))`, id(n+1), days); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"www.example.com", "a.shop.example.com", "a.b.shop.example.com", "other.example.com"} {
		r.Do("POST", "/domains", object{"name": name, "active": true}).Want(http.StatusCreated)
	}
	// Nobody visits one that is disabled; who is redirected from www. is served that name as well.
	r.Do("POST", "/domains", object{"name": "off.shop.example.com", "active": false}).Want(http.StatusCreated)
	var used []CoveredDomain
	r.Do("GET", "/certificate-domains/"+id(2), nil).Want(http.StatusOK).Into(&used)
	if len(used) != 2 || used[0].Name != "a.shop.example.com" || used[1].Name != "www.example.com" {
		t.Errorf("the one that lasts longer is used by %+v, want its name and the one below its wildcard", used)
	}
	r.Do("GET", "/certificate-domains/"+id(1), nil).Want(http.StatusOK).Into(&used)
	if len(used) != 0 {
		t.Errorf("the one that ends first is used by %+v, want nobody", used)
	}
	if _, err := r.Pool.Exec(t.Context(), `insert into certificates (id, issued_names, chain, not_before, not_after)
		values ($1, '{www.redirected.example.com}', 'x', now(), now() + interval '9 days')`, id(3)); err != nil {
		t.Fatal(err)
	}
	r.Do("POST", "/domains", object{"name": "redirected.example.com", "active": true, "www_redirect": "to_apex"}).Want(http.StatusCreated)
	r.Do("GET", "/certificate-domains/"+id(3), nil).Want(http.StatusOK).Into(&used)
	if len(used) != 1 || used[0].Name != "redirected.example.com" {
		t.Errorf("one for a www. name is used by %+v, want the domain that redirects it", used)
	}
	r.Do("GET", "/certificate-domains/"+id(9), nil).Want(http.StatusNotFound)
}
