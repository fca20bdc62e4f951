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
		{"network 10.9.0.0/24 of tunnel wg0", "network %s of tunnel %s", []string{"10.9.0.0/24", "wg0"}},
		{"server of zone lan.example 192.0.2.1", "server of zone %s %s", []string{"lan.example", "192.0.2.1"}},
		{`the RADIUS client "switch"`, "the RADIUS client %s", []string{`"switch"`}},
		{"the log receiver", "the log receiver", []string{}},
		{"MX record example.com", "%s record %s", []string{"MX", "example.com"}},
		{"something else", "", nil},
	} {
		want := fault.Sentence{Message: tc.subject, Words: fault.Words{Text: tc.text, Params: tc.params}}
		if d := cmp.Diff(fault.Named(tc.subject), want); d != "" {
			t.Errorf("%s: %s", tc.subject, d)
		}
	}
}

// What a port is open for is a text of the gateway, not a name that somebody chose.
func TestWhatAnOpeningIsForIsWords(t *testing.T) {
	for _, tc := range []struct {
		subject string
		want    fault.Words
	}{
		{`the opening for NTP for clients in zone "lan"`, fault.Words{
			Text: "the opening for %s in zone %s", Params: []string{"NTP for clients", `"lan"`},
			Nested: map[string]fault.Words{"0": {Text: "NTP for clients", Params: []string{}}},
		}},
		{"the opening for the tunnel wg0", fault.Words{
			Text: "the opening for %s", Params: []string{"the tunnel wg0"},
			Nested: map[string]fault.Words{"0": {Text: "the tunnel %s", Params: []string{"wg0"}}},
		}},
		{"the opening for something else", fault.Words{Text: "the opening for %s", Params: []string{"something else"}}},
	} {
		if d := cmp.Diff(fault.Named(tc.subject), fault.Sentence{Message: tc.subject, Words: tc.want}); d != "" {
			t.Errorf("%s: %s", tc.subject, d)
		}
	}
}
