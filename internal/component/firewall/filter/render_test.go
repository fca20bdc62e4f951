package filter_test

import (
	"net/http"
	"strings"
	"testing"

	"gateway/internal/api/apitest"
	"gateway/internal/component/firewall/filter"
	"gateway/internal/component/firewall/firewalltest"
)

type object = firewalltest.Object

// shows FW-42, FW-43, FW-54, FW-55, FW-56, FW-58, FW-60, FW-61
func TestRulesAsNftReadsThem(t *testing.T) {
	r := firewalltest.New(t)
	r.Iface("eth0", "wan")
	r.Iface("eth1", "lan")
	ssh, ping := r.Builtin("/firewall/services", "SSH"), r.Builtin("/firewall/service-groups", "Ping")
	host, net := r.Address("host", "host", "192.0.2.1"), r.Address("net", "network", "2001:db8::/32")
	span, name := r.Address("span", "range", "192.0.2.5-192.0.2.9"), r.Address("name", "fqdn", "www.example.com")
	group := r.Made("/firewall/address-groups", object{"name": "g", "members": []string{host, net, span, name}})
	rule := func(body object) string {
		t.Helper()
		return r.Made("/firewall/rules", apitest.With(object{"name": "x", "action": "accept", "src_zone": "lan", "dst_zone": "wan"}, body))
	}
	r.Restore(`insert into firewall_resolved (object_id, address, resolved_at) values ($1, '198.51.100.80', now())`, name)
	for _, tc := range []struct {
		name string
		body object
		want []string
	}{
		{"a host", object{"src_kind": "object", "src_object_id": host}, []string{"ip saddr 192.0.2.1 "}},
		{"a network as the destination", object{"dst_kind": "object", "dst_object_id": net}, []string{"ip6 daddr 2001:db8::/32 "}},
		{"a range", object{"src_kind": "object", "src_object_id": span}, []string{"ip saddr 192.0.2.5-192.0.2.9 "}},
		{"a name, as a set", object{"dst_kind": "object", "dst_object_id": name}, []string{"ip daddr @a4_" + name}},
		{"a group, as a set", object{"src_kind": "group", "src_group_id": group}, []string{"ip saddr @a4_" + group}},
		{"a group of the other family", object{"dst_kind": "group", "dst_group_id": group}, []string{"ip6 daddr @a6_" + group}},
		{"a network of IPv4", object{"src_kind": "cidr", "src_cidr": "192.0.2.0/24"}, []string{"ip saddr 192.0.2.0/24 "}},
		{"a network of IPv6", object{"dst_kind": "cidr", "dst_cidr": "2001:db8:1::/48"}, []string{"ip6 daddr 2001:db8:1::/48 "}},
		{"a service", object{"service_object_id": ssh}, []string{"tcp dport 22 "}},
		{"a group of services", object{"service_group_id": ping}, []string{"icmp type 8 "}},
		{"the other service of the group", object{"service_group_id": ping}, []string{"icmpv6 type 128 "}},
	} {
		id := rule(tc.body)
		if got := firewalltest.LineWith(r.RulesText(), append(tc.want, "gid:"+id)...); got == "" {
			t.Errorf("%s: no line with %v", tc.name, tc.want)
		}
	}
	elements := r.ElementsText()
	for _, want := range []string{"192.0.2.1,\n192.0.2.5-192.0.2.9,\n198.51.100.80,\n", "2001:db8::/32,\n"} {
		if !strings.Contains(elements, want) {
			t.Errorf("the sets lack %q:\n%s", want, elements)
		}
	}
	if got := firewalltest.LineWith(r.RulesText(), `"eth1" . "eth0" : jump`); got == "" {
		t.Error("nothing leads from the interface of lan to that of wan")
	}
	late, early := rule(object{"priority": 900}), rule(object{"priority": -900})
	if text := r.RulesText(); strings.Index(text, "gid:"+late) < strings.Index(text, "gid:"+early) {
		t.Error("the rule with the higher priority comes first")
	}
}

// A group that is not on this node changes no verdict, and is told.
func TestARuleWithAnUplinkGroupMarksItsConnections(t *testing.T) {
	r := firewalltest.New(t)
	r.Iface("eth0", "wan")
	r.Iface("eth1", "lan")
	four, six := r.UplinkGroup("fibre", 5, "inet"), r.UplinkGroup("fibre 6", 127, "inet6")
	rule := func(name, group string) string {
		t.Helper()
		return r.Made("/firewall/rules", object{"name": name, "action": "accept", "src_zone": "lan", "dst_zone": "wan", "uplink_group_id": group})
	}
	one, two := rule("four", four), rule("six", six)
	for id, words := range map[string][]string{one: {"uplinks_ipv4", "or 0x00850000"}, two: {"uplinks_ipv6", "or 0x00ff0000"}} {
		if got := firewalltest.LineWith(r.RulesText(), append(words, `iifname "eth1"`, `fib daddr oifname "eth0"`, "gid:"+id)...); got == "" {
			t.Errorf("no line with %v in\n%s", words, r.RulesText())
		}
	}
	r.Restore(`update firewall_rules set uplink_group_id = gen_random_uuid() where id = $1`, one)
	r.Restore(`update firewall_rules set action = 'drop' where id = $1`, two)
	now := r.Rendered()
	if text := string(now.File(filter.RulesPath)); strings.Contains(text, "uplinks") || !strings.Contains(text, `accept comment "gid:`+one) {
		t.Errorf("without the groups there is\n%s", text)
	}
	if len(now.Problems) != 1 || now.Problems[0].Subject != "rule four" {
		t.Errorf("problems = %+v", now.Problems)
	}
}

// The base chain of the choice stays behind empty, as every base chain does.
func TestUplinkGroupsInTheKernel(t *testing.T) {
	r := firewalltest.NewLive(t)
	r.Iface("eth0", "wan")
	group := r.UplinkGroup("fibre", 1, "inet")
	rule := r.Made("/firewall/rules", object{"name": "x", "action": "accept", "dst_zone": "wan", "uplink_group_id": group})
	want := `fib daddr oifname "eth0" meta mark set meta mark & 0xff81ffff | 0x00810000 return comment "gid:` + rule + `"`
	if text := r.Kernel(); !strings.Contains(text, want) {
		t.Errorf("the kernel has no %s in\n%s", want, text)
	}
	r.Do("PUT", "/firewall/rules/"+rule, object{"name": "x", "action": "accept", "dst_zone": "wan"}).Want(http.StatusOK)
	if text := r.Kernel(); strings.Contains(text, "fib daddr") || strings.Contains(text, "uplinks_ipv4") {
		t.Errorf("the kernel still chooses:\n%s", text)
	}
}

// shows FW-05, FW-06, FW-59
func TestRulesInTheKernel(t *testing.T) {
	r := firewalltest.NewLive(t)
	r.Iface("eth0", "wan")
	rule := r.Made("/firewall/rules", object{"name": "in", "src_zone": "wan", "action": "accept", "service_object_id": r.Builtin("/firewall/services", "SSH")})
	want := `counter name "r_` + rule + `" accept comment "gid:` + rule + `"`
	if text := r.Kernel(); !strings.Contains(text, want) {
		t.Errorf("the kernel has no %s in\n%s", want, text)
	}
	r.Edit("/firewall/rules/"+rule, object{"enabled": false}).Want(http.StatusOK)
	if text := r.Kernel(); strings.Contains(text, rule) {
		t.Errorf("the kernel has a rule that is switched off:\n%s", text)
	}
}

func TestOneMemberMoreTouchesNoRule(t *testing.T) {
	r := firewalltest.NewLive(t)
	a, b := r.Address("a", "host", "192.0.2.1"), r.Address("b", "host", "192.0.2.77")
	group := r.Made("/firewall/address-groups", object{"name": "g", "members": []string{a}})
	r.Made("/firewall/rules", object{"name": "x", "src_kind": "group", "src_group_id": group, "action": "drop"})
	text := string(r.Installed.File(filter.RulesPath))
	item := r.Do("POST", "/firewall/address-groups/"+group+"/members", object{"object_id": b}).Want(http.StatusCreated)
	if got := string(r.Installed.File(filter.RulesPath)); got != text {
		t.Error("the rules changed")
	}
	if got := r.Kernel(); !strings.Contains(got, "192.0.2.77") {
		t.Errorf("the kernel has no new member:\n%s", got)
	}
	r.Do("DELETE", "/firewall/address-groups/"+group+"/members/"+item.ID(), nil).Want(http.StatusOK)
	if got := r.Kernel(); strings.Contains(got, "192.0.2.77") || !strings.Contains(got, "192.0.2.1") {
		t.Errorf("the kernel has other members:\n%s", got)
	}
}

// What a restore brings was perhaps never judged: it is left out, and nothing becomes wider.
func TestBrokenRowsAreLeftOut(t *testing.T) {
	r := firewalltest.New(t)
	object1 := r.Address("a", "host", "192.0.2.1")
	group := r.Made("/firewall/address-groups", object{"name": "g", "members": []string{object1, r.Address("b", "host", "192.0.2.2")}})
	direct := r.Made("/firewall/rules", object{"name": "direct", "src_kind": "object", "src_object_id": object1, "action": "accept"})
	grouped := r.Made("/firewall/rules", object{"name": "grouped", "src_kind": "group", "src_group_id": group, "action": "accept"})
	network := r.Made("/firewall/rules", object{"name": "network", "src_kind": "cidr", "src_cidr": "192.0.2.0/24", "action": "accept"})
	empty := r.Made("/firewall/service-groups", object{"name": "none"})
	service := r.Made("/firewall/rules", object{"name": "service", "service_group_id": empty, "action": "accept"})
	r.Restore(`update firewall_address_objects set value = '010.0.0.1"; accept' where id = $1`, object1)
	r.Restore(`update firewall_rules set src_cidr = '0.0.0.0/0 accept #' where id = $1`, network)
	now := r.Rendered()
	text := string(now.File(filter.RulesPath))
	for name, id := range map[string]string{"of a broken object": direct, "of a broken network": network, "of no service": service} {
		if strings.Contains(text, id) {
			t.Errorf("a rule %s is rendered", name)
		}
	}
	if !strings.Contains(text, grouped) || !strings.Contains(string(now.File(filter.ElementsPath)), "192.0.2.2,\n") || strings.Contains(string(now.File(filter.ElementsPath)), "192.0.2.1,") {
		t.Errorf("the group lacks what can be read, or has what cannot:\n%s", now.File(filter.ElementsPath))
	}
	var told []string
	for _, p := range now.Problems {
		told = append(told, p.Subject)
	}
	if got := strings.Join(told, ", "); got != "address object a, rule direct, rule network, rule service" {
		t.Errorf("problems = %s", got)
	}
}

// Elements are changed one by one only in a table that is as it was left.
func TestATableThatSomebodyEmptiedIsReplaced(t *testing.T) {
	r := firewalltest.NewLive(t)
	a, b := r.Address("a", "host", "192.0.2.1"), r.Address("b", "host", "192.0.2.77")
	group := r.Made("/firewall/address-groups", object{"name": "g", "members": []string{a}})
	rule := r.Made("/firewall/rules", object{"name": "x", "src_kind": "group", "src_group_id": group, "action": "drop"})
	r.Nft("flush", "table", "inet", "gateway")
	if got := r.Kernel(); strings.Contains(got, "gid:"+rule) {
		t.Fatalf("the table is not empty:\n%s", got)
	}
	r.Do("POST", "/firewall/address-groups/"+group+"/members", object{"object_id": b}).Want(http.StatusCreated)
	if got := r.Kernel(); !strings.Contains(got, "gid:"+rule) || !strings.Contains(got, "192.0.2.77") {
		t.Errorf("the kernel has:\n%s", got)
	}
}
