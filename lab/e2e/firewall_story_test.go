package e2e

import (
	"errors"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestFirewallStory(t *testing.T) {
	b := between(t)
	b.actions()
	b.counted()
	b.translations()
	b.peersOnly()
	b.openings()
	b.comesBack()
}

// shows FW-57
func (b *border) actions() {
	b.t.Helper()
	at := b.echo(b.far, 7001)
	body := object{"name": "seven", "src_zone": "lan", "dst_zone": "wan", "service_object_id": b.c.service("tcp", 7001), "action": "accept"}
	rule := "/firewall/rules/" + b.c.post("/firewall/rules", body).want(201).live().id()
	if got, err := b.seen(b.client, at); got != b.client.IP().String() {
		b.t.Errorf("accept: the server sees %q, %v", got, err)
	}
	body["action"] = "reject"
	b.c.put(rule, body).want(200).live()
	if _, err := b.seen(b.client, at); !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, syscall.EHOSTUNREACH) {
		b.t.Errorf("reject: %v, want to be told", err)
	}
	body["action"] = "drop"
	b.c.put(rule, body).want(200).live()
	if _, err := b.seen(b.client, at); err == nil || errors.Is(err, syscall.ECONNREFUSED) {
		b.t.Errorf("drop: %v, want silence", err)
	}
	b.c.do("DELETE", rule, nil).want(200).live()
}

// counted shows that a rule counts the connections that it decided over, and goes on when
// others change.
//
// shows FW-64, FW-65*
func (b *border) counted() {
	b.t.Helper()
	at := b.echo(b.far, 7002)
	rule := b.c.rule("two", "lan", "wan", "accept", object{"service_object_id": b.c.service("tcp", 7002)})
	count := func() (packets int) {
		var all []struct {
			RuleID  string `json:"rule_id"`
			Packets int
		}
		b.c.get("/firewall/counters").want(200).decode(&all)
		for _, c := range all {
			if c.RuleID == rule {
				packets = c.Packets
			}
		}
		return packets
	}
	for i := range 3 {
		if _, err := b.seen(b.client, at); err != nil {
			b.t.Fatal(err)
		}
		if got := count(); got != i+1 {
			b.t.Errorf("after %d connections the rule has counted %d", i+1, got)
		}
		b.c.rule("beside "+at.String()+strings.Repeat("!", i), "lan", "dmz", "drop", nil)
	}
}

// shows NAT-02
func (b *border) translations() {
	b.t.Helper()
	b.run("ip", "address", "add", "10.99.2.77/24", "dev", "eth1")
	out, in := b.echo(b.far, 7003), b.echo(b.client, 7004)
	b.c.rule("three", "lan", "wan", "accept", object{"service_object_id": b.c.service("tcp", 7003)})
	nat := func(body object) (undo func()) {
		b.t.Helper()
		body["name"] = body["kind"]
		id := b.c.post("/nat-rules", body).want(201).live().id()
		return func() { b.c.do("DELETE", "/nat-rules/"+id, nil).want(200).live() }
	}
	for _, tc := range []struct {
		body object
		want string
	}{
		{object{"kind": "masquerade", "out_zone": "wan"}, b.node.IPOn("wan").String()},
		{object{"kind": "snat", "out_zone": "wan", "target_address": "10.99.2.77"}, "10.99.2.77"},
	} {
		undo := nat(tc.body)
		if got, err := b.seen(b.client, out); got != tc.want {
			b.t.Errorf("%s: the server sees %q (%v), want %s", tc.body["kind"], got, err, tc.want)
		}
		undo()
	}
	entrance := netip.AddrPortFrom(b.node.IPOn("wan"), 8080)
	if _, err := b.seen(b.far, entrance); err == nil {
		b.t.Error("the port is open before it is forwarded")
	}
	undo := nat(object{"kind": "dnat", "in_zone": "wan", "protocol": "tcp", "dest_port": 8080, "target_address": in.Addr().String(), "target_port": 7004})
	if got, err := b.seen(b.far, entrance); got != b.far.IP().String() {
		b.t.Errorf("dnat: the server sees %q (%v), want %s", got, err, b.far.IP())
	}
	undo()
}

// shows FW-23
func (b *border) peersOnly() {
	b.t.Helper()
	for _, port := range []uint16{8443, 5432, 6379} {
		at := netip.AddrPortFrom(b.node.IP(), port)
		ln, err := b.node.Listen(b.t.Context(), "tcp", at.String())
		b.lab.Must(err)
		defer ln.Close()
		go func() {
			for {
				conn, err := ln.Accept()
				if err != nil {
					return
				}
				_, _ = conn.Write([]byte("open\n"))
				_ = conn.Close()
			}
		}()
		if got, err := b.seen(b.client, at); err == nil {
			b.t.Errorf("who is no peer gets %q from port %d", got, port)
		}
		id := b.c.rule("opened", "lan", "any", "accept", object{"service_object_id": b.c.service("tcp", int(port))})
		if got, err := b.seen(b.client, at); got != "open" {
			b.t.Errorf("with a rule, port %d answers %q, %v", port, got, err)
		}
		b.c.do("DELETE", "/firewall/rules/"+id, nil).want(200)
	}
}

// openings shows that the ports of the other parts open and close with their settings.
//
// shows FW-24, FW-25, FW-26*
func (b *border) openings() {
	b.t.Helper()
	const dnsPort, ntpPort = "dport 53 accept", "udp dport 123 accept"
	own := b.node.IP().String()
	closed := b.c.settings("/dns/settings")
	b.holdsLines(0, dnsPort)
	b.opened(b.c)
	b.holdsLines(2, dnsPort)
	b.c.put("/dns/settings", closed).want(200)
	b.holdsLines(0, dnsPort)
	ntp := b.c.settings("/ntp/settings")
	for _, tc := range []struct {
		serve  bool
		listen []string
		want   int
	}{{true, []string{"127.0.0.1", b.node.IP6().String()}, 1}, {true, []string{"127.0.0.1"}, 0}, {true, []string{own}, 1}, {false, []string{own}, 0}} {
		ntp["serve_clients"], ntp["listen_addresses"] = tc.serve, tc.listen
		b.c.put("/ntp/settings", ntp).want(200)
		b.holdsLines(tc.want, ntpPort)
	}
}

// holdsLines waits until the kernel has so many lines that end like that.
func (b *border) holdsLines(want int, end string) {
	b.t.Helper()
	b.eventually(patience, end+" is as the settings say", func() bool { return strings.Count(b.table(), end) == want })
}

// comesBack shows that it is the applier that puts the rules into the kernel: when it starts,
// and when they are missing, whatever the API does.
//
// shows FW-33*
func (b *border) comesBack() {
	b.t.Helper()
	b.settles(b.c, patience)
	before := b.table()
	isBack := func(what string) {
		b.t.Helper()
		began := time.Now()
		b.eventually(patience, "the rules are back "+what, func() bool {
			out, err := b.node.Run(b.t.Context(), "nft", "-s", "-t", "list", "table", "inet", "gateway")
			return err == nil && strings.TrimSpace(out) == strings.TrimSpace(before)
		})
		b.t.Logf("the rules were back %v %s", time.Since(began).Round(time.Millisecond), what)
	}
	b.run("nft", "delete", "table", "inet", "gateway")
	isBack("after they were deleted")
	b.run("systemctl", "stop", "gateway-api.service", "gateway-apply.service")
	b.run("nft", "delete", "table", "inet", "gateway")
	b.run("systemctl", "start", "gateway-apply.service")
	isBack("after the applier started, without the API")
	b.run("systemctl", "start", "gateway-api.service")
	b.settles(b.c, patience)
}
