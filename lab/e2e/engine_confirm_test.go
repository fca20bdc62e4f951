package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/tools/bar"
)

// How long a change waits: short, and long enough for a busy machine to install it before that is over.
const (
	confirmWithin = 10 * time.Second
	keptWithin    = 5 * time.Second // of a change that is confirmed at once
)

// unwanted is the server of a change that its daemon rejects.
const unwanted = "192.0.2.124"

// undoing makes changes that nobody confirms, and measures how they go back.
type undoing struct {
	*appliance
	caller *caller
	zone   string
	tries  int

	back    map[string]int           // by way, how many went back
	slowest map[string]time.Duration // from the answer until the files were back, less the wait
}

// shows T28
func TestBarEngine02Unconfirmed(t *testing.T) {
	a, c := alone(t)
	u := &undoing{appliance: a, caller: c, back: map[string]int{}, slowest: map[string]time.Duration{}}
	a.opened(u.caller)
	u.zone = u.caller.post("/dns/zones", object{"name": "undo.arpa", "forward_to": []string{}}).want(201).id()
	n := bar.GateSize(1, 3, 20)
	kept, refused := u.controls()
	ways := []struct {
		name  string
		fault func()
	}{
		{"unhindered", func() {}},
		{"killed", func() {
			u.sh("systemctl kill -s KILL gateway-api.service gateway-apply.service; systemctl reset-failed 'gateway-*'; systemctl start gateway-api.service gateway-apply.service")
		}},
		{"database", func() { u.run("systemctl", "stop", "postgresql") }},
		{"reboot", func() {
			u.lab.Must(u.node.Kill()) // the plug is pulled
			u.lab.Must(u.node.Boot())
		}},
	}
	defer func() {
		var parts []string
		right, inTime := !t.Failed() && kept && refused, true
		for _, w := range ways {
			parts = append(parts, fmt.Sprintf("%s %d of %d (<=%+d ms)", w.name, u.back[w.name], n, u.slowest[w.name].Milliseconds()))
			right, inTime = right && u.back[w.name] == n, inTime && u.slowest[w.name] <= 5*time.Second
		}
		figure := fmt.Sprintf("%s; confirmed stays %v, failed apply taken back and strangers refused %v", strings.Join(parts, ", "), kept, refused)
		bar.ReportTimed(t, "engine", 2, figure, fmt.Sprintf("%d of %d each, files back within the wait + 5000 ms", n, n), right, inTime)
	}()
	for _, w := range ways {
		for range n {
			if u.once(w.name, w.fault); t.Failed() {
				return
			}
		}
	}
}

// once makes a change that cuts the client off the resolver, and lets it run out.
func (u *undoing) once(way string, fault func()) {
	u.t.Helper()
	u.tries++
	before := u.run("sha256sum", dnsFile)
	rows := u.sql("gateway", "select listen_addresses, access_acl from dns_settings")
	s := u.caller.settings("/dns/settings")
	s["listen_addresses"] = []string{"127.0.0.1"}
	c := u.caller.copy()
	c.header.Set("Gateway-Confirm-Within", fmt.Sprint(int(confirmWithin.Seconds())))
	answer := c.put("/dns/settings", s).want(200)
	if got := answer.header.Get("Gateway-Apply"); got != "live" {
		u.t.Fatalf("%s: Gateway-Apply is %q (%s)", way, got, answer.header.Get("Gateway-Apply-Reason"))
	}
	began := time.Now()
	if now := u.run("sha256sum", dnsFile); now == before {
		u.t.Fatalf("%s: the change did not reach the file", way)
	}
	fault()
	u.eventually(confirmWithin+patience, way+": the file is as before", func() bool {
		out, err := u.node.Run(u.t.Context(), "sha256sum", dnsFile)
		return err == nil && strings.TrimSpace(out) == before
	})
	u.slowest[way] = max(u.slowest[way], time.Since(began)-confirmWithin)
	u.run("systemctl", "start", "postgresql")
	u.eventually(patience, way+": the rows are as before", func() bool {
		out, err := u.node.Run(u.t.Context(), "runuser", "-u", "postgres", "--", "psql", "-XAtq", "-d", "gateway", "-c", "select listen_addresses, access_acl from dns_settings")
		return err == nil && strings.TrimSpace(out) == rows
	})
	if way == "reboot" {
		u.eventually(patience, "the API is back", func() bool {
			r, err := u.caller.try("GET", "/system/components", nil)
			return err == nil && r.status == 200
		})
	}
	u.settles(u.caller, patience)
	u.eventually(patience, way+": the resolver answers the client again", func() bool { return u.dig("kept.undo.arpa", "A") == "192.0.2.1" })
	u.back[way]++
}

// controls show that a confirmed change stays, and who may not confirm.
func (u *undoing) controls() (kept, refused bool) {
	u.t.Helper()
	c := u.caller.copy()
	c.header.Set("Gateway-Confirm-Within", fmt.Sprint(int(keptWithin.Seconds())))
	answer := c.post("/dns/records", object{"zone_id": u.zone, "name": "kept", "type": "A", "value": "192.0.2.1"}).want(201)
	id := answer.header.Get("Gateway-Change")
	refused = u.stranger().post("/changes/"+id+"/confirm", nil).status == 401
	u.caller.post("/changes/"+id+"/confirm", nil).want(200)
	<-time.After(keptWithin + 2*time.Second)
	kept = u.dig("kept.undo.arpa", "A") == "192.0.2.1"
	// A change that never got through must not come by itself once its daemon starts again: chrony cannot start here.
	u.sh("mv /usr/sbin/chronyd /usr/sbin/chronyd.away; systemctl kill -s KILL chrony.service")
	failed := c.post("/ntp/pools", object{"kind": "server", "address": unwanted})
	if got := failed.header.Get("Gateway-Apply"); got == "live" {
		u.t.Errorf("a change was live without its daemon")
	}
	u.sh("mv /usr/sbin/chronyd.away /usr/sbin/chronyd")
	u.eventually(patience, "the failed change is taken back", func() bool {
		var waiting, pools []object
		u.caller.get("/changes?waiting=true").want(200).decode(&waiting)
		u.caller.get("/ntp/pools").want(200).decode(&pools)
		return len(waiting) == 0 && !slices.ContainsFunc(pools, func(p object) bool { return p["address"] == unwanted })
	})
	u.settles(u.caller, patience)
	return kept, refused
}
