package filter_test

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"gateway/internal/component/firewall/firewalltest"
	"gateway/internal/daemon"
	"gateway/internal/db"
)

// others stand in for the services that need the packet filter, which are components of their own.
type others struct {
	forwardProxy, radius, dhcp bool
	tunnels                    []daemon.Tunnel
}

func (o *others) needed(context.Context, db.DB) (n daemon.Needed, _ error) {
	open := func(is bool, protocol string, port int, role string) {
		if is {
			n.Openings = append(n.Openings, daemon.Opening{Protocol: protocol, Port: port, Role: role, Why: "a test"})
		}
	}
	open(o.forwardProxy, "tcp", 3128, "")
	open(o.radius, "udp", 1812, "")
	open(o.radius, "udp", 1813, "")
	open(o.dhcp, "udp", 67, "lan")
	n.Tunnels = o.tunnels
	return n, nil
}

// opened are the lines that let in to a port.
func opened(r *firewalltest.Rig, port string) (lines []string) {
	r.T.Helper()
	for l := range strings.Lines(r.RulesText()) {
		if strings.Contains(l, "dport "+port+" accept") {
			lines = append(lines, strings.TrimPrefix(strings.TrimSpace(l), "add rule inet gateway input "))
		}
	}
	return lines
}

// shows (stand-in) FW-27*, FW-29*, FW-30*, FW-31
func TestWhatOtherComponentsNeed(t *testing.T) {
	o := &others{}
	r := firewalltest.NewWith(t, firewalltest.Options{Needed: o.needed})
	r.Iface("eth0", "wan")
	r.Iface("eth1", "lan")
	r.Iface("eth2", "lan")
	r.Iface("eth3", "dmz")
	subnet := netip.MustParsePrefix("10.8.0.0/24")
	for _, tc := range []struct {
		what   string
		others others
		want   map[string][]string // by port
	}{
		{"nothing runs", others{}, nil},
		{"the forward proxy", others{forwardProxy: true}, map[string][]string{"3128": {"tcp dport 3128 accept"}}},
		{"RADIUS", others{radius: true}, map[string][]string{"1812": {"udp dport 1812 accept"}, "1813": {"udp dport 1813 accept"}}},
		{"DHCP, on each LAN and nowhere else", others{dhcp: true}, map[string][]string{"67": {`iifname "eth1" udp dport 67 accept`, `iifname "eth2" udp dport 67 accept`}}},
		{"servers of tunnels", others{tunnels: []daemon.Tunnel{
			{Iface: "wg0", Subnet: subnet, Port: 51820, Server: true, Active: true},
			{Iface: "wg1", Subnet: subnet, Port: 51821, Server: true, Active: true},
		}}, map[string][]string{"51820": {"udp dport 51820 accept"}, "51821": {"udp dport 51821 accept"}}},
		{"a tunnel that we dial, and one that is off", others{tunnels: []daemon.Tunnel{
			{Iface: "wg0", Subnet: subnet, Port: 51820, Active: true}, {Iface: "wg1", Subnet: subnet, Port: 51821, Server: true},
		}}, nil},
	} {
		t.Run(tc.what, func(t *testing.T) {
			*o = tc.others
			for _, port := range []string{"3128", "1812", "1813", "67", "51820", "51821"} {
				if got := opened(r, port); !slices.Equal(got, tc.want[port]) {
					t.Errorf("port %s: %q, want %q", port, got, tc.want[port])
				}
			}
			for _, tunnel := range []string{"wg0", "wg1"} {
				_, serves := tc.want["51820"]
				text := r.RulesText()
				passes, masked := firewalltest.LineWith(text, `iifname "`+tunnel+`" accept`) != "", firewalltest.LineWith(text, `oifname "`+tunnel+`"`, "masquerade") != ""
				if passes != serves || masked != serves {
					t.Errorf("%s passes %v and is masqueraded %v, want %v", tunnel, passes, masked, serves)
				}
			}
		})
	}
}

// The ports of sites are the reverse proxy's own, so narrowing the anti-lockout leaves them open.
//
// shows FW-18, FW-19*
func TestTheManagementIsReachableAndNarrowed(t *testing.T) {
	r := firewalltest.New(t)
	r.Iface("eth1", "lan")
	if text := r.RulesText(); firewalltest.LineWith(text, "input tcp dport { 22, 443, 3443 } accept") == "" || firewalltest.LineWith(text, "input udp dport 443 accept") == "" {
		t.Errorf("the way in is not open by default:\n%s", text)
	}
	r.Do("PUT", "/firewall/settings", object{"lockout_zones": []string{"lan"}, "lockout_networks": []string{}}).Want(http.StatusOK)
	text := r.RulesText()
	for _, port := range []string{"22", "3443"} {
		for l := range strings.Lines(text) {
			if strings.Contains(l, "gateway input ") && strings.Contains(l, port) && strings.Contains(l, "accept") && !strings.Contains(l, `iifname "eth1"`) {
				t.Errorf("port %s is open beyond the zone: %s", port, l)
			}
		}
	}
	if firewalltest.LineWith(text, `iifname "eth1" tcp dport { 22, 443, 3443 } accept`) == "" {
		t.Errorf("the way in from the zone is closed:\n%s", text)
	}
}
