package packetfilter

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// moved is the office with a second line, which a rule sends some connections to.
func moved() *Policy {
	p := office()
	p.Zones["wan"] = []string{"wan0", "wan1"}
	p.Rules = append(p.Rules,
		Rule{ID: "b1", Name: "voice", Priority: 7, From: "lan", To: "wan", Services: ports(UDP, 5060), Action: Accept, Uplinks: UplinkGroup{"second line", 0x00810000, true}},
		Rule{ID: "b2", Name: "guests", Priority: 30, From: "dmz", To: Any, Action: Accept, Uplinks: UplinkGroup{"second line", 0x00810000, true}})
	return p
}

// movedRoute knows the table that the mark leads to, after the networks that are nearer.
func movedRoute(to netip.Addr, mark uint32) (out string, local, ok bool) {
	out, local, ok = officeRoutes().Route(to, 0)
	if out == "wan0" && mark == 0x00810000 {
		out = "wan1"
	}
	return out, local, ok
}

func TestExplainTellsByWhichUplinksAConnectionLeaves(t *testing.T) {
	for _, tc := range []struct{ name, packet, group, out, step string }{
		{"a rule with a group", "lan0 10.1.0.7 > 8.8.8.8 udp 5060", "second line", "wan1", `routing: rule "voice" sends it to the uplink group "second line"`},
		{"a rule without one, that is asked before", "lan0 10.1.0.7 > 8.8.8.8 tcp 25", "", "wan0", ""},
		{"a rule without one", "lan0 10.1.0.7 > 8.8.8.8 tcp 443", "", "wan0", ""},
		{"to another zone", "lan0 10.1.0.7 > 10.2.0.5 udp 5060", "", "dmz0", ""},
		{"to anywhere", "dmz0 10.2.0.5 > 8.8.8.8 tcp 443", "second line", "wan1", ""},
		{"to a network that has a route", "dmz0 10.2.0.5 > 10.1.0.7 tcp 443", "second line", "lan0", ""},
		{"to the gateway", "dmz0 10.2.0.5 > 10.1.0.1 tcp 9", "", "", ""},
		{"of the other family", "dmz0 fd02::5 > fd02::1 tcp 443", "", "wan0", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := Explain(moved(), sent(t, tc.packet), movedRoute)
			if got.UplinkGroup != tc.group || got.Out != tc.out {
				t.Errorf("%s leaves by the group %q through %s, want %q and %s", tc.packet, got.UplinkGroup, got.Out, tc.group, tc.out)
			}
			if tc.step != "" && !slices.ContainsFunc(got.Steps, func(s Step) bool { return s.Stage+": "+s.Text == tc.step }) {
				t.Errorf("no %s among %+v", tc.step, got.Steps)
			}
		})
	}
}

// A packet without a group must cost nothing: the chain is there only while a rule needs it.
func TestWithoutAGroupNothingIsAsked(t *testing.T) {
	p := moved()
	if text := string(Compile(p).Rules); !strings.Contains(text, "0x00810000") {
		t.Errorf("no mark in\n%s", text)
	}
	var c Compiler
	c.Compile(p)
	without := *p
	without.Rules = slices.Clone(p.Rules)
	for i := range without.Rules {
		without.Rules[i].Uplinks = UplinkGroup{}
	}
	if text := string(c.Compile(&without).Rules); strings.Contains(text, "uplinks") || strings.Contains(text, "fib") {
		t.Errorf("without a group there is\n%s", text)
	}
}
