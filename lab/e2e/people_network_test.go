package e2e

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"gateway/lab"
)

// What a node has beyond eth0 to break: a provider at eth1, and a cable between two ports of its own.
const (
	addCable = "ip link add people2 type veth peer name people3 && ip link set people3 up && ip link set people2 up"
	isp      = "people isp"   // an uplink that is monitored
	spare    = "people spare" // one that is judged by its carrier
	choice   = "people group" // has the first of them
)

// admit makes the node of a ward. At the gate it has no provider, and nobody judges its network.
func (w *ward) admit(withProvider bool) {
	w.t.Helper()
	l := lab.New(w.t)
	if !withProvider {
		w.appliance = startSetUp(w.t, l)
	} else {
		w.appliance = startSetUp(w.t, l, "isp")
		w.provider = l.Client("isp", lab.On("isp"))
	}
	w.c = w.signedIn(w.admin)
	w.settles(w.c, patience)
}

// connect configures the uplinks. Both are trusted again after a second, so that it is soon over.
func (w *ward) connect() {
	w.t.Helper()
	w.sh(addCable)
	link := func(name string) string {
		return w.c.post("/network-interfaces", object{"name": name, "type": "ethernet"}).want(201).id()
	}
	link("eth1")
	w.cable = link("people2")
	w.c.post("/ip-addresses", object{"interface_id": w.cable, "address": "198.51.100.1", "prefix": 28}).want(201)
	group := w.c.post("/uplink-groups", object{"name": choice}).want(201).id()
	first := w.c.post("/uplinks", object{"name": isp, "interface": "eth1", "gateway": w.provider.IP().String(), "window_s": 1, "hold_s": 1}).want(201).id()
	w.c.post("/uplink-members", object{"group_id": group, "uplink_id": first}).want(201)
	second := w.c.post("/uplinks", object{"name": spare, "interface": "people2", "gateway": "198.51.100.2", "monitor": false, "hold_s": 1}).want(201).id()
	w.uplinks = map[string]string{isp: first, spare: second}
	w.eventually(patience, "the provider is seen to answer", func() bool { return strings.Contains(w.c.get("/uplinks/status").String(), `"up"`) })
}

// atProvider has the provider's kernel do something.
func (w *ward) atProvider(line string) func() {
	return func() { w.t.Helper(); w.provider.MustRun(w.t, "sh", "-c", line) }
}

var packetLoss = regexp.MustCompile(`([0-9]+)% packet loss`)

// lost is the share of so many echo requests, in percent, that the provider does not answer.
func (w *ward) lost(requests int) int {
	m := packetLoss.FindStringSubmatch(w.command(fmt.Sprintf("ping -q -c %d -i 0.02 -W 0.3 -I eth1 %s", requests, w.provider.IP())))
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // it found digits
	return n
}

func (w *ward) ofNetwork() []trouble {
	if w.provider == nil {
		return nil
	}
	const echo = "/proc/sys/net/ipv4/icmp_echo_ignore_all"
	mute, answering := w.atProvider("echo 1 >"+echo), w.atProvider("echo 0 >"+echo)
	half := w.atProvider("nft 'add table ip people; add chain ip people i { type filter hook input priority 0; }; add rule ip people i icmp type echo-request numgen random mod 100 < 50 drop'")
	failing := []string{"uplink.down", "uplink.loss", "uplink.none_up"}
	silent := func() bool { return w.lost(4) == 100 }
	// The page also has the states of before, so it is the notice that tells of the present one.
	uplinkAt := func(name, word, well, notice string) []place {
		return []place{{"/uplinks", name, word, well}, noticeAt("/uplinks/"+w.uplinks[name], notice)}
	}
	holds := func(line string) func() bool { return func() bool { return w.holds(line) } }
	var bridge, tunnel string
	return inLane("system",
		trouble{Name: "an uplink is silent", Problem: "uplink.down", Places: uplinkAt(isp, "Down", "Up", "No answer through the uplink"), cause: mute, mend: answering, real: silent, also: failing},
		trouble{Name: "no uplink of a group works", Problem: "uplink.none_up", Places: []place{{"/uplinks?tab=groups", choice, "Down", "Up"}}, cause: mute, mend: answering, real: silent, also: failing},
		trouble{Name: "an uplink loses every other packet", Problem: "uplink.loss", Places: uplinkAt(isp, "Packet loss", "Up", "loses [0-9]+ % of the packets"), cause: half, mend: w.atProvider("nft delete table ip people"), real: func() bool { n := w.lost(25); return n >= 15 && n < 100 }, also: failing},
		trouble{Name: "an uplink has no carrier", Problem: "uplink.no_carrier", Places: uplinkAt(spare, "No carrier", "Not checked", "has no carrier"), cause: w.line("ip link set people3 down"), mend: w.line("ip link set people3 up"), real: holds("ip link show people2 | grep -q NO-CARRIER")},
		trouble{Name: "an interface with an address is missing", Problem: "network.missing", Places: linkAt("people2", w.cable, "Missing"), cause: w.line("ip link del people2"), mend: w.line(addCable), real: holds("! ip link show people2"), also: []string{"network.absent", "uplink.missing", "uplink.no_carrier"}},
		trouble{Name: "somebody else made the bridge", Problem: "network.conflict", Places: []place{{"/interfaces", "peoplebr", "Not applied", ""}}, cause: func() {
			w.sh("ip link add peoplebr type bridge")
			bridge = w.c.post("/network-interfaces", object{"name": "peoplebr", "type": "bridge", "members": []string{"peoplex"}}).want(201).id()
		}, mend: func() {
			w.c.do("DELETE", "/network-interfaces/"+bridge, nil).want(200)
			w.sh("ip link del peoplebr")
		}, real: func() bool {
			return w.holds("ip link show peoplebr | grep -q 'group default'") && w.sql("gateway", "select count(*) from network_interfaces where name = 'peoplebr'") == "1"
		}, also: []string{"network.missing"}},
		trouble{Name: "somebody else has the name of a tunnel", Problem: "tunnel.conflict", Places: []place{{"/tunnels?tab=tunnels", "peoplewg", "Not applied", ""}}, cause: func() {
			w.sh("ip link add peoplewg type veth peer name peoplewx")
			tunnel = w.c.post("/tunnel/interfaces", object{"name": "peoplewg", "mode": "server", "address_cidr": "10.99.0.1/24", "endpoint": "vpn.people.example"}).want(201).id()
		}, mend: func() {
			w.c.do("DELETE", "/tunnel/interfaces/"+tunnel, nil).want(200)
			w.sh("ip link del peoplewg")
		}, real: func() bool {
			return w.holds("ip -d link show peoplewg | grep -q veth") && w.sql("gateway", "select count(*) from tunnel_interfaces where name = 'peoplewg'") == "1"
		}},
	)
}

// filling has a program keep the connection table of the node nine tenths full, by packets to
// ever new addresses of the loopback interface, which count for half a minute.
const filling = `use Socket;
sub number { open(my $f, "<", "/proc/sys/net/netfilter/nf_conntrack_$_[0]") or die; return <$f> + 0 }
socket(my $in, PF_INET, SOCK_DGRAM, 0) or die; bind($in, sockaddr_in(9999, INADDR_ANY)) or die;
socket(my $out, PF_INET, SOCK_DGRAM, 0) or die;
my ($max, $i) = (number("max"), 0);
while (1) {
	if (number("count") > 0.9 * $max) { select(undef, undef, undef, 0.1); next }
	for (1 .. 1000) { $i++; send($out, "x", 0, sockaddr_in(9999, pack("C4", 127, 16 + ($i >> 16 & 63), $i >> 8 & 255, $i & 255))) }
}`

// connectionsUsed ends well when four fifths of the connection table are in use.
const connectionsUsed = `[ $(($(cat /proc/sys/net/netfilter/nf_conntrack_count) * 100 / $(cat /proc/sys/net/netfilter/nf_conntrack_max))) -ge 80 ]`

// refusingNft loads no rules, as where the kernel has no memory for them, and does all else as nft does.
const refusingNft = `#!/bin/sh
case " $* " in *" -f "*) echo "no memory" >&2; exit 1 ;; esac
exec /usr/sbin/nft.real "$@"
`

// ofKernel is what only happens to a node as a whole.
func (w *ward) ofKernel() []trouble {
	if w.provider == nil {
		return nil
	}
	const database = "postgresql@17-main"
	held := func() {
		w.waiting = w.confirmedWithin("10", "held", "192.0.2.11")
		w.sh("systemctl stop postgresql " + database)
	}
	unloaded := func() {
		w.lab.Must(w.node.WriteFile("/usr/sbin/nft.new", []byte(refusingNft), 0o755))
		w.sh("mv /usr/sbin/nft /usr/sbin/nft.real && mv /usr/sbin/nft.new /usr/sbin/nft && nft delete table inet gateway")
	}
	loaded := func() {
		w.sh("mv /usr/sbin/nft.real /usr/sbin/nft")
		w.c.post("/system/render-configs", nil).want(200)
	}
	filled := func() {
		w.lab.Must(w.node.WriteFile("/root/filling.pl", []byte(filling), 0o644))
		w.sh("systemd-run -q --unit=people-fills perl /root/filling.pl")
	}
	all := inLane("outage",
		trouble{Name: "the packet filter is not loaded", Problem: "system.filter_missing", Places: []place{{"/system", "Packet filter", "No rules loaded", "Loaded"}, noticeAt("/firewall", "The packet filter is not loaded")}, cause: unloaded, mend: loaded, kind: "service", id: "packet-filter", state: "failed", real: func() bool { return !w.holds("nft list table inet gateway >/dev/null") }, also: []string{"change.not_applied"}},
		trouble{Name: "the connection table is nearly full", Problem: "system.connections_full", Places: []place{noticeAt("/connections", "% of the connection table is in use")}, cause: filled, mend: w.line("systemctl stop people-fills"), real: func() bool { return w.holds(connectionsUsed) }},
		trouble{Name: "a change is reverted and the database is away", Problem: "change.held component dns", Places: []place{{"/system?tab=components", "DNS resolver", "On hold", "Live"}, noticeAt("/dns", "is not being applied")}, cause: held, mend: w.line("systemctl start postgresql"), kind: "component", id: "dns", state: "held", real: func() bool {
			return !w.holds("pg_isready -q -t 1") && w.command("dig +short +time=1 +tries=1 @127.0.0.1 held.people.arpa") == ""
		}, also: []string{"system.database_down", "system.service_stopped", "change.not_applied"}},
	)
	for i := range all {
		all[i].Alone = true
	}
	return all
}

// stale makes an address object whose name resolved, and does no more, as if that were some time ago.
func (w *ward) stale() {
	w.t.Helper()
	zone := w.sql("gateway", "select id from dns_zones where name = 'people.arpa'")
	record := w.c.post("/dns/records", object{"zone_id": zone, "name": "stale", "type": "A", "value": "192.0.2.12"}).want(201).id()
	w.name = w.c.post("/firewall/address-objects", object{"name": "stale", "kind": "fqdn", "value": "stale.people.arpa"}).want(201).id()
	w.eventually(2*patience, "the name is resolved", func() bool {
		return w.sql("gateway", "select count(*) from firewall_resolved where object_id = '"+w.name+"'") == "1"
	})
	w.c.do("DELETE", "/dns/records/"+record, nil).want(200)
	w.tamper("update firewall_resolved set resolved_at = now() - interval '1 hour' where object_id = '" + w.name + "'")
}
