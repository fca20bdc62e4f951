package firewall_test

import (
	"net/http"
	"testing"

	"gateway/internal/api/apitest"
	"gateway/internal/component/firewall/firewalltest"
)

// shows NAT-01, NAT-02, NAT-03, NAT-04, NAT-06
func TestNATRules(t *testing.T) {
	r := firewalltest.New(t)
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
	r.Edit(rule, object{"dest_port_end": 25, "target_port_end": 2525}).Want(http.StatusOK)
	r.Made("/nat-rules", object{"name": "out", "kind": "masquerade", "out_zone": "wan"})
	r.Made("/nat-rules", object{"name": "as", "kind": "snat", "out_zone": "wan", "source_cidr": "192.0.2.0/24", "target_address": "198.51.100.2"})
	if got := r.Made("/nat-rules", object{"name": "web", "kind": "dnat", "dest_port": 80, "target_address": "2001:DB8::80"}); r.Do("GET", "/nat-rules/"+got, nil).Field("protocol") != "tcp" {
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

func TestADNATRuleSaysWhetherItLetsThePacketsPass(t *testing.T) {
	r := firewalltest.New(t)
	r.Iface("eth0", "wan")
	body := object{"name": "mail", "kind": "dnat", "in_zone": "wan", "protocol": "tcp", "dest_port": 25, "target_address": "10.0.0.5"}
	made := r.Do("POST", "/nat-rules", body).Want(http.StatusCreated)
	if got := made.Field("pass"); got != "true" {
		t.Errorf("pass = %s unless said otherwise, want true", got)
	}
	marked := func() bool { return firewalltest.LineWith(r.RulesText(), "dnat ip to 10.0.0.5", "ct mark set") != "" }
	if !marked() {
		t.Errorf("what it translates does not pass:\n%s", r.RulesText())
	}
	body["pass"] = false
	if got := r.Do("PUT", "/nat-rules/"+made.ID(), body).Want(http.StatusOK).Field("pass"); got != "false" {
		t.Errorf("pass = %s, want false", got)
	}
	if marked() || firewalltest.LineWith(r.RulesText(), "dnat ip to 10.0.0.5") == "" {
		t.Errorf("what it translates still passes by itself:\n%s", r.RulesText())
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
