package packetfilter

import (
	"flag"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata/compile")

// These are the cases whose text is kept in testdata/compile, for people to read.
//
// shows FW-07, FW-08, FW-09, FW-10, FW-11, FW-12, FW-13, FW-19*, FW-54, FW-58
// shows NAT-05, NAT-08, NAT-09, NAT-10, NAT-11
func TestGoldens(t *testing.T) {
	for name, p := range goldens() {
		t.Run(name, func(t *testing.T) {
			text := Compile(p)
			hold(t, filepath.Join("testdata", "compile", name+".nft"), whole(text))
			k := newKernel(t)
			// Twice: the text must hold for an empty kernel and for a running one.
			k.mustLoad(t, text)
			first, err := k.Nft(t.Context(), nil, "list", "table", "inet", "gateway")
			if err != nil {
				t.Fatal(err)
			}
			k.mustLoad(t, text)
			again, err := k.Nft(t.Context(), nil, "list", "table", "inet", "gateway")
			if diff := cmp.Diff(first, again); err != nil || diff != "" {
				t.Errorf("loaded again it is another table: %v\n%s", err, diff)
			}
		})
	}
}

// whole is all that a golden keeps.
func whole(text Text) string {
	var b strings.Builder
	b.Write(text.Rules)
	b.WriteString("# elements\n")
	b.Write(text.Elements)
	for _, p := range text.Problems {
		fmt.Fprintf(&b, "# left out: %s (%s): %s\n", p.Subject, p.ID, p.Message)
	}
	return b.String()
}

func hold(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if diff := cmp.Diff(got, string(want)); err != nil || diff != "" {
		t.Errorf("%s (-got +want, rewrite with -update): %v\n%s", file, err, diff)
	}
}

// some is a selector of ranges, networks and addresses.
func some(list ...string) Selector {
	var ranges []Range
	for _, s := range list {
		ranges = append(ranges, parseRange(s))
	}
	return Selector{Listed: Merge(ranges)}
}

func parseRange(s string) Range {
	if from, to, found := strings.Cut(s, "-"); found {
		return Range{From: netip.MustParseAddr(from), To: netip.MustParseAddr(to)}
	}
	if a, err := netip.ParseAddr(s); err == nil {
		return Range{From: a, To: a}
	}
	return RangeOf(netip.MustParsePrefix(s))
}

func prefix(s string) netip.Prefix { return netip.MustParsePrefix(s) }

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

func tcp(from, to uint16) Service { return Service{Protocol: TCP, From: from, To: to, Type: -1} }

func udp(from, to uint16) Service { return Service{Protocol: UDP, From: from, To: to, Type: -1} }

func icmp(kind int) Service { return Service{Protocol: ICMP, Type: kind} }

func icmp6(kind int) Service { return Service{Protocol: ICMPv6, Type: kind} }

func zonesOfHouse() map[string][]string {
	return map[string][]string{"lan": {"lan0", "lan1"}, "wan": {"wan0"}, "dmz": {"dmz0"}, "empty": nil}
}

func goldens() map[string]*Policy {
	return map[string]*Policy{
		"nothing": {},
		"rules-by-family": {Zones: zonesOfHouse(), Rules: []Rule{
			{ID: "a1", Name: "no address, once", Priority: 1, From: "lan", To: "wan", Action: Accept},
			{ID: "a2", Name: "IPv4", Priority: 2, From: "lan", To: "wan", Source: some("10.0.0.0/8", "192.168.0.1-192.168.0.9"), Action: Drop, Log: true},
			{ID: "a3", Name: "both", Priority: 3, From: "lan", To: "wan", Destination: some("192.0.2.1", "2001:db8::/32"), Action: Reject},
			{ID: "a4", Name: "mixed families", Priority: 4, From: "lan", To: "wan", Source: some("10.0.0.1"), Destination: some("fd00::1"), Action: Accept},
			{ID: "a5", Name: "not an address", Priority: 5, From: "lan", To: "wan", Source: Selector{Broken: "300.1.1.1 is not an address"}, Action: Accept},
		}},
		"services": {Zones: zonesOfHouse(), Rules: []Rule{
			{ID: "b1", Name: "web", Priority: 1, From: "lan", To: "wan", Services: []Service{tcp(80, 80), tcp(443, 443), udp(443, 443)}, Action: Accept},
			{ID: "b2", Name: "ping", Priority: 2, From: "lan", To: "wan", Services: []Service{icmp(8), icmp6(128)}, Action: Accept},
			{ID: "b3", Name: "ping of IPv4", Priority: 3, From: "lan", To: "wan", Source: some("10.0.0.0/8"), Services: []Service{icmp(-1), icmp6(-1)}, Action: Accept},
			{ID: "b4", Name: "ping of IPv6 for IPv4", Priority: 4, From: "lan", To: "wan", Source: some("10.0.0.0/8"), Services: []Service{icmp6(128)}, Action: Accept},
			{ID: "b5", Name: "tunnels", Priority: 5, From: "lan", To: "wan", Services: []Service{{Protocol: GRE, Type: -1}, {Protocol: ESP, Type: -1}, udp(500, 500)}, Action: Accept},
			{ID: "b6", Name: "ports that overlap", Priority: 6, From: "lan", To: "wan", Services: []Service{tcp(1, 10), tcp(5, 20), tcp(21, 21), tcp(50, 50)}, Action: Accept},
			{ID: "b7", Name: "broken group", Priority: 7, From: "lan", To: "wan", Broken: "its service group has a service without a protocol", Action: Accept},
		}},
		"order": {Zones: zonesOfHouse(), Rules: []Rule{
			{ID: "c7", Name: "last", Priority: 70, From: Any, To: Any, Action: Reject},
			{ID: "c1", Name: "first", Priority: 10, From: "lan", To: "wan", Services: []Service{tcp(25, 25)}, Action: Drop},
			{ID: "c2", Name: "a run of two", Priority: 20, From: Any, To: "wan", Services: []Service{udp(53, 53)}, Action: Accept},
			{ID: "c3", Name: "its second", Priority: 30, From: "dmz", To: Any, Services: []Service{tcp(22, 22)}, Action: Drop},
			{ID: "c4", Name: "a pair again", Priority: 40, From: "lan", To: "wan", Action: Accept},
			{ID: "c5", Name: "another pair", Priority: 40, From: "wan", To: "dmz", Services: []Service{tcp(443, 443)}, Action: Accept},
			{ID: "c6", Name: "nowhere", Priority: 50, From: "empty", To: Any, Action: Accept},
		}},
		"uplinks": {Zones: zonesOfHouse(), Rules: []Rule{
			{ID: "ab1", Name: "in the way of IPv6 alone", Priority: 1, From: "dmz", To: "lan", Action: Accept},
			{ID: "ab2", Name: "stays with the routes", Priority: 2, From: "lan", To: "wan", Services: []Service{tcp(25, 25), icmp(8), icmp6(128)}, Action: Drop},
			{ID: "ab3", Name: "the line of the voice", Priority: 3, From: "lan", To: "wan", Source: some("10.0.0.0/24", "fd00::/64"), Services: []Service{udp(5060, 5061)}, Action: Accept, Uplinks: UplinkGroup{"voice", 0x00810000, true}},
			{ID: "ab4", Name: "of IPv6, to anywhere", Priority: 4, From: "dmz", To: Any, Action: Accept, Uplinks: UplinkGroup{"backup", 0x00820000, false}},
			{ID: "ab5", Name: "nowhere", Priority: 5, From: "empty", To: "wan", Action: Accept, Uplinks: UplinkGroup{"voice", 0x00810000, true}},
			{ID: "ab6", Name: "does not accept", Priority: 6, From: "lan", To: "wan", Action: Reject, Uplinks: UplinkGroup{"voice", 0x00810000, true}},
			{ID: "ab7", Name: "no mark of a group", Priority: 7, From: "lan", To: "wan", Action: Accept, Uplinks: UplinkGroup{"voice", 0x10810000, true}},
		}},
		"groups": {
			Zones: zonesOfHouse(),
			Sets: map[string]*Addresses{
				"5e1": ptr(some("10.0.0.0/24", "10.0.1.5", "fd00::/64").Listed),
				"5e2": ptr(some("192.0.2.1").Listed),
				"5e3": ptr(some("10.9.9.9").Listed),
			},
			Rules: []Rule{
				{ID: "d1", Name: "group to group", Priority: 1, From: "lan", To: "wan", Source: Selector{Set: "5e1"}, Destination: Selector{Set: "5e2"}, Action: Accept},
				{ID: "d2", Name: "group and IPv4", Priority: 2, From: "lan", To: "wan", Source: Selector{Set: "5e1"}, Destination: some("192.0.2.7"), Action: Accept},
				{ID: "d3", Name: "no such group", Priority: 3, From: "lan", To: "wan", Source: Selector{Set: "5e4"}, Action: Accept},
			},
			Peers: []netip.Addr{addr("10.1.1.2"), addr("fd01::2"), addr("10.1.1.1")},
		},
		"gateway": {
			Zones: zonesOfHouse(),
			Openings: []Opening{
				{Protocol: UDP, Port: 53, Why: "DNS"},
				{Protocol: UDP, Port: 67, Interface: "lan0", Why: "DHCP"},
				{Protocol: ESP, Why: "IPsec"},
				{Protocol: UDP, Port: 67, Interface: `lan0" accept #`, Why: "a name that is text"},
			},
			Tunnels: []Tunnel{{Interface: "wg0", Subnet: prefix("10.8.0.0/24")}, {Interface: "wg1", Subnet: prefix("fd08::/64")}},
			Lockout: Lockout{Management: 8443},
		},
		"lockout-narrowed":  {Zones: zonesOfHouse(), Lockout: Lockout{Zones: []string{"lan", "empty"}, Networks: []netip.Prefix{prefix("10.0.0.0/8"), prefix("fd00::/8")}, Management: 9443}},
		"lockout-to-nobody": {Zones: zonesOfHouse(), Lockout: Lockout{Zones: []string{"empty"}}},
		"nat": {Zones: zonesOfHouse(), NAT: []NAT{
			{ID: "e2", Name: "second", Priority: 2, Kind: DNAT, In: "wan", Protocol: TCP, Port: 443, PortEnd: 443, Target: addr("10.0.0.5"), ToPort: 8443, ToEnd: 8443},
			{ID: "e1", Name: "first", Priority: 1, Kind: DNAT, In: "wan", Destination: prefix("2001:db8::1/128"), Protocol: TCP, Port: 443, PortEnd: 443, Target: addr("fd00::5"), ToPort: 8443, ToEnd: 8443},
			{ID: "e3", Name: "shifted", Priority: 3, Kind: DNAT, In: "wan", Protocol: UDP, Port: 8000, PortEnd: 8002, Target: addr("10.0.0.6"), ToPort: 9000, ToEnd: 9002},
			{ID: "e4", Name: "to a smaller range", Priority: 4, Kind: DNAT, Protocol: UDP, Port: 7000, PortEnd: 7009, Target: addr("fd00::6"), ToPort: 7005, ToEnd: 7006},
			{ID: "e5", Name: "the same ports", Priority: 5, Kind: DNAT, In: "wan", Protocol: UDP, Port: 6000, PortEnd: 6009, Target: addr("fd00::6"), ToPort: 6000, ToEnd: 6009},
			{ID: "e6", Name: "all of a host", Priority: 6, Kind: DNAT, In: "wan", Destination: prefix("192.0.2.9/32"), Target: addr("10.0.0.9")},
			{ID: "e10", Name: "needs a rule", Priority: 8, Kind: DNAT, In: "wan", Protocol: TCP, Port: 25, PortEnd: 25, Target: addr("10.0.0.7"), NeedsRule: true},
			{ID: "e7", Name: "mixes families", Priority: 7, Kind: DNAT, In: "wan", Destination: prefix("192.0.2.9/32"), Target: addr("fd00::9")},
			{ID: "f1", Name: "out", Priority: 1, Kind: Masquerade, Out: "wan"},
			{ID: "f2", Name: "out by another address", Priority: 0, Kind: SNAT, Out: "wan", Source: prefix("10.0.0.0/24"), Protocol: TCP, Port: 25, PortEnd: 25, Target: addr("192.0.2.25"), ToPort: 1024, ToEnd: 2047},
			{ID: "f3", Name: "of a protocol", Priority: 2, Kind: Masquerade, Out: "dmz", Protocol: UDP, ToPort: 5000, ToEnd: 5999, Destination: prefix("fd00::/64")},
			{ID: "f4", Name: "nowhere", Priority: 3, Kind: Masquerade, Out: "empty"},
		}},
	}
}

func ptr[T any](v T) *T { return &v }
