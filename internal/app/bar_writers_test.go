package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
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
	writes := s.writes()
	components := s.written(writes)
	real := s.crowd(200, bar.Size(2, 25), writes)
	s = newStage(t, func(c *app.Config) { c.Unqueued = true })
	control := s.crowd(20, 1, map[string]func() any{"/firewall/rules": writes["/firewall/rules"]})
	p99, slowest := percentile(real.reads, 99), slices.Max(real.reads)
	frozen := percentile(control.reads, 99)
	figure := fmt.Sprintf("%d writes (%d dry runs) at %d paths of %d components: %d done, %d paths without one, %d asked to try again, %d at a maximum, %d x 5xx, %d others; %d reads p99 %.0f ms, slowest %.0f ms; control without the queue: %d x 5xx, reads p99 %.1f s",
		real.sent, real.dry, len(writes), components, real.done, len(real.untouched(writes)), real.again, real.full, real.failed, real.other, len(real.reads), p99.Seconds()*1000, slowest.Seconds()*1000, control.failed, frozen.Seconds())
	for _, path := range real.untouched(writes) {
		t.Logf("nothing was stored at %s", path)
	}
	right := real.failed == 0 && real.other == 0 && len(real.untouched(writes)) == 0 && real.done >= real.sent/10 && frozen > time.Second
	bar.ReportTimed(t, "trust", 7, figure, "0 x 5xx, reads p99 <= 100 ms", right, p99 <= 100*time.Millisecond)
}

// crowd is what came of many writers at once.
type crowd struct {
	sent, dry, done, again, full, failed, other int64
	mu                                          sync.Mutex
	reads                                       []time.Duration
	stored                                      map[string]int // writes that were stored, by path
}

// untouched are the paths at which nothing was stored.
func (c *crowd) untouched(bodies map[string]func() any) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(bodies)), func(path string) bool { return c.stored[path] > 0 })
}

// crowd lets so many write so often, while two read.
func (s *stage) crowd(writers, rounds int, bodies map[string]func() any) *crowd {
	s.t.Helper()
	paths := slices.Sorted(maps.Keys(bodies))
	as := sessionOf(s.admin)
	// A session is asked for its password before what outlasts it.
	token := bearerHeader(mintToken(s.admin, "crowd", "admin", 1))
	c := &crowd{stored: map[string]int{}}
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
				by := as
				if powers.MatchString(path) {
					by = token
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

// unwritten are the components whose POSTs are no work for a crowd, and why.
var unwritten = map[string]string{
	"diag":   "stores nothing: its operations look at the network, one at a time",
	"setup":  "succeeds once in the life of a node",
	"system": "switches and restarts services, of which there is one each",
}

// written counts the components that somebody writes to. None may be missing that could be written to.
func (s *stage) written(bodies map[string]func() any) int {
	s.t.Helper()
	written, mutable := map[string]bool{}, map[string]bool{}
	for _, op := range operations(s.t, s.App) {
		if op.method == http.MethodPost && !op.readOnly {
			mutable[op.component] = true
			written[op.component] = written[op.component] || bodies[op.path] != nil
		}
	}
	maps.DeleteFunc(written, func(_ string, is bool) bool { return !is })
	for name := range mutable {
		if _, excepted := unwritten[name]; written[name] == excepted {
			s.t.Errorf("%s is written to: %v, and named as one that is not: %v", name, written[name], excepted)
		}
	}
	for name := range unwritten {
		if !mutable[name] {
			s.t.Errorf("%s is named as one that is not written to, and nobody could", name)
		}
	}
	return len(written)
}

// writes makes something of every part, without limit: what the components bring as samples, and what a sample cannot say.
func (s *stage) writes() map[string]func() any {
	all := s.sampleWrites()
	maps.Copy(all, s.otherWrites())
	return all
}

// sampleWrites are the objects of the samples. What they refer to is made once, beforehand.
func (s *stage) sampleWrites() map[string]func() any {
	s.t.Helper()
	objects, all := map[string]fields{}, map[string]func() any{}
	for _, one := range allSamples(s.t) {
		maps.Copy(objects, one.Objects)
	}
	others := map[string]fields{}
	var resolved func(of any) any
	resolved = func(of any) any {
		return filledIn(of, func(path, field string) any {
			if others[path] == nil {
				var one fields
				s.admin.Post(path, resolved(objects[path])).Want(http.StatusCreated).Data(&one)
				others[path] = one
			}
			return others[path][field]
		})
	}
	for path, of := range objects {
		resolved(of)
		all[path] = func() any { return resolved(of) }
	}
	delete(all, "/uplinks")        // an interface has one
	delete(all, "/uplink-members") // an uplink is in a group once
	return all
}

func (s *stage) otherWrites() map[string]func() any {
	s.t.Helper()
	link := unique()
	made(s.admin, "/network-interfaces", fields{"name": link, "type": "ethernet", "role": "lan"})
	type fn = func() any
	return map[string]fn{
		"/firewall/address-objects": func() any { return fields{"name": unique(), "kind": "host", "value": "192.0.2.1"} },
		"/firewall/rules": func() any {
			return fields{"name": unique(), "src_zone": "lan", "dst_zone": "dmz", "src_kind": "any", "dst_kind": "any", "action": "accept"}
		},
		"/nat-rules":    func() any { return fields{"name": unique(), "kind": "masquerade", "out_zone": "wan"} },
		"/backends":     func() any { return fields{"name": unique(), "scheme": "http"} },
		"/domains":      func() any { return fields{"name": unique() + ".example.com"} },
		"/certificates": func() any { return fields{"source": "self_signed", "names": []string{unique() + ".example.com"}} },
		"/users": func() any {
			return fields{"email": unique() + "@example.com", "role": "viewer", "password": apptest.Password}
		},
		"/routes": func() any {
			return fields{"destination": "fd01::" + unique()[1:5] + ":" + unique()[9:], "dev": unique()}
		},
		"/dhcp/subnets": func() any {
			at := nextSubnet()
			return fields{"interface": link, "subnet": at + "0/24", "pools": []string{at + "100-" + at + "199"}, "gateway": at + "1"}
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
		if !dry {
			c.mu.Lock()
			c.stored[path]++
			c.mu.Unlock()
		}
	case g.status == http.StatusTooManyRequests && g.header.Get("Retry-After") != "":
		atomic.AddInt64(&c.again, 1)
	case g.status == http.StatusConflict && strings.Contains(string(g.body), `"text":"there are %d `): // ten targets, 64 lists
		atomic.AddInt64(&c.full, 1)
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
