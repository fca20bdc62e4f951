package probe_test

import (
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"gateway/internal/component/uplink/multiwan"
	"gateway/internal/netfilter"
	"gateway/internal/packetfilter"
	"gateway/internal/rtnl"
	"gateway/internal/sys"
)

const (
	chosen   = "203.0.113.9:81"  // which a rule of the packet filter sends to the second group
	nearer   = "203.0.113.10:82" // which one sends to the first, and a static route leads to by the second
	ofTheBox = "203.0.113.9"
)

// grouped is the usual configuration with a second group, whose first choice is the second uplink.
func grouped(monitor bool) multiwan.Config {
	c := two()
	for i := range c.Uplinks {
		c.Uplinks[i].Monitor = monitor
		c.Uplinks[i].Hold = 1
	}
	c.Groups[0].Number = 1
	c.Groups = append(c.Groups, multiwan.Group{
		ID: "h", Name: "second", Number: 2, Members: []multiwan.Member{{Uplink: 1, Tier: 2, Weight: 1}, {Uplink: 2, Tier: 1, Weight: 1}},
	})
	return c
}

// filter are the rules of the packet filter that go with it; moves says whether they have groups.
func filter(moves bool) *packetfilter.Policy {
	tcp := func(port uint16) []packetfilter.Service {
		return []packetfilter.Service{{Protocol: packetfilter.TCP, From: port, To: port, Type: -1}}
	}
	p := &packetfilter.Policy{
		Zones: map[string][]string{"lan": {"lan0"}, "wan": {"wan1", "wan2"}},
		Rules: []packetfilter.Rule{
			{ID: "01", Name: "ours", Priority: 1, From: "lan", To: "wan", Services: tcp(80), Action: packetfilter.Accept},
			{ID: "02", Name: "second", Priority: 2, From: "lan", To: "wan", Services: tcp(81), Action: packetfilter.Accept},
			{ID: "03", Name: "first", Priority: 3, From: "lan", To: packetfilter.Any, Services: tcp(82), Action: packetfilter.Accept},
			{ID: "04", Name: "the rest", Priority: 4, From: packetfilter.Any, To: packetfilter.Any, Action: packetfilter.Accept},
		},
	}
	if moves {
		for i, number := range map[int]int{1: 2, 2: 1, 3: 2} { // also all that comes in, where it changes nothing
			p.Rules[i].Uplinks = packetfilter.UplinkGroup{Name: "a group", Mark: rtnl.UplinkGroupMark(number), V4: true}
		}
	}
	return p
}

// load makes a policy the packet filter of the box, as the product does.
func (r *rig) load(p *packetfilter.Policy) {
	r.Helper()
	text := packetfilter.Compile(p)
	err := r.box.Do(func() error { return netfilter.Table{Run: r.box.Run}.Replace(r.Context(), text.Rules, text.Elements) })
	if err != nil {
		r.Fatal(err)
	}
}

// kept is a new connection of the client, which is to leave by one of the uplinks.
func (r *rig) kept(to, by string) net.Conn {
	r.Helper()
	c, who, err := dial(r.client, to, 5*time.Second)
	if err != nil || who != by {
		r.Fatalf("a connection to %s is seen as %q, %v, want %s", to, who, err, by)
	}
	r.Cleanup(func() { c.Close() })
	return c
}

// seenAs is how the host outside sees a new connection of the client to an address.
func (r *rig) seenAs(to string) string {
	c, who, err := dial(r.client, to, time.Second)
	if err != nil {
		return ""
	}
	c.Close()
	return who
}

func newGroupRig(t *testing.T, monitor bool) *rig {
	t.Helper()
	r := newRig(t)
	serve(t, r.outside, chosen)
	serve(t, r.outside, nearer)
	r.become(grouped(monitor))
	r.load(filter(true))
	return r
}

func TestARuleSendsItsConnectionsToItsGroup(t *testing.T) {
	r := newGroupRig(t, false)
	for range 3 {
		r.kept(remote, by1) // asked before the rest, and has no group
		r.kept(chosen, by2)
		r.kept(nearer, by2)                       // static routes come before a choice
		r.kept("203.0.113.9:80", by1)             // the same host, the same client
		r.by("wan1", ofTheBox)                    // the box itself goes where the default group leads
		r.by("wan2", ofTheBox+" mark 0x00820000") // where the mark leads
	}
	if answered, asked := r.inbound(3); answered != asked {
		t.Errorf("of %d connections from outside %d are answered by the way they came", asked, answered)
	}
	err := r.box.Do(func() error {
		host := sys.NewHost(time.Now)
		for mark, want := range map[uint32]string{0: "wan1", rtnl.UplinkGroupMark(1): "wan1", rtnl.UplinkGroupMark(2): "wan2", rtnl.UplinkGroupMark(9): "wan1"} {
			if got, err := host.RouteMarked(netip.MustParseAddr(ofTheBox), mark); err != nil || got.Interface != want {
				t.Errorf("with the mark %#x the kernel says %+v, %v, want %s", mark, got, err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAConnectionStaysWhereItBeganWhenItsRuleLosesTheGroup(t *testing.T) {
	r := newGroupRig(t, false)
	one, two := r.kept(remote, by1), r.kept(chosen, by2)
	r.load(filter(false))
	r.kept(chosen, by1)
	for range 3 {
		if !echoes(one) || !echoes(two) {
			t.Error("a connection does not go on")
		}
	}
	r.load(filter(true))
	r.kept(chosen, by2)
	c := grouped(false)
	c.Groups = c.Groups[:1] // the group goes, and the mark leads nowhere: the default group has it
	r.become(c)
	r.kept(chosen, by1)
	if !echoes(one) || !echoes(two) {
		t.Error("a connection does not go on without its group")
	}
}

// A group that has nothing but the failed uplink goes on using it; the others must not hang on it.
func TestAGroupOfOneUplinkDoesNotHoldTheOthersBack(t *testing.T) {
	r := newRig(t)
	c := two()
	c.Groups = append(c.Groups, multiwan.Group{ID: "x", Name: "the first alone", Number: 2, Members: []multiwan.Member{{Uplink: 1, Tier: 1, Weight: 1}}})
	r.become(c)
	if got := r.report().Groups; !slices.Equal(got[0].Members, []string{"wan1", "wan2"}) || !slices.Equal(got[1].Members, []string{"wan1"}) {
		t.Errorf("the members of the groups are %+v", got)
	}
	eventually(t, patience, "up", func() bool { return r.who(time.Second) == by1 })
	r.hanging()
	if r.tracked() == 0 {
		t.Fatal("the kernel knows of no connection by the first uplink")
	}
	r.first.lose(t, 100)
	eventually(t, patience, "moved", func() bool { return r.who(time.Second) == by2 && r.tracked() == 0 })
	if using := r.report().Groups[1].Using; len(using) != 1 || using[0] != "wan1" {
		t.Errorf("the group of one uplink uses %v", using)
	}
}

func TestTheGroupOfARuleFailsOverByItself(t *testing.T) {
	r := newGroupRig(t, true)
	eventually(t, patience, "up", func() bool { return r.seenAs(chosen) == by2 && r.seenAs(remote) == by1 })
	one, two := r.kept(remote, by1), r.kept(chosen, by2)
	r.second.lose(t, 100)
	eventually(t, patience, "by the other uplink of the group", func() bool { return r.seenAs(chosen) == by1 })
	if !echoes(one) {
		t.Error("a connection of the healthy uplink was cut")
	}
	if err := echo(two, 3*time.Second); err == nil {
		t.Error("a connection of the dead uplink goes on")
	}
	r.second.lose(t, 0)
	eventually(t, patience, "back", func() bool { return r.seenAs(chosen) == by2 })
	r.first.pull(t, true)
	eventually(t, patience, "the default group by the other way", func() bool { return r.seenAs(remote) == by2 })
	r.kept(chosen, by2)
	r.second.pull(t, true)
	r.first.pull(t, false)
	eventually(t, patience, "both by the first", func() bool { return r.seenAs(remote) == by1 && r.seenAs(chosen) == by1 })
}
