package e2e

import (
	"encoding/json"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// pager receives the alerts of a node, at the client's place in the network.
type pager struct {
	url string
	mu  sync.Mutex
	got []string // "state kind subject"
}

func (a *appliance) pager() *pager {
	a.t.Helper()
	ln, err := a.client.Listen(a.t.Context(), "tcp", net.JoinHostPort(a.client.IP().String(), "0"))
	a.lab.Must(err)
	p := &pager{url: "http://" + ln.Addr().String() + "/"}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var in struct{ State, Kind, Subject string }
		if json.NewDecoder(r.Body).Decode(&in) == nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.got = append(p.got, strings.Join([]string{in.State, in.Kind, in.Subject}, " "))
		}
	})}
	go func() { _ = server.Serve(ln) }()
	a.t.Cleanup(func() { _ = server.Close() })
	return p
}

// has is how often something was told.
func (p *pager) has(line string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.got {
		if one == line {
			n++
		}
	}
	return n
}

// What is wrong on a node reaches people, and so does its end, each once, whatever becomes of the process that sends it.
//
// shows ALERT-22
func TestAlertsReachPeople(t *testing.T) {
	a, c := alone(t)
	p := a.pager()
	c.post("/alerts", object{"kind": "webhook", "target": p.url, "min_severity": "info", "kinds": []string{"backend.down", "cert.expiring", "change.undone", "test"}}).want(201)
	told := func(line string) {
		t.Helper()
		a.eventually(3*time.Minute, line, func() bool { return p.has(line) > 0 })
	}
	c.post("/alerts/test", nil).want(200)
	told("notice test gw1")

	one, two := a.origin("one"), a.origin("two")
	pool := c.pool(object{"name": "shop", "health_check": true, "health_path": "/", "health_interval": 1}, one, two)
	site := "/domains/" + c.site("shop.example.com", pool, nil)
	a.settles(c, patience)
	certificate, key := pairUntil(t, "old.example.com", 48*time.Hour)
	old := "/certificates/" + c.post("/certificates", uploaded("old.example.com", certificate, key)).want(201).id()
	asks := c.copy()
	asks.header.Set("Gateway-Confirm-Within", "5")
	a.awaitUndone(c, asks.post("/dns/zones", object{"name": "undone.example", "forward_to": []string{}}).want(201).header.Get("Gateway-Change"))
	lost := one.server.Close()
	told("firing cert.expiring old.example.com")
	told("notice change.undone undone.example")
	if n := p.has("firing backend.down shop"); n != 0 || lost != nil {
		t.Errorf("told %d times that a backend is down of which one server works", n)
	}
	_ = two.server.Close()
	told("firing backend.down shop")
	a.run("systemctl", "kill", "-s", "KILL", "gateway-scheduler")
	c.do(http.MethodDelete, old, nil).want(200)
	c.do(http.MethodDelete, site, nil).want(200)
	c.do(http.MethodDelete, "/backends/"+pool, nil).want(200)
	told("resolved cert.expiring old.example.com")
	told("resolved backend.down shop")
	p.mu.Lock()
	defer p.mu.Unlock()
	if once := slices.Compact(slices.Sorted(slices.Values(p.got))); len(once) != len(p.got) {
		t.Errorf("told %q, want each once", p.got)
	}
}
