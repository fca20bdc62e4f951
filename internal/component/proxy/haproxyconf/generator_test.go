package haproxyconf

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"

	"gateway/internal/api/apitest"
)

// generator makes configurations that are half sensible and half hostile.
type generator struct{ *rand.Rand }

// canary is an address that no sensible value has; where HAProxy would go there, or listen
// there, a value has broken out.
const canary = "203.0.113.66"

// corpus is what breaks out of HAProxy's files, or is said to.
var corpus = []string{
	"\n\tserver canary " + canary + ":80\n", "\nfrontend canary\n\tbind " + canary + ":80\n", "\r\n\thttp-request deny\r\n", "'\n\tserver canary " + canary + ":80\n'",
	"\" \n\tserver canary " + canary + ":80\n#", " source " + canary, " send-proxy", " if TRUE", " if FALSE", " unless { src " + canary + " }", "-f /etc/passwd", "-m reg .*", " -f /etc/passwd",
	"a if FALSE", "#", "# comment", "%[env(HOME)]", "%[src]", "%%", "%", "\"$HOME\"", "$HOME", "${HOME}", "\\x0d\\x0a", "\r\nSet-Cookie: canary=1", "/run/haproxy/admin.sock", "unix@/run/haproxy/admin.sock",
	"abns@x", "fd@3", "127.0.0.1:80 source 0.0.0.0", "ipv4@" + canary, "rhttp@" + canary, "|", "||||" + canary + "|max-age=1", "gateway_unknown|" + id(1) + "|w|||" + canary, " gateway_backend_" + canary,
	"\n" + canary + " api\n", "'", "\"", "\\", "\\\n", "\\'", "'\\''", "\"\\\"", ";", "<<", " <<\n", "{ }", "}", "{", "(", ")", "),lua.x(", ",", "*", "*.", "**", "..", ".", "-", "--", "_", " ", "\t", "\v", "\x00", "\x7f", "\u0085",
	"\u2028", "\u202e", "\u00a0", "\ufeff", "ä", "ß", "xn--", "xn--a", "０", "１２７.0.0.1", "0x7f.1", "010.0.0.1", "1.2.3", "%00", "%0a", "%0d%0aX: y", "/../..", "//", "?a=b", "#fragment", "{{.}}", "`id`", "$(id)",
	strings.Repeat("word ", 70), strings.Repeat("a", 64), strings.Repeat("b.", 130), strings.Repeat("c", 600), strings.Repeat("d", 2100), "::ffff:1.2.3.4", "fe80::1%eth0", "0.0.0.0/0", "10.0.0.1/8", "::/0",
}

func (g generator) pick(words ...string) string { return words[g.IntN(len(words))] }

func (g generator) sometimes(n int) bool { return g.IntN(n) == 0 }

// spoil leaves most values alone, so that some objects pass as a whole.
func (g generator) spoil(s string) string {
	switch g.IntN(40) {
	case 0:
		at := g.IntN(len(s) + 1)
		return s[:at] + g.pick(corpus...) + s[at:]
	case 1:
		return g.pick(corpus...) + g.pick("", g.pick(corpus...))
	}
	return s
}

func (g generator) networks() []string {
	out := make([]string, g.IntN(3))
	for i := range out {
		out[i] = g.spoil(g.pick("10.0.0.0/8", "10.1.0.0/16", "192.0.2.9", "2001:db8::/32", "0.0.0.0/0", "::1"))
	}
	return out
}

// model is a configuration as an operator would type it. What refers to another says which
// by its place.
type model struct {
	Backends []object
	Servers  []of
	Domains  []of
	Headers  []of
	Users    []of
	Rules    []of
	Services []of
}

// of is an object that belongs to another: to a backend, or to a domain and a backend.
type of struct {
	Backend, Domain int
	object
}

func (g generator) model() model {
	var m model
	for i := range 1 + g.IntN(3) {
		m.Backends = append(m.Backends, g.backend(i))
	}
	one := func(o object) of { return of{g.IntN(len(m.Backends)), 0, o} }
	for i := range g.IntN(4) {
		m.Servers = append(m.Servers, one(g.server(i)))
	}
	for i := range 1 + g.IntN(3) {
		m.Domains = append(m.Domains, one(g.domain(i)))
	}
	two := func(o object) of { return of{g.IntN(len(m.Backends)), g.IntN(len(m.Domains)), o} }
	for range g.IntN(3) {
		m.Headers = append(m.Headers, two(object{"name": g.spoil(g.pick("X-Note", "x-note", "X-Frame-Options", "Server")), "value": g.spoil(g.pick("DENY", `it's 100% $HOME "q" #x; \ %[env(HOME)]`, "a  b"))}))
	}
	for range g.IntN(2) {
		m.Users = append(m.Users, two(object{"name": g.spoil(g.pick("ann", "bob")), "password": g.spoil("correct horse")}))
	}
	for range g.IntN(4) {
		m.Rules = append(m.Rules, two(object{"path_prefix": g.spoil(g.pick("/", "/api", "/api/v1", "/it's", "/%20a", "/a;b=c")), "priority": g.IntN(3)}))
	}
	for i := range g.IntN(2) {
		m.Services = append(m.Services, one(object{"name": g.spoil("mail"), "port": []int{993 + i, 3443, 25 + i, 25 + i}[g.IntN(4)], "allow_from": g.networks()}))
	}
	return m
}

func (g generator) backend(i int) object {
	scheme := g.pick("http", "http", "https", "https", "tcp")
	return object{
		"name": g.spoil(fmt.Sprint("web ", i)), "scheme": g.spoil(scheme), "lb_algorithm": g.spoil(g.pick("roundrobin", "leastconn", "source")),
		"websocket": g.sometimes(2), "force_http1": g.sometimes(2), "active": !g.sometimes(6), "sticky": scheme != "tcp" && g.sometimes(4), "verify_tls": scheme == "https" && g.sometimes(3),
		"tls_server_name": g.spoil(g.pick("", "origin.example.com")), "health_check": g.sometimes(2), "health_path": g.spoil(g.pick("/", "/up", "/it's")),
		"health_host": g.spoil(g.pick("", "up.example.com")), "health_interval": g.IntN(20), "health_status": g.IntN(2) * (95 + g.IntN(500)),
	}
}

func (g generator) server(i int) object {
	return object{
		"name": g.spoil(fmt.Sprint("s.", i, " x")), "address": g.spoil(g.pick("192.0.2.1", "2001:db8::1", "127.0.0.1", "localhost")), "port": 1 + g.IntN(65600),
		"weight": g.IntN(258), "backup": g.sometimes(4), "active": !g.sometimes(4), "drain": g.sometimes(4),
	}
}

func (g generator) domain(i int) object {
	plain := g.sometimes(4)
	name := g.pick(fmt.Sprint("d", i, ".example.com"), fmt.Sprint("*.d", i, ".example.com"), "www.example.net", "example.net", fmt.Sprint("Bücher", i, ".example"))
	www := "off"
	if name == "example.net" {
		www = g.pick("to_www", "to_apex")
	}
	return object{
		"name": g.spoil(name), "active": !g.sometimes(8), "http_to_https": !plain,
		"disable_h3": g.sometimes(4), "hsts_max_age": map[bool]int{false: g.IntN(2) * 31536000}[plain], "hsts_subdomains": g.sometimes(2), "hsts_preload": g.sometimes(9), "rate_limit": g.IntN(2) * 100,
		"maintenance": g.sometimes(4), "max_body_size": g.IntN(2) * 1000, "www_redirect": g.spoil(www), "allow_from": g.networks(), "notes": g.spoil("notes"),
	}
}

// stored sends a model through the API and answers what came to be stored of it.
func (r *rig) stored(m model) (s state, objects, refused int) {
	r.T.Helper()
	post := func(path string, o object) string {
		a := r.Do("POST", path, o)
		switch {
		case a.Status >= http.StatusInternalServerError:
			r.T.Errorf("%s %#v is answered %d %+v", path, o, a.Status, a.Error)
		case a.Status != http.StatusCreated:
			refused++
		}
		objects++
		return a.ID()
	}
	backends, domains := make([]string, len(m.Backends)), make([]string, len(m.Domains))
	for i, b := range m.Backends {
		backends[i] = post("/backends", b)
	}
	for _, x := range m.Servers {
		post("/backend-servers", apitest.With(object{"backend_id": backends[x.Backend]}, x.object))
	}
	for i, d := range m.Domains {
		domains[i] = post("/domains", apitest.With(object{"backend_id": backends[d.Backend]}, d.object))
	}
	for path, list := range map[string][]of{"/domain-headers": m.Headers, "/domain-users": m.Users} {
		for _, x := range list {
			post(path, apitest.With(object{"domain_id": domains[x.Domain]}, x.object))
		}
	}
	for path, list := range map[string][]of{"/routing-rules": m.Rules, "/tcp-services": m.Services} {
		for _, x := range list {
			refs := object{"backend_id": backends[x.Backend]}
			if path == "/routing-rules" {
				refs["domain_id"] = domains[x.Domain]
			}
			post(path, apitest.With(refs, x.object))
		}
	}
	s, err := load(r.T.Context(), r.Pool, newVersions())
	if err != nil {
		r.T.Fatal(err)
	}
	return s, objects, refused
}

// raw are the values as rows, as if the API had no judgement.
func (m model) raw() state {
	s := state{servers: map[string][]member{}}
	text := func(o object, field string) string { return fmt.Sprint(o[field]) }
	yes := func(o object, field string) bool { b, _ := o[field].(bool); return b }
	number := func(o object, field string) int { n, _ := o[field].(int); return n }
	list := func(o object, field string) []string { l, _ := o[field].([]string); return l }
	for i, o := range m.Backends {
		s.backends = append(s.backends, pool{
			ID: id(i), Name: text(o, "name"), Scheme: text(o, "scheme"), Algorithm: text(o, "lb_algorithm"), Websocket: yes(o, "websocket"), ForceHTTP1: yes(o, "force_http1"),
			Active: yes(o, "active"), Sticky: yes(o, "sticky"), Verify: yes(o, "verify_tls"), Checks: yes(o, "health_check"), TLSName: text(o, "tls_server_name"),
			Path: text(o, "health_path"), Host: text(o, "health_host"), Interval: 1 + number(o, "health_interval"), Status: number(o, "health_status"),
		})
	}
	for i, o := range m.Servers {
		s.servers[id(o.Backend)] = append(s.servers[id(o.Backend)], member{
			BackendID: id(o.Backend), Name: fmt.Sprint(strings.NewReplacer(" ", "_", ".", "_").Replace(text(o.object, "name")), i), Address: text(o.object, "address"),
			Port: number(o.object, "port"), Weight: number(o.object, "weight"), Backup: yes(o.object, "backup"), Active: yes(o.object, "active"), Drain: yes(o.object, "drain"),
		})
	}
	taken := map[string]bool{} // what the database keeps apart
	for i, o := range m.Domains {
		backend, name := id(o.Backend), text(o.object, "name")
		if taken[name] {
			continue
		}
		taken[name] = true
		s.domains = append(s.domains, site{
			ID: id(100 + i), Name: name, BackendID: &backend, HTTPS: yes(o.object, "http_to_https"), DisableH3: yes(o.object, "disable_h3"), HSTS: number(o.object, "hsts_max_age"),
			RateLimit: number(o.object, "rate_limit"), Maintenance: yes(o.object, "maintenance"), MaxBody: int64(number(o.object, "max_body_size")), WWW: "off", AllowFrom: list(o.object, "allow_from"),
		})
	}
	for _, o := range m.Headers {
		key := fmt.Sprint("header", o.Domain, strings.ToLower(text(o.object, "name")))
		if !taken[key] {
			s.headers = append(s.headers, field{id(100 + o.Domain), text(o.object, "name"), text(o.object, "value")})
		}
		taken[key] = true
	}
	for _, o := range m.Users {
		s.users = append(s.users, login{id(100 + o.Domain), text(o.object, "password")})
	}
	for d := range m.Domains {
		for _, o := range m.Rules {
			if o.Domain == d {
				s.rules = append(s.rules, route{id(100 + d), text(o.object, "path_prefix"), id(o.Backend)})
			}
		}
	}
	for _, o := range m.Services {
		s.ports = append(s.ports, service{ID: id(200), Name: text(o.object, "name"), BackendID: id(o.Backend), Port: number(o.object, "port"), AllowFrom: list(o.object, "allow_from")})
	}
	return s
}
