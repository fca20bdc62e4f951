package packetfilter

import (
	"net/netip"
	"reflect"
	"testing"
)

// Whatever changed from one policy to the next, what is compiled with a memory is what is
// compiled without one.
func TestACompilerForgetsWhatIsNoLongerTrue(t *testing.T) {
	changes := map[string]func(p *Policy){
		"nothing": func(*Policy) {},
		"a member": func(p *Policy) {
			p.Sets = map[string]*Addresses{}
			p.Sets["ab"] = &Addresses{V4: []Range{RangeOf(netip.MustParsePrefix("192.0.2.0/24"))}}
		},
		"another set":    func(p *Policy) { p.Sets["cd"] = &Addresses{} },
		"the peers":      func(p *Policy) { p.Peers = []netip.Addr{netip.MustParseAddr("192.0.2.9")} },
		"a rule's id":    func(p *Policy) { p.Rules[0].ID = "77" },
		"a rule's name":  func(p *Policy) { p.Rules[0].Name, p.Rules[0].Broken = "new", "it is broken" },
		"a rule's place": func(p *Policy) { p.Rules[0].Priority = 99 },
		"a rule's zone":  func(p *Policy) { p.Rules[0].From = Any },
		"a rule's way":   func(p *Policy) { p.Rules[0].To = Any },
		"a rule's source": func(p *Policy) {
			p.Rules[0].Source = Selector{Listed: Addresses{V4: []Range{RangeOf(netip.MustParsePrefix("192.0.2.0/25"))}}}
		},
		"a rule's target":  func(p *Policy) { p.Rules[0].Destination = Selector{Set: "ab"} },
		"a rule's service": func(p *Policy) { p.Rules[0].Services = []Service{{Protocol: TCP, From: 1, To: 2}} },
		"a rule's action":  func(p *Policy) { p.Rules[0].Action = Reject },
		"a rule's log":     func(p *Policy) { p.Rules[0].Log = true },
		"a rule's uplinks": func(p *Policy) { p.Rules[0].Uplinks = UplinkGroup{Name: "line", Mark: 0x00810000, V4: true} },
		"no rule":          func(p *Policy) { p.Rules = nil },
		"a NAT rule":       func(p *Policy) { p.NAT[0].Port, p.NAT[0].PortEnd = 81, 81 },
		"an opening":       func(p *Policy) { p.Openings = []Opening{{Protocol: UDP, Port: 53}} },
		"a tunnel": func(p *Policy) {
			p.Tunnels = []Tunnel{{Interface: "wg0", Subnet: netip.MustParsePrefix("10.9.0.0/24")}}
		},
		"the lockout's zones": func(p *Policy) { p.Lockout.Zones = []string{"lan"} },
		"the lockout's nets":  func(p *Policy) { p.Lockout.Networks = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")} },
		"the management":      func(p *Policy) { p.Lockout.Management = 9443 },
		"an interface":        func(p *Policy) { p.Zones["lan"] = []string{"eth7"} },
	}
	for name, change := range changes {
		was, now := smallPolicy(), smallPolicy()
		change(now)
		var c Compiler
		c.Compile(was)
		for _, p := range []*Policy{now, was, now} {
			if got, want := c.Compile(p), Compile(p); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: compiled with a memory:\n%s%s\nwithout:\n%s%s", name, got.Rules, got.Elements, want.Rules, want.Elements)
			}
		}
	}
	// Every field that there is must be compared: who adds one comes by here.
	for _, of := range []struct {
		kind any
		want int
	}{{Policy{}, 8}, {Rule{}, 12}, {Selector{}, 3}, {Lockout{}, 3}, {Addresses{}, 2}} {
		if got := reflect.TypeOf(of.kind).NumField(); got != of.want {
			t.Errorf("%T has %d fields, and sameRules knows of %d", of.kind, got, of.want)
		}
	}
	var c Compiler
	first, again := c.Compile(smallPolicy()), c.Compile(smallPolicy())
	if &first.Rules[0] != &again.Rules[0] {
		t.Error("the same rules are written twice")
	}
}

func smallPolicy() *Policy {
	return &Policy{
		Zones: map[string][]string{"lan": {"eth1"}, "wan": {"eth0"}},
		Sets:  map[string]*Addresses{"ab": {}},
		Rules: []Rule{
			{ID: "01", Name: "one", Priority: 1, From: "lan", To: "wan", Source: Selector{Set: "ab"}, Action: Accept},
			{ID: "02", Name: "two", Priority: 2, From: Any, To: Any, Action: Drop},
		},
		NAT: []NAT{{ID: "03", Name: "three", Kind: DNAT, In: "wan", Protocol: TCP, Port: 80, PortEnd: 80, Target: netip.MustParseAddr("192.0.2.1")}},
	}
}
