package netstate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gateway/internal/rtnl"
)

// few is a network with three routes, on a kernel that was found to have it.
func few(t *testing.T, n *network) Config {
	t.Helper()
	c := Config{
		Links:     []Link{{Name: "p1", Kind: Ethernet}, {Name: "p2", Kind: Ethernet}},
		Addresses: []Address{{"p1", prefix("10.1.0.1/24")}, {"p1", prefix("fd00:1::1/64")}},
	}
	for i := range 3 {
		c.Routes = append(c.Routes, Route{Dst: prefix(fmt.Sprintf("172.20.%d.0/24", i)), Gateway: address("10.1.0.3"), Table: unix.RT_TABLE_MAIN})
	}
	n.become(t, Config{}, c)
	return c
}

// Those that stay are not looked at: to list ten thousand is what would take long.
func TestOneMoreRouteIsAddedBesideTheOthers(t *testing.T) {
	space, n := newKernel(t)
	c := few(t, n)
	run(t, space, "route del 172.20.0.0/24") // which nobody heard of
	now := c
	now.Routes = append(slices.Clone(c.Routes), Route{Dst: prefix("172.21.0.0/24"), Gateway: address("10.1.0.4"), Dev: "p1", Table: 100},
		Route{Dst: prefix("fd01::/48"), Gateway: address("fd00:1::3"), Table: unix.RT_TABLE_MAIN})
	n.become(t, c, now)
	if why := differs(now, seen(t, space)); why != "no route  172.20.0.0/24 via 10.1.0.3 dev p1 table 254 metric 0" {
		t.Errorf("%q, want nothing but the one that was removed by hand", why)
	}
	if err := n.repair(t.Context()); err != nil {
		t.Fatal(err)
	}
	less := now
	less.Routes = now.Routes[1:4]
	n.become(t, now, less)
	if why := differs(less, seen(t, space)); why != "" {
		t.Error(why)
	}
	other := less
	other.Routes = slices.Clone(less.Routes)
	other.Routes[0].Gateway = address("10.1.0.4")
	n.become(t, less, other)
	if why := differs(other, seen(t, space)); why != "" {
		t.Error(why)
	}
}

// What the kernel refuses is told as it is where everything is looked at.
func TestARouteThatTheKernelRefusesIsLookedAt(t *testing.T) {
	for what, tc := range map[string]struct {
		before string
		route  Route
		want   string
	}{
		"a stranger has it": {"route add 172.22.0.0/24 via 10.250.0.2", Route{Dst: prefix("172.22.0.0/24"), Gateway: address("10.1.0.3"), Table: unix.RT_TABLE_MAIN}, "already"},
		"no such gateway":   {"", Route{Dst: prefix("172.22.0.0/24"), Gateway: address("192.0.2.9"), Table: unix.RT_TABLE_MAIN}, "in no network"},
	} {
		t.Run(what, func(t *testing.T) {
			space, n := newKernel(t)
			c := few(t, n)
			if tc.before != "" {
				run(t, space, tc.before)
			}
			now := c
			now.Routes = append(slices.Clone(c.Routes), tc.route)
			err := n.apply(t.Context(), rendering(c), rendering(now))
			if said := fmt.Sprint(err, n.wrong); !strings.Contains(said, tc.want) {
				t.Errorf("answered %s, want something about %q", said, tc.want)
			}
			if err := n.apply(t.Context(), rendering(now), rendering(c)); err != nil || len(n.wrong) > 0 {
				t.Errorf("and back: %v, %v", err, n.wrong)
			}
		})
	}
}

// A link that is down takes no route; it is brought up first, as by any other change.
func TestARouteByALinkThatIsDown(t *testing.T) {
	space, n := newKernel(t)
	c := few(t, n)
	run(t, space, "link set p2 down")
	now := c
	now.Routes = append(slices.Clone(c.Routes), Route{Dst: prefix("172.23.0.0/24"), Gateway: address("10.9.0.1"), Dev: "p2", Onlink: true, Table: unix.RT_TABLE_MAIN})
	n.become(t, c, now)
	if why := differs(now, seen(t, space)); why != "" {
		t.Error(why)
	}
}

// Of a change that does not concern the session the kernel is asked for one route, by one socket.
func TestARouteApartFromTheSessionIsJudgedByItself(t *testing.T) {
	c := newCutting(t)
	was, far := atFirst(), visitor{from: address("198.51.100.9"), to: address("10.21.0.1")}
	c.become(t, Config{}, was)
	opened, open := 0, c.Open
	c.Open = func() (*rtnl.Conn, error) { opened++; return open() }
	for _, tc := range []struct {
		name  string
		route Route
		looks bool
	}{
		{"elsewhere", Route{Dst: prefix("203.0.113.0/24"), Gateway: address("10.20.0.8"), Table: 254}, false},
		{"to the session", Route{Dst: prefix("198.51.100.0/24"), Gateway: address("10.21.0.254"), Table: 254}, true},
		{"to its gateway", Route{Dst: prefix("10.21.0.254/32"), Dev: "p1", Table: 254}, true},
	} {
		now := was
		now.Routes = append(slices.Clone(was.Routes), tc.route)
		for _, change := range [][2]Config{{was, now}, {now, was}} {
			opened = 0
			if err := c.forecast(far, change[0], change[1]); err != nil {
				t.Errorf("%s: %v", tc.name, err)
			}
			if looks := opened > 1; looks != tc.looks {
				t.Errorf("%s: %d sockets were opened", tc.name, opened)
			}
		}
	}
}
