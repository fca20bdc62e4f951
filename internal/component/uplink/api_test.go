package uplink_test

import (
	"slices"
	"testing"

	"gateway/internal/api/apitest"
	"gateway/internal/component/uplink"
)

func TestAnUplinkHasItsDefaultsAndItsNumber(t *testing.T) {
	r := newRig(t)
	first := apitest.Data[uplink.Uplink](r.Do("POST", "/uplinks", object{"name": "fibre", "interface": "wan1", "gateway": "192.0.2.1"}).Want(201))
	if first.Number != 1 || first.Family != "inet" || !first.Active || !first.Monitor || first.IntervalMS != 100 || first.WindowS != 2 || first.LossPercentDown != 15 ||
		first.RTTMSDown != 300 || first.HoldS != 10 {
		t.Errorf("created %+v", first)
	}
	six := apitest.Data[uplink.Uplink](r.Do("POST", "/uplinks", object{"name": "fibre 6", "interface": "wan1", "gateway": "fe80::1"}).Want(201))
	if six.Number != 2 || six.Family != "inet6" {
		t.Errorf("created %+v", six)
	}
	changed := apitest.Data[uplink.Uplink](r.Do("PUT", "/uplinks/"+first.ID, object{"name": "fibre", "interface": "wan2", "gateway": "198.51.100.1", "rtt_ms_down": 0}).Want(200))
	if changed.Number != 1 || changed.Interface != "wan2" || changed.RTTMSDown != 0 {
		t.Errorf("changed to %+v", changed)
	}
	r.Do("DELETE", "/uplinks/"+first.ID, nil).Want(200)
	third := apitest.Data[uplink.Uplink](r.Do("POST", "/uplinks", object{"name": "mobile", "interface": "wan2"}).Want(201))
	if third.Number != 3 {
		t.Errorf("a number was used again: %+v", third)
	}
	r.Do("DELETE", "/uplinks/"+third.ID, nil).Want(200) // the highest
	fourth := apitest.Data[uplink.Uplink](r.Do("POST", "/uplinks", object{"name": "cable", "interface": "wan2"}).Want(201))
	if fourth.Number != 4 {
		t.Errorf("a number was used again: %+v", fourth)
	}
}

func TestAnUplinkIsKnownByWhereItLeaves(t *testing.T) {
	r := newRig(t)
	for _, in := range []object{
		{"name": "fibre", "interface": "wan1", "gateway": "192.0.2.1"},
		{"name": "fibre 6", "interface": "wan1", "gateway": "fe80::1"},
		{"name": "off", "interface": "wan2", "gateway": "198.51.100.1", "active": false},
	} {
		r.Do("POST", "/uplinks", in).Want(201)
	}
	for _, tc := range []struct {
		link string
		v4   bool
		want string
	}{{"wan1", true, "fibre"}, {"wan1", false, "fibre 6"}, {"wan2", true, ""}, {"lan", true, ""}} {
		if got, err := uplink.NameOf(t.Context(), r.Pool, tc.link, tc.v4); err != nil || got != tc.want {
			t.Errorf("on %s: %q, %v; want %q", tc.link, got, err, tc.want)
		}
	}
}

func TestWhatCannotBeAnUplinkIsRefused(t *testing.T) {
	r := newRig(t)
	good := object{"name": "fibre", "interface": "wan1", "gateway": "192.0.2.1"}
	for _, tc := range []struct {
		field string
		value any
	}{
		{"interface", "wan7"},
		{"interface", "a b"},
		{"name", "two\nlines"},
		{"gateway", "gateway.example.com"},
		{"gateway", "127.0.0.1"},
		{"monitor_address", "2001:db8::1"},
		{"monitor_address", "0.0.0.0"},
		{"family", "inet6"},
		{"window_s", 0},
		{"interval_ms", 1000},
		{"loss_percent_down", 101},
		{"rtt_ms_down", -1},
		{"hold_s", 0},
		{"description", "\x00"},
	} {
		if got := r.Do("POST", "/uplinks", apitest.With(good, object{tc.field: tc.value})); got.Status != 400 {
			t.Errorf("%s %v: answered %d", tc.field, tc.value, got.Status)
		}
	}
	r.Do("POST", "/uplinks", good).Want(201)
	r.Do("POST", "/uplinks", apitest.With(good, object{"name": "again"})).Want(409)
	r.Do("POST", "/uplinks", apitest.With(good, object{"interface": "wan2"})).Want(409)
}

func TestAGroupHasANumberOfItsOwn(t *testing.T) {
	r := newRig(t)
	first := apitest.Data[uplink.Group](r.Do("POST", "/uplink-groups", object{"name": "internet"}).Want(201))
	second := apitest.Data[uplink.Group](r.Do("POST", "/uplink-groups", object{"name": "voice"}).Want(201))
	if first.Number != 1 || second.Number != 2 {
		t.Errorf("created %+v and %+v", first, second)
	}
	changed := apitest.Data[uplink.Group](r.Do("PUT", "/uplink-groups/"+first.ID, object{"name": "all"}).Want(200))
	if changed.Number != 1 {
		t.Errorf("changed to %+v", changed)
	}
	r.Do("DELETE", "/uplink-groups/"+second.ID, nil).Want(200)
	if third := apitest.Data[uplink.Group](r.Do("POST", "/uplink-groups", object{"name": "guests"}).Want(201)); third.Number != 3 {
		t.Errorf("a number was used again: %+v", third)
	}
	r.Restore(`insert into uplink_groups (id, revision, created_at, updated_at, name, number, family, is_default, description)
		select gen_random_uuid(), 1, now(), now(), 'g' || n, n, 'inet', false, '' from generate_series(4, 127) n`)
	last := apitest.Data[uplink.Group](r.Do("POST", "/uplink-groups", object{"name": "last"}).Want(201))
	if last.Number != 2 {
		t.Errorf("with no other number left it got %+v", last)
	}
	r.Do("POST", "/uplink-groups", object{"name": "one too many"}).Want(409)
}

func TestAGroupIsOfOneFamilyAndOneIsTheDefault(t *testing.T) {
	r := newRig(t)
	four := r.Do("POST", "/uplinks", object{"name": "fibre", "interface": "wan1", "gateway": "192.0.2.1"}).Want(201).ID()
	six := r.Do("POST", "/uplinks", object{"name": "fibre 6", "interface": "wan1", "gateway": "fe80::1"}).Want(201).ID()
	group := r.Do("POST", "/uplink-groups", object{"name": "internet", "is_default": true}).Want(201).ID()
	r.Do("POST", "/uplink-groups", object{"name": "another", "is_default": true}).Want(409)
	r.Do("POST", "/uplink-groups", object{"name": "internet 6", "family": "inet6", "is_default": true}).Want(201)
	r.Do("POST", "/uplink-members", object{"group_id": group, "uplink_id": six}).Want(400)
	r.Do("POST", "/uplink-members", object{"group_id": group, "uplink_id": group}).Want(400)
	r.Do("POST", "/uplink-members", object{"group_id": "none", "uplink_id": four}).Want(400)
	member := apitest.Data[uplink.Member](r.Do("POST", "/uplink-members", object{"group_id": group, "uplink_id": four}).Want(201))
	if member.Tier != 1 || member.Weight != 1 {
		t.Errorf("created %+v", member)
	}
	r.Do("POST", "/uplink-members", object{"group_id": group, "uplink_id": four}).Want(409)
	for path, user := range map[string]string{"/uplinks/" + four: "uplink-group internet", "/uplink-groups/" + group: "uplink fibre"} {
		if got := r.Do("DELETE", path, nil).Want(409).Users(); !slices.Equal(got, []string{user + " /uplinks?tab=members&filter=group_id:" + group}) {
			t.Errorf("%s is used by %q, want %s", path, got, user)
		}
	}
	r.Do("PUT", "/uplinks/"+four, object{"name": "fibre", "interface": "wan2", "gateway": "fe80::2"}).Want(400)
	r.Do("PUT", "/uplink-groups/"+group, object{"name": "internet", "family": "inet6"}).Want(400)
	r.Do("DELETE", "/uplink-members/"+member.ID, nil).Want(200)
	r.Do("DELETE", "/uplinks/"+four, nil).Want(200)
	r.Do("DELETE", "/uplink-groups/"+group, nil).Want(200)
}
