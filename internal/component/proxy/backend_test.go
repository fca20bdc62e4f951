package proxy

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"gateway/internal/api/apitest"
)

// shows PROXY-27, PROXY-28, PROXY-30
func TestBackends(t *testing.T) {
	r := newRig(t)
	made := r.Do("POST", "/backends", object{"name": "web servers"}).Want(http.StatusCreated)
	id := made.ID()
	for field, want := range map[string]string{
		"name": "web servers", "scheme": "http", "lb_algorithm": "roundrobin", "websocket": "false", "force_http1": "false", "active": "true", "servers": "[]",
		"health_check": "false", "health_path": "/", "health_host": "", "health_interval": "5", "health_status": "0",
	} {
		if got := made.Field(field); got != want {
			t.Errorf("%s = %q, want %q", field, got, want)
		}
	}
	r.Server(id, "b", "192.0.2.2:8080")
	r.Server(id, "a", "192.0.2.1:8080")
	changed := r.Do("PUT", "/backends/"+id, object{
		"name": "web", "scheme": "https", "lb_algorithm": "source", "websocket": true, "force_http1": true, "active": false,
		"health_check": true, "health_path": "/up", "health_host": "Up.example.com", "health_interval": 60, "health_status": 204,
	}).Want(http.StatusOK)
	for field, want := range map[string]string{
		"name": "web", "scheme": "https", "lb_algorithm": "source", "websocket": "true", "force_http1": "true", "active": "false",
		"health_check": "true", "health_path": "/up", "health_host": "up.example.com", "health_interval": "60", "health_status": "204",
	} {
		if got, again := changed.Field(field), r.As("viewer", "GET", "/backends/"+id, nil).Want(http.StatusOK).Field(field); got != want || again != want {
			t.Errorf("%s = %q, then %q, want %q", field, got, again, want)
		}
	}
	var b Backend
	r.Do("GET", "/backends/"+id, nil).Into(&b)
	if len(b.Servers) != 2 || b.Servers[0].Name != "a" || b.Servers[0].Address != "192.0.2.1" || b.Servers[1].Port != 8080 || b.Servers[1].Weight != 100 {
		t.Errorf("servers = %+v", b.Servers)
	}
	if got := r.Do("GET", "/backends?q=web", nil).Want(http.StatusOK).Total; got != "1" {
		t.Errorf("%s backends found, want 1", got)
	}
	for name, want := range map[string]string{"web": "1", "we": "0"} {
		if got := r.Do("GET", "/backends"+filter("name", name), nil).Want(http.StatusOK).Total; got != want {
			t.Errorf("%s backends have the name %s, want %s", got, name, want)
		}
	}
	r.Do("DELETE", "/backends/"+id, nil).Want(http.StatusOK)
	r.Do("GET", "/backends/"+id, nil).Want(http.StatusNotFound)
	if got := r.Do("GET", "/backend-servers", nil).Total; got != "0" {
		t.Errorf("%s servers outlive their backend", got)
	}
}

// shows PROXY-29
func TestABackendHasNoAddressOfItsOwn(t *testing.T) {
	r := newRig(t)
	text, err := r.Edge.Document()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ProxyBackend", "ProxyBackendInput"} {
		fields := doc.Components.Schemas[name].Properties
		if fields["lb_algorithm"] == nil {
			t.Fatalf("the document has no %s: %v", name, fields)
		}
		for field := range fields {
			if strings.Contains(field, "address") || strings.Contains(field, "port") {
				t.Errorf("%s has %s", name, field)
			}
		}
	}
	if a := r.Do("POST", "/backends", object{"name": "web", "address": "192.0.2.1", "port": 80}); a.Status != http.StatusBadRequest {
		t.Errorf("an address is answered %d", a.Status)
	}
}

func TestBackendsThatAreRefused(t *testing.T) {
	r := newRig(t)
	for _, tc := range []struct {
		name  string
		in    object
		field string
	}{
		{"a scheme that is none", object{"scheme": "ftp"}, "scheme"},
		{"a name on two lines", object{"name": "a\nb"}, "name"},
		{"a check without a slash", object{"health_path": "up"}, "health_path"},
		{"a check with a space", object{"health_path": "/up HTTP/1.0"}, "health_path"},
		{"a status that is none", object{"health_status": 99}, "health_status"},
		{"a check every 0 seconds", object{"health_interval": 0}, "health_interval"},
		{"a host with a parenthesis", object{"health_host": "a) if TRUE"}, "health_host"},
		{"a server name with a parenthesis", object{"tls_server_name": "a) if TRUE"}, "tls_server_name"},
		{"verification of plain servers", object{"verify_tls": true}, "verify_tls"},
		{"a cookie without HTTP", object{"scheme": "tcp", "sticky": true}, "sticky"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := r.Do("POST", "/backends", apitest.With(object{"name": "web"}, tc.in))
			if a.Status != http.StatusBadRequest || a.Complaint(tc.field) == "" {
				t.Errorf("answered %d %+v, want 400 about %s", a.Status, a.Error, tc.field)
			}
		})
	}
}

// shows PROXY-33
func TestABackendInUseStays(t *testing.T) {
	r := newRig(t)
	web, api := r.Backend("web"), r.Backend("api")
	site := r.Site("shop.example.com", web)
	rule := r.Rule(site, "/api", api, 10)
	pages := map[string]string{api: "routing-rule shop.example.com/api /proxy/sites/" + site + "?tab=rules&do=edit&id=" + rule, web: "domain shop.example.com /proxy/sites/" + site}
	for backend, user := range map[string]string{api: `routing rule "shop.example.com/api"`, web: `domain "shop.example.com"`} {
		a := r.Do("DELETE", "/backends/"+backend, nil).Want(http.StatusConflict)
		if got := a.Users(); !slices.Equal(got, []string{pages[backend]}) {
			t.Errorf("it is used by %q, want %s", got, pages[backend])
		}
		if want := "this backend is still used by " + user + "; remove or replace it there first"; a.Error.Message != want {
			t.Errorf("the answer is %q, want %q", a.Error.Message, want)
		}
		r.Do("GET", "/backends/"+backend, nil).Want(http.StatusOK)
	}
	// Nor may it become what its users cannot use.
	if a := r.Edit("/backends/"+api, object{"scheme": "tcp"}); a.Status != http.StatusConflict {
		t.Errorf("a change to tcp is answered %d %+v", a.Status, a.Error)
	}
	r.Do("GET", "/routing-rules/"+rule, nil).Want(http.StatusOK)
	r.Do("DELETE", "/routing-rules/"+rule, nil).Want(http.StatusOK)
	r.Do("DELETE", "/backends/"+api, nil).Want(http.StatusOK)
}

// shows PROXY-34, PROXY-35
func TestServers(t *testing.T) {
	r := newRig(t)
	pool, other := r.Backend("web"), r.Backend("other")
	made := r.Do("POST", "/backends/"+pool+"/servers", object{"name": "web 1.example", "address": "2001:DB8::1", "port": 8443}).Want(http.StatusCreated)
	for field, want := range map[string]string{
		"backend_id": pool, "name": "web 1.example", "proxy_name": "web_1_example", "address": "2001:db8::1", "port": "8443",
		"weight": "100", "backup": "false", "active": "true", "drain": "false",
	} {
		if got := made.Field(field); got != want {
			t.Errorf("%s = %q, want %q", field, got, want)
		}
	}
	r.Server(other, "web-1", "192.0.2.1:80")
	if got := r.As("viewer", "GET", "/backends/"+pool+"/servers", nil).Want(http.StatusOK).Total; got != "1" {
		t.Errorf("the backend has %s servers, want 1", got)
	}
	changed := r.Do("PUT", "/backend-servers/"+made.ID(), object{
		"backend_id": pool, "name": "web-1", "address": "origin.example.com", "port": 80, "weight": 0, "backup": true, "active": false,
	}).Want(http.StatusOK)
	for field, want := range map[string]string{"name": "web-1", "address": "origin.example.com", "port": "80", "weight": "0", "backup": "true", "active": "false"} {
		if got := changed.Field(field); got != want {
			t.Errorf("%s = %q, want %q", field, got, want)
		}
	}
	r.Server(pool, "a b", "192.0.2.1:80")
	r.Do("POST", "/backends/"+pool+"/servers", object{"name": "a.b", "address": "192.0.2.2", "port": 80}).Want(http.StatusConflict)
	for field, in := range map[string]object{
		"address": {"address": "/run/haproxy/admin.sock"}, "port": {"port": 65536}, "weight": {"weight": 257}, "name": {"name": "x y\nz"},
	} {
		a := r.Do("POST", "/backends/"+pool+"/servers", apitest.With(object{"name": "n", "address": "192.0.2.3", "port": 80}, in))
		if a.Status != http.StatusBadRequest || a.Complaint(field) == "" {
			t.Errorf("%v is answered %d %+v", in, a.Status, a.Error)
		}
	}
	r.Do("POST", "/backends/"+id(9)+"/servers", object{"name": "n", "address": "192.0.2.3", "port": 80}).Want(http.StatusNotFound)
	r.Do("DELETE", "/backend-servers/"+made.ID(), nil).Want(http.StatusOK)
	if got := r.Do("GET", "/backends/"+pool+"/servers", nil).Total; got != "1" {
		t.Errorf("the backend has %s servers, want 1", got)
	}
}

// A port that the appliance needs cannot be given away.
func TestTCPServices(t *testing.T) {
	r := newRig(t)
	tcp, web := r.Backend("mail", object{"scheme": "tcp"}), r.Backend("web")
	id := r.Do("POST", "/tcp-services", object{"name": "imap", "port": 993, "backend_id": tcp, "allow_from": []string{"10.0.0.1"}}).Want(http.StatusCreated).ID()
	for field, in := range map[string]object{
		"port": {"port": 3443}, "backend_id": {"backend_id": web}, "name": {"name": "a\nb"}, "allow_from[0]": {"allow_from": []string{"x"}},
	} {
		a := r.Do("PUT", "/tcp-services/"+id, apitest.With(object{"name": "imap", "port": 993, "backend_id": tcp}, in))
		if a.Status != http.StatusBadRequest || a.Complaint(field) == "" {
			t.Errorf("%v is answered %d %+v", in, a.Status, a.Error)
		}
	}
	r.Do("POST", "/tcp-services", object{"name": "imaps", "port": 993, "backend_id": tcp}).Want(http.StatusConflict)
	a := r.Do("DELETE", "/backends/"+tcp, nil).Want(http.StatusConflict)
	if !strings.Contains(a.Error.Message, `TCP service "imap"`) {
		t.Errorf("the answer %q does not name the service", a.Error.Message)
	}
}
