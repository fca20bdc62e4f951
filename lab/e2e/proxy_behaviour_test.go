package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"gateway/tools/bar"
)

// behaviour is a node with sites, and what the promises about them came to.
type behaviour struct {
	*appliance
	c      *caller
	passed int
	asked  int
}

// hold is one promise.
func (b *behaviour) hold(name string, fn func(t *testing.T)) {
	b.asked++
	b.t.Run(name, func(t *testing.T) { //nolint:thelper // it is the test
		outer := b.t
		b.t, b.c.t = t, t
		defer func() { b.t, b.c.t = outer, outer }()
		fn(t)
		if !t.Failed() {
			b.passed++
		}
	})
}

// shows PROXY-01, PROXY-02, PROXY-03, PROXY-04, PROXY-05, PROXY-06, PROXY-08, PROXY-09, PROXY-13, PROXY-19, PROXY-20,
// shows PROXY-21, PROXY-22, PROXY-24, PROXY-25, PROXY-31, PROXY-36, PROXY-37, PROXY-39, PROXY-41, SYS-20
func TestBarProxy01Behaviour(t *testing.T) {
	a, c := alone(t)
	b := &behaviour{appliance: a, c: c}
	one, two := a.origin("one"), a.origin("two")
	pool := c.pool(object{"websocket": true}, one)
	other := c.pool(nil, two)
	c.site("plain.example.com", pool, nil)
	b.forwarding(pool)
	b.redirects(pool)
	b.features(pool)
	b.routes(pool, other)
	b.origins()
	b.websockets()
	b.withoutIPv6()
	bar.Report(t, "proxy", 1, fmt.Sprintf("%d of %d promises hold by h1, h2, h3, WebSocket and IPv6", b.passed, b.asked), "all", b.passed == b.asked && !t.Failed())
}

// forwarding is who asked, and how, by every protocol. A client's own word never survives.
func (b *behaviour) forwarding(string) {
	lies := []func(*http.Request){
		header("X-Real-IP", "6.6.6.6"), header("X-Forwarded-Proto", "gopher"), header("X-Forwarded-For", "6.6.6.6"),
		header("X-Forwarded-Host", "evil.example"), header("Forwarded", "for=6.6.6.6"), header("X_Real_IP", "6.6.6.6"),
	}
	for _, way := range []string{http1, http2, http3Way} {
		for _, six := range []bool{false, true} {
			b.hold(fmt.Sprintf("forwarded headers by %s, IPv6 %v", way, six), func(t *testing.T) {
				v, from := b.visitor(way), b.client.IP().String()
				if six {
					v, from = v.overIPv6(), b.client.IP6().String()
				}
				p := v.get("https://plain.example.com/x", lies...)
				if p.status != 200 || p.proto != way {
					t.Fatalf("answered %d by %s: %s", p.status, p.proto, p.body)
				}
				for name, want := range map[string]string{"X-Real-Ip": from, "X-Forwarded-Proto": "https", "X-Forwarded-For": from} {
					if got := p.got.Header.Values(name); !slices.Equal(got, []string{want}) {
						t.Errorf("the server was told %s: %q, want %q", name, got, want)
					}
				}
				if text := fmt.Sprint(p.got.Header); strings.Contains(text, "6.6.6.6") || strings.Contains(text, "evil") || strings.Contains(text, "gopher") {
					t.Errorf("a client's word survived: %s", text)
				}
			})
		}
	}
	b.hold("the management port tells the API too", func(t *testing.T) {
		// The audit entry of a sign-in has the address that the API was told.
		v := b.stranger()
		v.header.Set("X-Real-IP", "6.6.6.6")
		v.login(b.admin).want(200)
		if text := string(v.get("/auth/sessions").body); strings.Contains(text, "6.6.6.6") || !strings.Contains(text, b.client.IP().String()) {
			t.Errorf("the API was told of %s", text)
		}
	})
}

func (b *behaviour) redirects(pool string) {
	v := b.visitor(http1)
	b.hold("plain HTTP is redirected", func(t *testing.T) {
		p := v.get("http://plain.example.com/a?b=c")
		if p.status != 301 || p.header.Get("Location") != "https://plain.example.com/a?b=c" {
			t.Errorf("answered %d to %q", p.status, p.header.Get("Location"))
		}
	})
	b.c.site("both.example.com", pool, object{"http_to_https": false})
	b.hold("but for a domain that wants both", func(t *testing.T) {
		p := v.get("http://both.example.com/")
		if p.status != 200 || p.got.Header.Get("X-Forwarded-Proto") != "http" {
			t.Errorf("answered %d, told %q", p.status, p.got.Header.Get("X-Forwarded-Proto"))
		}
		if p := v.get("http://plain.example.com/"); p.status != 301 {
			t.Errorf("another domain is answered %d", p.status)
		}
		if p := v.overIPv6().get("http://both.example.com/"); p.status != 200 {
			t.Errorf("answered %d over IPv6", p.status)
		}
	})
	b.c.site("apex.example.com", pool, object{"www_redirect": "to_apex"})
	b.c.site("shop.example.com", pool, object{"www_redirect": "to_www"})
	b.hold("www is redirected", func(t *testing.T) {
		for from, to := range map[string]string{"www.apex.example.com": "apex.example.com", "shop.example.com": "www.shop.example.com"} {
			p := v.get("https://" + from + "/p?q=1")
			if p.status != 301 || p.header.Get("Location") != "https://"+to+"/p?q=1" {
				t.Errorf("%s is answered %d to %q", from, p.status, p.header.Get("Location"))
			}
			if p := v.get("https://" + to + "/"); p.status != 200 {
				t.Errorf("%s is answered %d", to, p.status)
			}
		}
	})
	b.hold("a name that is not served is told so", func(t *testing.T) {
		if p := v.get("https://nobody.example.com/"); p.status != 404 {
			t.Errorf("answered %d", p.status)
		}
	})
}

func (b *behaviour) features(pool string) {
	v := b.visitor(http2)
	b.c.site("noh3.example.com", pool, object{"disable_h3": true})
	b.hold("disable_h3 takes Alt-Svc away, and from no other", func(t *testing.T) {
		if got := v.get("https://noh3.example.com/").header.Get("Alt-Svc"); got != "" {
			t.Errorf("Alt-Svc: %s", got)
		}
		if got := v.get("https://plain.example.com/").header.Get("Alt-Svc"); !strings.Contains(got, "h3=") {
			t.Errorf("another's Alt-Svc: %q", got)
		}
	})
	b.c.site("hsts.example.com", pool, object{"hsts_max_age": 31536000, "hsts_subdomains": true})
	b.hold("HSTS", func(t *testing.T) {
		if got := v.get("https://hsts.example.com/").header.Get("Strict-Transport-Security"); got != "max-age=31536000; includeSubDomains" {
			t.Errorf("Strict-Transport-Security: %q", got)
		}
		if got := v.get("https://plain.example.com/").header.Get("Strict-Transport-Security"); got != "" {
			t.Errorf("another's: %q", got)
		}
	})
	site := b.c.site("headers.example.com", pool, nil)
	b.hold("custom headers", func(t *testing.T) {
		const value = `it's 100% $HOME "q" #x; \ %[env(HOME)]`
		b.c.post("/domains/"+site+"/headers", object{"name": "X-Note", "value": value}).want(201)
		if got := v.get("https://headers.example.com/").header.Get("X-Note"); got != value {
			t.Errorf("X-Note: %s", got)
		}
		if got := v.get("https://plain.example.com/").header.Get("X-Note"); got != "" {
			t.Errorf("another's: %q", got)
		}
	})
	b.c.site("limited.example.com", pool, object{"rate_limit": 20})
	b.hold("a rate limit", func(t *testing.T) {
		status := map[int]int{}
		for range 30 {
			status[v.get("https://limited.example.com/").status]++
		}
		if status[200] != 20 || status[429] != 10 {
			t.Errorf("30 requests were answered %v, want 20 and then 429", status)
		}
		if p := v.get("https://plain.example.com/"); p.status != 200 {
			t.Errorf("another domain is answered %d", p.status)
		}
	})
	b.c.site("resting.example.com", pool, object{"maintenance": true})
	b.hold("maintenance", func(t *testing.T) {
		p := v.get("https://resting.example.com/")
		if p.status != 503 || !strings.Contains(p.body, "back soon") {
			t.Errorf("answered %d: %s", p.status, p.body)
		}
	})
	b.c.site("small.example.com", pool, object{"max_body_size": 1000})
	b.hold("a largest body", func(t *testing.T) { b.bodies(t) })
	b.c.site("inside.example.com", pool, object{"allow_from": []string{"192.0.2.0/24"}})
	b.c.site("near.example.com", pool, object{"allow_from": []string{"10.0.0.0/8"}})
	b.hold("an allow list", func(t *testing.T) {
		if p := v.get("https://inside.example.com/"); p.status != 403 {
			t.Errorf("a stranger is answered %d", p.status)
		}
		if p := v.get("https://near.example.com/"); p.status != 200 {
			t.Errorf("one who may is answered %d", p.status)
		}
	})
	guarded := b.c.site("*.guarded.example.com", pool, nil)
	b.c.post("/domains/"+guarded+"/users", object{"name": "ann", "password": "correct horse"}).want(201)
	b.hold("a login, for every name below one", func(t *testing.T) {
		for _, tc := range []struct {
			name, password string
			want           int
		}{{"", "", 401}, {"ann", "wrong horse...", 401}, {"ann", "correct horse", 200}} {
			p := v.get("https://a.guarded.example.com/", func(r *http.Request) {
				if tc.name != "" {
					r.SetBasicAuth(tc.name, tc.password)
				}
			})
			if p.status != tc.want {
				t.Errorf("%q with %q is answered %d, want %d", tc.name, tc.password, p.status, tc.want)
			}
		}
	})
}

// bodies by every protocol, also those that do not say how long they are.
func (b *behaviour) bodies(t *testing.T) {
	t.Helper()
	for _, way := range []string{http1, http2, http3Way} {
		v := b.visitor(way)
		for size, want := range map[int]int{1000: 200, 1001: 413, 20000: 413} {
			if p, err := v.try("POST", "https://small.example.com/", strings.NewReader(strings.Repeat("x", size))); err != nil || p.status != want {
				t.Errorf("%d bytes by %s are answered %d, want %d (%v)", size, way, p.status, want, err)
			}
		}
		unknown := struct{ *strings.Reader }{strings.NewReader(strings.Repeat("x", 20000))}
		if p, err := v.try("POST", "https://small.example.com/", unknown); err != nil || p.status != 411 {
			t.Errorf("a body of unknown length by %s is answered %d (%v)", way, p.status, err)
		}
	}
}

func (b *behaviour) routes(pool, other string) {
	v := b.visitor(http2)
	site := b.c.site("routed.example.com", pool, nil)
	rule := func(path, to string, priority int) string {
		return b.c.post("/routing-rules", object{"domain_id": site, "path_prefix": path, "backend_id": to, "priority": priority}).want(201).id()
	}
	leads := func(t *testing.T, want map[string]string) {
		t.Helper()
		for path, origin := range want {
			if p := v.get("https://routed.example.com" + path); p.got.Origin != origin {
				t.Errorf("%s leads to %q (%d), want %q", path, p.got.Origin, p.status, origin)
			}
		}
	}
	wide := rule("/api", other, 10)
	b.hold("a routing rule leads its prefix elsewhere", func(t *testing.T) {
		leads(t, map[string]string{"/": "one", "/api": "two", "/api/x": "two", "/ap": "one"})
	})
	narrow := rule("/api/v1", pool, 20)
	b.hold("the lower priority is looked at first", func(t *testing.T) {
		leads(t, map[string]string{"/api/v1/x": "two"})
		b.c.post("/routing-rules/order", object{"domain_id": site, "rules": []string{narrow, wide}}).want(200)
		leads(t, map[string]string{"/api/v1/x": "one", "/api/v2": "two"})
	})
	b.hold("a backend in use cannot be deleted", func(t *testing.T) {
		b.c.do("DELETE", "/backends/"+other, nil).want(409)
		leads(t, map[string]string{"/api/v2": "two"})
	})
}

// origins are how servers are spoken to.
func (b *behaviour) origins() {
	v := b.visitor(http2)
	secure := b.secureOrigin("secure")
	b.c.site("h2.example.com", b.c.pool(object{"scheme": "https"}, secure), nil)
	b.c.site("h1.example.com", b.c.pool(object{"scheme": "https", "force_http1": true}, secure), nil)
	b.hold("https servers are spoken to by HTTP/2, unless forced", func(t *testing.T) {
		for host, want := range map[string]string{"h2.example.com": "HTTP/2.0", "h1.example.com": "HTTP/1.1"} {
			if p := v.get("https://" + host + "/"); p.got.Proto != want {
				t.Errorf("%s is served by %q (%d), want %s", host, p.got.Proto, p.status, want)
			}
		}
	})
	b.c.site("empty.example.com", b.c.pool(nil), nil)
	b.hold("a pool without servers answers 503", func(t *testing.T) {
		if p := v.get("https://empty.example.com/"); p.status != 503 {
			t.Errorf("answered %d", p.status)
		}
	})
	heavy, light, spare, off := b.origin("heavy"), b.origin("light"), b.origin("spare"), b.origin("off")
	pool := b.c.pool(nil)
	for o, more := range map[*origin]object{heavy: {"weight": 200}, light: {"weight": 50}, spare: {"backup": true}, off: {"active": false}} {
		body := o.in(pool)
		for k, value := range more {
			body[k] = value
		}
		b.c.post("/backend-servers", body).want(201)
	}
	b.c.site("weights.example.com", pool, nil)
	b.hold("weight, backup and active", func(t *testing.T) {
		for range 100 {
			v.get("https://weights.example.com/")
		}
		if h, l := heavy.served.Load(), light.served.Load(); h != 80 || l != 20 || spare.served.Load()+off.served.Load() != 0 {
			t.Errorf("heavy served %d, light %d, spare %d, off %d of 100", h, l, spare.served.Load(), off.served.Load())
		}
	})
}

func (b *behaviour) websockets() {
	b.hold("WebSockets, also where HTTP/2 is spoken", func(t *testing.T) {
		conn, err := b.visitor(http1).upgrade("wss://plain.example.com/socket")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.CloseNow() }()
		if !says(t.Context(), conn, "hello") {
			t.Error("no echo")
		}
	})
}

// withoutIPv6 comes last: the node stays so.
func (b *behaviour) withoutIPv6() {
	b.hold("listeners on IPv6 only while that is on", func(t *testing.T) {
		open := func() []string {
			var on []string
			for _, port := range []string{"443", "80", "3443"} {
				if strings.Contains(b.run("ss", "-Hln6"), "[::]:"+port+" ") {
					on = append(on, port)
				}
			}
			return on
		}
		if got := open(); len(got) != 3 {
			t.Errorf("open on IPv6: %v", got)
		}
		b.c.post("/system/ipv6", object{"enabled": false}).want(200)
		b.eventually(patience, "IPv6 is closed", func() bool { return len(open()) == 0 })
		if p := b.visitor(http1).get("https://plain.example.com/"); p.status != 200 {
			t.Errorf("IPv4 is answered %d", p.status)
		}
	})
}
