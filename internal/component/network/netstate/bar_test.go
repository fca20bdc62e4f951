package netstate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gateway/internal/rtnl"
	"gateway/lab"
	"gateway/tools/bar"
)

// numbers are the kernel's of all links, by name.
func numbers(t testing.TB, n *network) map[string]int {
	t.Helper()
	c, err := n.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	links, err := c.Links()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for _, l := range links {
		out[l.Name] = l.Index
	}
	return out
}

// moved are links that both configurations have alike and that got another number.
func moved(old, now Config, before, after map[string]int) []string {
	var out []string
	for _, l := range now.Links {
		// A VLAN's id and parent are for its life.
		if was, ok := find(old, l.Name); ok && was.Kind == l.Kind && was.VLANID == l.VLANID && was.Parent == l.Parent && before[l.Name] != after[l.Name] {
			out = append(out, l.Name)
		}
	}
	return out
}

// walk applies one configuration after the other, and counts what is otherwise than it should be.
type walk struct {
	wrong, rebuilt, touched, watched int
	last                             Config
}

func walked(t *testing.T, space *lab.Space, n *network, heard *events, size int, next func(i int, old Config) Config) (w walk) {
	t.Helper()
	untouched := ofStrangers(seen(t, space))
	if len(untouched) < len(strangers) {
		t.Fatalf("the strangers are %q", untouched)
	}
	for i := range size {
		old, now := w.last, next(i, w.last)
		before := numbers(t, n)
		heard.next()
		n.become(t, old, now)
		lines := seen(t, space)
		if why := differs(now, lines); why != "" {
			w.wrong++
			t.Errorf("configuration %d: %s\n%s\n%s", i, why, now.Text(), strings.Join(lines, "\n"))
		}
		if names := moved(old, now, before, numbers(t, n)); len(names) > 0 {
			w.rebuilt++
			t.Errorf("configuration %d: made %v anew", i, names)
		}
		same := keptBy(old, now)
		w.watched += same.size()
		if got := same.touched(heard.next()); len(got) > 0 {
			w.rebuilt += len(got)
			t.Errorf("configuration %d: the kernel says about what was to be kept: %v\nwas\n%s\nnow\n%s", i, got, old.Text(), now.Text())
		}
		if got := ofStrangers(lines); !slices.Equal(got, untouched) {
			w.touched++
			t.Errorf("configuration %d: the strangers are\n%s\nwere\n%s", i, strings.Join(got, "\n"), strings.Join(untouched, "\n"))
		}
		if t.Failed() {
			break
		}
		w.last = now
	}
	n.become(t, w.last, Config{})
	if why := differs(Config{}, seen(t, space)); why != "" {
		t.Errorf("after the last one: %s", why)
	}
	return w
}

// shows NET-08, NET-09, NET-14, NET-16, NET-22, NET-23
func TestBarNetwork01Random(t *testing.T) {
	size := bar.GateSize(60, 200, 5000)
	space, n := newKernel(t)
	r := rand.New(rand.NewPCG(14, 1))
	untouched := ofStrangers(seen(t, space))
	heard := subscribed(t, space, n)
	w := walked(t, space, n, heard, size, func(i int, old Config) Config {
		if i%2 == 1 {
			return altered(r, old)
		}
		return random(r)
	})
	controlReader(t, space, n)
	controlEvents(t, space, n, heard)
	control(t, space, untouched)
	bar.Report(t, "network", 1, fmt.Sprintf("%d configurations, %d otherwise than the model; %d of %d links, memberships, addresses and routes touched that were to be kept; bridges, no VLAN or bond", size, w.wrong, w.rebuilt, w.watched),
		"0 otherwise, 0 touched", w.wrong+w.rebuilt == 0 && !t.Failed())
	bar.Report(t, "network", 2, fmt.Sprintf("strangers' links, addresses, routes and rules touched in %d of %d; a flush is noticed; no sysctl, no purge", w.touched, size), "0", w.touched == 0 && !t.Failed())
}

// control shows that the reader of strangers would see it.
func control(t *testing.T, space *lab.Space, untouched []string) {
	t.Helper()
	run(t, space, "route flush 10.252.0.0/16")
	if slices.Equal(ofStrangers(seen(t, space)), untouched) {
		t.Error("a flushed route of a stranger was not noticed")
	}
}

func TestWhatAStrangerHasIsAConflict(t *testing.T) {
	space, n := newKernel(t)
	run(t, space, "route add 172.20.0.0/16 via 10.250.0.2", "addr add 10.1.0.1/24 dev p1")
	before := seen(t, space)
	c := Config{
		Links:     []Link{{Name: "p1", Kind: Ethernet}, {Name: "hand0", Kind: Bridge, Members: []string{"p2"}}, {Name: "away0", Kind: Ethernet}},
		Addresses: []Address{{"p1", prefix("10.1.0.1/24")}},
		Routes:    []Route{{Dst: prefix("172.20.0.0/16"), Gateway: address("10.250.0.3"), Table: 254}},
	}
	n.want = c
	if err := n.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range n.wrong {
		got = append(got, w.Kind+" "+w.Subject)
	}
	slices.Sort(got)
	want := []string{"conflict address 10.1.0.1/24 on p1", "conflict interface hand0", "conflict route 172.20.0.0/16", "missing interface away0"}
	if !slices.Equal(got, want) {
		t.Errorf("trouble = %q, want %q", got, want)
	}
	if after := seen(t, space); !slices.Equal(ofStrangers(after), ofStrangers(before)) || !slices.ContainsFunc(after, func(l string) bool { return strings.Contains(l, "172.20.0.0/16 via 10.250.0.2") }) {
		t.Errorf("after: %s", strings.Join(after, "\n"))
	}
}

func TestWhatSomebodyRemovesComesBack(t *testing.T) {
	space, n := newKernel(t)
	c := Config{
		Links:     []Link{{Name: "br0", Kind: Bridge, Members: []string{"p1"}}},
		Addresses: []Address{{"br0", prefix("10.1.0.1/24")}},
		Routes:    []Route{{Dst: prefix("172.20.0.0/16"), Gateway: address("10.1.0.3"), Table: 254}},
	}
	n.become(t, Config{}, c)
	for _, act := range []string{"link del br0", "addr flush dev br0", "route del 172.20.0.0/16", "link set br0 down", "link set p1 nomaster"} {
		run(t, space, act)
		if err := n.repair(t.Context()); err != nil {
			t.Fatal(err)
		}
		if why := differs(c, seen(t, space)); why != "" || len(n.wrong) > 0 {
			t.Errorf("after %q: %s %v", act, why, n.wrong)
		}
	}
}

func TestAChangeThatTheKernelRefusesIsAnError(t *testing.T) {
	_, n := newKernel(t)
	good := Config{Links: []Link{{Name: "p1", Kind: Ethernet}}}
	n.become(t, Config{}, good)
	bad := Config{Links: good.Links, Routes: []Route{{Dst: prefix("172.20.0.0/16"), Gateway: address("192.0.2.3"), Table: 254}}}
	if err := n.apply(t.Context(), rendering(good), rendering(bad)); err == nil || !strings.Contains(err.Error(), "in no network") {
		t.Errorf("an unreachable gateway: %v", err)
	}
	// Once it is there, it is no reason to refuse others.
	if err := n.apply(t.Context(), rendering(bad), rendering(Config{Links: []Link{{Name: "p1", Kind: Ethernet, MTU: 1400}}, Routes: bad.Routes})); err != nil {
		t.Error(err)
	}
}

// One link that the kernel refuses must not keep addresses and routes from the others.
func TestARefusedLinkHoldsNothingUp(t *testing.T) {
	space, n := newKernel(t)
	c := Config{
		Links:     []Link{{Name: "p1", Kind: Ethernet}, {Name: "odd0", Kind: VLAN, Parent: "p1", VLANID: 7}}, // this kernel has no VLANs
		Addresses: []Address{{"p1", prefix("10.1.0.1/24")}},
		Routes:    []Route{{Dst: prefix("172.20.0.0/16"), Gateway: address("10.1.0.3"), Table: 254}},
	}
	n.want = c
	if err := n.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := strings.Join(seen(t, space), "\n")
	if !strings.Contains(all, "10.1.0.1/24") || !strings.Contains(all, "172.20.0.0/16 via 10.1.0.3") {
		t.Errorf("the address and the route are not there:\n%s", all)
	}
	if strings.Contains(all, "odd0") {
		t.Skip("this kernel has VLANs: nothing was refused")
	}
	if len(n.wrong) != 1 || n.wrong[0].Subject != "interface odd0" || n.wrong[0].Kind != Refused {
		t.Errorf("trouble = %+v", n.wrong)
	}
}

// What somebody else put into a bridge of ours stays there, and what leaves one stays up.
func TestMembersThatComeAndGo(t *testing.T) {
	space, n := newKernel(t)
	was := Config{Links: []Link{{Name: "p1", Kind: Ethernet}, {Name: "p2", Kind: Ethernet}, {Name: "br0", Kind: Bridge, Members: []string{"p1", "p2"}}}}
	n.become(t, Config{}, was)
	run(t, space, "link set p5 master br0")
	now := Config{Links: []Link{was.Links[0], was.Links[1], {Name: "br0", Kind: Bridge, Members: []string{"p1"}}}}
	n.become(t, was, now)
	for _, l := range seen(t, space) {
		switch {
		case strings.Contains(l, ": p5@") && strings.Contains(l, "link/") && !strings.Contains(l, "master br0"):
			t.Errorf("the stranger was put out: %s", l)
		case strings.Contains(l, ": p2@") && strings.Contains(l, "link/") && (strings.Contains(l, "master br0") || !strings.Contains(l, ",UP")):
			t.Errorf("the one that left: %s", l)
		}
	}
}

// TestVLANsAndBondsArePlanned is for the kernels without them: what is sent, in which order.
func TestVLANsAndBondsArePlanned(t *testing.T) {
	want := Config{Links: []Link{
		{Name: "bond0", Kind: Bond, Mode: "802.3ad", LACPRate: "fast", Members: []string{"p0", "p1"}},
		{Name: "bond0.7", Kind: VLAN, Parent: "bond0", VLANID: 7},
		{Name: "br0", Kind: Bridge, Members: []string{"bond0.7"}},
		{Name: "p0", Kind: Ethernet},
		{Name: "p1", Kind: Ethernet},
	}}
	have := Kernel{Links: []rtnl.Link{{Index: 2, Name: "p0", Up: true}, {Index: 3, Name: "p1", Up: true}}}
	steps := func() string {
		var out []string
		s, wrong := Next(want, have, nil)
		if len(wrong) > 0 {
			t.Errorf("trouble: %v", wrong)
		}
		for _, x := range s {
			out = append(out, strings.TrimPrefix(x.What, "interface "))
		}
		return strings.Join(out, ", ")
	}
	if got := steps(); got != "bond0, br0" {
		t.Errorf("first %s", got)
	}
	b := bond(want.Links[0])
	have.Links = append(have.Links, rtnl.Link{Index: 4, Name: "bond0", Kind: Bond, Group: rtnl.Group, Bond: b, Alias: "gateway"}, rtnl.Link{Index: 5, Name: "br0", Kind: Bridge, Group: rtnl.Group, Alias: "gateway"})
	if got := steps(); got != "bond0.7" {
		t.Errorf("then %s", got)
	}
	have.Links = append(have.Links, rtnl.Link{Index: 6, Name: "bond0.7", Kind: VLAN, Group: rtnl.Group, Parent: 4, VLANID: 7, Alias: "gateway"})
	if got := steps(); got != "p0, p0, p0, p1, p1, p1, bond0.7, bond0, br0, bond0.7" {
		t.Errorf("then %s", got)
	}
	for i := range have.Links {
		have.Links[i].Up = true
	}
	have.Links[0].Master, have.Links[1].Master, have.Links[4].Master = 4, 4, 5
	if got := steps(); got != "" {
		t.Errorf("at the end %s", got)
	}
	want.Links[1].VLANID = 8
	if got := steps(); got != "bond0.7" {
		t.Errorf("another id: %s", got)
	}
	want.Links[1].VLANID, want.Links[0].Mode, want.Links[0].LACPRate = 7, "active-backup", ""
	if got := steps(); got != "p0, p1, bond0, bond0: mode" {
		t.Errorf("another mode: %s", got)
	}
}
