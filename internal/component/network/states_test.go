package network_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"gateway/internal/api/apitest"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/network"
	"gateway/internal/component/network/netstate"
	"gateway/internal/fault"
	"gateway/internal/problem"
	"gateway/internal/rtnl"
)

// states looks for problems, as a page that shows them does.
func states(t *testing.T, s componenttest.Setup, r *componenttest.Rig) problem.Report {
	t.Helper()
	found, err := s.Component(r).Problems.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// wantState waits for a state: that of a carrier changes a little after the command that caused
// it. An empty one is that of an object that works.
func wantState(t *testing.T, s componenttest.Setup, r *componenttest.Rig, kind, id, state, code string) {
	t.Helper()
	var got problem.State
	for began := time.Now(); ; <-time.After(20 * time.Millisecond) {
		got = states(t, s, r).States[kind][id]
		if got.State == state && got.Code == code {
			return
		}
		if time.Since(began) > 10*time.Second {
			t.Fatalf("the state of %s %s is %+v, want %s because of %s", kind, id, got, state, code)
		}
	}
}

// aged makes all rows older than a change may take to be applied.
func aged(r *componenttest.Rig) {
	r.T.Helper()
	for _, table := range []string{"network_interfaces", "network_addresses", "network_routes"} {
		r.Restore(`update ` + table + ` set updated_at = now() - interval '1 minute'`)
	}
}

func TestStatesFollowTheKernel(t *testing.T) {
	space, s := setup(t)
	r := componenttest.New(t, s)
	p0 := r.Do("POST", "/network-interfaces", object{"name": "p0", "type": "ethernet"}).Want(http.StatusCreated).ID()
	p1 := r.Do("POST", "/network-interfaces", object{"name": "p1", "type": "ethernet"}).Want(http.StatusCreated).ID()
	address := r.Do("POST", "/ip-addresses", object{"interface_id": p0, "address": "192.0.2.1", "prefix": 24}).Want(http.StatusCreated).ID()
	route := r.Do("POST", "/routes", object{"destination": "198.51.100.0/24", "gateway": "192.0.2.254"}).Want(http.StatusCreated).ID()
	discard := r.Do("POST", "/routes", object{"destination": "2001:db8::/32", "type": "blackhole"}).Want(http.StatusCreated).ID()
	off := r.Do("POST", "/routes", object{"destination": "203.0.113.0/24", "gateway": "192.0.2.254", "active": false}).Want(http.StatusCreated).ID()
	want := func(kind, id, state, code string) { t.Helper(); wantState(t, s, r, kind, id, state, code) }

	want("network_interface", p0, "", "")
	want("network_interface", p1, "down", "network.link_down")
	want("ip_address", address, "", "")
	want("route", route, "", "")
	want("route", discard, "", "")
	want("route", off, "disabled", "")

	ip(t, space, "link set q0 down")
	want("network_interface", p0, "no_carrier", "network.no_carrier")
	want("ip_address", address, "no_carrier", "network.no_carrier")
	want("route", route, "no_carrier", "network.no_carrier")
	want("route", discard, "", "")
	ip(t, space, "link set q0 up")
	want("ip_address", address, "", "")

	ip(t, space, "route del 198.51.100.0/24")
	want("route", route, "unknown", "network.applying") // it was changed just now
	aged(r)
	want("route", route, "not_applied", "network.absent")
	ip(t, space, "route add 198.51.100.0/24 via 192.0.2.253 proto 250")
	want("route", route, "not_applied", "network.replaced")
	ip(t, space, "addr del 192.0.2.1/24 dev p0")
	want("ip_address", address, "not_applied", "network.absent")
	ip(t, space, "link del p1")
	want("network_interface", p1, "missing", "network.absent")

	codes := map[string]string{}
	for _, p := range states(t, s, r).Problems {
		codes[p.Subject.ID] = p.Code
	}
	for _, id := range []string{p1, address, route} {
		if codes[id] == "" {
			t.Errorf("there is no problem of %s among %v", id, codes)
		}
	}
}

// A change that failed leaves its rows stored, and the kernel as it was.
func TestStatesTellWhatIsNotApplied(t *testing.T) {
	_, s := setup(t)
	r := componenttest.New(t, s)
	p0 := r.Do("POST", "/network-interfaces", object{"name": "p0", "type": "ethernet"}).Want(http.StatusCreated).ID()
	address := r.Do("POST", "/ip-addresses", object{"interface_id": p0, "address": "192.0.2.1", "prefix": 24}).Want(http.StatusCreated).ID()
	if _, err := r.Pool.Exec(t.Context(), `update change_applies set state = 'failed' from changes
		where id = change_id and action = 'network.address.create'`); err != nil {
		t.Fatal(err)
	}
	wantState(t, s, r, "ip_address", address, "not_applied", "network.not_applied")
	wantState(t, s, r, "network_interface", p0, "", "")
}

// telling is a gateway-apply that says what is wrong.
type telling struct {
	*componenttest.Rig
	wrong []netstate.Trouble
}

func (a telling) Ask(_ context.Context, _, _ string, _, out any) error {
	*out.(*[]netstate.Trouble) = a.wrong //nolint:forcetypeassert // that is what is asked for
	return nil
}

// One that is missing is a member of a bond as well, and two routes leave by it.
func TestAMissingInterfaceIsOneProblem(t *testing.T) {
	space, s := setup(t)
	r := componenttest.New(t, s)
	p0 := r.Do("POST", "/network-interfaces", object{"name": "p0", "type": "ethernet"}).Want(http.StatusCreated).ID()
	open := func() (c *rtnl.Conn, err error) {
		return c, space.Do(func() error { c, err = rtnl.Open(); return err })
	}
	of := func(subject string, why fault.Sentence) netstate.Trouble {
		return netstate.Trouble{Kind: netstate.Missing, Subject: subject, Why: why}
	}
	wrong := []netstate.Trouble{
		of("interface p0", fault.Said("there is no such interface on this node")),
		of("interface p0", fault.Said("there is no such interface on this node; it is a member of %s", "bond0")),
		of("route 198.51.100.0/24", fault.Said("there is no interface %s on this node", "p0")),
		of("route 203.0.113.0/24", fault.Said("there is no interface %s on this node", "p0")),
		of("route 192.0.2.0/24", fault.Said("there is no interface %s on this node", "other")),
	}
	found, err := network.New(network.Options{DB: r.Pool, Run: r.Run, Applier: telling{r, wrong}, Open: open}).Problems.Find(t.Context())
	if err != nil || len(found.Problems) != 2 {
		t.Fatalf("problems = %+v %v, want that of the interface, and of the route by another one", found.Problems, err)
	}
	if p := found.Problems[0]; p.Subject.ID != p0 || p.Code != "network.missing" || p.AffectsTotal != 2 {
		t.Errorf("the problem of the interface is %+v, want one that affects two routes", p)
	}
}

// Routes to one destination are told apart by table and metric: what is wrong with one of them says
// nothing of the other.
func TestRoutesThatDifferInTheirMetricHaveStatesOfTheirOwn(t *testing.T) {
	space, s := setup(t)
	r := componenttest.New(t, s)
	p0 := r.Do("POST", "/network-interfaces", object{"name": "p0", "type": "ethernet"}).Want(http.StatusCreated).ID()
	r.Do("POST", "/ip-addresses", object{"interface_id": p0, "address": "192.0.2.1", "prefix": 24}).Want(http.StatusCreated)
	route := func(more object) string {
		body := apitest.With(object{"destination": "198.51.100.0/24"}, more)
		return r.Do("POST", "/routes", body).Want(http.StatusCreated).ID()
	}
	first := route(object{"gateway": "192.0.2.254", "metric": 10})
	second := route(object{"dev": "away0", "metric": 20})
	third := route(object{"gateway": "192.0.2.254", "metric": 10, "table_name": "7"})
	want := func(id, state, code string) { t.Helper(); wantState(t, s, r, "route", id, state, code) }
	aged(r)
	want(first, "", "")
	want(second, "not_applied", "network.missing")
	want(third, "", "")
	ip(t, space, "route del 198.51.100.0/24 metric 10")
	want(first, "not_applied", "network.absent")
	want(second, "not_applied", "network.missing")

	// As are rows that gateway-apply leaves out.
	r.Restore(`update network_routes set gateway = 'moon', updated_at = now() - interval '1 minute' where id = '` + second + `'`)
	r.Do("PUT", "/routes/"+first, object{"destination": "198.51.100.0/24", "gateway": "192.0.2.253", "metric": 10}).Want(http.StatusOK)
	want(first, "", "")
	want(second, "not_applied", "network.not_applied")
}

// silent is a gateway-apply that does not answer.
type silent struct{ *componenttest.Rig }

func (silent) Ask(context.Context, string, string, any, any) error { return errors.New("away") }

func TestNothingIsKnownWhileGatewayApplyIsSilent(t *testing.T) {
	_, s := setup(t)
	r := componenttest.New(t, s)
	source := network.New(network.Options{DB: r.Pool, Run: r.Run, Applier: silent{r}}).Problems
	if _, err := source.Find(t.Context()); err == nil {
		t.Error("states are known")
	}
}

// A route or an address of a member can come after the bridge, as when a change is reverted.
func TestMembersWithSettingsOfTheirOwnAreTold(t *testing.T) {
	_, s := setup(t)
	r := componenttest.New(t, s)
	told := func() (subjects []string) {
		for _, p := range states(t, s, r).Problems {
			if p.Code == "network.member_settings" {
				subjects = append(subjects, p.Subject.Name+" "+p.Link)
			}
		}
		return subjects
	}
	p1 := r.Do("POST", "/network-interfaces", object{"name": "p1", "type": "ethernet"}).Want(http.StatusCreated).ID()
	r.Do("POST", "/network-interfaces", object{"name": "br0", "type": "bridge", "members": []string{"p0", "p1"}}).Want(http.StatusCreated)
	if got := told(); len(got) != 0 {
		t.Errorf("told of %q, which have nothing", got)
	}
	for _, by := range []string{
		`insert into network_routes values (gen_random_uuid(), 1, now(), now(), '198.51.100.0/24', 'unicast', '', 'p1', null, 'main', false, true, '')`,
		`insert into network_addresses select gen_random_uuid(), 1, now(), now(), id, '192.0.2.1', 24, false, 100, '' from network_interfaces where name = 'p1'`,
		`insert into uplink_uplinks select gen_random_uuid(), 1, now(), now(), 'fibre', 1, 'p1', 'inet', '', true, false, '', 1000, 10, 50, 0, 10, ''`,
		`update network_interfaces set role = (select min(name) from firewall_zones) where name = 'p1'`,
	} {
		r.Restore(by)
		if got := told(); len(got) != 1 || got[0] != "p1 /interfaces/"+p1 {
			t.Errorf("%s: told of %q", by, got)
		}
		r.Restore(`update network_interfaces set role = null`)
		for _, table := range []string{"network_routes", "network_addresses", "uplink_uplinks"} {
			r.Restore(`delete from ` + table)
		}
		if got := told(); len(got) != 0 {
			t.Errorf("%s: still told of %q", by, got)
		}
	}
}
