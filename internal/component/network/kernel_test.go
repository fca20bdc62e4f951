package network_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"gateway/internal/api/apitest"
	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/firewall"
	"gateway/internal/component/network"
	"gateway/internal/component/network/netstate"
	"gateway/internal/component/tunnel"
	"gateway/internal/component/uplink"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/rtnl"
	"gateway/lab"
)

// ip runs iproute2 in the space.
func ip(t testing.TB, space *lab.Space, line string) string {
	t.Helper()
	var out []byte
	err := space.Do(func() (err error) {
		out, err = exec.Command("ip", strings.Fields(line)...).CombinedOutput()
		return err
	})
	if err != nil {
		t.Fatalf("ip %s: %s", line, out)
	}
	return string(out)
}

// setup is the component on a kernel of its own, with two ports.
func setup(t testing.TB) (*lab.Space, componenttest.Setup) {
	t.Helper()
	space := lab.NewSpace(t)
	for i := range 2 {
		ip(t, space, fmt.Sprintf("link add p%d type veth peer name q%d", i, i))
		ip(t, space, fmt.Sprintf("link set q%d up", i))
	}
	open := func() (c *rtnl.Conn, err error) {
		return c, space.Do(func() error { c, err = rtnl.Open(); return err })
	}
	return space, componenttest.Setup{
		Schemas: []db.Schema{firewall.New(firewall.Options{}).Schema(), tunnel.New(tunnel.Options{}).Schema(), uplink.New(uplink.Options{}).Schema()},
		Component: func(r *componenttest.Rig) component.Component {
			return network.New(network.Options{DB: r.Pool, Run: r.Run, Applier: r, Open: open})
		},
		Daemon: func(*componenttest.Rig) daemon.Daemon {
			return netstate.New(netstate.Options{
				Open:  open,
				Watch: func(ctx context.Context, _ func()) error { <-ctx.Done(); return nil },
				Log:   slog.New(slog.DiscardHandler),
			})
		},
		Parse: func(out daemon.Rendering) error { _, err := netstate.Parse(out.File(netstate.Path)); return err },
		Live:  true,
	}
}

func TestTheDaemonKeepsTheContract(t *testing.T) {
	_, s := setup(t)
	s.Live = false
	componenttest.Contract(t, s, func(r *componenttest.Rig) {
		id := r.Do("POST", "/network-interfaces", object{"name": "p0", "type": "ethernet", "role": "wan", "mtu": 1400}).Want(http.StatusCreated).Field("id")
		r.Do("POST", "/ip-addresses", object{"interface_id": id, "address": "192.0.2.1", "prefix": 24}).Want(http.StatusCreated)
		r.Do("POST", "/routes", object{"destination": "198.51.100.0/24", "gateway": "192.0.2.254"}).Want(http.StatusCreated)
	})
}

// shows NET-08, NET-09, NET-11, NET-12, NET-13, NET-14, NET-17, NET-18, NET-20, NET-21, NET-22
func TestWhatIsStoredIsInTheKernel(t *testing.T) {
	space, s := setup(t)
	r := componenttest.New(t, s)
	br := r.Do("POST", "/network-interfaces", object{"name": "br0", "type": "bridge", "members": []string{"p0"}, "description": "guests"}).Want(http.StatusCreated).Field("id")
	made := r.Do("POST", "/network-interfaces/"+br+"/ip-addresses", object{"address": "192.0.2.1", "prefix": 24}).Want(http.StatusCreated)
	if made.Field("is_vip") != "false" || made.Field("vip_priority") != "100" {
		t.Errorf("the address is %s", made.Text)
	}
	r.Do("POST", "/ip-addresses", object{"interface_id": br, "address": "2001:DB8::1", "prefix": 64, "is_vip": true, "vip_priority": 7}).Want(http.StatusCreated)
	route := r.Do("POST", "/routes", object{"destination": "198.51.100.7/24", "gateway": "192.0.2.254", "dev": "br0", "metric": 7, "table_name": "100", "comment": "to the branch"}).Want(http.StatusCreated)
	if got := route.Field("destination"); got != "198.51.100.0/24" {
		t.Errorf("the destination is %q", got)
	}
	for what, want := range map[string]string{
		"link show master br0":    "p0",
		"-d link show br0":        "alias guests",
		"-4 addr show dev br0":    "192.0.2.1/24",
		"-6 addr show dev br0":    "2001:db8::1/64",
		"route show table 100":    "198.51.100.0/24 via 192.0.2.254 dev br0 proto 250 metric 7",
		"link show group 250":     "br0",
		"-6 route show proto 250": "",
	} {
		if out := ip(t, space, what); !strings.Contains(out, want) {
			t.Errorf("ip %s = %q, want %q", what, out, want)
		}
	}
	var list []object
	r.As("viewer", "GET", "/network-interfaces/"+br+"/ip-addresses", nil).Want(http.StatusOK).Into(&list)
	if len(list) != 2 {
		t.Errorf("addresses of br0: %v", list)
	}
	changeAddress(t, space, r, made.Field("id"), br)
	page := "/interfaces/" + br + "?tab=addresses"
	users := []string{"address 192.0.2.1/24 " + page, "address 2001:db8::1/64 " + page, "route 198.51.100.0/24 /routes?do=edit&id=" + route.Field("id")}
	if got := r.Do("DELETE", "/network-interfaces/"+br, nil).Want(http.StatusConflict).Users(); !slices.Equal(got, users) {
		t.Errorf("it is used by %q, want %q", got, users)
	}
	changeRoute(t, space, r, route.Field("id"))
	for _, a := range list {
		r.Do("DELETE", fmt.Sprint("/ip-addresses/", a["id"]), nil).Want(http.StatusOK)
	}
	r.Do("DELETE", "/network-interfaces/"+br, nil).Want(http.StatusOK)
	if out := ip(t, space, "link show group 250"); out != "" {
		t.Errorf("still there: %s", out)
	}
}

// changeAddress reads the address 192.0.2.1/24 of the interface, changes it, and changes it back.
func changeAddress(t *testing.T, space *lab.Space, r *componenttest.Rig, id, br string) {
	t.Helper()
	address := "/ip-addresses/" + id
	if a := r.As("viewer", "GET", address, nil).Want(http.StatusOK); a.Field("interface_id") != br || a.Field("address") != "192.0.2.1" || a.Field("prefix") != "24" {
		t.Errorf("the address is %s", a.Text)
	}
	r.Do("PUT", address, object{"interface_id": br, "address": "192.0.2.3", "prefix": 24}).Want(http.StatusOK)
	if out := ip(t, space, "-4 addr show dev br0"); !strings.Contains(out, "192.0.2.3/24") || strings.Contains(out, "192.0.2.1/24") {
		t.Errorf("the changed address is %s", out)
	}
	r.Do("PUT", address, object{"interface_id": br, "address": "192.0.2.1", "prefix": 24}).Want(http.StatusOK)
}

// changeRoute reads the route of the test, switches it off and on, and deletes it.
func changeRoute(t *testing.T, space *lab.Space, r *componenttest.Rig, id string) {
	t.Helper()
	one := "/routes/" + id
	a := r.As("viewer", "GET", one, nil).Want(http.StatusOK)
	for field, want := range map[string]string{
		"destination": "198.51.100.0/24", "gateway": "192.0.2.254", "dev": "br0", "metric": "7", "table_name": "100", "active": "true", "comment": "to the branch",
	} {
		if got := a.Field(field); got != want {
			t.Errorf("%s of the route is %q, want %q", field, got, want)
		}
	}
	body := object{"destination": "198.51.100.0/24", "gateway": "192.0.2.254", "dev": "br0", "table_name": "100"}
	r.Do("PUT", one, apitest.With(body, object{"active": false})).Want(http.StatusOK)
	if out := ip(t, space, "route show table 100"); out != "" {
		t.Errorf("an inactive route is in the kernel: %s", out)
	}
	r.Do("PUT", one, body).Want(http.StatusOK)
	if out := ip(t, space, "route show table 100"); !strings.Contains(out, "198.51.100.0/24 via 192.0.2.254 dev br0 proto 250") {
		t.Errorf("the route is active again, and the kernel has %q", out)
	}
	var routes []object
	if r.As("viewer", "GET", "/routes", nil).Want(http.StatusOK).Into(&routes); len(routes) != 1 || routes[0]["id"] != id {
		t.Errorf("routes = %v", routes)
	}
	r.Do("DELETE", one, nil).Want(http.StatusOK)
	r.Do("GET", one, nil).Want(http.StatusNotFound)
	if out := ip(t, space, "route show table 100"); out != "" {
		t.Errorf("a deleted route is in the kernel: %s", out)
	}
}

// Who makes and removes the links of tunnels is package tunnel: a row here does not.
//
// shows NET-10*
func TestPortsAndTunnelsStayAsTheyAre(t *testing.T) {
	space, s := setup(t)
	r := componenttest.New(t, s)
	ip(t, space, "link add wg7 type veth peer name wg8") // as good as a tunnel: the row goes by its name
	for _, there := range []object{{"name": "p0", "type": "ethernet", "mtu": 1400}, {"name": "wg7", "type": "wireguard"}} {
		link := "-o link show " + there["name"].(string)
		number, _, _ := strings.Cut(ip(t, space, link), " ")
		id := r.Do("POST", "/network-interfaces", there).Want(http.StatusCreated).Field("id")
		r.Do("DELETE", "/network-interfaces/"+id, nil).Want(http.StatusOK)
		if out := ip(t, space, link); !strings.HasPrefix(out, number+" ") {
			t.Errorf("%v was number %s, and is %s", there, number, out)
		}
	}
	for _, away := range []object{{"name": "away0", "type": "ethernet"}, {"name": "wg0", "type": "wireguard"}} {
		r.Do("POST", "/network-interfaces", away).Want(http.StatusCreated)
		if out := ip(t, space, "-o link show"); strings.Contains(out, away["name"].(string)) {
			t.Errorf("%v was made: %s", away, out)
		}
	}
}

// Not even a revert could bring back the addresses that another program gave to a member.
func TestAPortWithAddressesOfOthersJoinsNothing(t *testing.T) {
	space, s := setup(t)
	r := componenttest.New(t, s)
	ip(t, space, "addr add 192.0.2.1/24 dev p0")
	body := object{"name": "br0", "type": "bridge", "members": []string{"p0"}}
	if a := r.Do("POST", "/network-interfaces", body).Want(http.StatusConflict); a.Error.Code != "foreign_address" {
		t.Errorf("answered %s", a.Text)
	}
	ip(t, space, "addr del 192.0.2.1/24 dev p0")
	r.Do("POST", "/network-interfaces", body).Want(http.StatusCreated)
}

// shows NET-15, NET-19
func TestAddressesAndRoutesThatMakeNoSense(t *testing.T) {
	_, s := setup(t)
	r := componenttest.New(t, s)
	id := r.Do("POST", "/network-interfaces", object{"name": "p0", "type": "ethernet"}).Want(http.StatusCreated).Field("id")
	other := r.Do("POST", "/network-interfaces", object{"name": "p1", "type": "ethernet"}).Want(http.StatusCreated).Field("id")
	wg := r.Do("POST", "/network-interfaces", object{"name": "wg0", "type": "wireguard"}).Want(http.StatusCreated).Field("id")
	r.Do("POST", "/ip-addresses", object{"interface_id": id, "address": "192.0.2.1", "prefix": 24}).Want(http.StatusCreated)
	r.Do("POST", "/routes", object{"destination": "::/0", "dev": "p0"}).Want(http.StatusCreated)
	for _, tc := range []struct {
		name, path, field string
		body              object
	}{
		{"no address", "/ip-addresses", "address", object{"address": "192.0.2.300", "prefix": 24}},
		{"an address with its length", "/ip-addresses", "address", object{"address": "192.0.2.3/24", "prefix": 24}},
		{"nobody's address", "/ip-addresses", "address", object{"address": "0.0.0.0", "prefix": 24}},
		{"everybody's address", "/ip-addresses", "address", object{"address": "224.0.0.1", "prefix": 24}},
		{"an address with a zone", "/ip-addresses", "address", object{"address": "fe80::1%p0", "prefix": 64}},
		{"a length that is too long", "/ip-addresses", "prefix", object{"address": "192.0.2.3", "prefix": 33}},
		{"no length", "/ip-addresses", "prefix", object{"address": "192.0.2.3", "prefix": 0}},
		{"an interface that is none", "/ip-addresses", "interface_id", object{"address": "192.0.2.3", "prefix": 24, "interface_id": "nowhere"}},
		{"an address of another interface", "/ip-addresses", "address", object{"address": "192.0.2.1", "prefix": 24, "interface_id": other}},
		{"a network of another interface", "/ip-addresses", "address", object{"address": "192.0.2.7", "prefix": 24, "interface_id": other}},
		{"the address of a network", "/ip-addresses", "address", object{"address": "203.0.113.16", "prefix": 28, "interface_id": other}},
		{"the broadcast address of a network", "/ip-addresses", "address", object{"address": "203.0.113.31", "prefix": 28, "interface_id": other}},
		{"an address of a tunnel", "/ip-addresses", "interface_id", object{"address": "192.0.2.9", "prefix": 24, "interface_id": wg}},
		{"no network", "/routes", "destination", object{"destination": "there", "gateway": "192.0.2.9"}},
		{"a network of many", "/routes", "destination", object{"destination": "224.0.0.0/4", "gateway": "192.0.2.9"}},
		{"no gateway", "/routes", "gateway", object{"destination": "198.51.100.0/24"}},
		{"a gateway that is none", "/routes", "gateway", object{"destination": "198.51.100.0/24", "gateway": "192.0.2"}},
		{"a gateway of another family", "/routes", "gateway", object{"destination": "198.51.100.0/24", "gateway": "2001:db8::1"}},
		{"a link-local gateway without an interface", "/routes", "dev", object{"destination": "2001:db8::/32", "gateway": "fe80::1"}},
		{"a black hole with a gateway", "/routes", "gateway", object{"destination": "198.51.100.0/24", "type": "blackhole", "gateway": "192.0.2.9"}},
		{"a table that is none", "/routes", "table_name", object{"destination": "198.51.100.0/24", "gateway": "192.0.2.9", "table_name": "moon"}},
		{"the kernel's own table", "/routes", "table_name", object{"destination": "198.51.100.0/24", "gateway": "192.0.2.9", "table_name": "255"}},
		{"an interface with a slash", "/routes", "dev", object{"destination": "198.51.100.0/24", "dev": "a/b"}},
	} {
		body := tc.body
		if _, ok := body["interface_id"]; !ok && tc.path == "/ip-addresses" {
			body["interface_id"] = id
		}
		if a := r.Do("POST", tc.path, body); a.Status != http.StatusBadRequest || a.Complaint(tc.field) == "" {
			t.Errorf("%s: answered %d %+v, want 400 about %s", tc.name, a.Status, a.Error, tc.field)
		}
	}
	// What only the other rows and the kernel can tell.
	r.Do("POST", "/routes", object{"destination": "198.51.100.0/24", "gateway": "203.0.113.1"}).Want(http.StatusBadRequest)
	r.Do("POST", "/routes", object{"destination": "198.51.100.0/24", "gateway": "192.0.2.1"}).Want(http.StatusBadRequest)
	r.Do("POST", "/routes", object{"destination": "::/0", "dev": "p0", "metric": 1024}).Want(http.StatusConflict)
}

func TestStacksThatMakeNoSense(t *testing.T) {
	r := newRig(t)
	for _, body := range []object{
		{"name": "bond0", "type": "bond", "members": []string{"eth1", "eth2"}, "bond_mode": "802.3ad", "lacp_rate": "fast"},
		{"name": "bond0.7", "type": "vlan", "parent": "bond0", "vlan_id": 7},
		{"name": "br0", "type": "bridge", "members": []string{"bond0.7"}, "stp": true},
	} {
		r.Do("POST", "/network-interfaces", body).Want(http.StatusCreated)
	}
	for _, tc := range []struct {
		name, field string
		body        object
	}{
		{"a member of two", "members[0]", object{"name": "br1", "type": "bridge", "members": []string{"eth1"}}},
		{"a bridge of the loopback interface", "members[0]", object{"name": "br1", "type": "bridge", "members": []string{"lo"}}},
		{"a VLAN on the loopback interface", "parent", object{"name": "lo.7", "type": "vlan", "parent": "lo", "vlan_id": 7}},
		{"a bond of bonds", "members[0]", object{"name": "bond1", "type": "bond", "members": []string{"bond0"}}},
		{"a VLAN id that is taken", "vlan_id", object{"name": "seven", "type": "vlan", "parent": "bond0", "vlan_id": 7}},
		{"a mode of no bond", "bond_mode", object{"name": "br1", "type": "bridge", "members": []string{"eth5"}, "bond_mode": "802.3ad"}},
		{"a rate without LACP", "lacp_rate", object{"name": "bond1", "type": "bond", "members": []string{"eth5"}, "lacp_rate": "fast"}},
		{"a primary that is no member", "primary", object{"name": "bond1", "type": "bond", "members": []string{"eth5"}, "primary": "eth6"}},
		{"a primary where all are alike", "primary", object{"name": "bond1", "type": "bond", "members": []string{"eth5"}, "bond_mode": "balance-rr", "primary": "eth5"}},
		{"a spanning tree of one", "stp", object{"name": "eth7", "type": "ethernet", "stp": true}},
		{"an MTU of nothing", "mtu", object{"name": "eth7", "type": "ethernet", "mtu": 10}},
		{"a name that stands for all", "name", object{"name": "all", "type": "ethernet"}},
	} {
		if a := r.Do("POST", "/network-interfaces", tc.body); a.Status != http.StatusBadRequest || a.Complaint(tc.field) == "" {
			t.Errorf("%s: answered %d %+v, want 400 about %s", tc.name, a.Status, a.Error, tc.field)
		}
	}
	var all []struct{ ID, Name string }
	r.Do("GET", "/network-interfaces", nil).Into(&all)
	for _, i := range all {
		if i.Name == "bond0" {
			r.Do("DELETE", "/network-interfaces/"+i.ID, nil).Want(http.StatusConflict)
			a := r.Do("PUT", "/network-interfaces/"+i.ID, object{"name": "bond0", "type": "bond", "members": []string{"br0"}})
			if a.Status != http.StatusBadRequest || !strings.Contains(a.Text, "leads back") {
				t.Errorf("a bond of what is built on it: %d %s", a.Status, a.Text)
			}
		}
	}
}

// Addresses follow their interface; routes go by its name.
func TestARenamedInterfaceLeavesNoRouteBehind(t *testing.T) {
	space, s := setup(t)
	r := componenttest.New(t, s)
	id := r.Do("POST", "/network-interfaces", object{"name": "p0", "type": "ethernet"}).Want(http.StatusCreated).Field("id")
	r.Do("POST", "/ip-addresses", object{"interface_id": id, "address": "192.0.2.1", "prefix": 24}).Want(http.StatusCreated)
	route := r.Do("POST", "/routes", object{"destination": "198.51.100.0/24", "dev": "p0"}).Want(http.StatusCreated).Field("id")
	other := object{"name": "p1", "type": "ethernet"}
	if a := r.Do("PUT", "/network-interfaces/"+id, other).Want(http.StatusBadRequest); a.Complaint("name") == "" {
		t.Errorf("answered %s", a.Text)
	}
	r.Do("DELETE", "/routes/"+route, nil).Want(http.StatusOK)
	r.Do("PUT", "/network-interfaces/"+id, other).Want(http.StatusOK)
	if out := ip(t, space, "-4 addr show dev p1"); !strings.Contains(out, "192.0.2.1/24") {
		t.Errorf("the address is not on p1: %s", out)
	}
}

// shows NET-24
func TestTheKernelsRoutesAreListed(t *testing.T) {
	space, s := setup(t)
	r := componenttest.New(t, s)
	ip(t, space, "addr add 192.0.2.1/24 dev p0")
	ip(t, space, "link set p0 up")
	ip(t, space, "route add blackhole 198.51.100.0/24 table 1234")
	ip(t, space, "-6 addr add 2001:db8::1/64 dev p0 nodad")
	ip(t, space, "-6 route add blackhole 2001:db8:9::/48 table 1234")
	var live []network.LiveRoute
	// The operation itself reads the network of its process.
	if err := space.Do(func() (err error) { live, err = network.Live(); return err }); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, l := range live {
		found[strings.Join([]string{l.Type, l.Destination, l.Dev, l.TableName, l.Protocol}, " ")] = true
	}
	for _, want := range []string{
		"unicast 192.0.2.0/24 p0 main kernel", "local 192.0.2.1/32 p0 local kernel", "blackhole 198.51.100.0/24  1234 boot",
		"unicast 2001:db8::/64 p0 main kernel", "blackhole 2001:db8:9::/48 lo 1234 boot",
	} {
		if !found[want] {
			t.Errorf("%q is not among %v", want, found)
		}
	}
	if a := r.As("viewer", "GET", "/routes/live?limit=2", nil).Want(http.StatusOK); a.Total == "" {
		t.Errorf("/routes/live = %s", a.Text)
	}
}

func TestTheKernelsNeighboursAreListed(t *testing.T) {
	space, s := setup(t)
	r := componenttest.New(t, s)
	for _, line := range []string{
		"addr add 192.0.2.1/24 dev p0", "link set p0 up",
		"neigh add 192.0.2.7 lladdr 02:00:5e:10:00:07 dev p0 nud permanent", "neigh add 192.0.2.8 lladdr 02:00:5e:10:00:08 dev p0 nud stale",
		"-6 neigh add fe80::9 lladdr 02:00:5e:10:00:09 dev p0 router nud reachable", "neigh add 192.0.2.10 dev p0 nud failed", "neigh add 224.0.0.9 lladdr 01:00:5e:00:00:09 dev p0 nud noarp",
	} {
		ip(t, space, line)
	}
	var all []network.Neighbour
	if err := space.Do(func() (err error) { all, err = network.Neighbours(); return err }); err != nil {
		t.Fatal(err)
	}
	found := map[string]network.Neighbour{}
	for _, n := range all {
		found[n.Address] = n
	}
	for _, want := range []network.Neighbour{
		{Address: "192.0.2.7", Family: "inet", MAC: "02:00:5e:10:00:07", Dev: "p0", State: "permanent"},
		{Address: "192.0.2.8", Family: "inet", MAC: "02:00:5e:10:00:08", Dev: "p0", State: "stale"},
		{Address: "fe80::9", Family: "inet6", MAC: "02:00:5e:10:00:09", Dev: "p0", State: "reachable", Router: true},
		{Address: "192.0.2.10", Family: "inet", Dev: "p0", State: "failed"},
	} {
		if got := found[want.Address]; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if n, there := found["224.0.0.9"]; there {
		t.Errorf("a group is listed: %+v", n)
	}
	r.As("viewer", "GET", "/neighbours?limit=2&q=reach", nil).Want(http.StatusOK)
}
