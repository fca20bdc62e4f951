package network_test

import (
	"net/http"
	"testing"

	"gateway/internal/api/apitest"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/firewall"
	"gateway/internal/component/network"
	"gateway/internal/component/tunnel"
	"gateway/internal/component/uplink"
	"gateway/internal/db"
)

type object = apitest.Object

func newRig(t *testing.T) *componenttest.Rig {
	t.Helper()
	return componenttest.New(t, componenttest.Setup{
		Schemas: []db.Schema{firewall.New(firewall.Options{}).Schema(), tunnel.New(tunnel.Options{}).Schema(), uplink.New(uplink.Options{}).Schema()},
		Component: func(r *componenttest.Rig) component.Component {
			return network.New(network.Options{DB: r.Pool, Run: r.Run})
		},
	})
}

// shows NET-01, NET-02
func TestInterfaces(t *testing.T) {
	r := newRig(t)
	for _, body := range []object{
		{"name": "eth0", "type": "ethernet", "role": "wan"},
		{"name": "eth0.7", "type": "vlan", "role": "lan", "parent": "eth0", "vlan_id": 7},
		{"name": "bond0", "type": "bond", "members": []string{"eth1", "eth2"}},
		{"name": "br0", "type": "bridge", "members": []string{"eth3"}},
		{"name": "wg0", "type": "wireguard", "role": "dmz"},
	} {
		made := r.Do("POST", "/network-interfaces", body).Want(http.StatusCreated)
		if got := made.Field("name") + " " + made.Field("type"); got != body["name"].(string)+" "+body["type"].(string) {
			t.Errorf("made %s, want %v", got, body)
		}
	}
	var all []struct{ ID, Name string }
	r.As("viewer", "GET", "/network-interfaces", nil).Want(http.StatusOK).Into(&all)
	if len(all) != 5 || all[0].Name != "bond0" {
		t.Errorf("interfaces = %v", all)
	}
	one := "/network-interfaces/" + all[0].ID
	if got := r.Do("PUT", one, object{"name": "bond0", "type": "bond", "members": []string{"eth2"}, "role": "mgmt"}).Want(http.StatusOK).Field("role"); got != "mgmt" {
		t.Errorf("role = %q, want mgmt", got)
	}
	r.Do("POST", "/network-interfaces", object{"name": "wg0", "type": "wireguard"}).Want(http.StatusConflict)
	r.Do("DELETE", one, nil).Want(http.StatusOK)
	r.Do("GET", one, nil).Want(http.StatusNotFound)
}

// shows NET-03, NET-04, NET-05, NET-06, NET-07
func TestInterfacesThatMakeNoSense(t *testing.T) {
	r := newRig(t)
	for _, tc := range []struct {
		name, field string
		body        object
	}{
		{"a role that is no zone", "role", object{"type": "ethernet", "role": "moon"}},
		{"a type that is none", "type", object{"type": "token-ring"}},
		{"a VLAN without a parent", "parent", object{"type": "vlan", "vlan_id": 7}},
		{"a VLAN without a number", "vlan_id", object{"type": "vlan", "parent": "eth0"}},
		{"a VLAN with number 4095", "vlan_id", object{"type": "vlan", "parent": "eth0", "vlan_id": 4095}},
		{"a VLAN with members", "members", object{"type": "vlan", "parent": "eth0", "vlan_id": 7, "members": []string{"eth1"}}},
		{"a VLAN on itself", "parent", object{"type": "vlan", "parent": "x", "vlan_id": 7}},
		{"a bridge with a parent", "parent", object{"type": "bridge", "parent": "eth0", "members": []string{"eth1"}}},
		{"a bond with a number", "vlan_id", object{"type": "bond", "vlan_id": 7, "members": []string{"eth1"}}},
		{"a bridge without members", "members", object{"type": "bridge"}},
		{"a bond without members", "members", object{"type": "bond", "members": []string{}}},
		{"a bond of itself", "members[0]", object{"type": "bond", "members": []string{"x"}}},
		{"a bond of the same twice", "members[1]", object{"type": "bond", "members": []string{"eth1", "eth1"}}},
		{"an ethernet interface with a parent", "parent", object{"type": "ethernet", "parent": "eth0"}},
		{"an ethernet interface with members", "members", object{"type": "ethernet", "members": []string{"eth0"}}},
		{"a tunnel with a parent", "parent", object{"type": "wireguard", "parent": "eth0"}},
		{"a tunnel with members", "members", object{"type": "wireguard", "members": []string{"eth0"}}},
		{"a name with a quote", "name", object{"type": "ethernet", "name": `a"b`}},
		{"a name that is a wildcard", "name", object{"type": "ethernet", "name": "eth*"}},
		{"a name that is too long", "name", object{"type": "ethernet", "name": "abcdefghijklmnop"}},
	} {
		body := apitest.With(object{"name": "x"}, tc.body)
		if a := r.Do("POST", "/network-interfaces", body); a.Status != http.StatusBadRequest || a.Complaint(tc.field) == "" {
			t.Errorf("%s: answered %d %+v, want 400 about %s", tc.name, a.Status, a.Error, tc.field)
		}
	}
}

// One link cannot be two things: a tunnel is an interface of the type wireguard, and no other.
func TestTheNameOfATunnel(t *testing.T) {
	r := newRig(t)
	err := r.Run.Run(t.Context(), change.Change{Action: "tunnel.interface.create", Subject: "wg7", Component: "tunnel", Actor: "test"}, func(tx change.Tx) error {
		_, err := tx.Exec(t.Context(), `insert into tunnel_interfaces
			(id, revision, created_at, updated_at, name, mode, address_cidr, client_routes, endpoint, dns, active, description, public_key, private_key)
			values (gen_random_uuid(), 1, now(), now(), 'wg7', 'server', '10.8.0.1/24', '', '', '', true, '', '', '')`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []object{{"type": "ethernet"}, {"type": "bridge", "members": []string{"eth1"}}, {"type": "vlan", "parent": "eth1", "vlan_id": 7}} {
		if a := r.Do("POST", "/network-interfaces", apitest.With(object{"name": "wg7"}, kind)); a.Status != http.StatusBadRequest || a.Complaint("name") == "" {
			t.Errorf("%v: answered %d %+v, want 400 about the name", kind, a.Status, a.Error)
		}
	}
	if a := r.Do("POST", "/network-interfaces", object{"name": "wg7", "type": "wireguard", "mtu": 1280}); a.Complaint("mtu") == "" {
		t.Errorf("an MTU that the tunnel does not get: answered %d %+v", a.Status, a.Error)
	}
	r.Do("POST", "/network-interfaces", object{"name": "wg7", "type": "wireguard", "role": "lan"}).Want(http.StatusCreated)
	id := r.Do("POST", "/network-interfaces", object{"name": "eth7", "type": "ethernet"}).Want(http.StatusCreated).Field("id")
	if a := r.Do("PUT", "/network-interfaces/"+id, object{"name": "wg7", "type": "ethernet"}); a.Complaint("name") == "" {
		t.Errorf("a rename: answered %d %+v", a.Status, a.Error)
	}
	for _, address := range []string{"10.8.0.1", "10.8.0.9"} {
		if a := r.Do("POST", "/ip-addresses", object{"interface_id": id, "address": address, "prefix": 24}); a.Complaint("address") == "" {
			t.Errorf("%s in the network of a tunnel: answered %d %+v", address, a.Status, a.Error)
		}
	}
}

// Packets of a member come in at its bridge or bond: what it had itself would stop working, and look right.
func TestAMemberHasNothingOfItsOwn(t *testing.T) {
	r := newRig(t)
	port := r.Do("POST", "/network-interfaces", object{"name": "eth1", "type": "ethernet"}).Want(http.StatusCreated).Field("id")
	own := object{"interface_id": port, "address": "192.0.2.1", "prefix": 24}
	address := r.Do("POST", "/ip-addresses", own).Want(http.StatusCreated).Field("id")
	bridge := object{"name": "br0", "type": "bridge", "members": []string{"eth2", "eth1"}}
	for _, tc := range []struct {
		method, path, field string
		body                object
	}{
		{"POST", "/network-interfaces", "members[1]", bridge},
		{"PUT", "/network-interfaces/" + port, "type", object{"name": "eth1", "type": "wireguard"}},
	} {
		if a := r.Do(tc.method, tc.path, tc.body); a.Status != http.StatusBadRequest || a.Complaint(tc.field) == "" {
			t.Errorf("%s %s: answered %d %+v, want 400 about %s", tc.method, tc.path, a.Status, a.Error, tc.field)
		}
	}
	r.Do("DELETE", "/network-interfaces/"+port, nil).Want(http.StatusConflict)
	r.Do("DELETE", "/ip-addresses/"+address, nil).Want(http.StatusOK)
	r.Do("POST", "/network-interfaces", bridge).Want(http.StatusCreated)
	if a := r.Do("POST", "/ip-addresses", own); a.Status != http.StatusBadRequest || a.Complaint("interface_id") == "" {
		t.Errorf("an address of a member: answered %d %+v", a.Status, a.Error)
	}
}
