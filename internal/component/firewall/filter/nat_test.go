package filter_test

import (
	"net/http"
	"strings"
	"testing"

	"gateway/internal/component/firewall/firewalltest"
)

// shows NAT-05, NAT-07, NAT-08, NAT-09, NAT-10, NAT-11, NAT-12
func TestNATRulesInTheKernel(t *testing.T) {
	r := firewalltest.NewLive(t)
	r.Iface("eth0", "wan")
	nat := func(body object) string { t.Helper(); return r.Made("/nat-rules", body) }
	second := nat(object{"name": "b", "kind": "dnat", "in_zone": "wan", "dest_port": 8000, "dest_port_end": 8009, "target_address": "192.0.2.1", "target_port": 9000, "target_port_end": 9009, "priority": 20})
	first := nat(object{"name": "a", "kind": "dnat", "in_zone": "wan", "protocol": "udp", "dest_port": 443, "target_address": "2001:db8::1", "target_port": 8443, "priority": 10})
	mixed := r.Do("POST", "/nat-rules", object{"name": "both", "kind": "dnat", "dest_port": 1, "source_cidr": "192.0.2.0/24", "target_address": "2001:db8::1"}).Want(http.StatusCreated)
	if got := mixed.Field("warning"); got != "it mixes IPv4 and IPv6" {
		t.Errorf("the answer warns %q", got)
	}
	// What is left out is logged with the next change of the files.
	out := nat(object{"name": "c", "kind": "masquerade", "out_zone": "wan", "source_cidr": "2001:db8::/32"})
	off := nat(object{"name": "off", "kind": "masquerade", "out_zone": "wan", "enabled": false})
	text := r.Kernel()
	for _, want := range [][]string{
		{`iifname "eth0" meta nfproto ipv6 udp dport 443 counter name "n_` + first + `"`, " dnat ip6 to [2001:db8::1]:8443 "},
		{`iifname "eth0" meta nfproto ipv4 tcp dport 8000-8009 counter name "n_` + second + `"`, "8000 : 192.0.2.1 . 9000", "8009 : 192.0.2.1 . 9009"},
		{`oifname "eth0" ip6 saddr 2001:db8::/32 counter name "n_` + out + `" masquerade`},
	} {
		if firewalltest.LineWith(text, want...) == "" {
			t.Errorf("the kernel has no line with %q in\n%s", want, text)
		}
	}
	if strings.Index(text, "gid:"+first) > strings.Index(text, "gid:"+second) {
		t.Error("the rule with the lower priority comes later")
	}
	for name, id := range map[string]string{"switched off": off, "of two families": mixed.ID()} {
		if strings.Contains(text, id) {
			t.Errorf("the kernel has a rule that is %s", name)
		}
	}
	if !strings.Contains(r.Log.String(), `what="NAT rule both" why="it mixes IPv4 and IPv6"`) {
		t.Errorf("the log has %s", r.Log)
	}
}
