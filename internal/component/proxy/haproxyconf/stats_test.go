package haproxyconf

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gateway/internal/fault"
	"gateway/internal/haproxy"
)

// answered is what the API makes of the statistics.
type answered struct {
	Stats
	Error *string
}

func (r *rig) stats() answered {
	r.T.Helper()
	var s answered
	r.As("viewer", "GET", "/proxy/stats", nil).Want(http.StatusOK).Into(&s)
	return s
}

// backend finds a line; server is BACKEND for the whole.
func (s Stats) backend(t testing.TB, id, server string) BackendStat {
	t.Helper()
	for _, b := range s.Backends {
		if b.BackendID == id && b.Server == server {
			return b
		}
	}
	t.Fatalf("no %s of %s in %+v", server, id, s.Backends)
	return BackendStat{}
}

func (s Stats) frontend(t testing.TB, name string) FrontendStat {
	t.Helper()
	for _, f := range s.Frontends {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no %s in %+v", name, s.Frontends)
	return FrontendStat{}
}

// eventually waits for what HAProxy comes to by itself.
func (r *rig) eventually(what string, fn func() bool) {
	r.T.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); <-time.After(20 * time.Millisecond) {
		if fn() {
			return
		}
	}
	r.T.Fatalf("not within 20 seconds: %s", what)
}

// closed is an address where nobody listens. A port that was free a moment ago may be taken.
const closed = "127.0.0.1:1"

// shows PROXY-14, PROXY-15, PROXY-42, PROXY-43, PROXY-46, PROXY-47, PROXY-48
func TestStatistics(t *testing.T) {
	r := newRig(t)
	one := newOrigin(t, "one")
	pool := r.Backend("web", object{"health_check": true, "health_interval": 1})
	r.Server(pool, "web 1.example", one.at)
	r.Server(pool, "dead", closed)
	lost := r.Backend("lost", object{"health_check": true, "health_interval": 1})
	r.Server(lost, "dead", closed)
	wrong := r.Backend("wrong", object{"health_check": true, "health_interval": 1, "health_status": 418})
	r.Server(wrong, "one", one.at)
	r.Site("example.com", pool, object{"rate_limit": 1000})
	r.eventually("the dead server is seen", func() bool {
		s := r.stats()
		return s.backend(t, pool, "dead").Status == "DOWN" && s.backend(t, lost, "BACKEND").Status == "DOWN" && s.backend(t, wrong, "one").Status == "DOWN" &&
			s.backend(t, pool, "web_1_example").CheckStatus == "L7OK"
	})
	for range 5 {
		if got := r.leads("https://example.com/"); got != "one" {
			t.Errorf("answered %s", got)
		}
	}
	r.eventually("the last request is over", func() bool { // HAProxy counts it then, a moment after its answer
		s := r.stats()
		return s.backend(t, pool, "web_1_example").Sessions == 0 && s.backend(t, pool, "BACKEND").ReqTot >= 5
	})
	s := r.stats()
	if s.Error != nil {
		t.Errorf("error = %s", *s.Error)
	}
	for _, tc := range []struct{ backend, server, status, check string }{
		{pool, "web_1_example", "UP", "L7OK"},
		{pool, "dead", "DOWN", "L4CON"},
		{pool, "BACKEND", "DEGRADED", ""},
		{lost, "dead", "DOWN", "L4CON"},
		{lost, "BACKEND", "DOWN", ""},
		{wrong, "one", "DOWN", "L7STS"},
	} {
		if got := s.backend(t, tc.backend, tc.server); got.Status != tc.status || got.CheckStatus != tc.check || got.Name != section(tc.backend) {
			t.Errorf("%+v, want %s by %s", got, tc.status, tc.check)
		}
	}
	up := s.backend(t, pool, "web_1_example")
	if up.ReqTot != 5 || up.BytesIn == 0 || up.BytesOut == 0 || up.Weight != 100 || up.Mode != "ready" || up.Sessions != 0 || up.LastChange > 60 {
		t.Errorf("a server = %+v, want 5 requests", up)
	}
	whole, front := s.backend(t, pool, "BACKEND"), s.frontend(t, "gateway_https")
	if whole.ReqTot != 5 || front.ReqTot != 5 || front.MaxSessions < 1 || front.BytesIn == 0 || front.BytesOut == 0 {
		t.Errorf("the backend = %+v, the frontend = %+v, want 5 requests each", whole, front)
	}
	var sum Totals
	if err := r.Ask(t.Context(), Name, VerbTotals, nil, &sum); err != nil || sum.Requests != 5 || sum.Errors != 0 || sum.BytesIn != front.BytesIn || sum.BytesOut != front.BytesOut {
		t.Errorf("all sites have %+v (%v), want what the frontend has", sum, err)
	}
	for _, b := range s.Backends {
		if !strings.HasPrefix(b.Name, "gateway_backend_") {
			t.Errorf("the statistics have %s", b.Name)
		}
	}
	for _, f := range s.Frontends {
		if f.Name == "gateway_rates" || f.Name == "api" {
			t.Errorf("the statistics have %s", f.Name)
		}
	}
}

// shows PROXY-44
func TestRequestsAreCountedAndRated(t *testing.T) {
	r := newRig(t)
	one := newOrigin(t, "one")
	pool := r.Backend("web")
	r.Server(pool, "one", one.at)
	r.Site("example.com", pool)
	v := r.visitor(true)
	ask := func() {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://example.com/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		res, err := v.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		read(t, res)
	}
	began := time.Now()
	for range 50 {
		ask()
	}
	s := r.stats()
	took := time.Since(began)
	for name, got := range map[string][2]int64{
		"frontend": {s.frontend(t, "gateway_https").ReqTot, s.frontend(t, "gateway_https").ReqRate},
		"backend":  {s.backend(t, pool, "BACKEND").ReqTot, s.backend(t, pool, "BACKEND").ReqRate},
		"server":   {s.backend(t, pool, "one").ReqTot, s.backend(t, pool, "one").ReqRate},
	} {
		if got[0] != 50 {
			t.Errorf("%s: req_tot = %d after 50 requests", name, got[0])
		}
		// HAProxy's second slides, so that some of a burst that is over may still count.
		if took < 900*time.Millisecond && (got[1] < 25 || got[1] > 50) {
			t.Errorf("%s: req_rate = %d after 50 requests in %v", name, got[1], took)
		}
	}
	ask()
	if got := r.stats().backend(t, pool, "BACKEND").ReqTot; got != 51 {
		t.Errorf("req_tot = %d after another one, want 51", got)
	}
	r.eventually("the rate is over, and the count stays", func() bool {
		s := r.stats().frontend(t, "gateway_https")
		return s.ReqRate == 0 && s.ReqTot == 51
	})
}

// shows PROXY-45
func TestStatisticsWithoutHAProxy(t *testing.T) {
	r := newStore(t)
	r.adapter.HAProxy = &haproxy.Daemon{Runtime: haproxy.Runtime{Path: t.TempDir() + "/none"}}
	s := r.stats()
	if s.Error == nil || !strings.Contains(*s.Error, "socket") || s.Backends == nil || s.Frontends == nil {
		t.Errorf("answered %+v, want a message about the socket", s)
	}
}

// shows SYS-30
func TestReloadOnDemand(t *testing.T) {
	r := newRig(t)
	before := r.haproxy.Worker().PID
	r.As("viewer", "POST", "/system/proxy-reload", nil).Want(http.StatusForbidden)
	if got := r.haproxy.Worker().PID; got != before {
		t.Error("a viewer reloads HAProxy")
	}
	r.Do("POST", "/system/proxy-reload", nil).Want(http.StatusOK)
	if got := r.haproxy.Worker().PID; got == before {
		t.Error("the process is the same after a reload")
	}
}

func TestStatesInThreeWords(t *testing.T) {
	for status, want := range map[string][2]string{
		"UP": {"UP", "ready"}, "UP 1/3": {"DEGRADED", "ready"}, "DOWN": {"DOWN", "ready"}, "DOWN 1/2": {"DOWN", "ready"}, "no check": {"UP", "ready"},
		"DRAIN": {"UP", "drain"}, "DRAIN 1/3": {"UP", "drain"}, "MAINT": {"DOWN", "maint"}, "MAINT (resolution)": {"DOWN", "ready"}, "NOLB": {"DOWN", "ready"},
	} {
		if got, mode := health(status); got != want[0] || mode != want[1] {
			t.Errorf("%s is %s %s, want %v", status, got, mode, want)
		}
	}
}

// Whoever looks for problems waits for two seconds; an HAProxy that hangs has to be told by then.
func TestAHangingHAProxyIsToldInTime(t *testing.T) {
	at := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", at) // it never accepts
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a := newAdapter(Options{HAProxy: &haproxy.Daemon{Runtime: haproxy.Runtime{Path: at}}})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err = a.stats(ctx, nil)
	if f, worded := fault.Of(err); !worded || f.Code != Unavailable {
		t.Errorf("it answers %v, want that it is unavailable", err)
	}
}

// What an operator took out of service is no trouble.
func TestServersThatRest(t *testing.T) {
	r := newRig(t)
	one := newOrigin(t, "one")
	pool := r.Backend("web")
	r.Server(pool, "works", one.at)
	drains, rests := r.Server(pool, "drains", one.at), r.Server(pool, "rests", one.at)
	r.Edit("/backend-servers/"+drains, object{"drain": true}).Want(http.StatusOK)
	r.Edit("/backend-servers/"+rests, object{"active": false}).Want(http.StatusOK)
	for range 2 {
		s := r.stats()
		for server, want := range map[string][2]string{"works": {"UP", "ready"}, "drains": {"UP", "drain"}, "rests": {"DOWN", "maint"}, "BACKEND": {"UP", "ready"}} {
			if got := s.backend(t, pool, server); got.Status != want[0] || got.Mode != want[1] {
				t.Errorf("%s is %s %s, want %v", server, got.Status, got.Mode, want)
			}
		}
		r.Do("POST", "/system/proxy-reload", nil).Want(http.StatusOK) // and the same as read from the file
	}
}

// Only what is for sites and services counts, and each thing once.
func TestTotalsAreOfTheSites(t *testing.T) {
	got := newTotals([]haproxy.Stat{
		{Proxy: "gateway_https", Kind: haproxy.FrontendStat, Sessions: 1, Requests: 10, Responses5xx: 2, BytesIn: 100, BytesOut: 1000},
		{Proxy: "gateway_tcp_25", Kind: haproxy.FrontendStat, Sessions: 4, BytesIn: 1, BytesOut: 1},
		{Proxy: "management", Kind: haproxy.FrontendStat, Sessions: 7, Requests: 7},
		{Proxy: "gateway_backend_1", Kind: haproxy.BackendStat, Sessions: 9, Requests: 9},
	})
	if want := (Totals{Connections: 5, Requests: 10, Errors: 2, BytesIn: 101, BytesOut: 1001}); got != want {
		t.Errorf("totals = %+v, want %+v", got, want)
	}
}
