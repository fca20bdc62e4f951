package firewall_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gateway/internal/api/apitest"
	"gateway/internal/component/firewall/firewalltest"
)

// shows FW-37, FW-40, FW-52, FW-53, FW-57, FW-62
func TestRules(t *testing.T) {
	r := firewalltest.New(t)
	body := object{
		"name": "Guests", "src_zone": "lan", "src_kind": "cidr", "src_cidr": "192.0.2.7/24", "dst_zone": "any", "dst_kind": "any", "action": "reject", "log": true,
		"priority": -7, "enabled": false, "comment": "for now", "note": "ask Ann", "labels": []string{"guests", " wifi ", "guests"}, "expires_at": "2126-01-02T03:04:05Z",
		"service_group_id": r.Builtin("/firewall/service-groups", "Web"),
	}
	made := r.Do("POST", "/firewall/rules", body).Want(http.StatusCreated)
	for field, want := range map[string]string{
		"name": "Guests", "src_zone": "lan", "src_kind": "cidr", "src_cidr": "192.0.2.0/24", "src_object_id": "<nil>", "dst_zone": "any", "dst_kind": "any", "action": "reject", "log": "true",
		"priority": "-7", "enabled": "false", "comment": "for now", "note": "ask Ann", "labels": "[guests wifi]", "expires_at": "2126-01-02T03:04:05Z",
	} {
		if got, again := made.Field(field), r.As("viewer", "GET", "/firewall/rules/"+made.ID(), nil).Want(http.StatusOK).Field(field); got != want || again != want {
			t.Errorf("%s = %q, then %q, want %q", field, got, again, want)
		}
	}
	rule := "/firewall/rules/" + made.ID()
	plain := r.Do("PUT", rule, object{"name": "Guests", "action": "accept"}).Want(http.StatusOK)
	for field, want := range map[string]string{
		"src_zone": "any", "dst_zone": "any", "src_kind": "any", "src_cidr": "", "priority": "100", "enabled": "true", "log": "false", "service_group_id": "<nil>",
		"note": "ask Ann", "labels": "[guests wifi]", "expires_at": "<nil>",
	} {
		if got := plain.Field(field); got != want {
			t.Errorf("after an update with little, %s = %q, want %q", field, got, want)
		}
	}
	if got := r.Do("GET", "/firewall/rules?filter=src_zone:any", nil).Want(http.StatusOK).Total; got != "1" {
		t.Errorf("found %s rules for any zone, want 1", got)
	}
	host := r.Address("a", "host", "192.0.2.1")
	refused(t, object{"name": "x", "action": "accept"}, []refusal{
		{"a source zone that is none", "src_zone", object{"src_zone": "moon"}},
		{"a destination zone that is none", "dst_zone", object{"dst_zone": "moon"}},
		{"the gateway as a zone", "dst_zone", object{"dst_zone": "gateway"}},
		{"an action that is none", "action", object{"action": "allow"}},
		{"a network that is none", "src_cidr", object{"src_kind": "cidr", "src_cidr": "192.0.2.0/33"}},
		{"a network with a leading zero", "dst_cidr", object{"dst_kind": "cidr", "dst_cidr": "010.0.0.0/8"}},
		{"no network", "dst_cidr", object{"dst_kind": "cidr"}},
		{"an object that is none", "src_object_id", object{"src_kind": "object", "src_object_id": made.ID()}},
		{"no object", "src_object_id", object{"src_kind": "object"}},
		{"a group that is an object", "dst_group_id", object{"dst_kind": "group", "dst_group_id": host}},
		{"an object that is not heeded", "src_object_id", object{"src_kind": "any", "src_object_id": host}},
		{"a network that is not heeded", "src_cidr", object{"src_kind": "object", "src_object_id": host, "src_cidr": "192.0.2.0/24"}},
		{"a service that is none", "service_object_id", object{"service_object_id": host}},
		{"a service and a group", "service_group_id", object{"service_object_id": r.Builtin("/firewall/services", "SSH"), "service_group_id": r.Builtin("/firewall/service-groups", "Web")}},
		{"an uplink group that is none", "uplink_group_id", object{"uplink_group_id": host}},
		{"an uplink group of a rule that does not accept", "uplink_group_id", object{"action": "reject", "uplink_group_id": r.UplinkGroup("line", 1, "inet")}},
		{"an end in the past", "expires_at", object{"expires_at": "2020-01-01T00:00:00Z"}},
		{"a label that is empty", "labels[0]", object{"labels": []string{" "}}},
		{"a name on two lines", "name", object{"name": "a\nb"}},
	}, func(body object) apitest.Answer { return r.Do("POST", "/firewall/rules", body) })
	r.Do("DELETE", rule, nil).Want(http.StatusOK)
	r.Do("GET", rule, nil).Want(http.StatusNotFound)
}

// shows FW-63, NAT-13
func TestPatchSetsNotesAndLabelsAlone(t *testing.T) {
	r := firewalltest.New(t)
	for path, body := range map[string]object{
		"/firewall/rules/": {"name": "a", "action": "drop", "priority": 5, "note": "one", "labels": []string{"x"}},
		"/nat-rules/":      {"name": "a", "kind": "masquerade", "out_zone": "wan", "priority": 5, "note": "one", "labels": []string{"x"}},
	} {
		one := path + r.Made(strings.TrimSuffix(path, "/"), body)
		state := func() string {
			a := r.Do("GET", one, nil).Want(http.StatusOK)
			return fmt.Sprint(a.Field("note"), " ", a.Field("labels"), " ", a.Field("priority"), " ", a.Field("revision"))
		}
		r.Do("PATCH", one, object{"note": "two"}).Want(http.StatusOK)
		if got := state(); got != "two [x] 5 2" {
			t.Errorf("%s after a new note: %s", path, got)
		}
		if got := r.Do("PATCH", one, object{"labels": []string{"y", "z"}}).Want(http.StatusOK).Field("labels"); got != "[y z]" {
			t.Errorf("%s answers %s", path, got)
		}
		if got := state(); got != "two [y z] 5 3" {
			t.Errorf("%s after new labels: %s", path, got)
		}
		for _, bad := range []object{{}, {"priority": 1}, {"labels": []string{""}}, {"note": "a\x00b"}} {
			if a := r.Do("PATCH", one, bad); a.Status != http.StatusBadRequest {
				t.Errorf("%s with %v is answered %d", path, bad, a.Status)
			}
		}
		r.Do("PATCH", path+r.Builtin("/firewall/zones", "wan"), object{"note": "x"}).Want(http.StatusNotFound)
		r.As("viewer", "PATCH", one, object{"note": "x"}).Want(http.StatusForbidden)
		if got := state(); got != "two [y z] 5 3" {
			t.Errorf("%s after refusals: %s", path, got)
		}
	}
}

func TestRulesAreOrderedTogetherOrNotAtAll(t *testing.T) {
	r := firewalltest.New(t)
	for path, body := range map[string]object{"/firewall/rules": {"action": "drop"}, "/nat-rules": {"kind": "masquerade"}} {
		var ids []string
		for _, name := range []string{"a", "b", "c"} {
			ids = append(ids, r.Made(path, apitest.With(body, object{"name": name})))
		}
		priorities := func() (out string) {
			for _, id := range ids {
				out += r.Do("GET", path+"/"+id, nil).Field("priority") + " "
			}
			return out
		}
		for name, rules := range map[string][]string{"one is missing": ids[:2], "one is there twice": {ids[0], ids[1], ids[1]}, "one is none": {ids[0], ids[1], "x"}} {
			if got := r.Do("POST", path+"/order", object{"rules": rules}).Status; got != http.StatusBadRequest {
				t.Errorf("%s: %s is answered %d, want 400", path, name, got)
			}
			if got := priorities(); got != "100 100 100 " {
				t.Errorf("%s: %s: priorities = %s", path, name, got)
			}
		}
		r.Do("POST", path+"/order", object{"rules": []string{ids[2], ids[0], ids[1]}}).Want(http.StatusOK)
		if got := priorities(); got != "20 30 10 " {
			t.Errorf("%s: priorities = %s", path, got)
		}
	}
}

func TestAssertions(t *testing.T) {
	r := firewalltest.New(t)
	made := r.Do("POST", "/firewall/assertions", object{"name": "a", "expect": "reach", "src_zone": "wan", "dst_zone": "gateway", "dst_cidr": "192.0.2.1", "service_object_id": r.Builtin("/firewall/services", "HTTPS")}).Want(http.StatusCreated)
	for field, want := range map[string]string{"expect": "reach", "src_zone": "wan", "dst_zone": "gateway", "dst_cidr": "192.0.2.1/32", "src_cidr": "", "enabled": "true"} {
		if got := made.Field(field); got != want {
			t.Errorf("%s = %q, want %q", field, got, want)
		}
	}
	must := "/firewall/assertions/" + made.ID()
	if got := r.Edit(must, object{"dst_zone": "lan"}).Want(http.StatusOK).Field("dst_zone"); got != "lan" {
		t.Errorf("dst_zone = %q, want lan", got)
	}
	refused(t, object{"name": "x", "expect": "never"}, []refusal{
		{"a zone that is none", "src_zone", object{"src_zone": "moon"}},
		{"the gateway as a source", "src_zone", object{"src_zone": "gateway"}},
		{"a network that is none", "dst_cidr", object{"dst_cidr": "x"}},
		{"an expectation that is none", "expect", object{"expect": "maybe"}},
	}, func(body object) apitest.Answer { return r.Do("POST", "/firewall/assertions", body) })
	r.Do("DELETE", must, nil).Want(http.StatusOK)
}

func TestSettings(t *testing.T) {
	r := firewalltest.New(t)
	if got := r.Do("GET", "/firewall/settings", nil).Want(http.StatusOK); got.Field("lockout_zones")+got.Field("lockout_networks") != "[][]" {
		t.Errorf("settings = %s", got.Data)
	}
	refused(t, object{"lockout_zones": []string{}, "lockout_networks": []string{}}, []refusal{
		{"a zone that is none", "lockout_zones[1]", object{"lockout_zones": []string{"mgmt", "moon"}}},
		{"any", "lockout_zones[0]", object{"lockout_zones": []string{"any"}}},
		{"a network that is none", "lockout_networks[0]", object{"lockout_networks": []string{"10.0.0.0/99"}}},
	}, func(body object) apitest.Answer { return r.Do("PUT", "/firewall/settings", body) })
}
