package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway/internal/haproxy"
	"gateway/tools/bar"
)

const (
	haproxyDir = "/etc/gateway/haproxy/"
	sitesMap   = haproxyDir + "maps/sites.map"
)

// manySites is a node that serves them.
type manySites struct {
	*appliance
	c       *caller
	pools   []string
	runtime haproxy.Runtime
	master  haproxy.Master
}

// manySites stores domains past the API, which is about something else, and has them applied.
func (a *appliance) manySites(c *caller, n int) *manySites {
	a.t.Helper()
	m := &manySites{appliance: a, c: c}
	m.connect()
	one := a.origin("one")
	for range 10 {
		m.pools = append(m.pools, c.pool(object{"websocket": true}, one))
	}
	a.sql("gateway", fmt.Sprintf(`begin; `+asChange+`;
		insert into proxy_domains (id, revision, created_at, updated_at, name, backend_id, active, http_to_https, disable_h3, hsts_max_age,
			hsts_subdomains, hsts_preload, rate_limit, maintenance, max_body_size, www_redirect, allow_from, notes)
		select gen_random_uuid(), 1, now(), now(), 'host' || n || '.many.example.com', ('{%s}'::uuid[])[n %% 10 + 1], true, true, false, 0,
			false, false, 0, false, 0, 'off', '{}', '' from generate_series(1, %d) n; commit; analyze proxy_domains`, strings.Join(m.pools, ","), n))
	c.post("/system/render-configs", nil).want(200)
	v := a.visitor(http1)
	a.eventually(patience, "the last domain is served", func() bool {
		p, err := v.try("GET", fmt.Sprintf("https://host%d.many.example.com/", n), nil)
		return err == nil && p.status == 200
	})
	return m
}

func (m *manySites) connect() {
	m.t.Helper()
	var err error
	if m.runtime.Path, err = m.node.HostPath(haproxy.RuntimeSocket); err != nil {
		m.t.Fatal(err)
	}
	if m.master.Path, err = m.node.HostPath(haproxy.MasterSocket); err != nil {
		m.t.Fatal(err)
	}
}

// reloads counts those of HAProxy since it was started.
func (a *appliance) reloads() int {
	a.t.Helper()
	return strings.Count(a.sh("journalctl -u haproxy --no-pager -o cat"), "Loading success")
}

// shows T4
func TestBarProxy04NewHost(t *testing.T) {
	a, c := alone(t)
	m := a.manySites(c, stored)
	v := a.visitor(http1)
	v.get("https://host1.many.example.com/") // the connection is there
	var ours, engine, reload []time.Duration
	n := bar.Size(40, 200)
	before := a.reloads()
	for i := range n {
		name := fmt.Sprintf("new%d.example.com", i)
		began := time.Now()
		c.post("/domains", object{"name": name, "backend_id": m.pools[i%10]}).want(201)
		p := v.get("https://host1.many.example.com/", func(r *http.Request) { r.Host = name })
		ours = append(ours, time.Since(began))
		if p.status != 200 {
			t.Errorf("%s is answered %d", name, p.status)
		}
		engine = append(engine, m.told(fmt.Sprintf("bare%d.example.com", i)))
	}
	hot := a.reloads() - before
	for range bar.Size(5, 20) {
		began := time.Now()
		if err := m.master.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		reload = append(reload, time.Since(began))
	}
	median, part, whole := percentile(ours, 0.5), percentile(engine, 0.5), percentile(reload, 0.5)
	figure := fmt.Sprintf("%.1f ms from request to served at %d domains, median of %d, %d reloads; engine part %.2f ms of a reload's %.0f ms = 1/%.0f",
		ms(median), stored, n, hot, ms(part), ms(whole), float64(whole)/float64(part))
	bar.ReportTimed(t, "proxy", 4, figure, "<=50 ms, engine part <=1/100", hot == 0 && !t.Failed(), median <= 50*time.Millisecond && whole >= 100*part)
}

// told is what the planner tells HAProxy for a new host, straight.
func (m *manySites) told(name string) time.Duration {
	m.t.Helper()
	began := time.Now()
	err := m.runtime.MapSet(m.t.Context(), sitesMap, []haproxy.MapChange{{Key: name, Value: "|||x|||1", New: true}})
	if err == nil {
		_, err = m.runtime.MapGet(m.t.Context(), sitesMap, name)
	}
	took := time.Since(began)
	if err != nil {
		m.t.Fatal(err)
	}
	return took
}

func TestBarProxy06AtOnce(t *testing.T) {
	a, c := alone(t)
	const n = 100
	before := a.reloads()
	began := time.Now()
	var posted time.Duration
	var sent, done sync.WaitGroup
	for i := range n {
		mine := c.copy()
		sent.Add(1)
		done.Go(func() {
			sent.Done()
			if r, err := mine.try("POST", "/backends", object{"name": fmt.Sprintf("at once %d", i)}); err != nil || r.status != 201 || r.header.Get("Gateway-Apply") != "live" {
				t.Errorf("change %d: %v, %v", i, r, err)
			}
		})
	}
	sent.Wait()
	posted = time.Since(began)
	done.Wait()
	took, reloads := time.Since(began), a.reloads()-before
	live := 0
	for _, s := range data[struct {
		Backends []struct{ Server string }
	}](c.get("/proxy/stats")).Backends {
		if s.Server == "BACKEND" {
			live++
		}
	}
	// The control: one by one they cost a reload each.
	before = a.reloads()
	for i := range 3 {
		c.post("/backends", object{"name": fmt.Sprintf("alone %d", i)}).want(201)
	}
	alone := a.reloads() - before
	figure := fmt.Sprintf("%d reloads, %d of %d live after %.1f s, all sent within %d ms; control: 3 one by one cost %d", reloads, live, n, took.Seconds(), posted.Milliseconds(), alone)
	// A round begins half a second after the first change at the latest, so how many share one is a matter of speed.
	bar.ReportTimed(t, "proxy", 6, figure, "<=2 reloads, all live", reloads <= n/4 && live == n && alone == 3 && !t.Failed(), reloads <= 2 && posted < time.Second)
}
