package packetfilter

import (
	"encoding/json"
	"net/netip"
	"strconv"
	"strings"
	"testing"
)

// office is a gateway with three zones, a port forward, a tunnel and a peer.
func office() *Policy {
	return &Policy{
		Zones: map[string][]string{"wan": {"wan0"}, "lan": {"lan0", "lan1"}, "dmz": {"dmz0"}, "empty": nil},
		Sets:  map[string]*Addresses{"b1": ptr(some("203.0.113.0-203.0.113.9").Listed)},
		Rules: []Rule{
			{ID: "a1", Name: "blocked", Priority: 1, From: "wan", To: Any, Source: Selector{Set: "b1"}, Action: Drop},
			{ID: "a2", Name: "no mail", Priority: 5, From: Any, To: "wan", Services: ports(TCP, 25), Action: Reject},
			{ID: "a3", Name: "out", Priority: 10, From: "lan", To: "wan", Action: Accept},
			{ID: "a4", Name: "broken", Priority: 2, From: "lan", To: Any, Source: Selector{Broken: "no such object"}, Action: Accept},
			{ID: "a5", Name: "ping", Priority: 20, From: "lan", To: Any, Services: []Service{{Protocol: ICMP, Type: 8}}, Action: Accept},
			{ID: "a6", Name: "unused", Priority: 0, From: "empty", To: Any, Action: Accept},
		},
		NAT: []NAT{
			{ID: "c1", Name: "site", Priority: 1, Kind: DNAT, In: "wan", Protocol: TCP, Port: 8080, PortEnd: 8080, Target: addr("10.2.0.5"), ToPort: 80, ToEnd: 80},
			{ID: "c2", Name: "range", Priority: 2, Kind: DNAT, In: "wan", Protocol: TCP, Port: 9000, PortEnd: 9010, Target: addr("10.2.0.6"), ToPort: 7000, ToEnd: 7010},
			{ID: "c3", Name: "hide", Priority: 1, Kind: Masquerade, Out: "wan"},
			{ID: "c5", Name: "needs a rule", Priority: 5, Kind: DNAT, In: "wan", Protocol: TCP, Port: 8025, PortEnd: 8025, Target: addr("10.2.0.5"), NeedsRule: true},
			{ID: "c4", Name: "mixed", Priority: 0, Kind: DNAT, In: "wan", Destination: prefix("198.51.100.1/32"), Target: addr("fd00::1")},
		},
		Openings: []Opening{{Protocol: UDP, Port: 53, Why: "DNS"}, {Protocol: UDP, Port: 67, Interface: "lan0", Why: "DHCP"}},
		Tunnels:  []Tunnel{{Interface: "wg0", Subnet: prefix("10.9.0.0/24")}},
		Peers:    []netip.Addr{addr("10.1.0.2")},
		Lockout:  Lockout{Management: 3443},
	}
}

func officeRoutes() Routes {
	hop := func(network, out string) Hop {
		return Hop{Network: prefix(network), Out: out, Local: out == ""}
	}
	return Routes{
		hop("10.1.0.0/24", "lan0"), hop("10.2.0.0/24", "dmz0"), hop("10.9.0.0/24", "wg0"), hop("0.0.0.0/0", "wan0"),
		hop("fd02::/64", "wan0"), hop("10.1.0.1/32", ""), hop("198.51.100.1/32", ""), hop("fd00::1/128", ""),
	}
}

// sent reads "lan0 10.1.0.7 > 8.8.8.8 udp 53"; other protocols are numbers, as in "1/8".
func sent(t *testing.T, text string) Packet {
	t.Helper()
	f := strings.Fields(text)
	k := Packet{In: f[0], Source: addr(f[1]), Destination: addr(f[3])}
	number := 0
	if len(f) > 5 {
		number, _ = strconv.Atoi(f[5])
	}
	k.Protocol = map[string]Protocol{"tcp": TCP, "udp": UDP, "icmp": ICMP, "icmpv6": ICMPv6, "gre": GRE}[f[4]]
	if hasTypes(k.Protocol) {
		k.Type = number
	} else {
		k.Port = uint16(number)
	}
	return k
}

func TestExplainFollowsAPacket(t *testing.T) {
	for _, tc := range []struct {
		name, packet string
		verdict      Action
		kind, id     string
	}{
		{"a rule between two zones takes it", "lan0 10.1.0.7 > 8.8.8.8 tcp 443", Accept, ByRule, "a3"},
		{"the lower priority is asked first", "lan1 10.1.0.7 > 8.8.8.8 tcp 25", Reject, ByRule, "a2"},
		{"no matching rule (default)", "wan0 8.8.8.8 > 10.1.0.7 tcp 443", Drop, ByDefault, ""},
		{"a group is asked for its members", "wan0 203.0.113.9 > 10.1.0.7 tcp 443", Drop, ByRule, "a1"},
		{"a rule to any is about the gateway too", "lan0 10.1.0.7 > 10.1.0.1 icmp 8", Accept, ByRule, "a5"},
		{"a rule to a zone is not about the gateway", "lan0 10.1.0.7 > 198.51.100.1 tcp 9999", Drop, ByDefault, ""},
		{"an opening is for every interface", "wan0 8.8.8.8 > 198.51.100.1 udp 53", Accept, ByOpening, ""},
		{"an opening of one interface is open there", "lan0 10.1.0.7 > 10.1.0.1 udp 67", Accept, ByOpening, ""},
		{"an opening of one interface is closed elsewhere", "wan0 8.8.8.8 > 198.51.100.1 udp 67", Drop, ByDefault, ""},
		{"anti-lockout, management is always reachable", "wan0 203.0.113.9 > 198.51.100.1 tcp 3443", Accept, ByLockout, ""},
		{"a peer reaches the database", "wan0 10.1.0.2 > 198.51.100.1 tcp 5432", Accept, ByPeer, ""},
		{"another host does not reach the database", "lan0 10.1.0.3 > 198.51.100.1 tcp 5432", Drop, ByDefault, ""},
		{"a tunnel passes", "wg0 10.9.0.3 > 10.1.0.7 tcp 22", Accept, ByTunnel, ""},
		{"a rule comes before a tunnel", "wg0 10.9.0.3 > 8.8.8.8 tcp 25", Reject, ByRule, "a2"},
		{"a port forward without pass needs a rule", "wan0 8.8.8.8 > 198.51.100.1 tcp 8025", Drop, ByDefault, ""},
		{"a port forward passes", "wan0 8.8.8.8 > 198.51.100.1 tcp 8080", Accept, ByTranslated, "c1"},
		{"a rule comes before a port forward", "wan0 203.0.113.9 > 198.51.100.1 tcp 8080", Drop, ByRule, "a1"},
		{"a port forward is for its zone alone", "lan0 10.1.0.7 > 198.51.100.1 tcp 8080", Drop, ByDefault, ""},
		{"loopback traffic", "lo 127.0.0.1 > 10.1.0.1 tcp 5432", Accept, ByLoopback, ""},
		{"neighbours find each other", "wan0 fe80::2 > fd00::1 icmpv6 135", Accept, ByNeighbour, ""},
		{"a DHCPv6 server answers", "wan0 fe80::2 > fd00::1 udp 546", Accept, ByNeighbour, ""},
		{"nobody else answers for it", "wan0 2001:db8::2 > fd00::1 udp 546", Drop, ByDefault, ""},
		{"a ping of the other family is not meant", "lan0 fd00::7 > fd00::1 icmpv6 128", Drop, ByDefault, ""},
		{"an answer that was not asked for is invalid", "lan0 10.1.0.7 > 10.1.0.1 icmp 0", Drop, ByInvalid, ""},
		{"an address of one link leads to no other", "lan0 fe80::7 > fd02::1 tcp 80", Drop, ByRoute, ""},
		{"there is no route", "lan0 fd00::7 > fd01::1 tcp 80", Drop, ByRoute, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := Explain(office(), sent(t, tc.packet), officeRoutes().Route)
			if got.Verdict != tc.verdict || got.Decided.Kind != tc.kind || got.Decided.ID != tc.id {
				t.Errorf("%s = %s by %+v, want %s by %s %s", tc.packet, got.Verdict, got.Decided, tc.verdict, tc.kind, tc.id)
			}
		})
	}
}

func TestExplainTellsWhatIsTranslated(t *testing.T) {
	for _, tc := range []struct{ name, packet, want string }{
		{"a port is forwarded", "wan0 8.8.8.8 > 198.51.100.1 tcp 8080", `{"destination":"10.2.0.5","port":80,"dnat":{"kind":"nat","id":"c1","name":"site"}}`},
		{"a range of ports keeps its distance", "wan0 8.8.8.8 > 198.51.100.1 tcp 9003", `{"destination":"10.2.0.6","port":7003,"dnat":{"kind":"nat","id":"c2","name":"range"}}`},
		{"the inside is hidden", "lan0 10.1.0.7 > 8.8.8.8 udp 53", `{"snat":{"kind":"nat","id":"c3","name":"hide"},"masquerade":true}`},
		{"a tunnel hides its subnet where it leaves", "wg0 10.9.0.3 > 10.9.0.4 tcp 22", `{"snat":{"kind":"tunnel","name":"wg0"},"masquerade":true}`},
		{"what is dropped is not hidden", "dmz0 10.2.0.5 > 8.8.8.8 udp 53", `null`},
		{"what is for the gateway is not hidden", "wan0 8.8.8.8 > 198.51.100.1 udp 53", `null`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := json.Marshal(Explain(office(), sent(t, tc.packet), officeRoutes().Route).Translated)
			if err != nil || string(got) != tc.want {
				t.Errorf("%s = %s, %v, want %s", tc.packet, got, err, tc.want)
			}
		})
	}
}

func TestExplainTellsTheWay(t *testing.T) {
	for _, tc := range []struct {
		name, packet string
		want         []string
	}{
		{"rules that pass it over say why", "lan0 10.1.0.7 > 8.8.8.8 tcp 443", []string{
			`routing: 8.8.8.8 is reached through wan0`,
			`forward: rule "broken" is skipped: source: no such object`,
			`forward: rule "no mail" does not match the service`,
			`forward: rule "out": accept`,
			`postrouting: NAT rule "hide" translates the source to address of wan0`,
		}},
		{"a port forward is named twice", "wan0 8.8.8.8 > 198.51.100.1 tcp 8080", []string{
			`prerouting: NAT rule "mixed" is skipped: it mixes IPv4 and IPv6`,
			`prerouting: NAT rule "site" translates the destination 198.51.100.1:8080 to 10.2.0.5:80`,
			`routing: 10.2.0.5 is reached through dmz0`,
			`forward: rule "blocked" does not match the source`,
			`forward: no matching rule; NAT rule "site" forwards it here: accept`,
		}},
		{"the default is told in words", "dmz0 10.2.0.5 > 10.1.0.1 tcp 9", []string{
			`routing: 10.1.0.1 is the gateway itself`,
			`input: no matching rule (default): drop`,
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, s := range Explain(office(), sent(t, tc.packet), officeRoutes().Route).Steps {
				got = append(got, s.Stage+": "+s.Text)
			}
			if strings.Join(got, "\n") != strings.Join(tc.want, "\n") {
				t.Errorf("steps of %s:\n%s\nwant:\n%s", tc.packet, strings.Join(got, "\n"), strings.Join(tc.want, "\n"))
			}
		})
	}
}

func TestExplainCountsWhatItDoesNotTell(t *testing.T) {
	p := manyRules(300, 1)
	got := Explain(p, sent(t, "eth0 9.9.9.9 > 8.8.8.8 tcp 9"), func(netip.Addr, uint32) (string, bool, bool) { return "eth0", false, true })
	if len(got.Steps) != 1+maxPassed+2 || got.Steps[1+maxPassed].Text != "250 more rules between these zones do not match" {
		t.Errorf("%d steps, then %+v", len(got.Steps), got.Steps[len(got.Steps)-2:])
	}
}
