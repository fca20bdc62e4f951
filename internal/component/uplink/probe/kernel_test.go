package probe_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"gateway/internal/component/uplink/health"
	"gateway/internal/component/uplink/multiwan"
	"gateway/internal/daemon"
)

// out runs ip in the box and answers what it prints.
func (r *rig) out(line string) string {
	r.Helper()
	out, err := command(r.box.Space, "ip", strings.Fields(line)...)
	if err != nil {
		r.Fatalf("ip %s: %s", line, out)
	}
	return string(out)
}

// by wants the route of a packet to leave through an interface.
func (r *rig) by(link, packet string) {
	r.Helper()
	if out := r.out("route get " + packet); !strings.Contains(out, "dev "+link+" ") {
		r.Errorf("%s leaves by %s, want %s", packet, out, link)
	}
}

// quiet is the usual configuration without a monitor.
func quiet() multiwan.Config {
	c := two()
	for i := range c.Uplinks {
		c.Uplinks[i].Monitor = false
	}
	return c
}

// state is all of the kernel that uplinks could touch.
func (r *rig) state() string {
	r.Helper()
	tables, err := r.box.Nft(r.Context(), nil, "list", "tables")
	if err != nil {
		r.Fatal(err)
	}
	all := []string{tables}
	for _, family := range []string{"-4 ", "-6 "} {
		all = append(all, r.out(family+"rule"), r.out(family+"route show table all"))
	}
	return strings.Join(all, "---\n")
}

func TestNothingOfOthersIsTouchedAndNothingOfOursIsLeft(t *testing.T) {
	r := newRig(t)
	ip(t, r.box.Space, "route add default via 192.0.2.7", "rule add from 10.9.9.9 lookup 99", "route add 10.99.0.0/16 via 10.0.0.2 table 99")
	before := r.state()
	r.become(quiet())
	r.by("wan1", "203.0.113.9")
	if out := r.out("route show default"); !strings.Contains(out, "via 192.0.2.7") {
		t.Errorf("the default route of others is %s", out)
	}
	r.become(multiwan.Config{})
	if after := r.state(); after != before {
		t.Errorf("the kernel has\n%s, had\n%s", after, before)
	}
}

func TestWhatSomebodyTakesAwayComesBack(t *testing.T) {
	r := newRig(t)
	r.become(quiet())
	for _, line := range []string{"rule del priority 32010", "route flush table 64299", "route flush table 64302", "rule del priority 31001"} {
		want := r.state()
		ip(t, r.box.Space, line)
		eventually(t, patience, "as before: "+line, func() bool { return r.state() == want })
	}
	// A link that goes down takes its routes along, also those of others.
	want := r.out("route show table 64302")
	ip(t, r.box.Space, "link set wan2 down", "link set wan2 up")
	eventually(t, patience, "as before", func() bool { return r.out("route show table 64302") == want })
}

func TestTunnelsThatTakeEverythingKeepTheirWay(t *testing.T) {
	r := newRig(t)
	// What package wireguard has in the kernel then; see its rules.
	ip(t, r.box.Space, "link add tun0 type veth peer name tun1", "link set tun0 up", "link set tun1 up", "route add default dev tun0 table 64251",
		"rule add from 192.0.2.2 lookup main priority 32000 protocol 251", "rule add lookup main suppress_prefixlength 0 priority 32001 protocol 251",
		"rule add not fwmark 0xfb000000/0xff000000 lookup 64251 priority 32002 protocol 251")
	r.become(quiet())
	r.by("tun0", "203.0.113.9")
	r.by("tun0", "203.0.113.9 from 10.0.0.2 iif lan0")
	r.by("wan1", "203.0.113.9 mark 0xfb000000")
	r.by("wan1", "203.0.113.9 from 192.0.2.2")
	r.by("wan2", "203.0.113.9 from 198.51.100.2")
	r.by("wan2", "203.0.113.9 mark 0xfb020000")
	r.by("lan0", "10.0.0.2 from 198.51.100.2")
	r.by("wan2", "203.0.113.10 mark 0xfb000000") // by a static route
}

func TestWeightsShareNewConnectionsAndEachStaysWhereItBegan(t *testing.T) {
	r := newRig(t)
	c := quiet()
	c.Groups[0].Members = []multiwan.Member{{Uplink: 1, Tier: 1, Weight: 3}, {Uplink: 2, Tier: 1, Weight: 1}}
	write(t, r.box.Space, "net/ipv4/fib_multipath_hash_policy", "1")
	r.become(c)
	if out := r.out("route show table 64299"); !strings.Contains(out, "weight 3") || !strings.Contains(out, "weight 1") {
		t.Errorf("the default route is %s", out)
	}
	seen := map[string]int{}
	for range 60 {
		conn, who, err := dial(r.client, remote, 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		seen[who]++
		for range 2 {
			if !echoes(conn) {
				t.Errorf("a connection by %s does not go on", who)
			}
		}
		conn.Close()
	}
	if seen[by1] < seen[by2] || seen[by2] == 0 || len(seen) != 2 {
		t.Errorf("of 60 connections %v", seen)
	}
}

func TestTheGatewayIsWhatOthersSayWhereNoneIsConfigured(t *testing.T) {
	r := newRig(t)
	c := quiet()
	c.Uplinks[0].Gateway = netip.Addr{}
	ip(t, r.box.Space, "route add default via 192.0.2.1 proto dhcp metric 100")
	r.become(c)
	if out := r.out("route show table 64301 default"); !strings.Contains(out, "via 192.0.2.1 dev wan1") {
		t.Errorf("the uplink leads %s", out)
	}
	if who := r.who(5 * time.Second); who != by1 {
		t.Errorf("the client is seen as %q", who)
	}
	ip(t, r.box.Space, "route replace default via 192.0.2.7 proto dhcp metric 100") // a new lease
	eventually(t, patience, "by the new gateway", func() bool {
		rules, err := r.box.Nft(t.Context(), nil, "list", "table", "inet", "gateway_uplink")
		return err == nil && strings.Contains(rules, "nexthop 192.0.2.7") && strings.Contains(r.out("route show table 64301 default"), "via 192.0.2.7")
	})
}

func TestIPv6HasItsOwnUplinks(t *testing.T) {
	r := newRig(t)
	for _, line := range []string{"addr add 2001:db8:1::2/64 dev wan1 nodad", "addr add 2001:db8:2::2/64 dev wan2 nodad", "addr add fd00::1/64 dev lan0 nodad"} {
		ip(t, r.box.Space, line)
	}
	c := quiet()
	six := quiet()
	for i, gateway := range []string{"fe80::1", "2001:db8:2::1"} {
		u := six.Uplinks[i]
		u.ID, u.Name, u.Number, u.IPv6 = u.ID+"-6", u.Name+" 6", u.Number+2, true
		u.Gateway, u.Target = netip.MustParseAddr(gateway), netip.MustParseAddr("2001:db8:9::9")
		c.Uplinks = append(c.Uplinks, u)
	}
	c.Groups = append(c.Groups, multiwan.Group{ID: "g6", Name: "out 6", Number: 3, IPv6: true, Default: true, Members: []multiwan.Member{{Uplink: 3, Tier: 1, Weight: 1}, {Uplink: 4, Tier: 1, Weight: 2}}})
	r.become(c)
	r.by("wan2", "2001:db8:9::9 from 2001:db8:2::2")
	r.by("wan1", "2001:db8:9::9 from 2001:db8:1::2")
	r.by("wan2", "2001:db8:9::9 mark 0x40000")
	r.by("lan0", "fd00::2 from 2001:db8:2::2")
	for _, table := range []string{"64299", "64503"} {
		if out := r.out("-6 route show table " + table); strings.Count(out, "nexthop") != 2 {
			t.Errorf("the default route of table %s is %s", table, out)
		}
	}
	if out := r.out("-6 rule"); !strings.Contains(out, "31003:\tfrom all fwmark 0x830000/0xff0000 lookup 64503") {
		t.Errorf("the rules are %s", out)
	}
	r.first.pull(t, true)
	eventually(t, patience, "by the other way", func() bool {
		return strings.Contains(r.out("-6 route show table 64299"), "default via 2001:db8:2::1 dev wan2")
	})
}

func TestWhenNothingWorksWhatHasACarrierIsUsed(t *testing.T) {
	r := newRig(t)
	r.become(two())
	old := r.hanging()
	r.second.pull(t, true)
	r.first.lose(t, 40)
	eventually(t, patience, "judged", func() bool { return r.report().Uplinks[0].State == health.Loss })
	report := r.report()
	if using := report.Groups[0].Using; len(using) != 1 || using[0] != "wan1" || report.Groups[0].Usable {
		t.Errorf("the group is %+v", report.Groups[0])
	}
	r.first.lose(t, 0)
	if !echoes(old) {
		t.Error("the connections of the only way left were cut")
	}
}

func TestARestartDoesNotTryADeadUplinkAnew(t *testing.T) {
	r := newRig(t)
	r.become(two())
	r.first.lose(t, 100)
	eventually(t, patience, "failed", func() bool { return !r.report().Uplinks[0].State.Usable() && r.who(5*time.Second) == by2 })
	r.stop()
	if who := r.who(5 * time.Second); who != by2 {
		t.Errorf("without gateway-apply the client is seen as %q", who)
	}
	r.now = daemon.Rendering{}
	r.start()
	r.become(two())
	if who := r.who(5 * time.Second); who != by2 || r.report().Uplinks[0].State.Usable() {
		t.Errorf("after a restart the client is seen as %q, and the uplink is %s", who, r.report().Uplinks[0].State)
	}
}
