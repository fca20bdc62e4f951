package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	diag "gateway/internal/component/diag/probe"
	"gateway/internal/sys"
)

// The installed product tries what an operator wants to know, from the sandbox of
// gateway-scheduler.
//
// shows DIAG-01, DIAG-02, DIAG-04, DIAG-06, DIAG-07
func TestStoryDiagnostics(t *testing.T) {
	a := installed(t)
	c := a.signedIn(a.admin)
	o := a.origin("web")
	beside, port := a.client.IP().String(), o.addr.Port()
	a.eventually(patience, "gateway-scheduler, the last to start, answers", func() bool {
		r, err := c.try("POST", "/diagnostics/ping", object{"target": beside})
		return err == nil && r.status == 200
	})
	for _, tc := range []struct {
		tool   string
		body   object
		status int
		said   string
	}{
		{"ping", object{"target": beside}, diag.Answered, "4 packets sent, 4 received"},
		{"ping", object{"target": a.node.IP().String()}, diag.Answered, "4 received"},
		{"traceroute", object{"target": beside}, diag.Answered, " 1  " + beside},
		{"mtu", object{"target": beside}, diag.Answered, "MTU of the path: "},
		{"dig", object{"target": "localhost", "type": "A"}, diag.Answered, "127.0.0.1"},
		{"curl", object{"target": "http://" + o.addr.String() + "/"}, diag.Answered, "HTTP/1.1 200 OK"},
		{"curl", object{"target": "http://127.0.0.1:8080/"}, diag.Failed, "cannot be used as a server"},
		{"tcp", object{"target": beside, "port": port}, diag.Answered, "Connected to " + o.addr.String()},
		{"tcp", object{"target": beside, "port": 1}, diag.Silent, "refused"},
		{"tcp", object{"target": a.node.IP().String(), "port": 3443}, diag.Failed, "cannot be used as a server"},
	} {
		var got diag.Result
		start := time.Now()
		c.post("/diagnostics/"+tc.tool, tc.body).want(200).decode(&got)
		if got.ExitStatus != tc.status || !strings.Contains(got.Output, tc.said) {
			t.Errorf("%s %v: exit status %d, want %d and %q:\n%s", tc.tool, tc.body, got.ExitStatus, tc.status, tc.said, got.Output)
		}
		if took := time.Since(start); took > diag.Limits()[tc.tool] {
			t.Errorf("%s %v took %s", tc.tool, tc.body, took)
		}
	}
	a.followsPaths(c, o)
	a.capturesPackets(c)
	if o.served.Load() != 1 {
		t.Errorf("the server beside was asked %d times, want once", o.served.Load())
	}
}

// followsPaths goes to the server beside, to a port that nobody opened, to itself, and asks for
// somebody whom the packet filter lets go nowhere.
func (a *appliance) followsPaths(c *caller, o *origin) {
	a.t.Helper()
	beside, port := a.client.IP().String(), int(o.addr.Port())
	for _, tc := range []struct {
		body object
		want string
	}{
		{object{"target": beside, "port": port}, "not_needed ok ok ok"},
		{object{"target": beside, "port": port, "tls": true}, "not_needed ok ok ok broken"},
		{object{"target": beside, "port": 1, "tls": true}, "not_needed ok ok broken not_tried"},
		{object{"target": a.node.IP().String(), "port": 3443}, "not_needed ok ok not_tried"},
		{object{"target": "nobody.invalid", "port": 443}, "broken not_tried not_tried not_tried"},
		{object{"target": beside, "port": 443, "source": a.client.IP().Next().String()}, "not_needed ok broken not_tried"},
	} {
		var got diag.Path
		c.post("/diagnostics/path", tc.body).want(200).decode(&got)
		s := got.Steps
		states := []string{s.DNS.State, s.Route.State, s.Filter.State, s.TCP.State}
		if s.TLS != nil {
			states = append(states, s.TLS.State)
		}
		if said := strings.Join(states, " "); said != tc.want || s.Route.State == diag.StepOK && s.Route.Interface == "" {
			a.t.Errorf("path %v: %s, want %s: %+v", tc.body, said, tc.want, s)
		}
	}
}

// capturesPackets records echo requests by the packaged gateway-capture, whose account has no other power.
func (a *appliance) capturesPackets(c *caller) {
	a.t.Helper()
	beside, own := a.client.IP().String(), a.node.IP().String()
	var links []sys.Interface
	c.get("/system/interfaces").want(200).decode(&links)
	at := slices.IndexFunc(links, func(l sys.Interface) bool {
		return slices.ContainsFunc(l.AddrInfo, func(x sys.Address) bool { return x.Local == own })
	})
	if at < 0 {
		a.t.Fatalf("no interface has %s: %+v", own, links)
	}
	c.post("/diagnostics/capture", object{"interface": links[at].Name, "protocol": "icmp", "host": beside}).want(200)
	c.post("/diagnostics/capture", object{"interface": links[at].Name}).wantCode(409, "capture_running")
	c.post("/diagnostics/ping", object{"target": beside}).want(200)
	var got struct {
		State, Reason string
		Packets       int
		Bytes         int
	}
	c.post("/diagnostics/capture/stop", nil).want(200).decode(&got)
	if got.State != "ended" || got.Reason != "stopped" || got.Packets < 8 { // four there, and four back
		a.t.Errorf("a capture of four echo requests: %+v", got)
	}
	if file := c.get("/diagnostics/capture/file").want(200); len(file.body) != got.Bytes || !strings.HasPrefix(string(file.body), "\xd4\xc3\xb2\xa1") {
		a.t.Errorf("a file of %d bytes, want %d: %x", len(file.body), got.Bytes, file.body[:min(24, len(file.body))])
	}
	c.do("DELETE", "/diagnostics/capture", nil).want(200)
}
