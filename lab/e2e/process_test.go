package e2e

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// What gateway-apply installs and reloads is shown by TestAChangeReachesTheDaemons.
//
// shows PROC-07
func TestEachProcessRunsAsItself(t *testing.T) {
	a := installed(t)
	a.signedIn(a.admin).services() // asks gateway-apply, which starts it
	for unit, want := range map[string]string{
		"gateway-api.service":       "gateway /usr/sbin/gateway-api",
		"gateway-scheduler.service": "gateway /usr/sbin/gateway-scheduler",
		"gateway-apply.service":     "root /usr/sbin/gateway-apply",
		"haproxy.service":           "root /usr/sbin/haproxy",
	} {
		pid := a.mainPID(unit)
		if got := a.run("stat", "-c", "%U", "/proc/"+pid) + " " + a.sh(`tr '\0' '\n' </proc/`+pid+`/cmdline | head -1`); got != want {
			t.Errorf("%s is %q, want %q", unit, got, want)
		}
	}
	if got := a.fails("pgrep", "-l", "-i", "redis"); got != "" {
		t.Errorf("a Redis runs: %s", got)
	}
	if table := a.run("nft", "list", "chain", "inet", "gateway", "input"); !strings.Contains(table, "@peers4 tcp dport { 5432, 6379, 8443 } accept") {
		t.Errorf("peers may not reach port 6379:\n%s", table)
	}
	if failed := a.run("systemctl", "list-units", "--failed", "--plain", "--no-legend", "gateway-*", "haproxy*", "postgresql*"); failed != "" {
		t.Errorf("failed units:\n%s", failed)
	}
}

func TestOnlyTheProxysPortsAreOpen(t *testing.T) {
	a := installed(t)
	listening := a.run("ss", "-Hltn")
	var open []string
	for line := range strings.Lines(listening) {
		if local := strings.Fields(line)[3]; !strings.HasPrefix(local, "127.0.0.1:") && !strings.HasPrefix(local, "[::1]:") {
			open = append(open, local)
		}
	}
	slices.Sort(open)
	want := []string{"0.0.0.0:3443", "0.0.0.0:443", "0.0.0.0:80", "[::]:3443", "[::]:443", "[::]:80"}
	if !slices.Equal(open, want) {
		t.Errorf("open to the network: %v, want %v", open, want)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // the packet filter does not even refuse
	defer cancel()
	if conn, err := a.client.DialContext(ctx, "tcp", a.node.IP().String()+":8080"); err == nil {
		conn.Close()
		t.Error("the API itself can be reached past the proxy")
	}
	c := a.stranger() // and it answers on IPv6 too
	c.base = "https://[" + a.node.IP6().String() + "]:3443"
	c.get("/system/health").want(200)
}

// shows PROC-05
func TestCommandLineAfterSetup(t *testing.T) {
	a := installed(t)
	if got := a.run("gateway-ctl", "version"); got != a.version {
		t.Errorf("version = %q, want %s", got, a.version)
	}
	if got := a.fails("gateway-ctl", "setup-code"); !strings.Contains(got, "already set up") {
		t.Errorf("setup-code on a node that is set up = %q", got)
	}
	for _, command := range []string{"reset-password", "setup-code", "audit-verify", "status"} {
		got := a.fails("runuser", "-u", "nobody", "--", "gateway-ctl", command)
		if strings.Contains(got, "panic") || regexp.MustCompile(`[0-9a-f]{32}`).MatchString(got) {
			t.Errorf("%s as nobody = %q", command, got)
		}
	}
	a.fails("gateway-ctl", "no-such-command")
}

func TestTheCommandLineTellsHowTheNodeStands(t *testing.T) {
	a := installed(t)
	a.settles(a.signedIn(a.admin), patience)
	if got := a.sh("gateway-ctl status || test $? = 3"); !strings.Contains(got, a.version) || !strings.Contains(got, "Database  answers") {
		t.Errorf("status = %q", got)
	}
	if got := a.sh("gateway-ctl status --json || test $? = 3"); !strings.HasPrefix(got, `{"data":{"version":"`+a.version+`"`) || !strings.Contains(got, `"not_running":[]`) {
		t.Errorf("status --json = %q", got)
	}
	if got := a.run("gateway-ctl", "api", "GET", "/audit/live", "--count", "1"); !strings.Contains(got, `"action":`) {
		t.Errorf("the live audit log on the command line = %q", got)
	}
	made := a.run("gateway-ctl", "api", "POST", "/dns/zones", `{"name": "ctl.arpa", "forward_to": []}`, "-H", "Gateway-Confirm-Within: 600", "--json", "-i")
	waiting := regexp.MustCompile(`gateway-ctl confirm (\S+)`).FindStringSubmatch(a.sh("gateway-ctl status || test $? = 3"))
	if !strings.Contains(made, "201 Created") || waiting == nil || !strings.Contains(made, "Gateway-Change: "+waiting[1]) {
		t.Fatalf("a change to confirm = %q, status then names %q", made, waiting)
	}
	a.run("gateway-ctl", "confirm", waiting[1])
	if got := a.sh("gateway-ctl changes -n 1 --waiting --json"); got != `{"data":[],"error":null}` {
		t.Errorf("waiting after it was confirmed = %q", got)
	}
	a.run("gateway-ctl", "revert", waiting[1])
	a.lab.Must(a.node.WriteFile("/root/ctl.yaml", []byte("dns: {zones: [{name: wait.arpa, forward_to: []}]}\n"), 0o600))
	got := a.sh("gateway-ctl apply /root/ctl.yaml --confirm-within 5 --wait; echo $?")
	if !regexp.MustCompile(`Reverting at [0-9:]{8}, in [45] s, unless confirmed:\n  gateway-ctl confirm \S+\nreverted\n.*\n6$`).MatchString(got) {
		t.Errorf("an apply that nobody confirms = %q", got)
	}
	for code, command := range map[string]string{"2": "confirm", "4": "api GET /nowhere", "5": "api GET /users --database host=/nonexistent"} {
		if got := a.sh("gateway-ctl " + command + " >/dev/null 2>&1; echo $?"); got != code {
			t.Errorf("gateway-ctl %s exits with %s, want %s", command, got, code)
		}
	}
	a.sh("gzip -t /usr/share/man/man8/gateway-ctl.8.gz && test -r /usr/share/bash-completion/completions/gateway-ctl")
}

func TestTamperingIsNoticed(t *testing.T) {
	a := installed(t)
	a.signedIn(a.admin)
	if got := a.run("gateway-ctl", "audit-verify"); !strings.Contains(got, "every chain is intact") {
		t.Errorf("before: %s", got)
	}
	const change = "update audit_entries set actor = %s where seq = (select min(seq) + 1 from audit_entries)"
	a.sql("gateway", strings.Replace(change, "%s", "actor || '?'", 1))
	if got := a.fails("gateway-ctl", "audit-verify"); !strings.Contains(got, "tampered") {
		t.Errorf("after an entry was altered: %s", got)
	}
	a.sql("gateway", strings.Replace(change, "%s", "rtrim(actor, '?')", 1))
	a.run("gateway-ctl", "audit-verify")
}

// shows AUDIT-05, AUDIT-06
func TestLiveAuditBeginsWithTheLast50(t *testing.T) {
	a := installed(t)
	c := a.signedIn(a.admin)
	for i := range 60 {
		c.post("/system/maintenance", map[string]any{"enabled": i%2 == 0}).want(200)
	}
	recent := data[[]auditEntry](c.get("/audit/recent?limit=50"))
	stream := c.watch()
	for i := range 50 {
		e, err := stream.next(patience)
		if err != nil {
			t.Fatalf("after %d entries: %v", i, err)
		}
		if want := recent[49-i]; e != want {
			t.Fatalf("entry %d is %+v, want %+v", i, e, want)
		}
	}
	if e, err := stream.next(300 * time.Millisecond); err == nil {
		t.Fatalf("a 51st entry came unasked: %+v", e)
	}
	stream = c.watch() // a read that timed out closes its stream
	c.post("/system/auto-update", map[string]any{"enabled": false}).want(200)
	if e := stream.until(a.admin.email, "system.auto_update", "off"); e.Seq != recent[0].Seq+1 {
		t.Errorf("the new entry has number %d, the last one had %d", e.Seq, recent[0].Seq)
	}
}

// shows AUTH-04
func TestPowerCutKeepsSessionsAndSettings(t *testing.T) {
	a := installed(t)
	c := a.signedIn(a.admin)
	c.post("/system/maintenance", map[string]any{"enabled": true}).want(200)
	a.lab.Must(a.node.Kill())
	a.lab.Must(a.node.Boot())
	a.eventually(patience, "the session from before the power cut works", func() bool {
		r, err := c.try("GET", "/users", nil)
		return err == nil && r.status == 200
	})
	if !data[struct{ Enabled bool }](c.get("/system/maintenance")).Enabled {
		t.Error("the maintenance flag is off again")
	}
	c.post("/system/maintenance", map[string]any{"enabled": false}).want(200)
	a.run("gateway-ctl", "audit-verify")
}

// shows SETUP-06*, SETUP-07
func TestNodeWithoutAdministrator(t *testing.T) {
	deb := firstDeb(t)
	a := fresh(t)
	a.install(deb)
	c := a.stranger()
	request := map[string]any{
		"code": "AAAA-AAAA-AAAA", "fqdn": "gw1.example.com", "acme": map[string]any{"email": "acme@example.com", "terms_agreed": true},
	}
	c.post("/setup/complete-node", request).wantCode(401, "wrong_setup_code")
	request["code"] = a.run("gateway-ctl", "setup-code")
	c.post("/setup/complete-node", request).want(200)
	c.post("/setup/complete-node", request).wantCode(409, "setup_complete")
	c.get("/users").wantCode(401, "unauthenticated") // no longer the gate's answer
	if got := a.sql("gateway", "select count(id) from users"); got != "0" {
		t.Errorf("%s users, want none", got)
	}
	if state := a.run("cat", "/var/lib/gateway/setup.json"); !strings.Contains(state, "gw1.example.com") || !strings.Contains(state, "acme@example.com") {
		t.Errorf("the setup store is %s", state)
	}
	if got := a.fails("gateway-ctl", "reset-password"); !strings.Contains(got, "no local administrator") {
		t.Errorf("reset-password = %q", got)
	}

	// Removing keeps what purging deletes: installed anew, the node is as it was.
	a.run("dpkg", "--remove", "gateway")
	if r, err := c.try("GET", "/system/health", nil); err == nil {
		t.Errorf("the removed product answers: %v", r)
	}
	a.install(deb)
	if !data[struct{ Complete bool }](a.stranger().get("/setup/status")).Complete {
		t.Error("after removing and installing, setup is open again")
	}
}

// HAProxy says whom it acts for, by a socket that is closed to all others; a process that
// comes by loopback cannot.
func TestOnlyTheProxyNamesTheCaller(t *testing.T) {
	a := installed(t)
	wrong := account{email: "nobody@example.com", password: "wrong wrong wrong"}
	a.stranger().login(wrong).want(401)
	const body = `{"email":"nobody@example.com","password":"wrong wrong wrong"}`
	ask := []string{"curl", "-s", "-H", "X-Real-IP: 6.6.6.6", "-H", "Content-Type: application/json", "-d", body}
	a.run(append(ask, "http://127.0.0.1:8080/api/v1/auth/login")...)
	for _, user := range []string{"nobody", "postgres"} {
		a.fails(append([]string{"runuser", "-u", user, "--"}, append(ask, "--unix-socket", "/var/lib/haproxy/gateway/api.sock", "http://x/api/v1/auth/login")...)...)
	}
	got := a.sql("gateway", `select string_agg(detail->>'remote_ip', ' ' order by seq) from audit_entries where actor = 'nobody@example.com'`)
	if want := a.client.IP().String() + " 127.0.0.1"; strings.TrimSpace(got) != want {
		t.Errorf("signed in from %q, want %q", got, want)
	}
}
