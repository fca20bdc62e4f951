package packetfilter

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// TestWhatTheKernelHas reads the table back from the kernel.
func TestWhatTheKernelHas(t *testing.T) {
	k := newKernel(t)
	p := goldens()["gateway"]
	p.Peers = []netip.Addr{addr("10.1.1.2"), addr("fd01::2")}
	p.Rules = []Rule{
		{ID: "a1", From: "lan", To: "wan", Source: some("10.0.0.0/8", "fd00::/8"), Action: Accept},
		{ID: "a2", From: "empty", To: "wan", Action: Drop, Log: true},
	}
	k.mustLoad(t, Compile(p))
	for _, tc := range []struct {
		name  string
		list  []string
		wants []string
	}{
		{ // shows FW-01
			"both base chains drop",
			[]string{"table", "inet", "gateway"},
			[]string{"type filter hook input priority filter; policy drop;", "type filter hook forward priority filter; policy drop;"},
		},
		{ // shows FW-02, FW-03
			"the drop of input is logged, and limited",
			[]string{"chain", "inet", "gateway", "input"},
			[]string{`limit rate 10/second burst 5 packets log prefix "gateway:drop-input" group 0`, `counter name "drop_input" drop`},
		},
		{ // shows FW-02, FW-03
			"the drop of forward is logged, and limited",
			[]string{"chain", "inet", "gateway", "forward_end"},
			[]string{`limit rate 10/second burst 5 packets log prefix "gateway:drop-forward" group 0`, `counter name "drop_forward" drop`},
		},
		{ // shows FW-05, FW-06, FW-08
			"a rule has its counter and its tag in each family",
			[]string{"chain", "inet", "gateway", pairName("lan", "wan")},
			[]string{`ip saddr 10.0.0.0/8 counter name "r_a1" accept comment "gid:a1"`, `ip6 saddr fd00::/8 counter name "r_a1" accept comment "gid:a1"`},
		},
		{ // shows FW-05, FW-06, FW-07
			"a rule whose zone has no interface has them too",
			[]string{"chain", "inet", "gateway", "unreached"},
			[]string{`counter name "r_a2" log prefix "gateway:a2" group 0 drop comment "gid:a2"`},
		},
		{
			"what comes in on a tunnel passes",
			[]string{"chain", "inet", "gateway", "forward_end"},
			[]string{`iifname "wg0" accept`, `iifname "wg1" accept`},
		},
		{
			"what leaves through a tunnel is masqueraded",
			[]string{"chain", "inet", "gateway", "postrouting"},
			[]string{`oifname "wg0" ip saddr 10.8.0.0/24 masquerade`, `oifname "wg1" ip6 saddr fd08::/64 masquerade`},
		},
		{ // shows FW-17, FW-20
			"the way to the gateway",
			[]string{"chain", "inet", "gateway", "input"},
			[]string{
				"ct state established,related accept", "ct state invalid drop", "tcp dport { 22, 443, 8443 } accept", "udp dport 443 accept",
				"ip saddr @peers4 tcp dport { 5432, 6379, 8443 } accept", "ip6 saddr @peers6 tcp dport { 5432, 6379, 8443 } accept",
			},
		},
		{"peers of IPv4", []string{"set", "inet", "gateway", "peers4"}, []string{"elements = { 10.1.1.2 }"}},
		{"peers of IPv6", []string{"set", "inet", "gateway", "peers6"}, []string{"elements = { fd01::2 }"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := k.Nft(t.Context(), nil, append([]string{"list"}, tc.list...)...)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tc.wants {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in\n%s", want, got)
				}
			}
		})
	}
}

// An address that is no longer a peer's is closed by the next load, though sets outlive one.
func TestAnEvictedPeerIsOut(t *testing.T) {
	h := newHouse(t)
	p := &Policy{Peers: []netip.Addr{houseAddress(1, 2, true), houseAddress(1, 2, false)}}
	h.mustLoad(t, Compile(p))
	send := func(host int, v4 bool, port uint16) Action {
		out, rose, err := h.send(probe{in: "if1", source: houseAddress(1, host, v4), target: ownAddress("if1", v4), protocol: TCP, sourcePort: 9, port: port})
		if err != nil {
			t.Fatal(err)
		}
		return observed(out, &rose).verdict
	}
	// shows FW-23
	// shows (stand-in) FW-22
	for _, port := range []uint16{5432, 6379, 8443} {
		for _, v4 := range []bool{true, false} {
			if peer, other := send(2, v4, port), send(3, v4, port); peer != Accept || other != Drop {
				t.Errorf("port %d, IPv4 %t: peer %s, other %s", port, v4, peer, other)
			}
		}
	}
	p.Peers = nil
	h.mustLoad(t, Compile(p))
	if got := send(2, true, 5432); got != Drop {
		t.Errorf("a node that was evicted still gets in: %s", got)
	}
}

// shows FW-20
func TestAnAnswerPassesWithoutARule(t *testing.T) {
	h := newHouse(t)
	h.mustLoad(t, Compile(&Policy{Zones: map[string][]string{"lan": {"if1"}, "wan": {"if0"}}, Rules: []Rule{{ID: "a1", From: "lan", To: "wan", Action: Accept}}}))
	question := probe{in: "if1", source: houseAddress(1, 2, true), target: houseAddress(0, 2, true), protocol: UDP, sourcePort: 999, port: 53}
	answer := probe{in: "if0", source: question.target, target: question.source, protocol: UDP, sourcePort: 53, port: 999}
	for i, want := range []struct {
		probe
		Action
	}{{answer, Drop}, {question, Accept}, {answer, Accept}} {
		out, rose, err := h.send(want.probe)
		if got := observed(out, &rose).verdict; got != want.Action || err != nil {
			t.Errorf("packet %d: %s, %v, want %s", i, got, err, want.Action)
		}
	}
}

// A rule to a zone stands in the same run as rules to any, which input walks too.
//
// shows FW-54
func TestARuleToAZoneIsNotAboutTheGateway(t *testing.T) {
	h := newHouse(t)
	p := &Policy{Zones: map[string][]string{"wan": {"if0"}, "lan": {"if1", "if2"}}, Rules: []Rule{
		{ID: "a1", Priority: 1, From: Any, To: "wan", Services: []Service{udp(1000, 1000)}, Action: Accept},
		{ID: "a2", Priority: 2, From: "lan", To: Any, Services: []Service{udp(1001, 1001)}, Action: Accept},
	}}
	h.mustLoad(t, Compile(p))
	for _, tc := range []struct {
		name   string
		in     string
		target netip.Addr
		port   uint16
		want   []string
	}{
		{"to the zone", "if2", houseAddress(0, 2, true), 1000, []string{"r_a1"}},
		{"to the gateway's address there", "if2", ownAddress("if0", true), 1000, []string{"drop_input"}},
		{"to another zone", "if0", houseAddress(1, 2, true), 1000, []string{"drop_forward"}},
		{"to the gateway from the other interface of the zone", "if1", ownAddress("if5", true), 1001, []string{"passed", "r_a2"}},
		{"to the gateway from elsewhere", "if0", ownAddress("if5", true), 1001, []string{"drop_input"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, rose, err := h.send(probe{in: tc.in, source: houseAddress(3, 9, true), target: tc.target, protocol: UDP, sourcePort: 7, port: tc.port})
			if err != nil || !slices.Equal(rose, tc.want) {
				t.Errorf("counters %q, %v, want %q", rose, err, tc.want)
			}
		})
	}
}

func TestCountersOutliveALoad(t *testing.T) {
	k := newKernel(t)
	p := groupOf("10.0.0.1")
	k.mustLoad(t, Compile(p))
	if _, err := k.Nft(t.Context(), []byte("add counter inet gateway r_a2 { packets 5 bytes 7 }\n"), "-f", "-"); err != nil {
		t.Fatal(err)
	}
	p.Rules = append(p.Rules, Rule{ID: "a2", From: Any, To: Any, Action: Drop})
	k.mustLoad(t, Compile(p))
	got, err := k.Nft(t.Context(), nil, "list", "counter", "inet", "gateway", "r_a2")
	if err != nil || !strings.Contains(got, "packets 5 bytes 7") {
		t.Errorf("%s, %v", got, err)
	}
}
