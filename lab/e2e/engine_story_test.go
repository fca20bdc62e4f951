package e2e

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/component/daemons"
	"gateway/lab"
)

type object = map[string]any

const (
	dnsFile = "/etc/unbound/unbound.conf.d/gateway.conf"
	ntpFile = "/etc/chrony/conf.d/gateway.conf"
)

// standing is how a component stands, as GET /system/components tells.
type standing struct {
	Component, Stage, Wanted, Installed, Observed, Error string
	Drift                                                []string
	Confirm                                              *struct {
		Change      string
		SecondsLeft int `json:"seconds_left"`
	}
}

func (s standing) settled() bool {
	return s.Stage == "live" && s.Wanted != "" && s.Wanted == s.Installed && s.Installed == s.Observed
}

func (c *caller) standings() map[string]standing {
	out := map[string]standing{}
	r, err := c.try("GET", "/system/components", nil)
	var all []standing
	if err != nil || r.status != 200 || !r.decode(&all) {
		return out
	}
	for _, s := range all {
		out[s.Component] = s
	}
	return out
}

// settles waits until every component runs on what is wanted.
func (a *appliance) settles(c *caller, limit time.Duration) time.Duration {
	a.t.Helper()
	var last map[string]standing
	began := time.Now()
	settled := func() bool {
		last = c.standings()
		return len(last) == len(daemons.New(daemons.Deps{}).All) && !slices.ContainsFunc(slices.Collect(maps.Values(last)), func(s standing) bool { return !s.settled() })
	}
	for !settled() {
		if time.Since(began) > limit {
			a.t.Fatalf("not within %v: components stand at %+v", limit, last)
		}
		time.Sleep(cmp.Or(a.pause, 20*time.Millisecond))
	}
	return time.Since(began)
}

// alone is a node that no other test uses, installed, set up and at rest.
func alone(t *testing.T) (*appliance, *caller) {
	t.Helper()
	a := startSetUp(t, lab.New(t))
	c := a.signedIn(a.admin)
	a.settles(c, patience)
	return a, c
}

// settings are those of a component, as they can be sent back.
func (c *caller) settings(path string) object {
	c.t.Helper()
	var s object
	c.get(path).want(200).decode(&s)
	for _, f := range []string{"id", "revision", "created_at", "updated_at"} {
		delete(s, f)
	}
	return s
}

// opened makes the resolver answer the client's network.
func (a *appliance) opened(c *caller) {
	a.t.Helper()
	s := c.settings("/dns/settings")
	s["listen_addresses"] = []string{"127.0.0.1", a.node.IP().String()}
	s["access_acl"] = []string{"127.0.0.0/8", "10.0.0.0/8"}
	c.put("/dns/settings", s).want(200)
}

// dig asks the node's resolver from the client.
func (a *appliance) dig(name, kind string) string {
	a.t.Helper()
	out, err := a.client.Run(a.t.Context(), "dig", "+short", "+time=3", "+tries=2", "@"+a.node.IP().String(), name, kind)
	if err != nil {
		return "error: " + err.Error()
	}
	return strings.TrimSpace(out)
}

// shows SYS-01, SYS-02, SYS-03, SYS-24, DNS-10, DNS-15, NTP-05, PROC-06
func TestAChangeReachesTheDaemons(t *testing.T) {
	a := installed(t)
	c := a.signedIn(a.admin)
	a.settles(c, patience)
	closed := c.settings("/dns/settings")
	defer func() { c.put("/dns/settings", closed).want(200) }() // the node is shared, and others look at its open ports
	a.opened(c)
	zone := c.post("/dns/zones", object{"name": "story.arpa", "forward_to": []string{}}).want(201).id()
	answer := c.post("/dns/records", object{"zone_id": zone, "name": "www", "type": "A", "value": "192.0.2.80"}).want(201)
	if got := answer.header.Get("Gateway-Apply"); got != "live" {
		t.Errorf("Gateway-Apply is %q (%s), want live", got, answer.header.Get("Gateway-Apply-Reason"))
	}
	if got := a.dig("www.story.arpa", "A"); got != "192.0.2.80" {
		t.Errorf("the resolver answers %q", got)
	}
	c.post("/ntp/pools", object{"kind": "server", "address": "192.0.2.123", "iburst": true}).want(201)
	if !strings.Contains(a.run("cat", ntpFile), "server 192.0.2.123") {
		t.Error("the new server is not in chrony's file")
	}
	a.settles(c, patience)
	before := a.observe()
	c.get("/system/config-preview").want(200)
	after := a.observe()
	for _, name := range differ(before, after) {
		t.Errorf("after a preview, %s is another:\n%s", name, firstDifference(before[name], after[name]))
	}
	var rendered struct {
		OK     bool
		Errors map[string]string
	}
	c.post("/system/render-configs", nil).want(200).decode(&rendered)
	if !rendered.OK {
		t.Errorf("render-configs says %v", rendered.Errors)
	}
	a.settles(c, patience)
}

// othersThan are all managed components but one, as they are listed.
func othersThan(name string) string {
	var names []string
	for _, d := range daemons.New(daemons.Deps{}).All {
		if d.Name != name {
			names = append(names, d.Name)
		}
	}
	slices.Sort(names)
	return fmt.Sprint(names)
}

// shows SYS-27, SYS-28
func TestABrokenDaemonDoesNotStopTheOthers(t *testing.T) {
	a := installed(t)
	c := a.signedIn(a.admin)
	a.settles(c, patience)
	a.run("mv", "/usr/sbin/chronyd", "/usr/sbin/chronyd.away")
	a.run("systemctl", "kill", "-s", "KILL", "chrony.service")
	defer a.settles(c, patience)
	defer a.run("mv", "/usr/sbin/chronyd.away", "/usr/sbin/chronyd")
	var r struct {
		OK       bool
		Rendered []string
		Errors   map[string]string
	}
	a.eventually(patience, "render-configs tells of the broken one", func() bool {
		c.post("/system/render-configs", nil).want(200).decode(&r)
		return !r.OK && r.Errors["ntp"] != "" && fmt.Sprint(r.Rendered) == othersThan("ntp")
	})
	t.Logf("%+v", r)
}

// shows SYS-29
func TestRenderConfigsGivesUpOnADaemonThatHangs(t *testing.T) {
	a := installed(t)
	c := a.signedIn(a.admin)
	a.settles(c, patience)
	hang := "/run/systemd/system/chrony.service.d/hang.conf"
	a.sh("mkdir -p /run/systemd/system/chrony.service.d; printf '[Service]\\nExecStartPre=/usr/bin/sleep 45\\nTimeoutStartSec=60\\n' >" + hang +
		"; systemctl daemon-reload; systemctl kill -s KILL chrony.service")
	began := time.Now()
	var r struct {
		OK       bool
		Rendered []string
		Errors   map[string]string
	}
	c.post("/system/render-configs", nil).want(200).decode(&r)
	// It hangs for 45 s: whoever answers before has given up, and whoever answers at once did not wait.
	if took := time.Since(began); took < 28*time.Second || took > 40*time.Second || r.OK || r.Errors["ntp"] == "" || fmt.Sprint(r.Rendered) != othersThan("ntp") {
		t.Errorf("after %v: %+v; want the DNS rendered, and the NTP given up after 30 s", took, r)
	}
	a.sh("rm " + hang + "; systemctl daemon-reload; systemctl kill -s KILL chrony.service; systemctl reset-failed chrony.service; systemctl restart chrony.service")
	a.settles(c, 70*time.Second)
	if out := a.run("gateway-ctl", "render-config"); !strings.Contains(out, "dns is live") || !strings.Contains(out, "ntp is live") {
		t.Errorf("gateway-ctl render-config prints %q", out)
	}
}
