package firewall

import (
	"net/http"
	"strings"
	"testing"

	"gateway/internal/api/apitest"
)

// shows NAT-01, NAT-02, NAT-03, NAT-04, NAT-06
func TestNATRules(t *testing.T) {
	r := newRig(t)
	body := object{
		"name": "Mail", "kind": "dnat", "in_zone": "wan", "protocol": "tcp", "destination_cidr": "198.51.100.1", "dest_port": 25, "dest_port_end": 26,
		"target_address": "192.0.2.25", "target_port": 2525, "target_port_end": 2526, "note": "to Bob", "labels": []string{"mail"}, "enabled": true, "priority": 3,
	}
	made := r.Do("POST", "/nat-rules", body).Want(http.StatusCreated)
	for field, want := range map[string]string{
		"kind": "dnat", "in_zone": "wan", "out_zone": "any", "protocol": "tcp", "destination_cidr": "198.51.100.1/32", "dest_port": "25", "dest_port_end": "26",
		"target_address": "192.0.2.25", "target_port": "2525", "target_port_end": "2526", "note": "to Bob", "labels": "[mail]", "enabled": "true", "priority": "3", "warning": "",
	} {
		if got, again := made.Field(field), r.As("viewer", "GET", "/nat-rules/"+made.ID(), nil).Want(http.StatusOK).Field(field); got != want || again != want {
			t.Errorf("%s = %q, then %q, want %q", field, got, again, want)
		}
	}
	rule := "/nat-rules/" + made.ID()
	r.edit(rule, object{"dest_port_end": 25, "target_port_end": 2525}).Want(http.StatusOK)
	r.made("/nat-rules", object{"name": "out", "kind": "masquerade", "out_zone": "wan"})
	r.made("/nat-rules", object{"name": "as", "kind": "snat", "out_zone": "wan", "source_cidr": "192.0.2.0/24", "target_address": "198.51.100.2"})
	if got := r.made("/nat-rules", object{"name": "web", "kind": "dnat", "dest_port": 80, "target_address": "2001:DB8::80"}); r.Do("GET", "/nat-rules/"+got, nil).Field("protocol") != "tcp" {
		t.Error("a port without a protocol is not for tcp")
	}
	dnat := object{"name": "x", "kind": "dnat", "dest_port": 80, "target_address": "192.0.2.1"}
	refused(t, dnat, []refusal{
		{"a kind that is none", "kind", object{"kind": "nat"}},
		{"an in zone that is none", "in_zone", object{"in_zone": "moon"}},
		{"an out zone that is none", "out_zone", object{"kind": "masquerade", "out_zone": "moon"}},
		{"an end port below its start", "dest_port_end", object{"dest_port": 80, "dest_port_end": 79}},
		{"a target's end port below its start", "target_port_end", object{"target_port": 80, "target_port_end": 79}},
		{"an end without a start", "target_port_end", object{"target_port_end": 79}},
		{"a port of any protocol", "protocol", object{"protocol": "any"}},
		{"an address that is none", "target_address", object{"target_address": "192.0.2.256"}},
		{"a name as the target", "target_address", object{"target_address": "www.example.com"}},
		{"no target", "target_address", object{"target_address": ""}},
		{"a target of a masquerade", "target_address", object{"kind": "masquerade"}},
		{"a network that is none", "source_cidr", object{"source_cidr": "10/8"}},
		{"the way out of what comes in", "out_zone", object{"out_zone": "lan"}},
		{"the way in of what goes out", "in_zone", object{"kind": "snat", "in_zone": "lan"}},
		{"everything to somebody else", "dest_port", object{"dest_port": nil}},
	}, func(body object) apitest.Answer { return r.Do("POST", "/nat-rules", body) })
	r.Do("DELETE", rule, nil).Want(http.StatusOK)
	r.Do("GET", rule, nil).Want(http.StatusNotFound)
}

// shows NAT-05, NAT-07, NAT-08, NAT-09, NAT-10, NAT-11, NAT-12
func TestNATRulesInTheKernel(t *testing.T) {
	r := newRig(t).live()
	r.iface("eth0", "wan")
	nat := func(body object) string { t.Helper(); return r.made("/nat-rules", body) }
	second := nat(object{"name": "b", "kind": "dnat", "in_zone": "wan", "dest_port": 8000, "dest_port_end": 8009, "target_address": "192.0.2.1", "target_port": 9000, "target_port_end": 9009, "priority": 20})
	first := nat(object{"name": "a", "kind": "dnat", "in_zone": "wan", "protocol": "udp", "dest_port": 443, "target_address": "2001:db8::1", "target_port": 8443, "priority": 10})
	out := nat(object{"name": "c", "kind": "masquerade", "out_zone": "wan", "source_cidr": "2001:db8::/32"})
	off := nat(object{"name": "off", "kind": "masquerade", "out_zone": "wan", "enabled": false})
	mixed := r.Do("POST", "/nat-rules", object{"name": "both", "kind": "dnat", "dest_port": 1, "source_cidr": "192.0.2.0/24", "target_address": "2001:db8::1"}).Want(http.StatusCreated)
	if got := mixed.Field("warning"); got != "it mixes IPv4 and IPv6" {
		t.Errorf("the answer warns %q", got)
	}
	text := r.kernel()
	for _, want := range [][]string{
		{`iifname "eth0" meta nfproto ipv6 udp dport 443 counter name "n_` + first + `"`, " dnat ip6 to [2001:db8::1]:8443 "},
		{`iifname "eth0" meta nfproto ipv4 tcp dport 8000-8009 counter name "n_` + second + `"`, "8000 : 192.0.2.1 . 9000", "8009 : 192.0.2.1 . 9009"},
		{`oifname "eth0" ip6 saddr 2001:db8::/32 counter name "n_` + out + `" masquerade`},
	} {
		if lineWith(text, want...) == "" {
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
	if !strings.Contains(r.log.String(), `what="NAT rule both" why="it mixes IPv4 and IPv6"`) {
		t.Errorf("the log has %s", r.log)
	}
}

func TestADNATRuleSaysWhetherItLetsThePacketsPass(t *testing.T) {
	r := newRig(t)
	r.iface("eth0", "wan")
	body := object{"name": "mail", "kind": "dnat", "in_zone": "wan", "protocol": "tcp", "dest_port": 25, "target_address": "10.0.0.5"}
	made := r.Do("POST", "/nat-rules", body).Want(http.StatusCreated)
	if got := made.Field("pass"); got != "true" {
		t.Errorf("pass = %s unless said otherwise, want true", got)
	}
	marked := func() bool { return lineWith(r.rulesText(), "dnat ip to 10.0.0.5", "ct mark set") != "" }
	if !marked() {
		t.Errorf("what it translates does not pass:\n%s", r.rulesText())
	}
	body["pass"] = false
	if got := r.Do("PUT", "/nat-rules/"+made.ID(), body).Want(http.StatusOK).Field("pass"); got != "false" {
		t.Errorf("pass = %s, want false", got)
	}
	if marked() || lineWith(r.rulesText(), "dnat ip to 10.0.0.5") == "" {
		t.Errorf("what it translates still passes by itself:\n%s", r.rulesText())
	}
	out := object{"name": "out", "kind": "masquerade", "out_zone": "wan"}
	if got := r.Do("POST", "/nat-rules", out).Want(http.StatusCreated).Field("pass"); got != "false" {
		t.Errorf("a masquerade's pass = %s, want false: it lets nothing pass", got)
	}
	out["pass"] = true
	if a := r.Do("POST", "/nat-rules", out).Want(http.StatusBadRequest); a.Complaint("pass") == "" {
		t.Errorf("answered %+v, want pass to be refused", a.Error)
	}
}
