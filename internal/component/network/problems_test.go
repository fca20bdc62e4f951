package network

import "testing"

func TestProblemsLeadToTheirPages(t *testing.T) {
	ids := map[string]string{"eth0": "1", "bond0": "2"}
	for _, tc := range []struct{ what, kind, id, name, link string }{
		{"interface eth0", "interface", "1", "eth0", "/interfaces/1"},
		{"interface bond0: primary", "interface", "interface bond0: primary", "bond0", "/interfaces/2"},
		{"interface eth9", "interface", "interface eth9", "eth9", "/interfaces"},
		{"address 192.0.2.1/24 on eth0", "interface", "address 192.0.2.1/24 on eth0", "eth0", "/interfaces/1?tab=addresses"},
		{"address 192.0.2.1/24 on eth9", "interface", "address 192.0.2.1/24 on eth9", "eth9", "/interfaces"},
		{"route 10.0.0.0/8 (table 7)", "route", "route 10.0.0.0/8 (table 7)", "10.0.0.0/8", "/routes"},
	} {
		s, link := subjectOf(tc.what, ids)
		if s.Kind != tc.kind || s.ID != tc.id || s.Name != tc.name || link != tc.link {
			t.Errorf("%s is %+v at %s, want %+v", tc.what, s, link, tc)
		}
	}
}
