package network

import (
	"testing"

	"gateway/internal/rtnl"
)

func TestProblemsLeadToTheirPages(t *testing.T) {
	ids := map[string]string{"eth0": "1", "bond0": "2"}
	for _, tc := range []struct{ what, kind, id, name, link string }{
		{"interface eth0", "interface", "1", "eth0", "/interfaces/1"},
		{"interface bond0: primary", "interface", "interface bond0: primary", "bond0", "/interfaces/2"},
		{"interface eth9", "interface", "interface eth9", "eth9", "/interfaces"},
		{"address 192.0.2.1/24 on eth0", "interface", "address 192.0.2.1/24 on eth0", "eth0", "/interfaces/1?tab=addresses"},
		{"address 192.0.2.1/24 on eth9", "interface", "address 192.0.2.1/24 on eth9", "eth9", "/interfaces"},
		{"route 10.0.0.0/8 (table 7)", "route", "route 10.0.0.0/8 (table 7)", "10.0.0.0/8", "/routes"},
		{"route 10.0.0.0/8 (metric 20)", "route", "route 10.0.0.0/8 (metric 20)", "10.0.0.0/8", "/routes"},
	} {
		s, link := subjectOf(tc.what, ids)
		if s.Kind != tc.kind || s.ID != tc.id || s.Name != tc.name || link != tc.link {
			t.Errorf("%s is %+v at %s, want %+v", tc.what, s, link, tc)
		}
	}
}

// Not every kernel that tests run on can make a bond.
func TestABondIsAsGoodAsItsMembers(t *testing.T) {
	link := func(up, carrier bool) rtnl.Link { return rtnl.Link{Up: up, Carrier: carrier} }
	for _, tc := range []struct {
		name       string
		bond       rtnl.Link
		members    map[string]rtnl.Link
		want, code string
	}{
		{"both work", link(true, true), map[string]rtnl.Link{"p0": link(true, true), "p1": link(true, true)}, "", ""},
		{"one has no carrier", link(true, true), map[string]rtnl.Link{"p0": link(true, true), "p1": link(true, false)}, "degraded", "network.member_down"},
		{"one is missing", link(true, true), map[string]rtnl.Link{"p0": link(true, true)}, "degraded", "network.member_down"},
		{"none works", link(true, false), map[string]rtnl.Link{}, "no_carrier", "network.no_carrier"},
	} {
		j := judged{links: tc.members}
		j.links["bond0"] = tc.bond
		got, _ := j.link(storedLink{Name: "bond0", Type: "bond", Members: []string{"p0", "p1"}})
		if got.State != tc.want || got.Code != tc.code {
			t.Errorf("%s: %+v", tc.name, got)
		}
	}
}
