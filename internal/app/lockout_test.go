package app_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"os/exec"
	"strings"
	"testing"

	"gateway/internal/app"
	"gateway/internal/app/apptest"
	"gateway/internal/component/daemons"
	"gateway/internal/component/firewall/filter"
	"gateway/internal/component/firewall/policy"
	"gateway/internal/component/network/netstate"
	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/component/uplink/multiwan"
	"gateway/internal/daemon"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/forecast"
	"gateway/internal/secret"
	"gateway/internal/sys"
	"gateway/lab"
)

// remote is a node with one provider on a kernel of its own, and the session of an
// administrator from beyond that provider. The rows are applied once; the kernel then stays as
// it is, as if every later change were still on its way to it.
type remote struct {
	*apptest.Client        // of the session
	link            string // id of the interface
	gateway         string
	asserted        string // id of an assertion
}

// routeIn asks the kernel of a space.
type routeIn struct{ space *lab.Space }

func (r routeIn) Route(to netip.Addr) (route sys.Route, err error) { return r.RouteMarked(to, 0) }

func (r routeIn) RouteMarked(to netip.Addr, mark uint32) (route sys.Route, err error) {
	err = r.space.Do(func() error { route, err = new(sys.Host).RouteMarked(to, mark); return err })
	return route, err
}

func (r routeIn) Routes() (hops []sys.Hop, err error) {
	err = r.space.Do(func() error { hops, err = new(sys.Host).Routes(); return err })
	return hops, err
}

// newRemote stores what seed does beside the interface and its address, and applies it.
func newRemote(t testing.TB, seed func(r *remote), options ...apptest.Option) *remote {
	t.Helper()
	space := lab.NewSpace(t)
	for _, line := range []string{"link add wan1 type bridge", "link set wan1 up", "link add dmz1 type bridge", "link set dmz1 up"} {
		if err := space.Do(func() error { return exec.Command("ip", strings.Fields(line)...).Run() }); err != nil {
			t.Fatal(line, err)
		}
	}
	log := slog.New(slog.DiscardHandler)
	open := func() (c *rtnl.Conn, err error) {
		err = space.Do(func() (err error) { c, err = rtnl.Open(); return err })
		return c, err
	}
	host, routing := routeIn{space}, daemons.Routing()
	nothing := func(context.Context, sys.Command) (sys.Result, error) { return sys.Result{}, nil }
	network := func() (n forecast.Network, err error) {
		c, err := open()
		if err != nil {
			return n, err
		}
		defer c.Close()
		return forecast.Read(c)
	}
	managed := []daemon.Daemon{
		netstate.New(netstate.Options{Host: host, Open: open, Routing: routing, Sysctl: func(context.Context) error { return nil }, Log: log}),
		wireguard.New(wireguard.Options{Host: host, Open: open, Routing: routing, Log: log}),
		multiwan.New(multiwan.Options{Host: host, Open: open, Routing: routing, Exec: nothing, Log: log}),
		filter.New(filter.Options{Policy: policy.New(daemon.NeedsOf(nil)), Exec: nothing, Host: host, Routing: routing, Network: network, Log: log}),
	}
	node, admin := apptest.Ready(t, append(options, apptest.NoLimits, func(c *app.Config) { c.MoreDaemons = managed })...)
	r := &remote{Client: admin, gateway: "192.0.2.1"}
	r.link = r.Post("/network-interfaces", fields{"name": "wan1", "type": "ethernet"}).Want(http.StatusCreated).ID()
	r.Post("/ip-addresses", fields{"interface_id": r.link, "address": "192.0.2.2", "prefix": 24}).Want(http.StatusCreated)
	seed(r)
	for _, d := range managed {
		if d.Name == wireguard.Name || d.Name == filter.Name {
			continue // nothing of the one is there at first, and of the other only the judgement is asked
		}
		now, err := d.Render(t.Context(), node.Pool, func([]byte, secret.Place) (secret.Text, error) { return "", nil })
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Apply(t.Context(), daemon.Rendering{}, now); err != nil {
			t.Fatal(err)
		}
	}
	r.Client = admin.Copy().From("203.0.113.7")
	r.Header.Set("X-Gateway-Local", "192.0.2.2")
	return r
}

func (r *remote) route(to string) string {
	return r.Post("/routes", fields{"destination": to, "gateway": r.gateway}).Want(http.StatusCreated).ID()
}

func (r *remote) uplink() string {
	return r.Post("/uplinks", fields{"name": "fibre", "interface": "wan1", "gateway": r.gateway, "monitor": false}).Want(http.StatusCreated).ID()
}

// batch sends several requests as one change.
func (r *remote) batch(operations ...fields) *apptest.Answer {
	return r.Post("/batch", fields{"operations": operations})
}

func deletion(path string) fields { return fields{"method": "DELETE", "path": path} }

// The session is answered by the uplink's own table, and the default route of the main table
// leads the same way: each of them may go, and not both.
func TestOneBatchDoesNotTakeBothRoutesOfASession(t *testing.T) {
	var route, uplink string
	r := newRemote(t, func(r *remote) { route, uplink = r.route("0.0.0.0/0"), r.uplink() })
	both := []fields{deletion("/uplinks/" + uplink), deletion("/routes/" + route)}
	r.batch(both...).WantCode(http.StatusConflict, "would_lock_out")
	r.batch(both[1], both[0]).WantCode(http.StatusConflict, "would_lock_out")
	r.Delete("/uplinks/" + uplink).Want(http.StatusOK)
	r.Delete("/routes/"+route).WantCode(http.StatusConflict, "would_lock_out")
	uplink = r.uplink()
	r.Delete("/routes/" + route).Want(http.StatusOK)
	r.Delete("/uplinks/"+uplink).WantCode(http.StatusConflict, "would_lock_out")
	r.Header.Set("Gateway-Confirm-Within", "60")
	r.Delete("/uplinks/" + uplink).Want(http.StatusOK)
	r.Header.Del("Gateway-Confirm-Within")
	// It may yet come back, and whatever is judged beside it would be judged by the wrong rows.
	r.Post("/routes", fields{"destination": "0.0.0.0/0", "gateway": r.gateway}).WantCode(http.StatusConflict, "confirm_pending")
}

// A tunnel to a wide network takes the answers of a session that had a closer route, once that
// goes: again, each of the two changes nothing about the session.
func TestOneBatchDoesNotLeadASessionIntoATunnel(t *testing.T) {
	var closer string
	r := newRemote(t, func(r *remote) {
		r.route("0.0.0.0/0")
		closer = r.route("203.0.113.0/24")
	})
	client := r.Post("/tunnel/interfaces", fields{"name": "wg0", "mode": "client", "address_cidr": "10.9.0.2/24"}).Want(http.StatusCreated).ID()
	peer := fields{
		"interface_id": client, "name": "branch", "endpoint": "198.51.100.9:51820",
		"public_key": "uTOO/nXahGX7hcdGI1NOZ3/7nxDe7OdxoXqq6tZO8lA=", "allowed_ips": []string{"203.0.112.0/20"},
	}
	r.batch(fields{"method": "POST", "path": "/tunnel/peers", "body": peer}, deletion("/routes/"+closer)).WantCode(http.StatusConflict, "would_lock_out")
	made := r.Post("/tunnel/peers", peer).Want(http.StatusCreated).ID()
	r.Delete("/routes/"+closer).WantCode(http.StatusConflict, "would_lock_out")
	r.Delete("/tunnel/peers/" + made).Want(http.StatusOK)
	r.Delete("/routes/" + closer).Want(http.StatusOK)
	r.Post("/tunnel/peers", peer).WantCode(http.StatusConflict, "would_lock_out")
}

// The operator's networks must not get to a host. By the default route it is behind the provider,
// where nothing is let through; a route that leads to it by the DMZ, where everything is, breaks that.
func TestARouteMustNotBreakAnAssertion(t *testing.T) {
	r := newRemote(t, open("203.0.113.200/32"))
	closer := fields{"destination": "203.0.113.200/32", "gateway": "198.51.100.9"}
	r.Post("/routes", closer).WantCode(http.StatusConflict, "assertion_broken")
	r.batch(fields{"method": "POST", "path": "/routes", "body": closer}).WantCode(http.StatusConflict, "assertion_broken")
	other := r.Post("/routes", fields{"destination": "203.0.113.201/32", "gateway": "198.51.100.9"}).Want(http.StatusCreated)
	// What breaks it already may be left so, and be repaired in steps.
	r.Delete("/firewall/assertions/" + r.asserted).Want(http.StatusOK)
	broken := r.Post("/routes", closer).Want(http.StatusCreated).ID()
	r.Post("/firewall/assertions", never("203.0.113.200/32")).WantCode(http.StatusConflict, "assertion_broken")
	r.Delete("/routes/" + other.ID()).Want(http.StatusOK)
	r.Delete("/routes/" + broken).Want(http.StatusOK)
	r.Post("/firewall/assertions", never("203.0.113.200/32")).Want(http.StatusCreated)
}

// What an assertion says is judged by the routes that are stored. While they may yet go back, no rule
// is judged by them; without an assertion, nobody has to wait.
func TestARouteThatMayGoBackHoldsWhatIsJudgedByIt(t *testing.T) {
	var away string
	r := newRemote(t, func(r *remote) {
		open("203.0.113.200/32")(r)
		away = r.route("198.18.0.0/15")
	})
	rule := fields{"name": "another", "src_zone": "lan", "dst_zone": "wan", "action": "drop"}
	r.Header.Set("Gateway-Confirm-Within", "60")
	r.Delete("/routes/" + away).Want(http.StatusOK)
	r.Header.Del("Gateway-Confirm-Within")
	r.Post("/firewall/rules", rule).WantCode(http.StatusConflict, "confirm_pending")
	another := never("203.0.113.202/32")
	another["name"] = "nor there"
	r.Post("/firewall/assertions", another).WantCode(http.StatusConflict, "confirm_pending")
	r.Delete("/firewall/assertions/" + r.asserted).Want(http.StatusOK)
	r.Post("/firewall/rules", rule).Want(http.StatusCreated)
}

// open lets everything from the LAN into the DMZ, and has written down what must not be reached.
func open(host string) func(*remote) {
	return func(r *remote) {
		r.route("0.0.0.0/0")
		r.Put("/network-interfaces/"+r.link, fields{"name": "wan1", "type": "ethernet", "role": "wan"}).Want(http.StatusOK)
		dmz := r.Post("/network-interfaces", fields{"name": "dmz1", "type": "ethernet", "role": "dmz"}).Want(http.StatusCreated).ID()
		r.Post("/ip-addresses", fields{"interface_id": dmz, "address": "198.51.100.1", "prefix": 24}).Want(http.StatusCreated)
		r.Post("/network-interfaces", fields{"name": "lan1", "type": "ethernet", "role": "lan"}).Want(http.StatusCreated)
		r.Post("/firewall/rules", fields{"name": "into the DMZ", "src_zone": "lan", "dst_zone": "dmz", "action": "accept"}).Want(http.StatusCreated)
		r.asserted = r.Post("/firewall/assertions", never(host)).Want(http.StatusCreated).ID()
	}
}

func never(host string) fields {
	return fields{"name": "never there", "expect": "never", "src_zone": "lan", "dst_cidr": host}
}
