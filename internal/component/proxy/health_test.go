package proxy

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gateway/internal/component/proxy/haproxyconf"
	"gateway/internal/problem"
)

// ward is a small world: a backend "shop" with two servers, used by shop.example.com.
type ward struct {
	rows healthRows
	stat haproxyconf.Stats
}

var noon = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)

func newWard() *ward {
	shop := "b1"
	w := &ward{rows: healthRows{
		backends: []backendRow{{"b1", "shop", true, true}},
		servers: map[string][]serverRow{"b1": {
			{"s1", "b1", "web1", "web1", true, false}, {"s2", "b1", "web2", "web2", true, false},
		}},
		domains: []domainRow{{"d1", "shop.example.com", &shop, true, false, true, false}},
		rules:   map[string][]string{},
		unlive:  map[string]bool{}, stale: map[string]bool{},
		covers: covers{"shop.example.com": {"", []string{"shop.example.com"}, noon.AddDate(0, -1, 0), noon.AddDate(0, 2, 0)}},
	}}
	w.set("b1", "BACKEND", "UP", "")
	w.set("b1", "web1", "UP", "L7OK")
	w.set("b1", "web2", "UP", "L7OK")
	return w
}

func (w *ward) set(backend, server, status, check string) {
	row := haproxyconf.BackendStat{BackendID: backend, Server: server, Status: status, Mode: "ready", CheckStatus: check, LastChange: 60}
	for i, s := range w.stat.Backends {
		if s.BackendID == backend && s.Server == server {
			w.stat.Backends[i] = row
			return
		}
	}
	w.stat.Backends = append(w.stat.Backends, row)
}

// second gives the domain another backend by a routing rule.
func (w *ward) second(status string) {
	w.rows.backends = append(w.rows.backends, backendRow{"b2", "api", true, true})
	w.rows.servers["b2"] = []serverRow{{"s3", "b2", "api1", "api1", true, false}}
	w.rows.rules["d1"] = []string{"b2"}
	w.set("b2", "BACKEND", status, "")
	w.set("b2", "api1", status, "L4CON")
}

func TestStatesFollowWhatRuns(t *testing.T) {
	for _, tc := range []struct {
		name     string
		happens  func(*ward)
		domain   string // "" is serving
		backend  string
		server   string
		problems []string
	}{
		{"all is well", func(*ward) {}, "", "", "", nil},
		{"one server is down", func(w *ward) { w.set("b1", "web1", "DOWN", "L4CON") }, "degraded", "degraded", "down", []string{"proxy.server_down"}},
		{"a check begins to fail", func(w *ward) { w.set("b1", "web1", "DEGRADED", "L7TOUT") }, "degraded", "degraded", "degraded", []string{"proxy.server_failing"}},
		{"all servers are down", func(w *ward) {
			w.set("b1", "BACKEND", "DOWN", "")
			w.set("b1", "web1", "DOWN", "L4CON")
			w.set("b1", "web2", "DOWN", "L4TOUT")
		}, "down", "down", "down", []string{"proxy.backend_down"}},
		{"no server is enabled", func(w *ward) {
			w.rows.servers["b1"][0].Active, w.rows.servers["b1"][1].Active = false, false
		}, "down", "no_servers", "disabled", []string{"proxy.backend_empty"}},
		{"a backend in use is disabled", func(w *ward) { w.rows.backends[0].Active = false }, "down", "disabled", "disabled", []string{"proxy.backend_disabled"}},
		{"an unused backend is disabled", func(w *ward) { w.rows.backends[0].Active, w.rows.domains[0].Active = false, false }, "disabled", "disabled", "disabled", nil},
		{"a dead backend nobody uses", func(w *ward) {
			w.rows.domains[0].Active = false
			w.set("b1", "BACKEND", "DOWN", "")
			w.set("b1", "web1", "DOWN", "L4CON")
		}, "disabled", "down", "down", []string{"proxy.backend_down"}},
		{"a server drains", func(w *ward) { w.rows.servers["b1"][0].Drain = true }, "", "", "draining", nil},
		{"nobody checks", func(w *ward) {
			w.rows.backends[0].HealthCheck = false
			w.set("b1", "web1", "UP", "")
		}, "unchecked", "unchecked", "unchecked", nil},
		{"not in HAProxy yet", func(w *ward) { w.stat.Backends = nil }, "unknown", "unknown", "unknown", nil},
		{"no backend at all", func(w *ward) { w.rows.domains[0].BackendID = nil }, "down", "", "", []string{"proxy.no_backend"}},
		{"a rule's backend is down", func(w *ward) { w.second("DOWN") }, "degraded", "", "", []string{"proxy.backend_down"}},
		{"only rules, and all dead", func(w *ward) {
			w.second("DOWN")
			w.rows.domains[0].BackendID = nil
		}, "down", "", "", []string{"proxy.backend_down"}},
		{"its last change is not live", func(w *ward) { w.rows.unlive = map[string]bool{"d1": true} }, "not_applied", "", "", nil},
		{"disabled, but that is not live", func(w *ward) {
			w.rows.unlive, w.rows.domains[0].Active = map[string]bool{"d1": true}, false
		}, "not_applied", "", "", nil},
		{"a server's new address is not live", func(w *ward) { w.rows.unlive = map[string]bool{"s1": true, "b1": true} }, "not_applied", "not_applied", "not_applied", nil},
		{"a backend's settings are not live", func(w *ward) { w.rows.unlive = map[string]bool{"b1": true} }, "not_applied", "not_applied", "", nil},
		{"a server is disabled, but that is not live", func(w *ward) {
			w.rows.unlive, w.rows.servers["b1"][0].Active = map[string]bool{"s1": true, "b1": true}, false
		}, "not_applied", "not_applied", "not_applied", nil},
		{"down is graver than not live", func(w *ward) {
			w.rows.unlive = map[string]bool{"s1": true, "b1": true}
			w.set("b1", "BACKEND", "DOWN", "")
			w.set("b1", "web1", "DOWN", "L4CON")
		}, "down", "down", "down", []string{"proxy.backend_down"}},
		{"its renewed certificate is not live", func(w *ward) { w.rows.stale = map[string]bool{"shop.example.com": true} }, "not_applied", "", "", nil},
		{"a renewed wildcard is not live", func(w *ward) { w.rows.stale = map[string]bool{"*.example.com": true} }, "not_applied", "", "", nil},
		{"another's certificate is not live", func(w *ward) { w.rows.stale = map[string]bool{"www.example.com": true} }, "", "", "", nil},
		{"nobody was checked yet", func(w *ward) {
			w.set("b1", "web1", "UP", "INI")
			w.set("b1", "web2", "UP", "* INI")
		}, "unknown", "unknown", "unknown", nil},
		{"all servers drain", func(w *ward) {
			w.rows.servers["b1"][0].Drain, w.rows.servers["b1"][1].Drain = true, true
			w.set("b1", "BACKEND", "DOWN", "")
		}, "down", "down", "draining", []string{"proxy.backend_down"}},
		{"a certificate of tomorrow", func(w *ward) {
			w.rows.covers = covers{"shop.example.com": {"", nil, noon.AddDate(0, 0, 1), noon.AddDate(1, 0, 0)}}
		}, "no_certificate", "", "", []string{"proxy.no_certificate"}},
		{"expired, and plain HTTP too", func(w *ward) {
			w.cover(noon.AddDate(0, 0, -1))
			w.rows.domains[0].HTTPS = false
		}, "degraded", "", "", nil},
		{"no access log", func(w *ward) { w.stat.NoAccessLog = true }, "", "", "", []string{"proxy.access_log_off"}},
		{"maintenance", func(w *ward) { w.rows.domains[0].Maintenance = true }, "maintenance", "", "", nil},
		{"no certificate", func(w *ward) { w.rows.covers = covers{} }, "no_certificate", "", "", []string{"proxy.no_certificate"}},
		{"plain HTTP needs none", func(w *ward) { w.rows.covers, w.rows.domains[0].HTTPS = covers{}, false }, "", "", "", nil},
		{"a wildcard covers one label", func(w *ward) { w.rows.covers = covers{"*.example.com": w.rows.covers["shop.example.com"]} }, "", "", "", nil},
		{"and not two", func(w *ward) { w.rows.covers = covers{"*.com": w.rows.covers["shop.example.com"]} }, "no_certificate", "", "", []string{"proxy.no_certificate"}},
		{"an expired certificate", func(w *ward) { w.cover(noon.AddDate(0, 0, -1)) }, "down", "", "", nil},
		{"one that expires soon", func(w *ward) { w.cover(noon.AddDate(0, 0, 13)) }, "degraded", "", "", nil},
		{"the name with www. has none, and is redirected", func(w *ward) { w.rows.domains[0].WWW = true }, "no_certificate", "", "", []string{"proxy.no_certificate"}},
		{"a wildcard covers the name with www.", func(w *ward) {
			w.rows.domains[0].WWW = true
			w.rows.covers["*.shop.example.com"] = w.rows.covers["shop.example.com"]
		}, "", "", "", nil},
		{"neither name has one", func(w *ward) {
			w.rows.covers, w.rows.domains[0].WWW = covers{}, true
		}, "no_certificate", "", "", []string{"proxy.no_certificate"}},
		{"none is graver than one that is not live", func(w *ward) {
			w.rows.stale, w.rows.domains[0].WWW = map[string]bool{"shop.example.com": true}, true
		}, "no_certificate", "", "", []string{"proxy.no_certificate"}},
		{"the one for www. expired", func(w *ward) {
			w.rows.domains[0].WWW = true
			w.rows.covers["www.shop.example.com"] = coverRow{"", nil, noon.AddDate(0, -3, 0), noon.AddDate(0, 0, -1)}
		}, "down", "", "", nil},
		{"down is graver than no certificate", func(w *ward) {
			w.rows.covers = covers{}
			w.set("b1", "BACKEND", "DOWN", "")
			w.set("b1", "web1", "DOWN", "L4CON")
		}, "down", "down", "down", []string{"proxy.backend_down", "proxy.no_certificate"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWard()
			tc.happens(w)
			r := w.rows.report(w.stat, noon)
			if b, p := r.States["backend"]["b1"], r.Problems; tc.backend == "degraded" && b.Code != p[0].Code {
				t.Errorf("the backend says %s, the problem %s", b.Code, p[0].Code)
			}
			for kind, want := range map[string][2]string{"domain": {"d1", tc.domain}, "backend": {"b1", tc.backend}, "server": {"s1", tc.server}} {
				if got := r.States[kind][want[0]].State; got != want[1] {
					t.Errorf("%s is %q, want %q", kind, got, want[1])
				}
			}
			var codes []string
			for _, p := range r.Problems {
				codes = append(codes, p.Code)
			}
			if d := cmp.Diff(tc.problems, codes); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestTheNameWithoutACertificateIsNamed(t *testing.T) {
	w := newWard()
	w.rows.domains[0].WWW = true
	r := w.rows.report(w.stat, noon)
	if len(r.Problems) != 1 || r.Problems[0].Params["domain"] != "www.shop.example.com" || r.Problems[0].Subject.ID != "d1" {
		t.Errorf("problems %+v, want the name with www. of d1", r.Problems)
	}
}

func (w *ward) cover(until time.Time) {
	w.rows.covers = covers{"shop.example.com": {"", []string{"shop.example.com"}, until.AddDate(0, -3, 0), until}}
}

func TestADeadBackendNamesWhomItAffects(t *testing.T) {
	w := newWard()
	w.set("b1", "BACKEND", "DOWN", "")
	w.set("b1", "web1", "DOWN", "* L4TOUT")
	r := w.rows.report(w.stat, noon)
	want := problem.Problem{
		Code: "proxy.backend_down", Severity: problem.Error, Subject: problem.Subject{Kind: "backend", ID: "b1", Name: "shop"},
		Params:  problem.Params{"backend": "shop", "check": "L4TOUT", "reason": "connection timed out"},
		Message: "No server of backend shop is up: connection timed out", Remedy: backendDown.Remedy,
		Since: noon.Add(-time.Minute), Link: "/proxy/pools/b1",
		Affects: []problem.Subject{{Kind: "domain", ID: "d1", Name: "shop.example.com"}}, AffectsTotal: 1, Alert: "backend.down",
	}
	if d := cmp.Diff([]problem.Problem{want}, r.Problems); d != "" {
		t.Error(d)
	}
}

func TestWithoutHAProxyNothingIsGreen(t *testing.T) {
	w := newWard()
	r := w.rows.withoutProxy()
	if r.States["domain"]["d1"].State != "down" || r.States["backend"]["b1"].State != "unknown" || r.States["server"]["s2"].State != "unknown" {
		t.Errorf("states = %v", r.States)
	}
	if len(r.Problems) != 1 || r.Problems[0].Severity != problem.Critical || r.Problems[0].AffectsTotal != 1 {
		t.Errorf("problems = %+v", r.Problems)
	}
}

// HAProxy wants several checks in a row: until then the last result of a server that is down is that of one that succeeded.
func TestACheckThatSucceededIsNoReasonToBeDown(t *testing.T) {
	w := newWard()
	w.set("b1", "BACKEND", "DOWN", "")
	w.set("b1", "web1", "DOWN", "L7OK")
	w.set("b1", "web2", "DOWN", "* L4OK")
	r := w.rows.report(w.stat, noon)
	const want = "No server of backend shop is up: its health checks succeed again, but not yet often enough"
	if len(r.Problems) != 1 || r.Problems[0].Message != want || r.Problems[0].Params["check"] != "PASSED" {
		t.Errorf("problems = %+v, want %q", r.Problems, want)
	}
	for _, id := range []string{"s1", "s2"} {
		if got := r.States["server"][id].Params["reason"]; got != "its health checks succeed again, but not yet often enough" {
			t.Errorf("server %s is down because of %q", id, got)
		}
	}
}
