package e2e

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gateway/tools/bar"
)

// damage is one way to spoil a file.
type damage struct {
	what string
	data []byte
}

// damages are n ways to cut a file or to flip bits of it.
func damages(r *rand.Rand, whole []byte, n int) []damage {
	var out []damage
	for i := range n {
		spoilt := bytes.Clone(whole)
		if i%2 == 0 {
			at := r.IntN(len(whole))
			out = append(out, damage{fmt.Sprintf("cut at %d of %d", at, len(whole)), spoilt[:at]})
			continue
		}
		bit := r.IntN(len(whole) * 8)
		spoilt[bit/8] ^= 1 << (bit % 8)
		out = append(out, damage{fmt.Sprintf("bit %d flipped", bit), spoilt})
	}
	return out
}

// shows T9
func TestBarEngine03Damage(t *testing.T) {
	a, c := alone(t)
	zone := c.post("/dns/zones", object{"name": "damage.arpa", "forward_to": []string{}}).want(201).id()
	for i := range 30 {
		c.post("/dns/records", object{"zone_id": zone, "name": fmt.Sprintf("n%d", i), "type": "A", "value": "192.0.2.1"}).want(201)
	}
	r := rand.New(rand.NewPCG(3, 4))
	n := bar.GateSize(20, 60, 1000)
	var found, repaired int
	var slowest time.Duration
	control := map[string]int{} // what a daemon's own checker would have let pass
	defer func() {
		figure := fmt.Sprintf("%d of %d repaired, %d ms at worst; control: without the hash the daemons' checkers pass %d of %d",
			repaired, found, slowest.Milliseconds(), control["passed"], control["tried"])
		bar.ReportTimed(t, "engine", 3, figure, fmt.Sprintf("%d of %d within 5000 ms", n, n),
			!t.Failed() && repaired == n && control["passed"] > 0, slowest <= 5*time.Second)
	}()
	for _, file := range []string{dnsFile, ntpFile} {
		whole, err := a.node.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for j, d := range damages(r, whole, n/2) {
			found++
			a.spoil(file, d, j%10 == 9, control)
			took := a.eventually(patience, fmt.Sprintf("%s, %s, is put back", file, d.what), func() bool {
				now, err := a.node.ReadFile(file)
				return err == nil && bytes.Equal(now, whole)
			})
			slowest = max(slowest, took)
			repaired++
		}
	}
	a.settles(c, patience)
}

// spoil damages a file while the applier runs or, if down, before it starts, and asks
// the daemon's own checker about it.
func (a *appliance) spoil(file string, d damage, down bool, control map[string]int) {
	a.t.Helper()
	checker := "unbound-checkconf " + file
	if strings.Contains(file, "chrony") {
		checker = "chronyd -p -U 'confdir /etc/chrony/conf.d'"
	}
	if down {
		a.run("systemctl", "stop", "gateway-apply.service", "gateway-apply.socket")
	}
	a.lab.Must(a.node.WriteFile("/root/spoilt", d.data, 0o644))
	out := a.sh("cat /root/spoilt >" + file + "; " + checker + " >/dev/null 2>&1 && echo passed || true")
	control["tried"]++
	if out == "passed" {
		control["passed"]++
	}
	if down {
		a.run("systemctl", "start", "gateway-apply.service")
	}
}
