package netstate

import (
	"slices"
	"strings"
	"testing"
)

// linesOf are those of the kernel about something.
func linesOf(lines []string, about string) []string {
	var out []string
	for _, l := range lines {
		if strings.Contains(l, about) {
			out = append(out, strings.TrimSpace(l))
		}
	}
	return out
}

// The kernel looks for the link of a gateway once. When its network is moved, the route has to
// follow.
func TestARouteFollowsTheNetworkOfItsGateway(t *testing.T) {
	space, n := newKernel(t)
	at := func(link string, more ...Route) Config {
		return Config{
			Links: []Link{{Name: "p1", Kind: Ethernet}, {Name: "p2", Kind: Ethernet}, {Name: "p3", Kind: Ethernet}},
			Addresses: []Address{
				{link, prefix("10.1.0.1/24")},
				{link, prefix("fd00:1::1/64")},
				{"p1", prefix("10.2.0.1/24")},
				{"p2", prefix("10.3.0.1/24")},
				{"p1", prefix("fd00:2::1/64")},
				{"p2", prefix("fd00:3::1/64")},
			},
			Routes: append([]Route{
				{Dst: prefix("172.20.0.0/16"), Gateway: address("10.1.0.3"), Table: 254},
				{Dst: prefix("fd01::/48"), Gateway: address("fd00:1::3"), Table: 254},
				{Dst: prefix("172.21.0.0/16"), Gateway: address("10.1.0.3"), Table: 100},
			}, more...),
		}
	}
	// A route of its own leads to the gateway, which is closer than its network.
	closer := []Route{{Dst: prefix("10.1.0.3/32"), Dev: "p3", Table: 254}, {Dst: prefix("fd00:1::3/128"), Dev: "p3", Table: 254}}
	old := Config{}
	for _, tc := range []struct {
		now  Config
		want string
	}{{at("p1"), "p1"}, {at("p2"), "p2"}, {at("p2", closer...), "p3"}, {at("p1", closer...), "p3"}, {at("p1"), "p1"}} {
		n.become(t, old, tc.now)
		lines := seen(t, space)
		for _, dst := range []string{"172.20.0.0/16", "fd01::/48", "172.21.0.0/16"} {
			if got := linesOf(lines, dst); len(got) != 1 || !strings.Contains(got[0], "dev "+tc.want+" ") {
				t.Errorf("%s is by %q, want %s", dst, got, tc.want)
			}
		}
		old = tc.now
	}
	if steps, _ := n.plan(t); len(steps) > 0 {
		t.Errorf("still to do: %v", steps)
	}
}

// plan is what would be done now.
func (n *network) plan(t *testing.T) ([]Step, []Trouble) {
	t.Helper()
	c, err := n.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	have, err := look(c)
	if err != nil {
		t.Fatal(err)
	}
	return Next(n.want, have, nil)
}

// shows NET-23
func TestAChangedRouteLeavesTheOneOfAStranger(t *testing.T) {
	space, n := newKernel(t)
	by := func(four, six string) Config {
		return Config{
			Links:     []Link{{Name: "p1", Kind: Ethernet}},
			Addresses: []Address{{"p1", prefix("10.1.0.1/24")}, {"p1", prefix("fd00:1::1/64")}},
			Routes: []Route{
				{Dst: prefix("172.20.0.0/16"), Gateway: address(four), Table: 254},
				{Dst: prefix("fd01::/48"), Gateway: address(six), Table: 254},
			},
		}
	}
	first := by("10.1.0.3", "fd00:1::3")
	n.become(t, Config{}, first)
	second := by("10.1.0.4", "fd00:1::4")
	n.become(t, first, second)
	if got := linesOf(seen(t, space), "172.20.0.0/16"); len(got) != 1 || !strings.Contains(got[0], "10.1.0.4") {
		t.Errorf("the changed one is %q", got)
	}
	// A stranger's of the same key, before and behind ours.
	run(t, space, "route prepend 172.20.0.0/16 via 10.250.0.2", "route append 172.20.0.0/16 via 10.250.0.3",
		"-6 route append blackhole fd01::/48 metric 1024")
	if err := n.apply(t.Context(), rendering(second), rendering(by("10.1.0.5", "fd00:1::5"))); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range n.wrong {
		got = append(got, w.Kind+" "+w.Subject)
	}
	slices.Sort(got)
	if want := []string{"conflict route 172.20.0.0/16", "conflict route fd01::/48"}; !slices.Equal(got, want) {
		t.Errorf("trouble = %q, want %q", got, want)
	}
	lines := seen(t, space)
	if got := linesOf(lines, "172.20.0.0/16"); len(got) != 2 || !strings.Contains(got[0], "10.250.0.2") || !strings.Contains(got[1], "10.250.0.3") {
		t.Errorf("the strangers' are %q", got)
	}
	if got := linesOf(lines, "fd01::/48"); len(got) != 1 || !strings.Contains(got[0], "blackhole") {
		t.Errorf("the stranger's is %q", got)
	}
	// When they go, ours come.
	run(t, space, "route del 172.20.0.0/16 via 10.250.0.2", "route del 172.20.0.0/16 via 10.250.0.3", "-6 route del blackhole fd01::/48")
	if err := n.repair(t.Context()); err != nil || len(n.wrong) > 0 {
		t.Errorf("%v, trouble = %v", err, n.wrong)
	}
	if why := differs(by("10.1.0.5", "fd00:1::5"), seen(t, space)); why != "" {
		t.Error(why)
	}
}

// A kill between the new one and the removal of the old one leaves both.
func TestARouteThatIsThereTwiceIsThereOnce(t *testing.T) {
	space, n := newKernel(t)
	c := Config{
		Links:     []Link{{Name: "p1", Kind: Ethernet}},
		Addresses: []Address{{"p1", prefix("10.1.0.1/24")}},
		Routes:    []Route{{Dst: prefix("172.20.0.0/16"), Gateway: address("10.1.0.3"), Table: 254}},
	}
	n.become(t, Config{}, c)
	run(t, space, "route append 172.20.0.0/16 via 10.1.0.4 proto 250", "route prepend 172.20.0.0/16 via 10.1.0.5 proto 250")
	if err := n.repair(t.Context()); err != nil {
		t.Fatal(err)
	}
	if why := differs(c, seen(t, space)); why != "" {
		t.Error(why)
	}
}

// What was refused at first and taken in the end is no trouble: the way to the gateway comes
// after the route that needs it.
func TestWhatIsTakenInTheEndIsNoTrouble(t *testing.T) {
	space, n := newKernel(t)
	c := Config{
		Links:     []Link{{Name: "p1", Kind: Ethernet}},
		Addresses: []Address{{"p1", prefix("10.1.0.1/24")}},
	}
	n.become(t, Config{}, c)
	now := c
	now.Routes = []Route{
		{Dst: prefix("172.20.0.0/16"), Gateway: address("192.0.2.3"), Table: 254},
		{Dst: prefix("192.0.2.3/32"), Dev: "p1", Table: 254},
	}
	n.become(t, c, now)
	if got := linesOf(seen(t, space), "172.20.0.0/16"); len(got) != 1 {
		t.Errorf("the route is %q", got)
	}
}
