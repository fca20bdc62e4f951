package haproxyconf

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"gateway/internal/api/apitest"
	"gateway/internal/component/componenttest"
	"gateway/tools/bar"
)

// walker makes random changes. Which of them the API refuses is its own matter.
type walker struct {
	*example
	*rand.Rand
	taken map[int]int // answers by status
}

func (w *walker) pick(words ...string) string { return words[w.IntN(len(words))] }

// any is the id of one of what a list has, or of nothing.
func (w *walker) any(path string) string {
	w.T.Helper()
	var all []struct{ ID string }
	w.Do("GET", path+"?limit=200", nil).Want(http.StatusOK).Into(&all)
	if len(all) == 0 {
		return id(1)
	}
	return all[w.IntN(len(all))].ID
}

func (w *walker) networks() []string {
	all := make([]string, w.IntN(3))
	for i := range all {
		all[i] = w.pick("10.0.0.0/8", "10.1.0.0/16", "127.0.0.0/8", "2001:db8::/32", "0.0.0.0/0", "::/0", "10.1.2.3")
	}
	return all
}

func (w *walker) name() string {
	return w.pick("a", "b", "c", "*.a", "*.b", "www.a", "x.a") + w.pick(".example.com", ".example.net")
}

// one is a change of one object: what kind, and what it is to be.
func (w *walker) one() (string, object) {
	backend := w.any("/backends")
	switch w.IntN(8) {
	case 0, 1:
		return "/domains", object{
			"name": w.name(), "backend_id": backend, "http_to_https": w.IntN(9) > 0, "disable_h3": w.IntN(5) == 0, "maintenance": w.IntN(5) == 0,
			"rate_limit": w.IntN(2) * 50, "max_body_size": w.IntN(2) * 1000, "hsts_max_age": w.IntN(3) * 100, "www_redirect": w.pick("off", "off", "to_www", "to_apex"),
			"allow_from": w.networks(), "active": w.IntN(5) > 0,
		}
	case 2, 3:
		return "/backend-servers", object{
			"backend_id": backend, "name": w.pick("a", "b", "c", "d.e"), "address": w.pick("127.0.0.1", "127.0.0.2", "::1"), "port": 8000 + w.IntN(3),
			"weight": w.IntN(3) * 100, "backup": w.IntN(6) == 0, "active": w.IntN(4) > 0, "drain": w.IntN(6) == 0,
		}
	case 4:
		return "/routing-rules", object{"domain_id": w.any("/domains"), "path_prefix": w.pick("/", "/a", "/a/", "/a/b", "/ab", "/it's%20"), "backend_id": backend, "priority": w.IntN(4)}
	case 5:
		return "/domain-headers", object{"domain_id": w.any("/domains"), "name": w.pick("X-A", "x-a", "X-B"), "value": w.pick("1", "two words", `it's "q" \ <<x;y #`, "%[env(HOME)]")}
	case 6:
		return "/domain-users", object{"domain_id": w.any("/domains"), "name": w.pick("ann", "bob"), "password": w.pick("correct horse", "battery staple")}
	}
	return "/backends", object{
		"name": w.pick("web", "other", "more"), "scheme": w.pick("http", "http", "https", "tcp"), "lb_algorithm": w.pick("roundrobin", "leastconn", "source"),
		"sticky": w.IntN(4) == 0, "health_check": w.IntN(3) == 0, "active": w.IntN(5) > 0,
	}
}

func (w *walker) step() {
	w.T.Helper()
	path, body := w.one()
	var a apitest.Answer
	switch w.IntN(5) {
	case 0, 1:
		a = w.Do("POST", path, body)
	case 2, 3:
		a = w.Do("PUT", path+"/"+w.any(path), body)
	default:
		a = w.Do("DELETE", path+"/"+w.any(path), nil)
	}
	w.taken[a.Status]++
	if a.Status >= http.StatusInternalServerError {
		w.T.Fatalf("%s %v: %+v", path, body, a)
	}
}

// After any change, by whichever road, HAProxy has in its memory what stands in its files.
func TestMemoryAndFilesAreTheSame(t *testing.T) {
	seed := componenttest.FuzzSeed(t)
	w := &walker{example: newExample(t), Rand: rand.New(rand.NewPCG(seed, seed)), taken: map[int]int{}}
	hot, reloads := 0, 0
	for range bar.Size(120, 3000) {
		before := w.haproxy.Worker().PID
		w.step()
		if w.haproxy.Worker().PID == before {
			hot++
		} else {
			reloads++
		}
		w.holds(t)
		if len(w.Installed.Problems) > 0 {
			t.Errorf("taken, but left out: %+v", w.Installed.Problems)
		}
		if t.Failed() {
			t.Fatalf("seed %d, after %d steps", seed, hot+reloads)
		}
	}
	t.Logf("seed %d: %d steps without a reload and %d with one; answered %v", seed, hot, reloads, w.taken)
}

// A server that is taken away while it answers somebody goes on doing so.
func TestABusyServerIsRemovedByAReload(t *testing.T) {
	r := newRig(t)
	asked, answer := make(chan struct{}), make(chan struct{})
	slow := newSlowOrigin(t, asked, answer)
	two := newOrigin(t, "two")
	pool := r.Backend("web")
	busy := r.Server(pool, "busy", slow)
	r.Site("example.com", pool)
	got := make(chan page, 1)
	go func() {
		p := page{}
		if res, err := r.try("https://example.com/"); err == nil {
			p = read(t, res)
		}
		got <- p
	}()
	select {
	case <-asked:
	case p := <-got:
		t.Fatalf("answered %+v before the server was asked", p)
	}
	r.Server(pool, "two", two.at)
	before := r.haproxy.Worker().PID
	r.Do("DELETE", "/backend-servers/"+busy, nil).Want(http.StatusOK)
	if r.haproxy.Worker().PID == before {
		t.Error("a busy server was removed without a reload")
	}
	r.holds(t)
	for range 3 {
		if got := r.leads("https://example.com/"); got != "two" {
			t.Errorf("others are answered by %s", got)
		}
	}
	close(answer)
	if p := <-got; p.status != http.StatusOK || p.body != "slow" {
		t.Errorf("the open request was answered %d %q", p.status, p.body)
	}
}

// newSlowOrigin answers when it is told to.
func newSlowOrigin(t testing.TB, asked chan<- struct{}, answer <-chan struct{}) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked <- struct{}{}
		<-answer
		_, _ = io.WriteString(w, "slow")
	})}
	go func() { _ = s.Serve(ln) }()
	t.Cleanup(func() { _ = s.Close() })
	return ln.Addr().String()
}

// Where names lead, with wildcards and redirects beside each other.
func TestWhereNamesLead(t *testing.T) {
	r := newRig(t)
	pools := map[string]string{}
	for _, name := range []string{"exact", "wild", "deep", "apex"} {
		pools[name] = r.Backend(name)
		r.Server(pools[name], name, newOrigin(t, name).at)
	}
	r.Site("a.example.com", pools["exact"])
	r.Site("*.example.com", pools["wild"])
	r.Site("*.deep.example.com", pools["deep"])
	r.Site("apex.example.org", pools["apex"], object{"www_redirect": "to_apex", "hsts_max_age": 100, "rate_limit": 1000, "max_body_size": 10})
	r.Site("www-first.example.org", pools["apex"], object{"www_redirect": "to_www", "http_to_https": false})
	r.Do("POST", "/domains", object{"name": "nowhere.example.com"}).Want(http.StatusCreated)
	off := r.Site("off.example.com", pools["exact"])
	r.Edit("/domains/"+off, object{"active": false}).Want(http.StatusOK)
	for address, want := range map[string]string{
		"https://a.example.com/": "exact", "https://A.Example.COM:443/x": "exact", "https://b.example.com/": "wild", "https://off.example.com/": "wild",
		"https://example.com/": "404", "https://a.b.example.com/": "404", "https://x.deep.example.com/": "deep", "https://deep.example.com/": "wild",
		"https://y.x.deep.example.com/": "404", "https://nowhere.example.com/": "404", "https://apex.example.org/": "apex", "https://a.example.com./": "exact",
		"https://www.apex.example.org/p?q": "301 https://apex.example.org/p?q", "https://www-first.example.org/": "301 https://www.www-first.example.org/",
		"https://www.www-first.example.org/": "apex", "http://www.www-first.example.org/": "apex", "http://www-first.example.org/p": "301 http://www.www-first.example.org/p",
		"http://a.example.com/p?q": "301 https://a.example.com/p?q", "http://www.apex.example.org/": "301 https://www.apex.example.org/", "https://*.example.com/": "wild",
		"https://other.example/": "404", "https://localhost/": "404", "https://127.0.0.1/": "404",
	} {
		p := r.get(address)
		got := p.body
		if p.status != http.StatusOK {
			got = strings.TrimSpace(fmt.Sprint(p.status, " ", p.header.Get("Location")))
		}
		if got != want {
			t.Errorf("%s leads to %s, want %s", address, got, want)
		}
	}
	for host, want := range map[string]string{"apex.example.org": "max-age=100", "a.example.com": "", "other.example": ""} {
		if got := r.get("https://" + host + "/").header.Get("Strict-Transport-Security"); got != want {
			t.Errorf("%s: Strict-Transport-Security: %q, want %q", host, got, want)
		}
	}
}

// Whoever gives out certificates must get through to the management service, whatever the
// site asks of others.
func TestProofsOfOwnershipGetThrough(t *testing.T) {
	r := newRig(t)
	pool := r.Backend("web")
	r.Server(pool, "one", newOrigin(t, "one").at)
	const proof = "/.well-known/acme-challenge/token"
	r.Site("plain.example.com", pool)
	leads := func(want map[string]string) {
		t.Helper()
		for address, to := range want {
			if got := r.leads(address); got != to {
				t.Errorf("%s leads to %s, want %s", address, got, to)
			}
		}
	}
	leads(map[string]string{"http://plain.example.com" + proof: "api", "http://nobody.example.com" + proof: "api", "http://plain.example.com/": "301", "https://plain.example.com" + proof: "one"})
	closed := r.Site("closed.example.com", pool, object{"allow_from": []string{"192.0.2.1"}, "maintenance": true, "rate_limit": 1, "www_redirect": "to_www"})
	r.Do("POST", "/domains/"+closed+"/users", object{"name": "ann", "password": "correct horse"}).Want(http.StatusCreated)
	r.Site("both.example.com", pool, object{"http_to_https": false, "allow_from": []string{"192.0.2.1"}})
	leads(map[string]string{
		"http://closed.example.com" + proof: "api", "http://www.closed.example.com" + proof: "api", "http://both.example.com" + proof: "api",
		"http://plain.example.com" + proof: "api", "http://both.example.com/": "403", "http://plain.example.com/": "301", "https://www.closed.example.com" + proof: "403",
	})
}

// A limit for one site is none for another, by whichever of the settings beside it.
func TestSettingsOfOneSiteAreNotAnothers(t *testing.T) {
	r := newRig(t)
	pool := r.Backend("web")
	r.Server(pool, "one", newOrigin(t, "one").at)
	r.Site("all.example.com", pool, object{"hsts_max_age": 100, "rate_limit": 3, "max_body_size": 10, "www_redirect": "to_www"})
	r.Site("hsts.example.com", pool, object{"hsts_max_age": 100})
	r.Site("body.example.com", pool, object{"max_body_size": 10})
	r.Site("rate.example.com", pool, object{"rate_limit": 3})
	r.Site("none.example.com", pool)
	long := func(req *http.Request) {
		req.Method, req.Body, req.ContentLength = http.MethodPost, io.NopCloser(strings.NewReader(strings.Repeat("x", 100))), 100
	}
	unknown := func(method string) func(*http.Request) {
		return func(req *http.Request) {
			req.Method, req.Body, req.ContentLength = method, io.NopCloser(strings.NewReader(strings.Repeat("x", 100))), -1
		}
	}
	for _, tc := range []struct {
		host      string
		body, off int
		hsts      string
	}{
		{"hsts.example.com", 200, 200, "max-age=100"},
		{"body.example.com", 413, 411, ""},
		{"rate.example.com", 200, 200, ""},
		{"none.example.com", 200, 200, ""},
		{"www.all.example.com", 413, 411, "max-age=100"},
	} {
		if p := r.get("https://"+tc.host+"/", long); p.status != tc.body || p.header.Get("Strict-Transport-Security") != tc.hsts {
			t.Errorf("%s answers a body with %d and %q, want %d and %q", tc.host, p.status, p.header.Get("Strict-Transport-Security"), tc.body, tc.hsts)
		}
		if p := r.get("https://"+tc.host+"/", unknown(http.MethodPost)); p.status != tc.off {
			t.Errorf("%s answers a body of unknown length with %d, want %d", tc.host, p.status, tc.off)
		}
	}
	for _, method := range []string{http.MethodDelete, http.MethodGet, "PROPPATCH"} {
		if p := r.get("https://body.example.com/", unknown(method)); p.status != 411 {
			t.Errorf("a body of unknown length is answered %d by %s, want 411", p.status, method)
		}
		if res, err := r.visitor(true).RoundTrip(request(t, method, "https://body.example.com/", unknown(method))); err != nil || res.StatusCode != 411 {
			t.Errorf("a body of unknown length is answered %v, %v by %s and HTTP/2, want 411", res, err, method)
		}
	}
	for _, method := range []string{http.MethodDelete, http.MethodGet, http.MethodPost} {
		began := time.Now()
		for _, http2 := range []bool{false, true} {
			res, err := r.visitor(http2).RoundTrip(request(t, method, "https://body.example.com/", func(*http.Request) {}))
			if err != nil || res.StatusCode != 200 {
				t.Errorf("%s without a body is answered %v, %v", method, res, err)
			}
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s without a body took %v", method, took)
		}
	}
	status := map[string]map[int]int{}
	for range 6 {
		for _, host := range []string{"rate.example.com", "hsts.example.com", "none.example.com"} {
			if status[host] == nil {
				status[host] = map[int]int{}
			}
			status[host][r.get("https://"+host+"/").status]++
		}
	}
	if status["rate.example.com"][429] < 3 || status["hsts.example.com"][200] != 6 || status["none.example.com"][200] != 6 {
		t.Errorf("answered %v, want 429 from the limited one only", status)
	}
}

func request(t testing.TB, method, address string, how func(*http.Request)) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	how(req)
	return req
}

// An allow list, a login or a rule that comes, changes or goes is never seen half.
func TestNobodySeesHalfOfAChange(t *testing.T) {
	r := newRig(t)
	pool, other := r.Backend("web"), r.Backend("other")
	r.Server(pool, "one", newOrigin(t, "one").at)
	r.Server(other, "two", newOrigin(t, "two").at)
	wide := object{"allow_from": []string{"127.0.0.0/8"}}
	r.Site("keeps.example.com", pool, object{"allow_from": []string{"127.0.0.0/8", "192.0.2.0/24"}}) // so that no change is a reload
	r.Rule(r.Site("routed.example.com", pool), "/", pool, 1)
	site := r.Site("a.example.com", pool, wide)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan map[string]int, 1)
	go func() {
		seen := map[string]int{}
		for ctx.Err() == nil {
			seen[r.leads("https://a.example.com/api/")]++
			seen[r.leads("https://keeps.example.com/api/")]++
		}
		ended <- seen
	}()
	before := r.haproxy.Worker().PID
	for range bar.Size(15, 500) {
		r.Edit("/domains/"+site, object{"allow_from": []string{}}).Want(http.StatusOK)
		r.Edit("/domains/"+site, object{"allow_from": []string{"127.0.0.0/8", "127.0.0.0/9", "127.0.0.1"}}).Want(http.StatusOK)
		r.Edit("/domains/"+site, object{"allow_from": []string{"127.0.0.1"}}).Want(http.StatusOK)
		r.Edit("/domains/"+site, wide).Want(http.StatusOK)
		rule := r.Rule(site, "/api", pool, 10)
		r.Do("DELETE", "/routing-rules/"+rule, nil).Want(http.StatusOK)
	}
	stop()
	seen := <-ended
	if r.haproxy.Worker().PID != before {
		t.Error("HAProxy was reloaded, so this shows nothing")
	}
	if len(seen) != 1 || seen["one"] == 0 {
		t.Errorf("visitors saw %v, want one only", seen)
	}
	t.Logf("visitors saw %v", seen)
	r.holds(t)
}

// An allow list is of the family that it says.
func TestAllowListsOfOneFamily(t *testing.T) {
	r := newRig(t)
	pool := r.Backend("web")
	r.Server(pool, "one", newOrigin(t, "one").at)
	look := func(want map[string]string) {
		t.Helper()
		for name, want := range want {
			if got := r.leads("https://" + name + ".example.com/"); got != want {
				t.Errorf("%s is answered %s over IPv4, want %s", name, got, want)
			}
		}
	}
	site := func(name string, nets ...string) { r.Site(name+".example.com", pool, object{"allow_from": nets}) }
	// HAProxy looks an IPv4 address up among those of IPv6 where it finds nothing else.
	site("six", "::/0")
	site("mapped", "::/1", "2000::/3")
	look(map[string]string{"six": "403", "mapped": "403"})
	site("four", "0.0.0.0/0")
	site("both", "0.0.0.0/0", "::/0")
	site("none", "192.0.2.0/24")
	site("one", "127.0.0.1")
	look(map[string]string{"six": "403", "mapped": "403", "four": "one", "both": "one", "none": "403", "one": "one"})
	r.holds(t)
	tcp := r.Backend("mail", object{"scheme": "tcp"})
	r.Server(tcp, "one", newOrigin(t, "one").at)
	for port, nets := range map[int][]string{1001: {"::/0"}, 1002: {"0.0.0.0/0"}, 1003: {"::/1", "192.0.2.0/24"}, 1004: {"127.0.0.0/8", "::/0"}, 1005: nil} {
		r.Do("POST", "/tcp-services", object{"name": fmt.Sprint("on ", port), "port": port, "backend_id": tcp, "allow_from": nets}).Want(http.StatusCreated)
		res, err := r.try(fmt.Sprintf("http://service.example.com:%d/", port))
		if got, want := err == nil, port%2 == 0 || nets == nil; got != want {
			t.Errorf("the service for %v admits IPv4: %v, want %v", nets, got, want)
		}
		if err == nil {
			read(t, res)
		}
	}
}

// A connection that becomes another protocol has no length to speak of.
func TestUpgradesPassALimitOfBodies(t *testing.T) {
	r := newRig(t)
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		conn, err := websocket.Accept(w, req, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.CloseNow() }()
		if kind, data, err := conn.Read(req.Context()); err == nil {
			_ = conn.Write(req.Context(), kind, data)
		}
	}))
	t.Cleanup(echo.Close)
	pool := r.Backend("web", object{"websocket": true})
	r.Server(pool, "one", echo.Listener.Addr().String())
	r.Site("example.com", pool, object{"max_body_size": 10})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	conn, res, err := websocket.Dial(ctx, "https://example.com/", &websocket.DialOptions{HTTPClient: &http.Client{Transport: r.visitor(false)}})
	if err != nil {
		t.Fatalf("%v, %v", res, err)
	}
	defer func() { _ = conn.CloseNow() }()
	text := strings.Repeat("longer than ten ", 100)
	if err := conn.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
		t.Fatal(err)
	}
	if _, data, err := conn.Read(ctx); err != nil || string(data) != text {
		t.Errorf("came back as %q, %v", data, err)
	}
}
