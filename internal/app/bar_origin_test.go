package app_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gateway/internal/api"
	"gateway/internal/app"
	"gateway/internal/app/apptest"
	"gateway/tools/bar"
)

// A page of another site changes nothing and opens no stream, although the browser sends
// the administrator's cookie along and the request would otherwise succeed.
func TestBarFoundation08ForeignOrigin(t *testing.T) {
	bar.NotShort(t)
	s := newStage(t)
	var mutations, streams tally
	for _, op := range operations(t, s.App) {
		switch {
		case op.stream:
			streams.add(tryStreams(s, op))
		case op.mutates():
			mutations.add(tryMutation(s, op))
		}
	}
	figure := fmt.Sprintf("%d of %d forged requests passed, %d of %d operations changed something, %d of %d streams opened; control: %d of %d operations changed something or, if they only read, were answered, %d of %d streams opened",
		mutations.passed, mutations.tried, mutations.changed, mutations.operations, streams.passed, streams.tried,
		mutations.control, mutations.prepared, streams.control, streams.prepared)
	ok := mutations.passed+mutations.changed+streams.passed == 0 &&
		mutations.control == mutations.prepared && mutations.prepared >= 24 && streams.control == streams.prepared && streams.prepared > 0
	bar.Report(t, "foundation", 8, figure, "0 passed, 0 changed, 0 opened, control all", ok)
}

// tally counts forgeries and, as control, the same requests from the site itself, where
// we know how to make one that succeeds.
type tally struct{ operations, tried, passed, changed, prepared, control int }

func (t *tally) add(o tally) {
	t.operations += o.operations
	t.tried += o.tried
	t.passed += o.passed
	t.changed += o.changed
	t.prepared += o.prepared
	t.control += o.control
}

// forgery is how a request from another site looks.
type forgery struct {
	name   string
	header http.Header
	want   int
}

// crossSite are what browsers say about the page behind a request.
func crossSite(host string) []forgery {
	port := func(h string) string { return (&url.URL{Host: h}).Hostname() + ":1" }
	forge := func(name string, pairs ...string) forgery {
		f := forgery{name, http.Header{}, http.StatusForbidden}
		for i := 0; i < len(pairs); i += 2 {
			f.header.Set(pairs[i], pairs[i+1])
		}
		return f
	}
	return []forgery{
		forge("another origin", "Origin", "https://evil.example"),
		forge("another origin, over http", "Origin", "http://evil.example"),
		forge("another site", "Sec-Fetch-Site", "cross-site"),
		forge("another host of the same site", "Sec-Fetch-Site", "same-site"),
		forge("another site with our origin", "Sec-Fetch-Site", "cross-site", "Origin", "https://"+host),
		forge("an opaque origin", "Origin", "null"),
		forge("another port", "Origin", "https://"+port(host)),
		forge("a host that begins like ours", "Origin", "https://"+host+".evil.example"),
		forge("our host as the user", "Origin", "https://"+host+"@evil.example"),
		// A browser that says nothing but an origin does not tell http from https by itself.
		forge("our host over http", "Origin", "http://"+host, "Sec-Fetch-Site", "cross-site"),
		forge("something unheard of", "Sec-Fetch-Site", "nearby"),
	}
}

// forms are the bodies that a page may send elsewhere without asking first. They are
// refused by themselves, so that a browser without the headers above does no harm either.
func forms() []forgery {
	var list []forgery
	for _, kind := range []string{"text/plain", "text/plain; application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""} {
		list = append(list, forgery{"a form of type " + kind, http.Header{"Content-Type": {kind}}, http.StatusUnsupportedMediaType})
	}
	return list
}

// tryMutation forges one operation in every way, then does it from the site itself.
func tryMutation(s *stage, op operation) tally {
	s, p, known := s.scene(op)
	w, body := newWire(s.t, s.App), p.text(s.t)
	send := func(h http.Header, body string) int {
		merged := p.as.Clone()
		maps.Copy(merged, h)
		return w.do(call{method: op.method, target: api.Prefix + p.path, header: merged, body: body}).status
	}
	out := tally{operations: 1}
	ticket, _ := s.tickets(w, op, p.as, p.path)
	before := s.digest()
	for _, f := range crossSite(w.host) {
		out.count(s.t, op, f, send(f.header, body))
	}
	for _, f := range forms() {
		out.count(s.t, op, f, send(f.header, orBlank(body)))
	}
	if s.digest() != before {
		out.changed++
		s.t.Logf("%s changed something for another site", op)
	}
	if !known {
		s.t.Logf("%s has no control: it is not in the list of requests that succeed", op)
		return out
	}
	out.prepared++
	own := http.Header{"Origin": {"https://" + w.host}, "Sec-Fetch-Site": {"same-origin"}}
	maps.Copy(own, ticket())
	status := send(own, body)
	switch {
	case op.readOnly && status == http.StatusOK && s.digest() == before, !op.readOnly && s.digest() != before:
		out.control++
	default:
		s.t.Logf("%s from the site itself = %d and changed nothing", op, status)
	}
	return out
}

// orBlank gives a form something to send where the operation needs nothing.
func orBlank(body string) string {
	if body == "" {
		return "a=b"
	}
	return body
}

func (t *tally) count(tb testing.TB, op operation, f forgery, status int) {
	t.tried++
	if status != f.want {
		t.passed++
		tb.Logf("%s from %s = %d, want %d", op, f.name, status, f.want)
	}
}

// scene is a stage on which op would succeed: for setup, a node that is not set up.
func (s *stage) scene(op operation) (on *stage, p prepared, known bool) {
	s.t.Helper()
	if !strings.HasPrefix(op.path, "/setup/") {
		p, known = s.prepare(op)
		return s, p, known
	}
	fresh := &stage{t: s.t, applier: s.applier}
	fresh.App = apptest.New(s.t, apptest.NoLimits, func(c *app.Config) { c.ApplySocket = s.applier.socket })
	body := fields{"code": fresh.SetupCode(), "fqdn": "gw1.example.com"}
	if op.path == "/setup/complete" {
		body["email"], body["password"] = apptest.Email, apptest.Password
	}
	return fresh, prepared{as: http.Header{}, path: op.path, body: body}, true
}

// tryStreams opens a stream from every other site, then from our own.
func tryStreams(s *stage, op operation) tally {
	out := tally{operations: 1, prepared: 1}
	host := s.Server.Listener.Addr().String()
	for _, f := range crossSite(host) {
		out.count(s.t, op, f, dial(s, op, f.header))
	}
	ours := http.Header{"Origin": {"https://" + host}, "Sec-Fetch-Site": {"same-origin"}}
	if dial(s, op, ours) == http.StatusSwitchingProtocols {
		out.control++
	}
	return out
}

// dial opens a WebSocket as the administrator's browser and tells the status of the answer.
func dial(s *stage, op operation, header http.Header) int {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stream, res, err := s.admin.Stream(ctx, op.path, header)
	if err == nil {
		defer stream.CloseNow() //nolint:errcheck // it may be closed already
	}
	if res == nil {
		s.t.Fatalf("%s: %v", op, err)
	}
	return res.StatusCode
}
