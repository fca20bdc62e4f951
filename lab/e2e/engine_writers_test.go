package e2e

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// fate is what we know of one record that somebody tried to make or to remove.
type fate int

const (
	unknown fate = iota // the answer was lost: either is right
	there
	gone
)

// writers change records without a pause, and remember what they were told.
type writers struct {
	*appliance
	zone string

	mu    sync.Mutex
	fates map[string]fate
	told  map[fate]int
	when  map[string]string // when each fate was told, and how
	ids   map[string]string // of records that are there
	next  int

	gate sync.RWMutex // held for writing, it makes them pause
}

func newWriters(a *appliance, c *caller) *writers {
	a.t.Helper()
	zone := c.post("/dns/zones", object{"name": "kill.arpa", "forward_to": []string{}}).want(201).id()
	return &writers{appliance: a, zone: zone, fates: map[string]fate{}, told: map[fate]int{}, when: map[string]string{}, ids: map[string]string{}}
}

// start runs n writers until the returned function is called.
func (w *writers) start(n int, c *caller) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for i := range n {
		mine := c.copy()
		wg.Go(func() {
			for turn := i; ctx.Err() == nil; turn++ {
				w.gate.RLock()
				w.change(mine, turn)
				w.gate.RUnlock()
			}
		})
	}
	return func() { cancel(); wg.Wait() }
}

func (w *writers) change(c *caller, turn int) {
	if name, id := w.some(); turn%4 == 3 && id != "" {
		r, err := c.try("DELETE", "/dns/records/"+id, nil)
		w.note(name, "", outcome(r, err, http.StatusOK, gone, there), r)
		return
	}
	name := w.name()
	r, err := c.try("POST", "/dns/records", object{"zone_id": w.zone, "name": name, "type": "A", "value": "192.0.2.1", "ttl": 60})
	id := ""
	if err == nil && r.status == http.StatusCreated {
		id = r.id()
	}
	w.note(name, id, outcome(r, err, http.StatusCreated, there, gone), r)
}

// outcome reads an answer.
func outcome(r *answer, err error, want int, done, refused fate) fate {
	switch {
	case err != nil:
		return unknown
	case r.status == want:
		return done
	case r.status == http.StatusBadGateway || r.status == http.StatusGatewayTimeout || r.code() == "outcome_unknown":
		return unknown // it was sent, and nobody knows how far it got
	default:
		return refused
	}
}

func (w *writers) name() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next++
	return fmt.Sprintf("n%05d", w.next)
}

// some is a record to remove.
func (w *writers) some() (name, id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, id := range w.ids {
		delete(w.ids, name) // nobody else tries
		return name, id
	}
	return "", ""
}

func (w *writers) note(name, id string, f fate, r *answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told[f]++
	w.fates[name] = f
	w.when[name] += fmt.Sprintf(" %s %v", time.Now().Format("15:04:05.000"), r)
	if id != "" {
		w.ids[name] = id
	}
}

// check holds what the writers were told against what is stored, logged and answered.
func (w *writers) check(report func(format string, args ...any)) (violations int) {
	w.t.Helper()
	stored := map[string]int{}
	for _, name := range strings.Fields(w.sql("gateway", "select name from dns_records where zone_id = '"+w.zone+"'")) {
		stored[name]++
	}
	logged := map[string]int{}
	for _, subject := range strings.Split(w.sql("gateway", "select subject from audit_entries where action = 'dns.record.create'"), "\n") {
		name, _, _ := strings.Cut(strings.TrimPrefix(subject, "A "), ".")
		logged[name]++
	}
	served := w.served()
	w.mu.Lock()
	defer w.mu.Unlock()
	complain := func(format string, args ...any) {
		if violations++; violations < 10 {
			report(format, args...)
		}
	}
	for name, f := range w.fates {
		n := stored[name]
		switch {
		case n > 1:
			complain("%s is stored %d times", name, n)
		case f == there && n != 1:
			complain("%s was acknowledged and is gone:%s", name, w.when[name])
		case f == gone && n != 0:
			complain("%s was refused or removed, and is there:%s", name, w.when[name])
		case n == 1 && logged[name] != 1:
			complain("%s is stored with %d audit entries", name, logged[name])
		}
		if (n == 1) != served[name] {
			complain("%s: stored %v, served %v", name, n == 1, served[name])
		}
	}
	return violations
}

// sabotage loses an acknowledged record behind everybody's back, and counts what the
// check finds: it must find something.
func (w *writers) sabotage() int {
	w.t.Helper()
	w.sql("gateway", `begin; `+asChange+`;
		delete from dns_records where id = (select min(id::text)::uuid from dns_records); commit`)
	return w.check(func(string, ...any) {})
}

// served are the names that unbound has data for, by its own account.
func (w *writers) served() map[string]bool {
	w.t.Helper()
	out := map[string]bool{}
	for _, line := range strings.Split(w.run("unbound-control", "list_local_data"), "\n") {
		if name, rest, ok := strings.Cut(line, ".kill.arpa."); ok && strings.Contains(rest, "192.0.2.1") {
			out[name] = true
		}
	}
	return out
}

// paused runs fn while nobody writes.
func (w *writers) paused(fn func()) {
	w.gate.Lock()
	defer w.gate.Unlock()
	fn()
}

// whole checks the files as a daemon that starts now would find them: sealed, accepted
// by their checkers, and nothing left beside them.
const whole = `
set -u
for f in ` + dnsFile + ` ` + ntpFile + `; do
	cat $f >/tmp/whole # one reading: it may be replaced between two
	want=$(tail -n 1 /tmp/whole | sed -n 's/^# gw-sha256 //p')
	got=$(head -n -1 /tmp/whole | sha256sum | cut -d' ' -f1)
	[ "$want" = "$got" ] || echo "$f is not as it was sealed"
done
unbound-checkconf >/dev/null 2>&1 || echo "unbound's checker refuses the configuration"
chronyd -p -U 'confdir /etc/chrony/conf.d' >/dev/null 2>&1 || echo "chrony's checker refuses the configuration"
`

const leftovers = `find /etc/unbound /etc/chrony /var/lib/gateway-apply /run/gateway-apply \( -name '*.gateway-new' -o -name 'stage-*' -o -name '*.new' \) 2>/dev/null`

func percentile(all []time.Duration, p float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(len(sorted)-1, int(p*float64(len(sorted))))]
}
