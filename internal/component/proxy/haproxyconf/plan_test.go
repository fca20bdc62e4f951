package haproxyconf

import (
	"fmt"
	"net/http"
	"reflect"
	"testing"

	"gateway/internal/api/apitest"

	"pgregory.net/rapid"
)

// example is a rig with some of everything.
type example struct {
	*rig
	one, two     *origin
	web, other   string // backends
	checked, tcp string
	secure       string
	a, b         string // servers of web
	shop, blog   string // domains
	note         string // a header of shop
	wide         string // a rule of shop
	ann          string // a user of blog
	made         string // by a step, for the next
}

func newExample(t *testing.T) *example {
	t.Helper()
	r := newRig(t)
	w := &example{rig: r, one: newOrigin(t, "one"), two: newOrigin(t, "two")}
	w.web, w.other = r.Backend("web"), r.Backend("other", object{"sticky": true})
	w.checked = r.Backend("checked", object{"health_check": true, "lb_algorithm": "leastconn"})
	w.secure = r.Backend("secure", object{"scheme": "https", "health_check": true, "tls_server_name": "origin.example.com", "verify_tls": true})
	w.tcp = r.Backend("mail", object{"scheme": "tcp", "lb_algorithm": "source"})
	w.a, w.b = r.Server(w.web, "a", w.one.at), r.Server(w.web, "b", w.one.at)
	r.Server(w.other, "c", w.two.at)
	r.Do("POST", "/tcp-services", object{"name": "mail", "port": 993, "backend_id": w.tcp}).Want(http.StatusCreated)
	w.shop, w.blog = r.Site("shop.example.com", w.web), r.Site("blog.example.com", w.web, object{"allow_from": []string{"127.0.0.0/8", "10.0.0.0/8"}})
	r.Site("*.apps.example.com", w.other, object{"www_redirect": "off"})
	r.Site("apex.example.com", w.other, object{"www_redirect": "to_www", "hsts_max_age": 3600})
	w.note = r.Do("POST", "/domains/"+w.shop+"/headers", object{"name": "X-Note", "value": "first"}).Want(http.StatusCreated).ID()
	w.wide = r.Rule(w.shop, "/api", w.other, 100)
	w.ann = r.Do("POST", "/domains/"+w.blog+"/users", object{"name": "ann", "password": "correct horse"}).Want(http.StatusCreated).ID()
	return w
}

// change is an object that is to be another one.
func (w *example) change(path string, changes object) {
	w.T.Helper()
	w.Edit(path, changes).Want(http.StatusOK)
}

func (w *example) post(path string, body object) {
	w.T.Helper()
	w.made = w.Do("POST", path, body).Want(http.StatusCreated).ID()
}

func (w *example) remove(path string) {
	w.T.Helper()
	w.Do("DELETE", path, nil).Want(http.StatusOK)
}

// shows PROXY-36
func TestWhatIsHotAndWhatReloads(t *testing.T) {
	w := newExample(t)
	const hot, reload = true, false
	for _, step := range []struct {
		name string
		hot  bool
		do   func()
	}{
		{"a domain is added", hot, func() { w.made = w.Site("new.example.com", w.web) }},
		{"it leads elsewhere", hot, func() { w.change("/domains/"+w.made, object{"backend_id": w.other}) }},
		{"it leads nowhere", hot, func() { w.change("/domains/"+w.made, object{"backend_id": nil}) }},
		{"it has another name", hot, func() { w.change("/domains/"+w.made, object{"name": "newer.example.com"}) }},
		{"it is for all names below", hot, func() { w.change("/domains/"+w.made, object{"name": "*.newer.example.com"}) }},
		{"it has notes", hot, func() { w.change("/domains/"+w.made, object{"notes": "for Ann"}) }},
		{"it is switched off", hot, func() { w.change("/domains/"+w.made, object{"active": false}) }},
		{"it is removed", hot, func() { w.remove("/domains/" + w.made) }},
		{"a header has another value", hot, func() {
			w.change("/domain-headers/"+w.note, object{"value": `it's 100% $HOME "q" #x; \ <<EOF %[env(HOME)] a  b`})
		}},
		{"another domain has that header", hot, func() { w.post("/domains/"+w.blog+"/headers", object{"name": "x-note", "value": "second"}) }},
		{"and no longer", hot, func() { w.remove("/domain-headers/" + w.made) }},
		{"the first with a new header", reload, func() { w.post("/domains/"+w.blog+"/headers", object{"name": "X-Other", "value": "#1"}) }},
		{"the last without it", reload, func() { w.remove("/domain-headers/" + w.made) }},
		{"a weight", hot, func() { w.change("/backend-servers/"+w.a, object{"weight": 7}) }},
		{"a server drains", hot, func() { w.change("/backend-servers/"+w.a, object{"drain": true}) }},
		{"and no longer", hot, func() { w.change("/backend-servers/"+w.a, object{"drain": false}) }},
		{"a server is switched off", hot, func() { w.change("/backend-servers/"+w.a, object{"active": false}) }},
		{"its weight while off", hot, func() { w.change("/backend-servers/"+w.a, object{"weight": 9}) }},
		{"and on again", hot, func() { w.change("/backend-servers/"+w.a, object{"active": true}) }},
		{"a server moves", hot, func() { w.change("/backend-servers/"+w.a, at2(w.two.at)) }},
		{"a server moves and is switched off", hot, func() {
			w.change("/backend-servers/"+w.a, apitest.With(object{"active": false, "weight": 3}, at2(w.one.at)))
		}},
		{"a server moves and is switched on", hot, func() {
			w.change("/backend-servers/"+w.a, apitest.With(object{"active": true, "weight": 4}, at2(w.two.at)))
		}},
		{"a server is added", hot, func() { w.made = w.Server(w.web, "new 1", w.two.at, object{"weight": 5}) }},
		{"it has another name", hot, func() { w.change("/backend-servers/"+w.made, object{"name": "new 2"}) }},
		{"it is removed", hot, func() { w.remove("/backend-servers/" + w.made) }},
		{"a server is added that is checked", hot, func() { w.made = w.Server(w.checked, "c", w.two.at) }},
		{"it is switched off", hot, func() { w.change("/backend-servers/"+w.made, object{"active": false}) }},
		{"and on", hot, func() { w.change("/backend-servers/"+w.made, object{"active": true}) }},
		{"it is removed", hot, func() { w.remove("/backend-servers/" + w.made) }},
		{"a server by IPv6", hot, func() { w.made = w.Server(w.checked, "six", "[::1]:8081", object{"drain": true}) }},
		{"a spare server", hot, func() { w.made = w.Server(w.web, "spare", w.two.at, object{"backup": true}) }},
		{"a spare server becomes one of all", reload, func() { w.change("/backend-servers/"+w.made, object{"backup": false}) }},
		{"a server by TLS", hot, func() { w.made = w.Server(w.secure, "s", w.two.at) }},
		{"a server with a cookie", hot, func() { w.made = w.Server(w.other, "d", w.one.at) }},
		{"a server for TCP", hot, func() { w.made = w.Server(w.tcp, "imap", w.two.at) }},
		{"a server that is off from the start", reload, func() { w.made = w.Server(w.web, "off", w.two.at, object{"active": false}) }},
		{"is switched on", hot, func() { w.change("/backend-servers/"+w.made, object{"active": true}) }},
		{"a server by its name", reload, func() { w.made = w.Server(w.web, "named", "localhost:8081") }},
		{"its weight", reload, func() { w.change("/backend-servers/"+w.made, object{"weight": 3}) }},
		{"it is removed", reload, func() { w.remove("/backend-servers/" + w.made) }},
		{"another network is allowed", hot, func() {
			w.change("/domains/"+w.blog, object{"allow_from": []string{"127.0.0.0/8", "10.1.0.0/16", "2001:db8::/32", "192.0.2.7"}})
		}},
		{"everybody of both families", hot, func() {
			w.change("/domains/"+w.blog, object{"allow_from": []string{"0.0.0.0/0", "::/0", "127.0.0.0/8"}})
		}},
		{"a network fewer", hot, func() { w.change("/domains/"+w.blog, object{"allow_from": []string{"127.0.0.0/8"}}) }},
		{"a second domain with an allow list", hot, func() { w.change("/domains/"+w.shop, object{"allow_from": []string{"127.0.0.0/9", "127.0.0.0/8"}}) }},
		{"without one", hot, func() { w.change("/domains/"+w.shop, object{"allow_from": []string{}}) }},
		{"another user", hot, func() { w.post("/domains/"+w.shop+"/users", object{"name": "bob", "password": "battery staple"}) }},
		{"another password", hot, func() { w.change("/domain-users/"+w.made, object{"password": "correct battery"}) }},
		{"a user fewer", hot, func() { w.remove("/domain-users/" + w.made) }},
		{"a rule inside another", hot, func() { w.made = w.Rule(w.shop, "/api/v1", w.web, 50) }},
		{"comes second", hot, func() {
			w.Do("POST", "/routing-rules/order", object{"domain_id": w.shop, "rules": []string{w.wide, w.made}}).Want(http.StatusOK)
		}},
		{"comes first", hot, func() {
			w.Do("POST", "/routing-rules/order", object{"domain_id": w.shop, "rules": []string{w.made, w.wide}}).Want(http.StatusOK)
		}},
		{"leads elsewhere", hot, func() { w.change("/routing-rules/"+w.made, object{"backend_id": w.other}) }},
		{"is removed", hot, func() { w.remove("/routing-rules/" + w.made) }},
		{"the rules of another domain", hot, func() { w.made = w.Rule(w.blog, "/api/it's", w.web, 50) }},
		{"the first domain in maintenance", reload, func() { w.change("/domains/"+w.shop, object{"maintenance": true}) }},
		{"the second", hot, func() { w.change("/domains/"+w.blog, object{"maintenance": true}) }},
		{"one of two no longer", hot, func() { w.change("/domains/"+w.blog, object{"maintenance": false}) }},
		{"HSTS of another", hot, func() { w.change("/domains/"+w.shop, object{"hsts_max_age": 31536000, "hsts_subdomains": true}) }},
		{"a www redirect of another", hot, func() { w.change("/domains/"+w.shop, object{"www_redirect": "to_apex"}) }},
		{"a new backend", reload, func() { w.made = w.Backend("new") }},
		{"with another setting", reload, func() { w.change("/backends/"+w.made, object{"websocket": true}) }},
		{"with another name", hot, func() { w.change("/backends/"+w.made, object{"name": "newer"}) }},
		{"is removed", reload, func() { w.remove("/backends/" + w.made) }},
		{"a backend is switched off", reload, func() { w.change("/backends/"+w.other, object{"active": false}) }},
		{"a new TCP service", reload, func() { w.post("/tcp-services", object{"name": "more", "port": 994, "backend_id": w.tcp}) }},
	} {
		before := w.haproxy.Worker().PID
		checked := w.Checked
		step.do()
		if got := w.haproxy.Worker().PID == before; got != step.hot {
			t.Errorf("%s: hot is %v, want %v", step.name, got, step.hot)
		}
		if got := w.Checked == checked; got != step.hot {
			t.Errorf("%s: unchecked is %v, want %v", step.name, got, step.hot)
		}
		w.holds(t)
		if t.Failed() {
			t.Fatalf("after: %s", step.name)
		}
	}
	w.holds(t)
}

// HAProxy moves a server a little after it said that it did, so that one look is not enough.
func TestServersMoveWithoutAReload(t *testing.T) {
	w := newExample(t)
	before := w.haproxy.Worker().PID
	for i := range 40 {
		to := w.one.at
		if i%2 == 0 {
			to = w.two.at
		}
		w.change("/backend-servers/"+w.a, at2(to))
		w.holds(t)
	}
	if w.haproxy.Worker().PID != before {
		t.Error("HAProxy was reloaded")
	}
}

// A look at what differs finds the same steps as one at everything.
func TestSectionsThatDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) []byte {
			s := state{servers: map[string][]member{}}
			for n := range rapid.IntRange(0, 3).Draw(t, name) {
				p := web(n)
				p.Websocket, p.Active = rapid.IntRange(0, 9).Draw(t, "websocket") == 0, rapid.IntRange(0, 9).Draw(t, "active") > 0
				s.backends = append(s.backends, p)
				for _, name := range []string{"a", "b", "c"} {
					m := at(n, name, "192.0.2.1")
					m.Weight, m.Active = rapid.IntRange(1, 2).Draw(t, "weight"), rapid.Bool().Draw(t, "on")
					if rapid.Bool().Draw(t, "there") {
						s.servers[p.ID] = append(s.servers[p.ID], m)
					}
				}
			}
			return render(s).File(Path)
		}
		was, is := draw("pools before"), draw("pools after")
		var quick, slow plan
		hot, want := quick.servers(sections(was, is)), slow.servers(parseConfig(was), parseConfig(is))
		if hot != want || hot && !reflect.DeepEqual(quick, slow) {
			t.Fatalf("quick %v %+v, slow %v %+v, between\n%s\n%s", hot, quick, want, slow, was, is)
		}
	})
}

// at2 is the address of a server as the API takes it.
func at2(at string) object {
	var port int
	_, _ = fmt.Sscanf(at, "127.0.0.1:%d", &port)
	return object{"address": "127.0.0.1", "port": port}
}
