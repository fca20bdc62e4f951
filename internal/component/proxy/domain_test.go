package proxy

import (
	"net/http"
	"strings"
	"testing"

	"gateway/internal/component/proxy/haproxyconf"
)

// shows PROXY-07, PROXY-17, PROXY-18, PROXY-23
func TestDomains(t *testing.T) {
	r := newRig(t)
	pool, other := r.Backend("web"), r.Backend("other")
	made := r.Do("POST", "/domains", object{"name": "Shop.Example.COM.", "backend_id": pool}).Want(http.StatusCreated)
	id := made.ID()
	for field, want := range map[string]string{
		"name": "shop.example.com", "backend_id": pool, "active": "true", "http_to_https": "true", "disable_h3": "false", "hsts_max_age": "0",
		"rate_limit": "0", "maintenance": "false", "max_body_size": "0", "www_redirect": "off", "allow_from": "[]", "notes": "",
	} {
		if got := made.Field(field); got != want {
			t.Errorf("%s = %q, want %q", field, got, want)
		}
	}
	changed := r.Do("PUT", "/domains/"+id, object{
		"name": "shop.example.com", "backend_id": other, "active": false, "http_to_https": false, "disable_h3": true,
		"notes": "ask Ann\nbefore touching this", "allow_from": []string{"192.0.2.9", "10.1.2.3/8", "192.0.2.9"},
	}).Want(http.StatusOK)
	for field, want := range map[string]string{
		"backend_id": other, "active": "false", "http_to_https": "false", "disable_h3": "true", "notes": "ask Ann\nbefore touching this",
		"allow_from": "[10.0.0.0/8 192.0.2.9/32]",
	} {
		if got, again := changed.Field(field), r.As("viewer", "GET", "/domains/"+id, nil).Want(http.StatusOK).Field(field); got != want || again != want {
			t.Errorf("%s = %q, then %q, want %q", field, got, again, want)
		}
	}
	if got := r.As("viewer", "GET", "/domains?q=ask+ann", nil).Want(http.StatusOK).Total; got != "1" {
		t.Errorf("%s domains found by their notes, want 1", got)
	}
	for name, want := range map[string]string{"shop.example.com": "1", "example.com": "0"} {
		if got := r.As("viewer", "GET", "/domains"+filter("name", name), nil).Want(http.StatusOK).Total; got != want {
			t.Errorf("%s domains have the name %s, want %s", got, name, want)
		}
	}
	r.Do("POST", "/domains", object{"name": "SHOP.example.com"}).Want(http.StatusConflict)
	r.As("viewer", "DELETE", "/domains/"+id, nil).Want(http.StatusForbidden)
	r.Do("DELETE", "/domains/"+id, nil).Want(http.StatusOK)
	r.Do("GET", "/domains/"+id, nil).Want(http.StatusNotFound)
	if got := r.Do("GET", "/domains", nil).Want(http.StatusOK).Total; got != "0" {
		t.Errorf("%s domains are left", got)
	}
}

func TestDomainsThatAreRefused(t *testing.T) {
	r := newRig(t)
	pool, tcp := r.Backend("web"), r.Backend("mail", object{"scheme": "tcp"})
	for _, tc := range []struct {
		name  string
		in    object
		field string
	}{
		{"a name of one part", object{"name": "localhost"}, "name"},
		{"an address", object{"name": "192.0.2.1"}, "name"},
		{"an option of HAProxy", object{"name": "-f /etc/passwd"}, "name"},
		{"a second line", object{"name": "a.example.com\nb.example.com"}, "name"},
		{"a wildcard in the middle", object{"name": "a.*.example.com"}, "name"},
		{"a wildcard without a dot", object{"name": "*example.com"}, "name"},
		{"a wildcard for a whole country", object{"name": "*.de"}, "name"},
		{"the field separator of a record", object{"name": "a|b.example.com"}, "name"},
		{"a part that is too long", object{"name": strings.Repeat("a", 64) + ".example.com"}, "name"},
		{"a backend that is none", object{"name": "a.example.com", "backend_id": "web"}, "backend_id"},
		{"a backend that is not there", object{"name": "a.example.com", "backend_id": id(1)}, "backend_id"},
		{"a backend for tcp", object{"name": "a.example.com", "backend_id": tcp}, "backend_id"},
		{"a network that is none", object{"name": "a.example.com", "allow_from": []string{"10.0.0.0/8", "10.0.0.0/33"}}, "allow_from[1]"},
		{"a www redirect of a wildcard", object{"name": "*.example.com", "www_redirect": "to_www"}, "www_redirect"},
		{"a www redirect of www", object{"name": "www.example.com", "www_redirect": "to_apex"}, "www_redirect"},
		{"preload for less than a year", object{"name": "a.example.com", "hsts_preload": true, "hsts_subdomains": true, "hsts_max_age": 3600}, "hsts_preload"},
		{"HSTS beside plain HTTP", object{"name": "a.example.com", "hsts_max_age": 3600, "http_to_https": false}, "hsts_max_age"},
		{"notes with an escape", object{"name": "a.example.com", "notes": "\x1b[31m"}, "notes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if a := r.Do("POST", "/domains", tc.in); a.Status != http.StatusBadRequest || a.Complaint(tc.field) == "" {
				t.Errorf("answered %d %+v, want 400 about %s", a.Status, a.Error, tc.field)
			}
		})
	}
	r.Site("example.com", pool, object{"www_redirect": "to_apex"})
	r.Do("POST", "/domains", object{"name": "www.example.com"}).Want(http.StatusConflict)
	r.Site("www.example.net", pool)
	r.Do("POST", "/domains", object{"name": "example.net", "www_redirect": "to_www"}).Want(http.StatusConflict)
	if got := r.Do("GET", "/domains", nil).Total; got != "2" {
		t.Errorf("%s domains are stored, want 2", got)
	}
}

// shows PROXY-26
func TestHeadersBelongToTheirDomain(t *testing.T) {
	r := newRig(t)
	pool := r.Backend("web")
	mine, other := r.Site("mine.example.com", pool), r.Site("other.example.com", pool)
	header := object{"name": "X-Frame-Options", "value": "DENY"}
	id := r.Do("POST", "/domains/"+mine+"/headers", header).Want(http.StatusCreated).ID()
	before := r.Do("GET", "/domain-headers/"+id, nil).Want(http.StatusOK).Text
	for _, call := range []struct {
		method string
		body   any
	}{{"PUT", object{"name": "X-Frame-Options", "value": "SAMEORIGIN"}}, {"DELETE", nil}, {"GET", nil}} {
		r.Do(call.method, "/domains/"+other+"/headers/"+id, call.body).Want(http.StatusNotFound)
		if got := r.Do("GET", "/domain-headers/"+id, nil).Want(http.StatusOK).Text; got != before {
			t.Errorf("after %s through another domain it is %s, was %s", call.method, got, before)
		}
	}
	if got := r.Do("PUT", "/domains/"+mine+"/headers/"+id, object{"name": "X-Frame-Options", "value": "SAMEORIGIN"}).Want(http.StatusOK).Field("value"); got != "SAMEORIGIN" {
		t.Errorf("through its own domain it is %s", got)
	}
	r.Do("POST", "/domains/"+mine+"/headers", object{"name": "x-frame-OPTIONS", "value": "DENY"}).Want(http.StatusConflict)
	r.Do("POST", "/domains/"+other+"/headers", header).Want(http.StatusCreated)
	if got := r.Do("GET", "/domains/"+mine+"/headers", nil).Want(http.StatusOK).Total; got != "1" {
		t.Errorf("the domain has %s headers, want 1", got)
	}
	for _, tc := range []struct{ name, value, field string }{
		{"a if TRUE", "b", "name"},
		{"Content-Length", "0", "name"},
		{"X-Note", "a\r\nSet-Cookie: b", "value"},
		{"X-Note", "grün", "value"},
		{"X-Note", " a", "value"},
	} {
		if a := r.Do("POST", "/domains/"+mine+"/headers", object{"name": tc.name, "value": tc.value}); a.Status != http.StatusBadRequest || a.Complaint(tc.field) == "" {
			t.Errorf("%q: %q is answered %d %+v, want 400 about %s", tc.name, tc.value, a.Status, a.Error, tc.field)
		}
	}
	r.Do("DELETE", "/domains/"+mine, nil).Want(http.StatusOK)
	r.Do("GET", "/domain-headers/"+id, nil).Want(http.StatusNotFound)
}

// Passwords are never shown, and another domain's user is out of reach.
func TestUsersOfADomain(t *testing.T) {
	r := newRig(t)
	pool := r.Backend("web")
	mine, other := r.Site("mine.example.com", pool), r.Site("other.example.com", pool)
	made := r.Do("POST", "/domains/"+mine+"/users", object{"name": "ann", "password": "correct horse"}).Want(http.StatusCreated)
	if strings.Contains(made.Text, "horse") || strings.Contains(made.Text, "digest") {
		t.Errorf("the answer has the password: %s", made.Text)
	}
	digests := func() string {
		var all []string
		rows, err := r.Pool.Query(t.Context(), `select digest from proxy_users order by digest`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var s string
			if err := rows.Scan(&s); err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		return strings.Join(all, " ")
	}
	want := haproxyconf.Digest(mine, "ann", "correct horse")
	if got := digests(); got != want {
		t.Errorf("stored %s, want %s", got, want)
	}
	r.Do("PUT", "/domains/"+mine+"/users/"+made.ID(), object{"name": "ann"}).Want(http.StatusOK)
	r.Do("PUT", "/domains/"+other+"/users/"+made.ID(), object{"name": "ann", "password": "battery staple"}).Want(http.StatusNotFound)
	if got := digests(); got != want {
		t.Errorf("stored %s, want %s as before", got, want)
	}
	for name, body := range map[string]object{
		"another name without a password": {"name": "bob"}, "a short password": {"name": "ann", "password": "short"}, "a colon": {"name": "a:b", "password": "correct horse"},
	} {
		if a := r.Do("PUT", "/domains/"+mine+"/users/"+made.ID(), body); a.Status != http.StatusBadRequest {
			t.Errorf("%s is answered %d", name, a.Status)
		}
	}
	r.Do("PUT", "/domains/"+mine+"/users/"+made.ID(), object{"name": "ann", "password": "battery staple"}).Want(http.StatusOK)
	if got := digests(); got != haproxyconf.Digest(mine, "ann", "battery staple") {
		t.Errorf("stored %s after a new password", got)
	}
	r.Do("DELETE", "/domains/"+mine+"/users/"+made.ID(), nil).Want(http.StatusOK)
	var all, kept int
	if err := r.Pool.QueryRow(t.Context(), `select count(*), count(*) filter (where concat(old_row, new_row) like '%digest%') from change_rows where table_name = 'proxy_users'`).Scan(&all, &kept); err != nil || all == 0 || kept != 0 {
		t.Errorf("%d of %d rows of the history have a digest, %v", kept, all, err)
	}
}
