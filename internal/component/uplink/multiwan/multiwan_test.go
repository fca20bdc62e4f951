package multiwan

import (
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gateway/internal/component/uplink/health"
	"gateway/internal/rtnl"
)

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

func twoUplinks() Config {
	return Config{
		Uplinks: []Uplink{
			{ID: "a", Name: "fibre", Number: 1, Interface: "wan1", Gateway: addr("192.0.2.1"), Monitor: true, Target: addr("9.9.9.9"), Interval: 100, Window: 2, LossDown: 15, RTTDown: 300, Hold: 10},
			{ID: "b", Name: "a \"b\"\nc", Number: 2, Interface: "wan2", IPv6: true, Interval: 100, Window: 2, LossDown: 15, Hold: 10},
		},
		Groups: []Group{{ID: "g", Name: "out", Number: 1, Default: true, Members: []Member{{1, 1, 1}}}, {ID: "h", Name: "six", Number: 127, IPv6: true, Members: []Member{{2, 3, 4}}}},
	}
}

func TestTheFileIsReadAsItWasWritten(t *testing.T) {
	want := twoUplinks()
	text := want.Text()
	got, err := Parse(text)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v (%v) of\n%s", got, err, text)
	}
	if n := strings.Count(string(text), "\n"); n != 5 {
		t.Errorf("%d lines:\n%s", n, text)
	}
	for _, bad := range []string{"uplink {", "way {}", `uplink {"nmae": 1}`, `group []`} {
		if _, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

func TestTheLowestTierThatWorksIsChosen(t *testing.T) {
	g := Group{Members: []Member{{1, 2, 1}, {2, 1, 1}, {3, 2, 5}, {4, 3, 1}}}
	for _, tc := range []struct {
		name   string
		states [4]health.State
		want   []int
	}{
		{"all work", [4]health.State{health.Up, health.Up, health.Up, health.Up}, []int{2}},
		{"the first failed", [4]health.State{health.Up, health.Down, health.Up, health.Up}, []int{1, 3}},
		{"half of a tier", [4]health.State{health.Loss, health.NoCarrier, health.Unknown, health.Up}, []int{3}},
		{"the last", [4]health.State{health.Loss, health.NoCarrier, health.Slow, health.Unmonitored}, []int{4}},
		{"none, but two have a carrier", [4]health.State{health.Loss, health.NoCarrier, health.Down, health.NoCarrier}, []int{1, 3}},
		{"none at all", [4]health.State{health.NoCarrier, health.NoCarrier, health.NoCarrier, health.NoCarrier}, nil},
	} {
		var got []int
		for _, m := range g.choose(func(n int) health.State { return tc.states[n-1] }) {
			got = append(got, m.Uplink)
		}
		if !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestWhatMovesTheSession(t *testing.T) {
	plain := rtnl.Route{Table: unix.RT_TABLE_MAIN, Dst: netip.MustParsePrefix("0.0.0.0/0"), Gateway: addr("192.0.2.1"), Link: 2}
	near := rtnl.Route{Table: unix.RT_TABLE_MAIN, Dst: netip.MustParsePrefix("10.0.0.0/8"), Link: 3}
	pinned := rtnl.Route{Table: firstTable + 1, Dst: plain.Dst, Gateway: plain.Gateway, Link: 2}
	names := map[int]string{2: "wan1", 3: "lan0"}
	far := session{link: "wan1", back: plain, mainDefaults: []rtnl.Route{plain}, names: names}
	with := func(change func(c *Config)) Config {
		c := twoUplinks()
		change(&c)
		return c
	}
	for _, tc := range []struct {
		name     string
		s        session
		was, now Config
		want     string
	}{
		{"an uplink where it comes in", far, Config{}, twoUplinks(), ""},
		{"an uplink with another gateway", far, Config{}, with(func(c *Config) { c.Uplinks[0].Gateway = addr("192.0.2.9") }), "another gateway"},
		{"a group of uplinks elsewhere", far, Config{}, with(func(c *Config) { c.Uplinks[0].Interface = "wan9" }), "group out leads"},
		{"uplinks elsewhere, and no default group", far, Config{}, with(func(c *Config) { c.Uplinks[0].Interface, c.Groups = "wan9", nil }), ""},
		{"from a network of ours", session{link: "lan0", back: near, names: names}, Config{}, twoUplinks(), ""},
		{"the uplink goes, and the main table has the way", session{link: "wan1", back: pinned, mainDefaults: []rtnl.Route{plain}, names: names}, twoUplinks(), Config{}, ""},
		{"the uplink goes, and there is no other way", session{link: "wan1", back: pinned, names: names}, twoUplinks(), Config{}, "no route back"},
		{"another threshold", session{link: "wan1", back: pinned, names: names}, twoUplinks(), with(func(c *Config) { c.Uplinks[0].LossDown = 50 }), ""},
	} {
		if got := tc.s.lost(tc.was, tc.now).Message; (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
