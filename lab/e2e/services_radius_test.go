package e2e

import (
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway/internal/component/radius/freeradius"
	"gateway/internal/component/radius/protocol"
	"gateway/internal/component/radius/radiustest"
	"gateway/internal/db"
	"gateway/internal/secret"
	"gateway/tools/bar"
)

// byHand is what somebody would write who wants PAP and CHAP by a list of users, with a line in a
// log for each sign-in, and nothing else. It knows the same clients, and trusts what they send.
const byHand = `prefix = /usr
libdir = /usr/lib/freeradius
run_dir = /run/byhand
logdir = /run/byhand
hostname_lookups = no
proxy_requests = no
max_requests = 65536
log {
	destination = stdout
	auth = no
}
security {
	reject_delay = 1
	status_server = no
	require_message_authenticator = no
	limit_proxy_state = no
}
thread pool {
	start_servers = 4
	max_servers = 32
	min_spare_servers = 2
	max_spare_servers = 8
	max_requests_per_server = 0
}
modules {
	pap {
	}
	chap {
	}
	files {
		filename = ${confdir}/users
	}
	linelog {
		filename = ${logdir}/signins.log
		permissions = 0640
		format = "%%S %%{reply:Packet-Type} %%{User-Name} %%{Client-Shortname} %%{Packet-Src-IP-Address} %%{Calling-Station-Id} %%{NAS-Identifier}"
	}
}
client device {
	ipaddr = %s
	secret = %s
}
client old-switch {
	ipaddr = %s
	secret = %[2]s
}
server default {
	listen {
		type = auth
		ipaddr = *
		port = 11812
	}
	authorize {
		chap
		files
		pap
	}
	authenticate {
		Auth-Type PAP {
			pap
		}
		Auth-Type CHAP {
			chap
		}
	}
	post-auth {
		linelog
		Post-Auth-Type REJECT {
			linelog
		}
	}
}
`

const (
	handUnit = "byhand.service"
	// aLoad is promised; beside changes there is a part of it, so that they have the processors too.
	aLoad, besideChanges = 2000, 500
	// reloadPause is how long FreeRADIUS drops reloads after one, with what our script adds.
	reloadPause = 3300 * time.Millisecond
	inARow      = 50
)

// signIns is a node whose RADIUS server has many users, beside a FreeRADIUS that was configured by hand.
type signIns struct {
	*appliance
	c       *caller
	devices radiustest.Devices
	port    map[string]string // of each server
	users   int
	last    time.Time // when users were changed
}

// What is answered to whom, what a request takes, and how users change while requests come.
func TestBarServices05SignIns(t *testing.T) {
	s := newSignIns(t, bar.GateSize(1_000, 10_000, 10_000))
	wrong, wrongByHand, cases := s.wrongOfBoth()
	for _, w := range wrong {
		t.Error(w)
	}
	t.Logf("the server that was configured by hand is wrong about: %s", strings.Join(wrongByHand, "; "))
	forged := strings.Contains(strings.Join(wrongByHand, "\n"), "Proxy-State")

	rate, reached, lostLoad := s.perCPU(bar.GateSize(1_000, 5_000, 10_000), bar.GateSize(3, 12, 30))
	ratio := rate["ours"] / rate["by hand"]

	ended, stop := s.load(besideChanges)
	var took []time.Duration
	for i := range bar.GateSize(1, 5, 20) {
		took = append(took, s.change(i))
	}
	longest, applies := s.manyInARow()
	stop()
	asked, lost := ended()
	restarted := s.lostByARestart()

	figure := fmt.Sprintf("%d of %d answers wrong (by hand %d, forged ones among them: %v); %.2f of FreeRADIUS by hand (%.0f and %.0f requests per CPU second at %.0f a second, %d lost); "+
		"%d users: a change live after %.0f ms, the longest %.0f; %d in a row after %.1f s in %d applies; %d of %d requests lost, %d by a restart",
		len(wrong), cases, len(wrongByHand), forged, ratio, rate["ours"], rate["by hand"], reached, lostLoad,
		s.users, ms(percentile(took, 0.5)), ms(percentile(took, 1)), inARow, longest.Seconds(), applies, lost, asked, restarted)
	right := !t.Failed() && len(wrong) == 0 && forged && lost == 0 && lostLoad == 0 && asked > 500 && restarted > 0 && applies <= 3
	bar.ReportTimed(t, "services", 5, figure, ">= 0.95 at 2000 a second, <= 200 ms, 50 in <= 3.5 s, 0 wrong, 0 lost",
		right, ratio >= 0.95 && percentile(took, 0.5) <= 200*time.Millisecond && longest <= 3500*time.Millisecond)
}

func newSignIns(t *testing.T, users int) *signIns {
	t.Helper()
	a, c := alone(t)
	base := strings.TrimSuffix(a.lab.Network("lan").Prefix().Addr().String(), "0")
	s := &signIns{
		appliance: a, c: c, users: users, port: map[string]string{"ours": "1812", "by hand": "11812"},
		devices: radiustest.Devices{Strict: a.client.IP().String(), Lenient: base + "177", Unknown: base + "178"},
	}
	for _, addr := range []string{s.devices.Lenient, s.devices.Unknown} {
		a.client.MustRun(t, "ip", "addr", "add", addr+"/24", "dev", "eth0")
	}
	c.post("/network-interfaces", object{"name": "eth0", "type": "ethernet", "role": "lan"}).want(201)
	c.rule("FreeRADIUS by hand", "any", "any", "accept", object{"service_object_id": c.service("udp", 11812)})
	c.post("/radius/clients", object{"name": "device", "address": s.devices.Strict, "secret": deviceSecret}).want(201)
	c.post("/radius/clients", object{"name": "old-switch", "address": s.devices.Lenient, "secret": deviceSecret, "require_message_authenticator": false}).want(201)
	s.fill()
	c.switched("/radius/settings", object{"zones": []string{"lan"}})
	s.startByHand()
	s.last = time.Now()
	return s
}

// user is the name and the password of one of many.
func (s *signIns) user(n int) (name, password string) {
	return fmt.Sprint("user", n%s.users), fmt.Sprint("wonder land ", n%s.users)
}

// fill stores the users past the API, which is about something else, and one who may not sign in.
func (s *signIns) fill() {
	s.t.Helper()
	key, err := hex.DecodeString(strings.TrimSpace(s.run("cat", "/var/lib/gateway/master.key")))
	s.lab.Must(err)
	box, err := secret.NewBox(key)
	s.lab.Must(err)
	var rows strings.Builder
	rows.WriteString("begin; " + asChange + ";\n" +
		"copy radius_users (id, revision, created_at, updated_at, name, password, enabled, vlan, description) from stdin;\n")
	row := func(name, password string, enabled bool) {
		id := db.NewID()
		sealed := box.Seal([]byte(password), freeradius.PasswordPlace(id))
		fmt.Fprintf(&rows, "%s\t1\tnow\tnow\t%s\t\\\\x%x\t%v\t\\N\t\n", id, name, sealed, enabled)
	}
	for n := range s.users {
		name, password := s.user(n)
		row(name, password, true)
	}
	row("carl", "gone", false)
	rows.WriteString("\\.\ncommit; analyze radius_users;\n")
	out, err := s.node.RunInput(s.t.Context(), strings.NewReader(rows.String()), "runuser", "-u", "postgres", "--", "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", "gateway")
	if err != nil {
		s.t.Fatalf("%v: %.500s", err, out)
	}
	s.c.post("/system/render-configs", nil).want(200)
}

// startByHand runs the other server as Debian's unit would.
func (s *signIns) startByHand() {
	s.t.Helper()
	conf := fmt.Sprintf(byHand, s.devices.Strict, deviceSecret, s.devices.Lenient)
	s.lab.Must(s.node.WriteFile("/etc/byhand/radiusd.conf", []byte(conf), 0o644))
	s.lab.Must(s.node.WriteFile("/run/systemd/system/"+handUnit+".d/exec.conf", []byte("[Service]\nExecStart=/usr/sbin/freeradius -f -l stdout -d /etc/byhand -n radiusd\n"), 0o644))
	s.sh("install -m 640 -g freerad /etc/gateway/radius/users /etc/byhand/users" +
		" && sed '/^Exec/d; s/^RuntimeDirectory=.*/RuntimeDirectory=byhand/' /usr/lib/systemd/system/freeradius.service >/run/systemd/system/" + handUnit +
		" && systemctl daemon-reload && systemctl start " + handUnit)
	s.eventually(patience, "the FreeRADIUS by hand answers", func() bool {
		p, err := radiustest.Ask(s.t.Context(), s.client, s.question("by hand"), 200*time.Millisecond)
		return err == nil && radiustest.Verdict(p) == "accept"
	})
}

// question is a right one.
func (s *signIns) question(server string) radiustest.Question {
	name, password := s.user(0)
	return radiustest.Question{From: s.devices.Strict, To: net.JoinHostPort(s.node.IP().String(), s.port[server]), Secret: deviceSecret, User: name, Password: password}
}

// wrongOfBoth asks both servers at the same time: most of it is waiting for silence.
func (s *signIns) wrongOfBoth() (ours, byHand []string, cases int) {
	s.t.Helper()
	var wg sync.WaitGroup
	wg.Go(func() { ours, cases = s.wrong("ours") })
	wg.Go(func() { byHand, _ = s.wrong("by hand") })
	wg.Wait()
	return ours, byHand, cases
}

// wrong are the answers that are not as specified, out of how many.
func (s *signIns) wrong(server string) (all []string, cases int) {
	s.t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	list := radiustest.Cases(s.question(server), s.devices, radiustest.Disabled{User: "carl", Password: "gone"})
	for _, c := range list {
		wg.Go(func() {
			p, err := radiustest.Ask(s.t.Context(), s.client, c.Question, radiustest.Patience)
			if got := radiustest.Verdict(p); err != nil || got != c.Want {
				mu.Lock()
				defer mu.Unlock()
				all = append(all, fmt.Sprintf("%s: %s instead of %s (%v)", c.Name, got, c.Want, err))
			}
		})
	}
	wg.Wait()
	return all, len(list)
}

// cpu is what a unit has taken, in nanoseconds: in the ticks of /proc a short load is a matter of luck.
func (s *signIns) cpu(unit string) time.Duration {
	s.t.Helper()
	n, err := strconv.ParseInt(s.run("systemctl", "show", "-p", "CPUUsageNSec", "--value", unit), 10, 64)
	s.lab.Must(err)
	return time.Duration(n)
}

// loadOn are sign-ins as access points ask for them: with the device, and what they call themselves.
func (s *signIns) loadOn(server string, rate int) radiustest.Load {
	q := s.question(server)
	q.Change = func(p *protocol.Packet) {
		p.Add(protocol.CallingStationID, []byte("02-00-5e-00-53-01"))
		p.Add(protocol.NASIdentifier, []byte("ap-hall"))
	}
	return radiustest.Load{At: s.client, Question: q, Rate: rate, User: s.user}
}

// perCPU is how many requests a second of CPU is enough for, on each server, in turns.
func (s *signIns) perCPU(requests, rounds int) (rate map[string]float64, reached float64, lost int) {
	s.t.Helper()
	spent := map[string]time.Duration{}
	var lasted time.Duration
	for range rounds {
		for server, unit := range map[string]string{"ours": freeradius.Unit, "by hand": handUnit} {
			_, early, err := s.loadOn(server, aLoad).Run(s.t.Context(), requests/20) // threads are started
			s.lab.Must(err)
			before, began := s.cpu(unit), time.Now()
			_, late, err := s.loadOn(server, aLoad).Run(s.t.Context(), requests)
			s.lab.Must(err)
			lasted += time.Since(began)
			spent[server] += s.cpu(unit) - before
			lost += early + late
		}
	}
	rate = map[string]float64{}
	for server, cpu := range spent {
		rate[server] = float64(requests*rounds) / cpu.Seconds()
	}
	return rate, float64(2*requests*rounds) / lasted.Seconds(), lost
}

// load asks until it is stopped, and then tells how it went.
func (s *signIns) load(rate int) (ended func() (asked, lost int), stop func()) {
	ctx, stop := context.WithCancel(s.t.Context())
	var asked, lost int
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		asked, lost, err = s.loadOn("ours", rate).Run(ctx, 0)
	}()
	return func() (int, int) {
		<-done
		s.lab.Must(err)
		return asked, lost
	}, stop
}

// create makes a user, and returns how long it took until a device was told that the user may sign in.
func (s *signIns) create(c *caller, name string) (time.Duration, error) {
	began := time.Now()
	r, err := c.try("POST", "/radius/users", object{"name": name, "password": "at once"})
	if err != nil || r.status != 201 || r.header.Get("Gateway-Apply") != "live" {
		return 0, fmt.Errorf("create %s: %v, %w", name, r, err)
	}
	q := s.question("ours")
	q.User, q.Password = name, "at once"
	p, err := radiustest.Ask(s.t.Context(), s.client, q, radiustest.Patience)
	if got := radiustest.Verdict(p); got != "accept" {
		return 0, fmt.Errorf("%s is live and is answered %s, %w", name, got, err)
	}
	return time.Since(began), nil
}

// change is one change, at a time at which FreeRADIUS reads its users at once.
func (s *signIns) change(n int) time.Duration {
	s.t.Helper()
	<-time.After(time.Until(s.last.Add(reloadPause)))
	took, err := s.create(s.c, fmt.Sprint("new", n))
	s.lab.Must(err)
	s.last = time.Now()
	return took
}

// manyInARow makes changes right after another one, and returns how long the last of them took
// until it was live, and how many applies there were.
func (s *signIns) manyInARow() (longest time.Duration, applies int) {
	s.t.Helper()
	count := func() int {
		n, err := strconv.Atoi(s.sql("gateway", "select count(*) from applies where component = 'radius'"))
		s.lab.Must(err)
		return n
	}
	before := count()
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range inARow {
		mine := s.c.copy()
		all.Go(func() {
			took, err := s.create(mine, fmt.Sprint("row", i))
			mu.Lock()
			defer mu.Unlock()
			if longest = max(longest, took); err != nil {
				s.t.Error(err)
			}
		})
	}
	all.Wait()
	return longest, count() - before
}

// lostByARestart is the control for requests that get no answer.
func (s *signIns) lostByARestart() int {
	s.t.Helper()
	ended, stop := s.load(besideChanges)
	s.run("systemctl", "restart", freeradius.Unit)
	<-time.After(200 * time.Millisecond)
	stop()
	_, lost := ended()
	return lost
}
