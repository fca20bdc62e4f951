package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gateway/internal/api"
	"gateway/internal/app"
	"gateway/internal/app/apptest"
	"gateway/tools/bar"
)

// Two hundred write at once, to all parts, and whoever reads does not notice. The control
// lifts the limit on transactions: the readers then find every connection taken.
func TestBarTrust07ManyWriters(t *testing.T) {
	s := newStage(t)
	real := s.crowd(200, bar.Size(2, 25), s.writes())
	s = newStage(t, func(c *app.Config) { c.Unqueued = true })
	rules := map[string]func() any{"/firewall/rules": s.writes()["/firewall/rules"]}
	control := s.crowd(20, 1, rules)
	p99, slowest := percentile(real.reads, 99), slices.Max(real.reads)
	frozen := percentile(control.reads, 99)
	figure := fmt.Sprintf("%d writes (%d dry runs): %d done, %d asked to try again, %d x 5xx, %d others; %d reads p99 %.0f ms, slowest %.0f ms; control without the queue: %d x 5xx, reads p99 %.1f s",
		real.sent, real.dry, real.done, real.again, real.failed, real.other, len(real.reads), p99.Seconds()*1000, slowest.Seconds()*1000, control.failed, frozen.Seconds())
	right := real.failed == 0 && real.other == 0 && real.done >= real.sent/10 && frozen > time.Second
	bar.ReportTimed(t, "trust", 7, figure, "0 x 5xx, reads p99 <= 100 ms", right, p99 <= 100*time.Millisecond)
}

// crowd is what came of many writers at once.
type crowd struct {
	sent, dry, done, again, failed, other int64
	mu                                    sync.Mutex
	reads                                 []time.Duration
}

// crowd lets so many write so often, while two read.
func (s *stage) crowd(writers, rounds int, bodies map[string]func() any) *crowd {
	s.t.Helper()
	paths := slices.Sorted(maps.Keys(bodies))
	as := sessionOf(s.admin)
	// A session is asked for its password before accounts.
	program := map[string]http.Header{"/users": bearerHeader(mintToken(s.admin, "crowd", "admin", 1))}
	c := &crowd{}
	var writing, reading sync.WaitGroup
	gun, stop := make(chan struct{}), make(chan struct{})
	for range 2 {
		reading.Go(func() { c.read(newWire(s.t, s.App).alone(), as, paths, stop) })
	}
	for i := range writers {
		w := newWire(s.t, s.App).alone()
		w.do(call{method: http.MethodGet, target: api.Prefix + "/system/health"}) // the connection is open before it counts
		writing.Go(func() {
			<-gun
			for n := range rounds {
				path := paths[(i+n)%len(paths)]
				by, found := program[path]
				if !found {
					by = as
				}
				c.write(w, by, path, bodies[path](), (i+n)%3 == 0)
			}
		})
	}
	close(gun)
	writing.Wait()
	close(stop)
	reading.Wait()
	return c
}

// writes makes something of every part, without limit.
func (s *stage) writes() map[string]func() any {
	zone := s.zone(s.admin)
	type fn = func() any
	return map[string]fn{
		"/ntp/pools":                func() any { return fields{"kind": "server", "address": unique() + ".example.com"} },
		"/dns/zones":                func() any { return fields{"name": unique() + ".arpa", "forward_to": []string{}} },
		"/dns/records":              func() any { return fields{"zone_id": zone, "name": unique(), "type": "A", "value": "192.0.2.1"} },
		"/firewall/address-objects": func() any { return fields{"name": unique(), "kind": "host", "value": "192.0.2.1"} },
		"/firewall/rules": func() any {
			return fields{"name": unique(), "src_zone": "lan", "dst_zone": "dmz", "src_kind": "any", "dst_kind": "any", "action": "accept"}
		},
		"/nat-rules":          func() any { return fields{"name": unique(), "kind": "masquerade", "out_zone": "wan"} },
		"/network-interfaces": func() any { return fields{"name": unique(), "type": "ethernet"} },
		"/backends":           func() any { return fields{"name": unique(), "scheme": "http"} },
		"/domains":            func() any { return fields{"name": unique() + ".example.com"} },
		"/certificates":       func() any { return fields{"source": "self_signed", "names": []string{unique() + ".example.com"}} },
		"/users": func() any {
			return fields{"email": unique() + "@example.com", "role": "viewer", "password": apptest.Password}
		},
		"/radius/users": func() any { return fields{"name": unique(), "password": "wonder land"} },
		"/batch": func() any {
			return fields{"operations": []fields{
				{"method": "POST", "path": "/ntp/pools", "body": fields{"kind": "server", "address": unique() + ".example.com"}},
				{"method": "POST", "path": "/dns/zones", "body": fields{"name": unique() + ".arpa", "forward_to": []string{}}},
			}}
		},
	}
}

func (c *crowd) write(w *wire, as http.Header, path string, body any, dry bool) {
	text, err := json.Marshal(body)
	if err != nil {
		w.t.Error(err)
		return
	}
	header := as.Clone()
	if dry {
		header.Set("Gateway-Dry-Run", "true")
		atomic.AddInt64(&c.dry, 1)
	}
	g, err := w.try(call{method: http.MethodPost, target: api.Prefix + path, header: header, body: string(text)})
	atomic.AddInt64(&c.sent, 1)
	switch {
	case err == nil && (g.status == http.StatusOK || g.status == http.StatusCreated):
		atomic.AddInt64(&c.done, 1)
	case g.status == http.StatusTooManyRequests && g.header.Get("Retry-After") != "":
		atomic.AddInt64(&c.again, 1)
	case err != nil || g.status >= http.StatusInternalServerError:
		atomic.AddInt64(&c.failed, 1)
		w.t.Logf("%s = %d %v %s", path, g.status, err, g.body)
	default:
		atomic.AddInt64(&c.other, 1)
		w.t.Logf("%s = %d %s", path, g.status, g.body)
	}
}

// readEvery is fast enough to see a pause, and leaves the machine to the writers.
const readEvery = 10 * time.Millisecond

// read asks for one list after the other until told to stop. A read that is late because the
// one before it was slow has waited too, so times count from when it was due.
func (c *crowd) read(w *wire, as http.Header, paths []string, stop <-chan struct{}) {
	var took []time.Duration
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.reads = append(c.reads, took...)
	}()
	due := time.Now()
	for n := 0; ; n++ {
		due = due.Add(readEvery)
		select {
		case <-stop:
			return
		case <-time.After(time.Until(due)):
		}
		path := paths[n%len(paths)] + "?limit=20"
		if paths[n%len(paths)] == "/batch" {
			path = "/auth/me"
		}
		g, err := w.try(call{method: http.MethodGet, target: api.Prefix + path, header: as})
		took = append(took, time.Since(due))
		if err != nil || g.status != http.StatusOK {
			if atomic.AddInt64(&c.failed, 1) > 3 {
				continue
			}
			w.t.Logf("GET %s = %d %v", path, g.status, err)
		}
	}
}
