package packetfilter

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// lines is the lines of a text that begin with something.
func lines(text []byte, begin string) []string {
	var found []string
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, begin); ok {
			found = append(found, strings.TrimSpace(rest))
		}
	}
	return found
}

// shows FW-58
func TestPriorityDecidesTheOrderWithinAPair(t *testing.T) {
	p := &Policy{Zones: zonesOfHouse(), Rules: []Rule{
		{ID: "a3", Priority: 3, From: "lan", To: "wan", Action: Accept},
		{ID: "a2", Priority: 2, From: Any, To: "wan", Action: Accept},
		{ID: "a1", Priority: 1, From: "lan", To: "wan", Action: Accept},
		{ID: "a0", Priority: 3, From: "lan", To: "wan", Action: Accept},
	}}
	got := lines(Compile(p).Rules, "add rule inet gateway "+pairName("lan", "wan")+" ")
	want := []string{
		`counter name r_a1 accept comment "gid:a1"`, "jump run_0", `counter name r_a0 accept comment "gid:a0"`,
		`counter name r_a3 accept comment "gid:a3"`, "goto forward_end",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRunsAreAsFewAsTheOrderAllows(t *testing.T) {
	p := &Policy{Zones: zonesOfHouse(), Rules: []Rule{
		{ID: "a1", Priority: 1, From: "dmz", To: Any, Action: Accept},
		{ID: "a2", Priority: 2, From: "lan", To: "wan", Action: Accept},
		{ID: "a3", Priority: 3, From: Any, To: "dmz", Action: Accept}, // nothing to the first pair
		{ID: "a4", Priority: 4, From: "lan", To: "dmz", Action: Accept},
		{ID: "a5", Priority: 5, From: Any, To: "dmz", Action: Drop}, // must not get before the second
		{ID: "a6", Priority: 6, From: "wan", To: "lan", Action: Accept},
	}}
	text := Compile(p).Rules
	for chain, want := range map[string][]string{
		pairName("lan", "wan"): nil,
		pairName("lan", "dmz"): {"run_0", "run_1"},
		pairName("wan", "lan"): nil,
		"input":                {"run_0"},
	} {
		if got := lines(text, "add rule inet gateway "+chain+" jump"); !slices.Equal(got, want) {
			t.Errorf("%s jumps to %q, want %q", chain, got, want)
		}
	}
}

// interleaved is the worst case: after each rule between two zones one about all.
func interleaved(rules int) *Policy {
	p := estate(rules)
	for i := range p.Rules {
		if i%2 == 0 {
			p.Rules[i].From, p.Rules[i].To = Any, Any
		}
	}
	return p
}

func TestTheLayoutStaysLinear(t *testing.T) {
	for _, n := range []int{10, 300, 3000} {
		text := Compile(interleaved(n)).Rules
		if jumps := strings.Count(string(text), " jump "); jumps > 2*(64+jumpsPerRule*n) {
			t.Errorf("%d rules need %d jumps", n, jumps)
		}
		if got := len(lines(text, "add rule inet gateway pair_")) + len(lines(text, "add rule inet gateway run_")); got < n {
			t.Errorf("%d rules became %d lines", n, got)
		}
	}
}

func TestAnInterfaceInTwoZonesIsInBoth(t *testing.T) {
	p := &Policy{Zones: map[string][]string{"lan": {"eth0"}, "office": {"eth0"}, "wan": {"eth1"}}, Rules: []Rule{
		{ID: "a1", Priority: 1, From: "office", To: "wan", Action: Accept},
		{ID: "a2", Priority: 2, From: "lan", To: "wan", Action: Drop},
	}}
	got := lines(Compile(p).Rules, "add rule inet gateway run_0 ")
	want := []string{
		`iifname "eth0" oifname "eth1" counter name r_a1 accept comment "gid:a1"`,
		`iifname "eth0" oifname "eth1" counter name r_a2 drop comment "gid:a2"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// word is all that may stand between the fixed parts of the text.
var word = regexp.MustCompile(`^[a-zA-Z0-9_.:/\-" {},;@=]*$`)

// Nothing that a person wrote gets into the text, whatever is in the policy.
func TestNoTextGetsIn(t *testing.T) {
	bad := "x\" accept; }\nadd rule inet gateway input accept #$\\\x00é*"
	p := &Policy{
		Zones: map[string][]string{bad: {"eth0"}, "lan": {bad, "eth1", "eth*", "", "an-interface-name-too-long"}},
		Sets:  map[string]*Addresses{bad: {}, "5e1": ptr(some("10.0.0.1").Listed)},
		Rules: []Rule{
			{ID: bad, Name: bad, From: "lan", To: Any, Action: Accept},
			{ID: "A1", Name: bad, From: "lan", To: Any, Action: Accept},
			{ID: "a1", Name: bad, From: bad, To: bad, Action: Accept},
			{ID: "a2", Name: bad, From: "lan", To: Any, Action: Action(bad)},
			{ID: "a3", Name: bad, From: "lan", To: Any, Source: Selector{Set: bad}, Action: Accept},
			{ID: "a4", Name: bad, From: "lan", To: Any, Source: Selector{Listed: Addresses{V6: []Range{{addr("fe80::1%" + bad), addr("fe80::2%" + bad)}}}}, Action: Accept},
			{ID: "a5", Name: bad, From: "lan", To: Any, Source: Selector{Listed: Addresses{V4: []Range{{addr("10.0.0.9"), addr("10.0.0.1")}}}}, Action: Accept},
			{ID: "a6", Name: bad, From: "lan", To: Any, Broken: bad, Action: Accept},
		},
		NAT: []NAT{
			{ID: bad, Name: bad, Kind: Masquerade, Out: "lan"},
			{ID: "b1", Name: bad, Kind: Kind(bad), Out: "lan"},
			{ID: "b2", Name: bad, Kind: SNAT, Out: bad, Target: addr("fe80::1%" + bad)},
			{ID: "b3", Name: bad, Kind: SNAT, Out: bad, Broken: bad},
		},
		Openings: []Opening{{Protocol: TCP, Port: 1, Interface: bad, Why: bad}, {Protocol: UDP, Why: bad}},
		Tunnels:  []Tunnel{{Interface: bad, Subnet: prefix("10.0.0.0/8")}, {Interface: "wg0"}},
		Peers:    []netip.Addr{addr("fe80::1%" + bad)},
		Lockout:  Lockout{Zones: []string{bad, "lan"}},
	}
	text := Compile(p)
	for line := range strings.Lines(string(text.Rules) + string(text.Elements)) {
		if !word.MatchString(strings.TrimSuffix(line, "\n")) || strings.Contains(line, "#") {
			t.Errorf("%q got in", line)
		}
	}
	newKernel(t).mustLoad(t, text)
	if got, want := len(text.Problems), 4+7+4+2+2+1; got != want {
		t.Errorf("%d problems, want %d: %v", got, want, text.Problems)
	}
}

// A rule that cannot be written is left out: it never becomes wider.
//
// shows FW-12, FW-13
func TestALeftOutRuleIsNamed(t *testing.T) {
	for _, tc := range []struct {
		name string
		rule Rule
		want string
	}{
		{"an address that is none", Rule{Source: Selector{Broken: "300.0.0.1 is not an address"}}, "source: 300.0.0.1 is not an address"},
		{"families that do not meet", Rule{Source: some("10.0.0.1"), Destination: some("fd00::1")}, "its source and its destination have no address family in common"},
		{"a message of the other family", Rule{Source: some("10.0.0.1"), Services: []Service{icmp6(128)}}, "its service does not exist in the address family of its addresses"},
		{"a group that is gone", Rule{Source: Selector{Set: "5e9"}}, "it names a group that does not exist"},
		{"ports of a protocol without", Rule{Services: []Service{{Protocol: GRE, From: 1, To: 2}}}, "its service has ports, and a protocol without them"},
		{"ports backwards", Rule{Services: []Service{tcp(2, 1)}}, "its service ends at a lower port than it begins"},
		{"a message type that is none", Rule{Services: []Service{icmp(256)}}, "its service has a message type that does not exist"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.rule.ID, tc.rule.Name, tc.rule.From, tc.rule.To, tc.rule.Action = "a1", "Guests", "lan", "wan", Accept
			text := Compile(&Policy{Zones: zonesOfHouse(), Rules: []Rule{tc.rule}})
			want := []Problem{{ID: "a1", Subject: "rule Guests", Message: tc.want}}
			if !slices.Equal(text.Problems, want) {
				t.Errorf("got %q, want %q", text.Problems, want)
			}
			if strings.Contains(string(text.Rules), "a1") {
				t.Errorf("it is there all the same:\n%s", text.Rules)
			}
		})
	}
}

func TestTheSamePolicyIsTheSameText(t *testing.T) {
	for seed := range uint64(50) {
		first := whole(Compile(newGenerator(seed).policy()))
		if again := whole(Compile(newGenerator(seed).policy())); again != first {
			t.Fatalf("policy %d is another text the second time", seed)
		}
	}
}

// The random policies of the other tests must come in every layout.
func TestRandomPoliciesHaveAllLayouts(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(200) {
		p := newGenerator(seed).policy()
		c := &compiler{policy: p, sets: map[string]bool{}}
		c.readZones()
		rules := c.readRules()
		pairs := arrangePairs(rules, c.zones)
		switch l := arrange(rules, c.zones); {
		case overlap(c.zones):
			seen["an interface in two zones"]++
		case pairs == nil:
			seen["too many jumps"]++
		case len(l.pairs) > 0 && len(l.runs) > 0:
			seen["pairs and runs"]++
		}
	}
	if len(seen) != 3 {
		t.Errorf("only %v", seen)
	}
}
