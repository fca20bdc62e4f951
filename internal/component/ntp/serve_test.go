package ntp

import (
	"net/netip"
	"testing"
	"time"

	"gateway/internal/component/ntp/chrony"
	"gateway/lab"
)

// long is how much longer than any answer a test waits for none; short tests wait for one.
const long = 400 * time.Millisecond

// shows NTP-03, NTP-04
func TestClientsAreAnsweredAsConfigured(t *testing.T) {
	l := lab.New(t)
	gw, inside, outside := newMachine(t, l, "gw", "lan", "wan"), newMachine(t, l, "in"), newMachine(t, l, "out", "wan")
	lan, wan := gw.IPOn("lan"), gw.IPOn("wan")
	lan6 := gw.IP6()
	everyone := []string{"0.0.0.0/0", "::/0"}
	// Stratum 3 by a file of the operator's own, which chrony reads beside ours: no source is
	// needed, and the answers are recognised.
	gw.MustRun(t, "sh", "-c", "echo local stratum 3 >/etc/chrony/conf.d/local.conf")

	type answers struct{ lan, wan, lan6 bool }
	for _, tc := range []struct {
		name string
		set  chrony.Settings
		want answers
	}{
		{"a client-only daemon answers nobody", chrony.Settings{AllowACL: everyone}, answers{}},
		{"without addresses it listens on all", chrony.Settings{ServeClients: true, AllowACL: everyone}, answers{true, true, true}},
		{"nobody is answered without leave", chrony.Settings{ServeClients: true}, answers{}},
		{"only networks with leave are answered", chrony.Settings{ServeClients: true, AllowACL: []string{inside.IP().String()}}, answers{lan: true}},
		{"a network is answered", chrony.Settings{ServeClients: true, AllowACL: []string{l.Network("wan").Prefix().String()}}, answers{wan: true}},
		{
			"one address closes the other interfaces and the other family",
			chrony.Settings{ServeClients: true, AllowACL: everyone, ListenAddresses: []string{lan.String()}},
			answers{lan: true},
		},
		{
			"one IPv6 address closes IPv4",
			chrony.Settings{ServeClients: true, AllowACL: everyone, ListenAddresses: []string{lan6.String()}},
			answers{lan6: true},
		},
		{
			"one of each family",
			chrony.Settings{ServeClients: true, AllowACL: everyone, ListenAddresses: []string{wan.String(), lan6.String()}},
			answers{wan: true, lan6: true},
		},
		{
			"all addresses of a family",
			chrony.Settings{ServeClients: true, AllowACL: everyone, ListenAddresses: []string{"0.0.0.0"}},
			answers{lan: true, wan: true},
		},
		{
			"the loopback alone",
			chrony.Settings{ServeClients: true, AllowACL: everyone, ListenAddresses: []string{"127.0.0.1"}},
			answers{},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			gw.t, inside.t, outside.t = t, t, t
			gw.use(chrony.State{Settings: tc.set})
			if _, err := gw.handlers().status(t.Context(), nil); err != nil {
				t.Fatalf("the daemon does not run: %v", err)
			}
			ask := func(from machine, to netip.Addr, want bool) bool {
				if want {
					return from.answered(to)
				}
				return from.query(to, long) != 0
			}
			// Those that are expected first: when they came, the daemon is up, and the silence
			// of the others is its own.
			var got answers
			for _, expected := range []bool{true, false} {
				if tc.want.lan == expected {
					got.lan = ask(inside, lan, expected)
				}
				if tc.want.wan == expected {
					got.wan = ask(outside, wan, expected)
				}
				if tc.want.lan6 == expected {
					got.lan6 = ask(inside, lan6, expected)
				}
			}
			if got != tc.want {
				t.Errorf("answers = %+v, want %+v", got, tc.want)
			}
		})
	}
}

// chrony binds to the last of several addresses of a family; hence the rule that there is one.
func TestChronyTakesOneAddressOfAFamily(t *testing.T) {
	l := lab.New(t)
	gw, inside, outside := newMachine(t, l, "gw", "lan", "wan"), newMachine(t, l, "in"), newMachine(t, l, "out", "wan")
	gw.MustRun(t, chronyd, "-x", "local stratum 3", "allow", "bindaddress "+gw.IPOn("lan").String(), "bindaddress "+gw.IPOn("wan").String())
	if !outside.answered(gw.IPOn("wan")) {
		t.Error("the last address does not answer")
	}
	if inside.query(gw.IPOn("lan"), long) != 0 {
		t.Error("the first address answers too, so that several could be allowed")
	}
}
