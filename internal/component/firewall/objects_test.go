package firewall_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"gateway/internal/api/apitest"
	"gateway/internal/component/firewall"
	"gateway/internal/component/firewall/firewalltest"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/fault"
)

type object = firewalltest.Object

// refusal is a request that must be refused, and about which field.
type refusal struct {
	name  string
	field string
	body  object
}

func refused(t *testing.T, base object, cases []refusal, do func(object) apitest.Answer) {
	t.Helper()
	for _, tc := range cases {
		if a := do(apitest.With(base, tc.body)); a.Status != http.StatusBadRequest || a.Complaint(tc.field) == "" {
			t.Errorf("%s: answered %d %+v, want 400 about %s", tc.name, a.Status, a.Error, tc.field)
		}
	}
}

// shows FW-34, FW-35
func TestZones(t *testing.T) {
	r := firewalltest.New(t)
	made := r.Do("POST", "/firewall/zones", object{"name": "guest", "description": "Visitors"}).Want(http.StatusCreated)
	for field, want := range map[string]string{"name": "guest", "description": "Visitors", "builtin": "false"} {
		if got := made.Field(field); got != want {
			t.Errorf("%s = %q, want %q", field, got, want)
		}
	}
	zone := "/firewall/zones/" + made.ID()
	r.Edit(zone, object{"name": "visitors"}).Want(http.StatusOK)
	if got := r.As("viewer", "GET", zone, nil).Want(http.StatusOK).Field("name"); got != "visitors" {
		t.Errorf("name = %q, want visitors", got)
	}
	if a := r.Do("POST", "/firewall/zones", object{"name": "visitors"}); a.Status != http.StatusConflict || a.Complaint("name") == "" {
		t.Errorf("a second zone of the same name is answered %d %+v, want 409 about name", a.Status, a.Error)
	}
	refused(t, object{"name": "x"}, []refusal{
		{"a name with a space", "name", object{"name": "a b"}},
		{"the name any", "name", object{"name": "any"}},
		{"the name gateway", "name", object{"name": "gateway"}},
		{"a name with a quote", "name", object{"name": `a"b`}},
	}, func(body object) apitest.Answer { return r.Do("POST", "/firewall/zones", body) })
	r.Do("DELETE", zone, nil).Want(http.StatusOK)
	r.Do("GET", zone, nil).Want(http.StatusNotFound)
}

// shows FW-36, FW-38, FW-39
func TestBuiltinZonesStayAsTheyAre(t *testing.T) {
	r := firewalltest.New(t)
	var all []firewall.Zone
	r.Do("GET", "/firewall/zones", nil).Want(http.StatusOK).Into(&all)
	var names []string
	for _, z := range all {
		names = append(names, fmt.Sprint(z.Name, " ", z.Builtin))
	}
	if got := strings.Join(names, ", "); got != "cluster true, dmz true, lan true, mgmt true, wan true" {
		t.Errorf("zones = %s", got)
	}
	wan := "/firewall/zones/" + r.Builtin("/firewall/zones", "wan")
	r.Edit(wan, object{"name": "internet"}).Want(http.StatusConflict)
	r.Do("DELETE", wan, nil).Want(http.StatusConflict)
	r.Edit(wan, object{"description": "Two lines to the world"}).Want(http.StatusOK)
	if got := r.Do("GET", wan, nil).Field("builtin"); got != "true" {
		t.Errorf("builtin = %s after a new description", got)
	}
}

func TestARenamedZoneIsFollowedByAllThatNameIt(t *testing.T) {
	r := firewalltest.New(t)
	zone := "/firewall/zones/" + r.Made("/firewall/zones", object{"name": "guest"})
	rule := r.Made("/firewall/rules", object{"name": "a", "src_zone": "guest", "dst_zone": "wan", "action": "accept"})
	nat := r.Made("/nat-rules", object{"name": "n", "kind": "masquerade", "out_zone": "guest"})
	must := r.Made("/firewall/assertions", object{"name": "m", "expect": "never", "src_zone": "guest", "dst_zone": "mgmt"})
	eth := r.Iface("eth1", "guest")
	r.Do("PUT", "/firewall/settings", object{"lockout_zones": []string{"mgmt", "guest"}, "lockout_networks": []string{}}).Want(http.StatusOK)
	r.Edit(zone, object{"name": "visitors"}).Want(http.StatusOK)
	for path, field := range map[string]string{"/firewall/rules/" + rule: "src_zone", "/nat-rules/" + nat: "out_zone", "/firewall/assertions/" + must: "src_zone"} {
		if got := r.Do("GET", path, nil).Field(field); got != "visitors" {
			t.Errorf("%s of %s = %q, want visitors", field, path, got)
		}
	}
	if got := r.Network.Do("GET", "/network-interfaces/"+eth, nil).Field("role"); got != "visitors" {
		t.Errorf("role = %q, want visitors", got)
	}
	if got := r.Do("GET", "/firewall/settings", nil).Field("lockout_zones"); got != "[visitors mgmt]" {
		t.Errorf("lockout_zones = %s", got)
	}
	var uses []fault.Use
	r.Do("GET", zone+"/used-by", nil).Want(http.StatusOK).Into(&uses)
	var kinds []string
	for _, u := range uses {
		kinds = append(kinds, u.Kind)
	}
	if want := []string{"assertion", "nat-rule", "network-interface", "rule", "settings"}; !slices.Equal(kinds, want) {
		t.Errorf("it is used by %v, want %v", kinds, want)
	}
	if a := r.Do("DELETE", zone, nil); a.Status != http.StatusConflict || a.Error.Code != "in_use" || !strings.Contains(a.Error.Message, `this zone is still used by assertion "m" and 4 more; remove or replace it there first`) || !slices.Equal(a.Error.UsedBy, uses) || a.Error.UsedByTotal != len(uses) {
		t.Errorf("deleting it is answered %d %+v", a.Status, a.Error)
	}
	for _, u := range uses {
		if !strings.HasPrefix(u.Link, "/") {
			t.Errorf("there is no way to %+v", u)
		}
	}
}

// A component that serves a zone has its name in settings of its own: a zone that went or was
// renamed would close the port, and nobody would be told.
func TestAServedZoneStays(t *testing.T) {
	served := ""
	r := firewalltest.NewWith(t, firewalltest.Options{Needed: func(context.Context, db.DB) (daemon.Needed, error) {
		return daemon.Needed{Openings: []daemon.Opening{{Protocol: "udp", Port: 1812, Why: "RADIUS for clients", Role: served, Page: "/radius?tab=settings"}}}, nil
	}})
	zone := "/firewall/zones/" + r.Made("/firewall/zones", object{"name": "guest"})
	served = "guest"
	for what, a := range map[string]apitest.Answer{"deleting": r.Do("DELETE", zone, nil), "renaming": r.Edit(zone, object{"name": "visitors"})} {
		if a.Status != http.StatusConflict || a.Error.Code != "in_use" || !strings.Contains(a.Error.Message, "RADIUS for clients") ||
			!slices.Equal(a.Users(), []string{"settings RADIUS for clients /radius?tab=settings"}) {
			t.Errorf("%s it is answered %d %+v", what, a.Status, a.Error)
		}
	}
	r.Edit(zone, object{"description": "Visitors"}).Want(http.StatusOK)
	// One that is not there, as after a restore, is named.
	served = "gone"
	state, err := r.Policy.Load(t.Context(), r.Pool)
	if err != nil {
		t.Fatal(err)
	}
	named := slices.ContainsFunc(state.Problems, func(p daemon.Problem) bool { return p.Subject == `the opening for RADIUS for clients in zone "gone"` })
	if !named || len(state.Policy.Openings) != 0 {
		t.Errorf("problems: %v, openings: %v", state.Problems, state.Policy.Openings)
	}
	served = ""
	r.Do("DELETE", zone, nil).Want(http.StatusOK)
}

// shows FW-41, FW-44
func TestAddressObjects(t *testing.T) {
	r := firewalltest.New(t)
	for _, tc := range []struct{ kind, value, want string }{
		{"host", "192.0.2.1", "192.0.2.1"},
		{"host", "2001:DB8::0:1", "2001:db8::1"},
		{"host", "::ffff:192.0.2.1", "192.0.2.1"},
		{"network", "192.0.2.7/24", "192.0.2.0/24"},
		{"network", "2001:db8::1/32", "2001:db8::/32"},
		{"range", "192.0.2.1 - 192.0.2.9", "192.0.2.1-192.0.2.9"},
		{"range", "2001:db8::1-2001:db8::1", "2001:db8::1-2001:db8::1"},
		{"fqdn", "WWW.Example.com.", "www.example.com"},
	} {
		made := r.Do("POST", "/firewall/address-objects", object{"name": tc.kind + " " + tc.value, "kind": tc.kind, "value": tc.value}).Want(http.StatusCreated)
		if got := made.Field("value"); got != tc.want {
			t.Errorf("%s %s is stored as %q, want %q", tc.kind, tc.value, got, tc.want)
		}
	}
	refused(t, object{"name": "x"}, []refusal{
		{"an octet with a leading zero", "value", object{"kind": "host", "value": "010.0.0.1"}},
		{"a network as a host", "value", object{"kind": "host", "value": "192.0.2.0/24"}},
		{"an address with an interface", "value", object{"kind": "host", "value": "fe80::1%eth0"}},
		{"too many bits", "value", object{"kind": "network", "value": "192.0.2.0/33"}},
		{"a mapped network", "value", object{"kind": "network", "value": "::ffff:192.0.2.0/120"}},
		{"a reversed range", "value", object{"kind": "range", "value": "192.0.2.9-192.0.2.1"}},
		{"a range of two families", "value", object{"kind": "range", "value": "192.0.2.9-2001:db8::1"}},
		{"half a range", "value", object{"kind": "range", "value": "192.0.2.9"}},
		{"a name of numbers", "value", object{"kind": "fqdn", "value": "1.2.3.4"}},
		{"a name with a space", "value", object{"kind": "fqdn", "value": "a b.example.com"}},
		{"a kind that is none", "kind", object{"kind": "mac", "value": "00:11:22:33:44:55"}},
		{"a name on two lines", "name", object{"name": "a\nb", "kind": "host", "value": "192.0.2.1"}},
	}, func(body object) apitest.Answer { return r.Do("POST", "/firewall/address-objects", body) })
	one := "/firewall/address-objects/" + r.Address("printer", "host", "192.0.2.77")
	r.Edit(one, object{"value": "192.0.2.78"}).Want(http.StatusOK)
	if got := r.Do("GET", "/firewall/address-objects?q=0.2.78", nil).Want(http.StatusOK).Total; got != "1" {
		t.Errorf("found %s by its value, want 1", got)
	}
	r.Do("DELETE", one, nil).Want(http.StatusOK)
	r.Do("GET", one, nil).Want(http.StatusNotFound)
}

// shows FW-45
func TestAddressGroups(t *testing.T) {
	r := firewalltest.New(t)
	a, b, c := r.Address("a", "host", "192.0.2.1"), r.Address("b", "host", "192.0.2.2"), r.Address("c", "host", "192.0.2.3")
	made := r.Do("POST", "/firewall/address-groups", object{"name": "g", "members": []string{a, b}}).Want(http.StatusCreated)
	group := "/firewall/address-groups/" + made.ID()
	members := func(answer apitest.Answer, want ...string) {
		t.Helper()
		var g firewall.Group
		answer.Want(http.StatusOK).Into(&g)
		slices.Sort(want)
		if int(g.MemberCount) != len(want) || !slices.Equal(g.Members, want) {
			t.Errorf("%d members %v, want %v", g.MemberCount, g.Members, want)
		}
	}
	members(r.Do("GET", group, nil), a, b)
	members(r.Do("PUT", group, object{"name": "g2"}), a, b)
	members(r.Do("PUT", group, object{"name": "g2", "members": []string{b, c}}), b, c)
	item := r.Do("POST", group+"/members", object{"object_id": a}).Want(http.StatusCreated)
	if got := item.Field("name") + " " + item.Field("value"); got != "a 192.0.2.1" {
		t.Errorf("the member is %s", got)
	}
	members(r.Do("GET", group, nil), a, b, c)
	if got := r.Do("GET", group+"/members?q=2.1", nil).Want(http.StatusOK).Total; got != "1" {
		t.Errorf("found %s members, want 1", got)
	}
	r.Do("POST", group+"/members", object{"object_id": a}).Want(http.StatusConflict)
	r.Do("POST", group+"/members", object{"object_id": made.ID()}).Want(http.StatusBadRequest)
	r.Do("DELETE", group+"/members/"+item.ID(), nil).Want(http.StatusOK)
	members(r.Do("GET", group, nil), b, c)
	refused(t, object{"name": "x"}, []refusal{
		{"a member that is none", "members", object{"members": []string{made.ID()}}},
		{"a member that is no id", "members[1]", object{"members": []string{a, "x"}}},
	}, func(body object) apitest.Answer { return r.Do("POST", "/firewall/address-groups", body) })
	if got := r.Do("GET", "/firewall/address-groups", nil).Total; got != "1" {
		t.Errorf("there are %s groups, want 1", got)
	}
	used := r.Do("DELETE", "/firewall/address-objects/"+b, nil)
	if used.Status != http.StatusConflict || !strings.Contains(used.Error.Message, `address group "g2"`) {
		t.Errorf("deleting a member's object is answered %d %+v", used.Status, used.Error)
	}
	rule := r.Made("/firewall/rules", object{"name": "uses it", "src_kind": "group", "src_group_id": made.ID(), "action": "drop"})
	if a := r.Do("DELETE", group, nil); a.Status != http.StatusConflict || !strings.Contains(a.Error.Message, `rule "uses it"`) {
		t.Errorf("deleting a used group is answered %d %+v", a.Status, a.Error)
	}
	r.Do("DELETE", "/firewall/rules/"+rule, nil).Want(http.StatusOK)
	r.Do("DELETE", group, nil).Want(http.StatusOK)
	r.Do("DELETE", "/firewall/address-objects/"+b, nil).Want(http.StatusOK)
}

// shows FW-46, FW-47, FW-48
func TestServices(t *testing.T) {
	r := firewalltest.New(t)
	made := r.Do("POST", "/firewall/services", object{"name": "Git", "protocol": "tcp", "port": 9418, "port_end": 9419}).Want(http.StatusCreated)
	for field, want := range map[string]string{"name": "Git", "protocol": "tcp", "port": "9418", "port_end": "9419", "icmp_type": "<nil>", "builtin": "false"} {
		if got := made.Field(field); got != want {
			t.Errorf("%s = %q, want %q", field, got, want)
		}
	}
	service := "/firewall/services/" + made.ID()
	r.Edit(service, object{"port_end": 9418}).Want(http.StatusOK)
	r.Made("/firewall/services", object{"name": "Too big", "protocol": "icmpv6", "icmp_type": 2})
	r.Made("/firewall/services", object{"name": "Any UDP", "protocol": "udp"})
	r.Made("/firewall/services", object{"name": "ESP", "protocol": "esp"})
	refused(t, object{"name": "x", "protocol": "tcp"}, []refusal{
		{"a range that is reversed", "port_end", object{"port": 10, "port_end": 9}},
		{"a range without a beginning", "port_end", object{"port_end": 9}},
		{"port 0", "port", object{"port": 0}},
		{"port 65536", "port", object{"port": 65536}},
		{"a port of a protocol without ports", "port", object{"protocol": "gre", "port": 1}},
		{"a type of tcp", "icmp_type", object{"icmp_type": 8}},
		{"a type that is none", "icmp_type", object{"protocol": "icmp", "icmp_type": 256}},
		{"a protocol that is none", "protocol", object{"protocol": "ipx"}},
	}, func(body object) apitest.Answer { return r.Do("POST", "/firewall/services", body) })
	r.Do("DELETE", service, nil).Want(http.StatusOK)
	r.Do("GET", service, nil).Want(http.StatusNotFound)
}

// shows FW-49, FW-51
func TestBuiltinServices(t *testing.T) {
	r := firewalltest.New(t)
	var all []firewall.Service
	r.Do("GET", "/firewall/services?limit=1000&sort=name", nil).Want(http.StatusOK).Into(&all)
	for _, name := range []string{"HTTP", "HTTPS", "HTTP/3", "SSH", "DNS (TCP)", "DNS (UDP)", "SMTP", "SMTPS", "Submission", "PostgreSQL", "MySQL", "RDP", "WireGuard", "Ping", "Ping6"} {
		if !slices.ContainsFunc(all, func(s firewall.Service) bool { return s.Name == name && s.Builtin }) {
			t.Errorf("there is no builtin service %s", name)
		}
	}
	if len(all) < 16 || len(all) > 20 {
		t.Errorf("there are %d builtin services, want about 18", len(all))
	}
	var groups []firewall.Group
	r.Do("GET", "/firewall/service-groups", nil).Want(http.StatusOK).Into(&groups)
	var names []string
	for _, g := range groups {
		names = append(names, fmt.Sprint(g.Name, " ", g.MemberCount, " ", g.Builtin))
	}
	if got := strings.Join(names, ", "); got != "DNS 2 true, Mail-Receive 4 true, Mail-Submit 2 true, Ping 2 true, Web 3 true" {
		t.Errorf("groups = %s", got)
	}
	ssh, web := "/firewall/services/"+r.Builtin("/firewall/services", "SSH"), "/firewall/service-groups/"+r.Builtin("/firewall/service-groups", "Web")
	r.Edit(ssh, object{"port": 2222}).Want(http.StatusConflict)
	r.Do("DELETE", ssh, nil).Want(http.StatusConflict)
	r.Edit(ssh, object{"description": "Ours is at the same port"}).Want(http.StatusOK)
	r.Edit(web, object{"name": "WWW"}).Want(http.StatusConflict)
	r.Edit(web, object{"members": []string{}}).Want(http.StatusConflict)
	r.Do("POST", web+"/members", object{"object_id": r.Builtin("/firewall/services", "SSH")}).Want(http.StatusConflict)
	r.Do("DELETE", web, nil).Want(http.StatusConflict)
	if got := r.Do("GET", web, nil).Field("member_count"); got != "3" {
		t.Errorf("Web has %s members", got)
	}
}

// shows FW-50
func TestServiceGroups(t *testing.T) {
	r := firewalltest.New(t)
	ssh, rdp := r.Builtin("/firewall/services", "SSH"), r.Builtin("/firewall/services", "RDP")
	made := r.Do("POST", "/firewall/service-groups", object{"name": "Remote", "members": []string{ssh}}).Want(http.StatusCreated)
	group := "/firewall/service-groups/" + made.ID()
	r.Do("POST", group+"/members", object{"object_id": rdp}).Want(http.StatusCreated)
	var list []firewall.Member
	r.Do("GET", group+"/members", nil).Want(http.StatusOK).Into(&list)
	if len(list) != 2 || list[0].Value != "tcp 3389" || list[1].Name != "SSH" {
		t.Errorf("members = %+v", list)
	}
	must := r.Made("/firewall/assertions", object{"name": "a", "expect": "never", "service_group_id": made.ID()})
	r.Do("DELETE", group, nil).Want(http.StatusConflict)
	r.Do("DELETE", "/firewall/assertions/"+must, nil).Want(http.StatusOK)
	r.Edit(group, object{"name": "Remote access"}).Want(http.StatusOK)
	r.Do("DELETE", group, nil).Want(http.StatusOK)
	r.Do("GET", group, nil).Want(http.StatusNotFound)
}
