package fault_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway/internal/fault"
)

func TestNounsOfASubjectAreWords(t *testing.T) {
	for _, tc := range []struct {
		subject, text string
		params        []string
	}{
		{"interface eth1", "interface %s", []string{"eth1"}},
		{"interface bond0: primary", "interface %s: primary", []string{"bond0"}},
		{"address 192.0.2.1/24 on eth0", "address %s on %s", []string{"192.0.2.1/24", "eth0"}},
		{"route 192.0.2.0/24 table 7", "route %s", []string{"192.0.2.0/24 table 7"}},
		{"uplink group all", "uplink group %s", []string{"all"}},
		{"uplink fibre: B", "uplink %s", []string{"fibre: B"}},
		{"uplink fibre: network 192.0.2.0/24", "uplink %s: network %s", []string{"fibre", "192.0.2.0/24"}},
		{"peer phone of tunnel wg0", "peer %s of tunnel %s", []string{"phone", "wg0"}},
		{"MX record example.com", "%s record %s", []string{"MX", "example.com"}},
		{"something else", "", nil},
	} {
		want := fault.Sentence{Message: tc.subject, Words: fault.Words{Text: tc.text, Params: tc.params}}
		if d := cmp.Diff(fault.Named(tc.subject), want); d != "" {
			t.Errorf("%s: %s", tc.subject, d)
		}
	}
}
