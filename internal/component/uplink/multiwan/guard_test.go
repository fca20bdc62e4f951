package multiwan

import (
	"log/slog"
	"net/netip"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/component/uplink/health"
	"gateway/internal/identity"
	"gateway/internal/rtnl"
	"gateway/internal/sys"
	"gateway/lab"
)

// byFibre is a host that sends everything back by the default route, whatever it was asked at.
type byFibre struct{}

func (byFibre) Route(netip.Addr) (sys.Route, error) {
	return sys.Route{Interface: "fibre", Source: addr("192.0.2.2")}, nil
}

// Who came by the second uplink is answered there, and loses that with it.
func TestTheUplinkOfTheSessionIsTheOneItCameBy(t *testing.T) {
	space := lab.NewSpace(t)
	for _, line := range []string{
		"link add fibre type bridge", "addr add 192.0.2.2/24 dev fibre", "link set fibre up", "route add default via 192.0.2.1 proto static",
		"link add lte type bridge", "addr add 198.51.100.2/24 dev lte", "link set lte up",
		"route add default via 198.51.100.1 dev lte table 64302", "rule add from 198.51.100.2 lookup 64302 pref 31002",
	} {
		err := space.Do(func() error {
			out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput()
			if err != nil {
				t.Logf("ip %s: %s", line, out)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	fibre := Uplink{ID: "a", Name: "fibre", Number: 1, Interface: "fibre", Gateway: addr("192.0.2.1")}
	lte := Uplink{ID: "b", Name: "lte", Number: 2, Interface: "lte", Gateway: addr("198.51.100.1")}
	moved := lte
	moved.Gateway = addr("198.51.100.9")
	bare := fibre
	bare.Gateway = netip.Addr{}
	group := []Group{{ID: "g", Name: "out", Default: true, Members: []Member{{1, 1, 1}, {2, 2, 1}}}}
	both := Config{Uplinks: []Uplink{fibre, lte}, Groups: group}
	for name, tc := range map[string]struct {
		local    string
		was, now Config
		refused  bool
	}{
		"nothing changes":                       {"198.51.100.2", both, both, false},
		"the second goes, who came by it":       {"198.51.100.2", both, Config{Uplinks: []Uplink{fibre}, Groups: group}, true},
		"its gateway changes, who came by it":   {"198.51.100.2", both, Config{Uplinks: []Uplink{fibre, moved}, Groups: group}, true},
		"the second goes, who came by another":  {"192.0.2.2", both, Config{Uplinks: []Uplink{fibre}, Groups: group}, false},
		"a new one without a gateway follows":   {"192.0.2.2", Config{}, Config{Uplinks: []Uplink{bare}}, false},
		"a new one where no gateway is known":   {"198.51.100.2", Config{Groups: group}, Config{Uplinks: []Uplink{{ID: "c", Interface: "lte", Number: 3}}}, true},
		"a new one with the gateway as it was":  {"198.51.100.2", Config{}, Config{Uplinks: []Uplink{lte}}, false},
		"a new one with another gateway is not": {"198.51.100.2", Config{}, Config{Uplinks: []Uplink{moved}}, true},
	} {
		d := newUplinks(Options{Host: byFibre{}, Open: func() (c *rtnl.Conn, err error) {
			err = space.Do(func() (err error) { c, err = rtnl.Open(); return err })
			return c, err
		}})
		ctx := identity.WithOrigin(t.Context(), func() identity.Origin {
			return identity.Origin{Addr: addr("203.0.113.7"), Local: addr(tc.local)}
		})
		err := d.guard(ctx, func() (state, error) { return state{Config: tc.was}, nil }, state{Config: tc.now})
		if (err != nil) != tc.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// inSpace asks the kernel of a space.
type inSpace struct{ *lab.Space }

func (s inSpace) Route(to netip.Addr) (r sys.Route, err error) {
	err = s.Do(func() error { r, err = new(sys.Host).Route(to); return err })
	return r, err
}

// Without a default route in the main table nothing but the address that a session came to leads
// its answers anywhere.
func TestASessionThatOnlyItsAddressLeadsBack(t *testing.T) {
	space := lab.NewSpace(t)
	for _, line := range []string{
		"link add lte type bridge", "addr add 198.51.100.2/24 dev lte", "link set lte up",
		"route add default via 198.51.100.1 dev lte table 64302", "rule add from 198.51.100.2 lookup 64302 pref 31002",
	} {
		if err := space.Do(func() error { return exec.Command("ip", strings.Fields(line)...).Run() }); err != nil {
			t.Fatal(line, err)
		}
	}
	d := newUplinks(Options{Host: inSpace{space}, Open: func() (c *rtnl.Conn, err error) {
		err = space.Do(func() (err error) { c, err = rtnl.Open(); return err })
		return c, err
	}})
	lte := Config{Uplinks: []Uplink{{ID: "b", Name: "lte", Number: 2, Interface: "lte", Gateway: addr("198.51.100.1")}}}
	for local, refused := range map[string]bool{"198.51.100.2": true, "": false} {
		ctx := identity.WithOrigin(t.Context(), func() identity.Origin {
			ip, _ := netip.ParseAddr(local) // none where nobody knows it
			return identity.Origin{Addr: addr("203.0.113.7"), Local: ip}
		})
		if err := d.guard(ctx, func() (state, error) { return state{Config: lte}, nil }, state{}); (err != nil) != refused {
			t.Errorf("the uplink goes from a session to %q: %v", local, err)
		}
	}
}

// On a link with others on it there is no default route without a gateway: the kernel would ask
// there for every address of the world.
func TestAnUplinkWithoutAGatewayLeadsNowhere(t *testing.T) {
	want := Config{Uplinks: []Uplink{{ID: "a", Name: "fibre", Number: 1, Interface: "wan1"}}}
	have := kernel{links: []rtnl.Link{{Index: 2, Name: "wan1", Up: true, Carrier: true}}}
	unknown := func(int) health.State { return health.Unknown }
	if p := newPlan(want, have, unknown); len(p.wantedRoutes()) > 0 || len(p.wrong) != 1 {
		t.Errorf("routes %+v, trouble %+v", p.wantedRoutes(), p.wrong)
	}
	route := rtnl.Route{Link: 2, Dst: defaultDestination(false), Gateway: addr("192.0.2.1"), Protocol: rtnl.Protocol, Table: unix.RT_TABLE_MAIN}
	have.others = []rtnl.Route{route}
	if p := newPlan(want, have, unknown); len(p.wantedRoutes()) != 1 || len(p.wrong) > 0 {
		t.Errorf("with a gateway: routes %+v, trouble %+v", p.wantedRoutes(), p.wrong)
	}
	have.others, have.links[0].PointToPoint = nil, true
	if p := newPlan(want, have, unknown); len(p.wantedRoutes()) != 1 || len(p.wrong) > 0 {
		t.Errorf("point-to-point: routes %+v, trouble %+v", p.wantedRoutes(), p.wrong)
	}
}

// Where nobody can be asked the carrier decides, or a line that was down once stayed so for ever.
func TestWhoCannotBeAskedIsJudgedByTheCarrier(t *testing.T) {
	now := time.Now()
	d := newUplinks(Options{Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)})
	d.want = Config{Uplinks: []Uplink{{ID: "a", Name: "dsl", Number: 1, Interface: "ppp0", Monitor: true, Window: 2, LossDown: 15, Hold: 10}}}
	link := rtnl.Link{Index: 2, Name: "ppp0", Up: true, Carrier: true, PointToPoint: true}
	for _, step := range []struct {
		carrier bool
		seconds int
		want    health.State
	}{{true, 0, health.Unmonitored}, {false, 1, health.NoCarrier}, {true, 1, health.Down}, {true, 11, health.Unmonitored}} {
		now = now.Add(time.Duration(step.seconds) * time.Second)
		link.Carrier = step.carrier
		d.judge(t.Context(), kernel{links: []rtnl.Link{link}})
		if got := d.state(1); got != step.want {
			t.Errorf("after %+v: %s", step, got)
		}
	}
}
