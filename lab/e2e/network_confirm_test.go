package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway/tools/bar"
)

// lockoutWait is how long the changes wait: the shortest that can be asked for.
const lockoutWait = 5 * time.Second

// hindrance is what happens while a change waits.
type hindrance struct {
	name  string
	wait  time.Duration
	fault func() error
}

// lockout is a change that takes the session of its operator away.
type lockout struct {
	name         string
	by           *operator
	method, path string
	body         object
}

// lockouts makes changes from afar that cut off whoever makes them, and measures how the
// network comes back.
type lockouts struct {
	*legs
	forecast, cut, tries int
	back                 map[string]int           // by way
	slowest              map[string]time.Duration // until a connection comes about again, less the wait
}

// kinds are the changes. This kernel has no VLANs and no bonds: the port of a bridge stands
// for the member of a bond.
func (l *lockouts) kinds() []lockout {
	return []lockout{
		{"default route wrong", l.far, "PUT", "/routes/" + l.route, object{"destination": "0.0.0.0/0", "gateway": "10.77.0.253"}},
		{"address gone", l.near, "DELETE", "/ip-addresses/" + l.inner, nil},
		{"member pulled", l.near, "PUT", "/network-interfaces/" + l.bridge, object{"name": officeBridge, "type": "bridge", "role": "lan", "members": []string{"eth3"}}},
		{"route back swallowed", l.far, "POST", "/routes", object{"destination": farOperator + "/32", "type": "blackhole"}},
	}
}

// shows T28
func TestBarNetwork04Lockouts(t *testing.T) {
	l := &lockouts{legs: newLegs(t), back: map[string]int{}, slowest: map[string]time.Duration{}}
	n := bar.GateSize(1, 2, 20)
	ways := l.ways()
	defer func() {
		var parts []string
		right, inTime := !t.Failed() && l.tries > 0 && l.forecast == l.tries && l.cut == l.tries, true
		for _, w := range ways {
			parts = append(parts, fmt.Sprintf("%s %d of %d (<=%+d ms)", w.name, l.back[w.name], n, l.slowest[w.name].Milliseconds()))
			right, inTime = right && l.back[w.name] == n, inTime && l.slowest[w.name] <= 5*time.Second
		}
		figure := fmt.Sprintf("%d of %d forecast, %d cut the session; back by themselves: %s; no VLAN, bond or tunnel, a bridge port for the member", l.forecast, l.tries, l.cut, strings.Join(parts, ", "))
		bar.ReportTimed(t, "network", 4, figure, fmt.Sprintf("all forecast, %d of %d each, within the wait + 5000 ms", n, n), right, inTime)
	}()
	for i := range n {
		for j, w := range ways {
			kinds := l.kinds()
			if l.once(kinds[(i+j)%len(kinds)], w); t.Failed() {
				return
			}
		}
	}
}

// ways are what may happen meanwhile. A node boots for a while, so there the wait is longer.
func (l *lockouts) ways() []hindrance {
	run := func(line string) func() error {
		return func() error {
			_, err := l.node.Run(l.t.Context(), "sh", "-c", line)
			return err
		}
	}
	return []hindrance{
		{"unhindered", lockoutWait, func() error { return nil }},
		{"killed", lockoutWait, run("systemctl kill -s KILL gateway-api.service gateway-apply.service; systemctl reset-failed 'gateway-*'; systemctl start gateway-api.service gateway-apply.service")},
		{"database", lockoutWait, run("systemctl stop postgresql")},
		{"reboot", confirmWithin, func() error { return errors.Join(l.node.Kill(), l.node.Boot()) }}, // the plug is pulled
	}
}

// once makes a change that is forecast to cut its operator off, without confirming it.
func (l *lockouts) once(k lockout, way hindrance) {
	l.t.Helper()
	l.tries++
	before, what := l.kernel(), way.name+", "+k.name
	if l.foretold(k, what) {
		l.forecast++
	}
	if !k.by.reaches(l.t.Context()) {
		l.t.Fatalf("%s: the operator is cut off by what was only asked", what)
	}
	began := time.Now()
	l.make(k, way.wait)
	l.eventually(way.wait, what+": the operator is cut off by the change", func() bool { return l.kernel() != before && !k.by.reaches(l.t.Context()) })
	l.cut++
	done := make(chan error, 1)
	go func() { done <- way.fault() }()
	reaches := func() bool { return k.by.reaches(l.t.Context()) }
	l.eventually(way.wait+2*patience, what+": the operator is back", reaches)
	early := time.Since(began)
	time.Sleep(time.Until(began.Add(way.wait))) // a node that boots has what was there before, and then what still waits
	l.eventually(2*patience, what+": the operator is back for good", reaches)
	took := time.Since(began) - way.wait
	l.slowest[way.name] = max(l.slowest[way.name], took)
	l.t.Logf("%s: back for the first time after %d ms, for good %+d ms after the wait", what, early.Milliseconds(), took.Milliseconds())
	l.lab.Must(<-done)
	l.comesToRest(k, what)
	if after := l.kernel(); after != before {
		l.t.Fatalf("%s: the kernel has\n%s\nhad\n%s", what, after, before)
	}
	l.back[way.name]++
}

// comesToRest waits until nothing waits, and every component runs on what is wanted.
func (l *lockouts) comesToRest(k lockout, what string) {
	l.t.Helper()
	l.run("systemctl", "start", "postgresql")
	l.eventually(2*patience, what+": nothing waits any more", func() bool {
		r, err := l.comesFrom(k.by).try("GET", "/changes?waiting=true", nil)
		var waiting []object
		return err == nil && r.status == http.StatusOK && r.decode(&waiting) && len(waiting) == 0
	})
	l.settles(l.c, 2*patience)
}

// foretold reports whether the change is refused, and its dry run too.
func (l *lockouts) foretold(k lockout, what string) bool {
	l.t.Helper()
	c := l.comesFrom(k.by)
	plain := c.do(k.method, k.path, k.body)
	c.header.Set("Gateway-Dry-Run", "true")
	dry := c.do(k.method, k.path, k.body)
	if !locksOut(plain) || !locksOut(dry) {
		l.t.Errorf("%s: answered %v, and the dry run %v", what, plain, dry)
		return false
	}
	return true
}

// make sends the change with a confirmation asked for. Its answer may come late or never: the
// way back is cut.
func (l *lockouts) make(k lockout, wait time.Duration) {
	l.t.Helper()
	c := l.comesFrom(k.by)
	c.http.Timeout = wait + patience
	c.header.Set("Gateway-Confirm-Within", fmt.Sprint(int(wait.Seconds())))
	go func() { _, _ = c.try(k.method, k.path, k.body) }()
}
