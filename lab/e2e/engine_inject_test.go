package e2e

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"gateway/tools/bar"
)

// injection is one system call of the applier that fails, once.
type injection struct {
	call, errno string
	when        int
}

// calls are those that an installation is made of, and how they fail on a real machine.
// The runtime's own writes are spared by naming the files.
var calls = []struct {
	call   string
	errnos []string
	most   int // how often an apply makes it, per thread, about
}{
	{"openat", []string{"ENOSPC", "EMFILE", "EIO", "EROFS"}, 5},
	{"write", []string{"ENOSPC", "EIO"}, 2},
	{"fsync", []string{"EIO", "ENOSPC"}, 3},
	{"fchmod", []string{"EPERM", "EROFS"}, 2},
	{"renameat", []string{"EXDEV", "EPERM", "ENOSPC", "EROFS"}, 2},
	{"mkdirat", []string{"ENOSPC"}, 1},
	{"unlinkat", []string{"EPERM", "EIO"}, 2},
	{"clone3", []string{"EAGAIN", "ENOMEM"}, 1},
	{"read", []string{"EIO"}, 3},
}

func injections(r *rand.Rand, n int) []injection {
	var out []injection
	for i := range n {
		c := calls[i%len(calls)]
		out = append(out, injection{c.call, c.errnos[r.IntN(len(c.errnos))], 1 + r.IntN(c.most)})
	}
	return out
}

// traced are the files whose calls fail: those that are installed, and the applier's own.
const traced = "-P " + dnsFile + " -P /etc/unbound/unbound.conf.d/.gateway.conf.gateway-new -P /etc/unbound/unbound.conf.d " +
	"-P /var/lib/gateway-apply/dns.good -P /var/lib/gateway-apply/.dns.good.gateway-new -P /var/lib/gateway-apply " +
	"-P /run/gateway-apply/dns.running -P /run/gateway-apply/dns.running.new -P /run/gateway-apply"

// shows T8, T10
func TestBarEngine04Injections(t *testing.T) {
	a, c := alone(t)
	zone := c.post("/dns/zones", object{"name": "inject.arpa", "forward_to": []string{}}).want(201).id()
	n := bar.GateSize(len(calls), 36, 500)
	var hit, told, broken int
	defer func() {
		panics := a.sh("journalctl --no-pager -u traced -u gateway-apply | grep -c 'panic:\\|fatal error:' || true")
		figure := fmt.Sprintf("%d points, %d of them hit a call and %d were told to the operator; %s panics, %d broken", n, hit, told, panics, broken)
		bar.Report(t, "engine", 4, figure, "0 panics, 0 broken, some hit", !t.Failed() && panics == "0" && broken == 0 && hit > n/4 && told > 0)
	}()
	for i, in := range injections(rand.New(rand.NewPCG(5, 6)), n) {
		a.tracedBy(in)
		r := c.post("/dns/records", object{"zone_id": zone, "name": fmt.Sprintf("n%d", i), "type": "A", "value": "192.0.2.1"}).want(201)
		if a.sh("grep -c INJECTED /run/traced.log || true") != "0" {
			hit++
		}
		if r.header.Get("Gateway-Apply") != "live" {
			told++
		}
		// Whatever failed, what a daemon would find now is whole, and one more try mends the rest.
		if out := a.sh(whole); out != "" {
			broken++
			t.Errorf("%+v: %s", in, out)
		}
		// strace counts per thread, so that a retry on another one may fail once more.
		a.settles(c, 45*time.Second)
		a.eventually(patience, fmt.Sprintf("nothing is left of %+v", in), func() bool { return a.sh(leftovers) == "" })
	}
	a.sh("systemctl stop traced; systemctl start gateway-apply.socket gateway-apply.service")
	a.settles(c, patience)
}

// tracedBy runs the applier with one of its calls failing.
func (a *appliance) tracedBy(in injection) {
	a.t.Helper()
	path := traced
	if in.call == "clone3" {
		path = "" // it has no path
	}
	a.sh(fmt.Sprintf(`systemctl stop gateway-apply.service gateway-apply.socket traced 2>/dev/null
rm -f /run/traced.log
systemd-run --quiet --collect --unit=traced --property=Type=exec --property=RuntimeDirectory=gateway-apply --property=RuntimeDirectoryPreserve=yes \
	strace -f -qq -o /run/traced.log %s -e trace=%s -e inject=%s:error=%s:when=%d /usr/sbin/gateway-apply
n=0; until [ -S /run/gateway/apply.sock ] || [ $n -ge 100 ]; do sleep 0.02; n=$((n+1)); done
chgrp gateway /run/gateway/apply.sock; true`, path, in.call, in.call, in.errno, in.when))
}
