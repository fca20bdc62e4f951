package packetfilter

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
)

// The house that random policies are about: a gateway with six interfaces, each with a
// network of either family; everything else is behind the first one.
var houseInterfaces = []string{"if0", "if1", "if2", "if3", "if4", "if5"}

// ownAddress is the gateway's address on an interface.
func ownAddress(name string, v4 bool) netip.Addr { return houseAddress(int(name[2]-'0'), 1, v4) }

func houseAddress(network, host int, v4 bool) netip.Addr {
	if v4 {
		return netip.AddrFrom4([4]byte{10, 1, byte(network), byte(host)})
	}
	return netip.AddrFrom16([16]byte{0: 0xfd, 3: byte(network), 15: byte(host)})
}

// linkLocal is what every interface of the gateway also has.
var linkLocal = netip.MustParseAddr("fe80::1")

// houseGroups are the groups of uplinks of the house, and the interfaces that the kernel's rules
// lead to; the last one leads nowhere, so that the routes decide.
var houseGroups = []struct {
	UplinkGroup
	out string
}{
	{UplinkGroup{"one", 0x00810000, true}, "if1"},
	{UplinkGroup{"two", 0x00820000, true}, "if2"},
	{UplinkGroup{"six", 0x00830000, false}, "if3"},
	{UplinkGroup{"down", 0x00ff0000, false}, "if0"},
}

// houseRoute is where the gateway sends a packet to. A mark matters to what only the default
// route knows.
func houseRoute(to netip.Addr, mark uint32) (out string, local bool) {
	for i, name := range houseInterfaces {
		if ownAddress(name, to.Is4()) == to || to == linkLocal {
			return "", true
		}
		bits := 64
		if to.Is4() {
			bits = 24
		}
		if netip.PrefixFrom(houseAddress(i, 0, to.Is4()), bits).Contains(to) {
			return name, false
		}
	}
	for _, g := range houseGroups {
		if g.Mark == mark && g.V4 == to.Is4() {
			return g.out, false
		}
	}
	return houseInterfaces[0], false
}

// generator makes random policies and packets that have to do with each other.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator { return generator{rand.New(rand.NewPCG(seed, 23))} }

func (g generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g generator, list ...T) T { return list[g.IntN(len(list))] }

var generatedPorts = []uint16{22, 25, 53, 80, 443, 546, 1000, 1003, 1007, 1010, 5432, 6379, 8443, 9443}

func (g generator) port() uint16 { return pick(g, generatedPorts...) }

// host is an address in one of the networks, or behind the first.
func (g generator) host(v4 bool) netip.Addr {
	if g.chance(8) {
		return g.outside(v4)
	}
	return houseAddress(g.IntN(len(houseInterfaces)), 2+g.IntN(6), v4)
}

// outside is an address behind the first interface, or an uplink.
func (g generator) outside(v4 bool) netip.Addr {
	if v4 {
		return netip.AddrFrom4([4]byte{192, 0, 2, byte(1 + g.IntN(4))})
	}
	return netip.AddrFrom16([16]byte{0: 0x20, 1: 1, 2: 0xd, 3: 0xb8, 15: byte(1 + g.IntN(4))})
}

func (g generator) network(v4 bool) netip.Prefix {
	bits := pick(g, 0, 8, 63, 64, 125, 126, 127, 128)
	if v4 {
		bits = pick(g, 0, 8, 22, 23, 24, 29, 30, 31, 32)
	}
	return netip.PrefixFrom(g.host(v4), bits).Masked()
}

func (g generator) someRange() Range {
	v4 := g.chance(60)
	a, b := g.host(v4), g.host(v4)
	switch {
	case g.chance(40):
		return RangeOf(g.network(v4))
	case g.chance(50):
		return Range{a, a}
	case b.Less(a):
		return Range{b, a}
	}
	return Range{a, b}
}

func (g generator) addresses() Addresses {
	list := make([]Range, 1+g.IntN(4))
	for i := range list {
		list[i] = g.someRange()
	}
	return Merge(list)
}

func (g generator) selector(sets []string) Selector {
	switch n := g.IntN(100); {
	case n < 45:
		return Selector{}
	case n < 65:
		return Selector{Set: pick(g, sets...)}
	case n < 68:
		return Selector{Broken: "its address is not one"}
	case n < 69:
		return Selector{Set: "dead"}
	}
	return Selector{Listed: g.addresses()}
}

func (g generator) services() []Service {
	if g.chance(35) {
		return nil
	}
	list := make([]Service, 1+g.IntN(4))
	for i := range list {
		list[i] = g.service()
	}
	return list
}

func (g generator) service() Service {
	from, to := g.port(), g.port()
	if to < from {
		from, to = to, from
	}
	switch g.IntN(10) {
	case 0:
		return icmp(pick(g, -1, 0, 3, 8, 13))
	case 1:
		return icmp6(pick(g, -1, 128, 129, 130, 135, 139))
	case 2:
		return Service{Protocol: pick(g, TCP, UDP, SCTP, GRE, ESP, AH), Type: -1}
	case 3, 4:
		return Service{Protocol: pick(g, TCP, UDP, SCTP), From: from, To: to, Type: -1}
	default:
		return Service{Protocol: pick(g, TCP, TCP, UDP), From: from, To: from, Type: -1}
	}
}

// The last one never has an interface.
var generatedZones = []string{"lan", "wan", "dmz", "guest", "office", "lab", "void"}

func (g generator) zone(wild int) string {
	if g.chance(wild) {
		return Any
	}
	return pick(g, generatedZones...)
}

// zones spreads the interfaces over a few zones, or over as many as there are.
func (g generator) zones(few bool) map[string][]string {
	zones := map[string][]string{"void": nil}
	for i, name := range houseInterfaces {
		zone := generatedZones[i]
		if few {
			zone = pick(g, generatedZones[:4]...)
		}
		if g.chance(90) {
			zones[zone] = append(zones[zone], name)
		}
	}
	if g.chance(5) { // nobody does that, and no order may depend on it
		zones["lan"] = append(zones["lan"], pick(g, houseInterfaces...))
	}
	return zones
}

// policy is any policy; some have so many runs between so many pairs that the compiler
// gives up pairs.
func (g generator) policy() *Policy {
	large := g.chance(10)
	p := &Policy{Zones: g.zones(!large), Sets: map[string]*Addresses{}, Lockout: g.lockout()}
	sets := []string{"5e0", "5e1", "5e2"}
	for _, id := range sets {
		p.Sets[id] = ptr(g.addresses())
	}
	p.Sets["5e2"].V6 = nil
	rules := 1 + g.IntN(30)
	if large {
		rules = 150
	}
	for i := range rules {
		wild := 25
		if large {
			wild = pick(g, 0, 100)
		}
		p.Rules = append(p.Rules, g.rule(i, wild, sets))
	}
	for i := range g.IntN(10) {
		p.NAT = append(p.NAT, g.nat(i))
	}
	g.parts(p)
	return p
}

func (g generator) rule(i, wild int, sets []string) Rule {
	r := Rule{
		ID: fmt.Sprintf("%04x-a", i), Name: fmt.Sprintf("rule %d", i), Priority: g.IntN(20),
		From: g.zone(wild), To: g.zone(wild), Source: g.selector(sets), Destination: g.selector(sets),
		Services: g.services(), Action: pick(g, Accept, Accept, Drop, Reject), Log: g.chance(10),
	}
	if g.chance(2) {
		r.Broken = "its service is not one"
	}
	if g.chance(25) { // also where it means nothing: of a rule that does not accept
		r.Uplinks = pick(g, houseGroups...).UplinkGroup
	}
	return r
}

func (g generator) nat(i int) NAT {
	v4 := g.chance(60)
	n := NAT{ID: fmt.Sprintf("%04x-b", i), Name: fmt.Sprintf("NAT %d", i), Priority: g.IntN(5), Kind: pick(g, DNAT, DNAT, SNAT, Masquerade), In: g.zone(20), Out: g.zone(20)}
	if g.chance(30) {
		n.Source = g.network(v4)
	}
	if g.chance(30) {
		n.Destination = g.network(g.chance(5) != v4)
	}
	if n.Kind != Masquerade {
		n.Target = g.host(v4)
		if g.chance(10) {
			n.Target = ownAddress(pick(g, houseInterfaces...), v4)
		}
	}
	if g.chance(75) {
		g.natPorts(&n)
	}
	n.NeedsRule = g.chance(30)
	return n
}

func (g generator) natPorts(n *NAT) {
	n.Protocol = pick(g, TCP, UDP)
	if g.chance(80) {
		n.Port = g.port()
		n.PortEnd = n.Port + pick[uint16](g, 0, 0, 3, 10)
	}
	switch {
	case n.Kind == DNAT && g.chance(70):
		n.ToPort = g.port()
		n.ToEnd = n.ToPort + pick(g, 0, 0, n.PortEnd-n.Port, 5)
	case n.Kind != DNAT && g.chance(30):
		n.ToPort, n.ToEnd = 2000, 2999
	}
}

// parts is what the rest of the product asks for.
func (g generator) parts(p *Policy) {
	for range g.IntN(4) {
		o := Opening{Protocol: pick(g, TCP, UDP), Port: g.port(), Why: "a part"}
		if g.chance(40) {
			o.Interface = pick(g, houseInterfaces...)
		}
		p.Openings = append(p.Openings, o)
	}
	if g.chance(30) {
		p.Tunnels = append(p.Tunnels, Tunnel{Interface: pick(g, houseInterfaces...), Subnet: g.network(g.chance(70))})
	}
	for range g.IntN(3) {
		p.Peers = append(p.Peers, g.host(g.chance(60)))
	}
}

func (g generator) lockout() Lockout {
	l := Lockout{Management: pick[uint16](g, 0, 22, 9443)}
	if g.chance(60) {
		l.Zones = []string{g.zone(5), g.zone(0)}
	}
	if g.chance(40) {
		l.Networks = []netip.Prefix{g.network(true), g.network(g.chance(50))}
	}
	return l
}

// probe is a packet that may meet the rules; number tells it from all others of a policy.
func (g generator) probe(number int) probe {
	v4 := g.chance(60)
	k := probe{in: pick(g, houseInterfaces...), source: g.host(v4), target: g.host(v4), sourcePort: uint16(20000 + number)}
	if g.chance(35) {
		k.target = ownAddress(pick(g, houseInterfaces...), v4)
	}
	if !v4 && g.chance(5) {
		k.source, k.target = netip.MustParseAddr("fe80::99"), linkLocal
	}
	switch n := g.IntN(100); {
	case n < 45:
		k.protocol, k.port = TCP, g.port()
	case n < 75:
		k.protocol, k.port = UDP, g.port()
	case n < 80:
		k.protocol, k.port = SCTP, g.port()
	case n < 84:
		k.protocol, k.sourcePort = pick(g, GRE, ESP), 0
	case n < 85 && v4:
		k.protocol, k.sourcePort = AH, 0
	case n < 87: // nobody sends a message of the other family
		k.protocol, k.kind = map[bool]Protocol{true: ICMPv6, false: ICMP}[v4], pick(g, 8, 13, 128, 135, 139)
	case v4:
		k.protocol, k.kind = ICMP, pick(g, 8, 8, 8, 13, 0, 3)
	default:
		k.protocol, k.kind = ICMPv6, pick(g, 128, 128, 128, 139, 129, 1, 130, 133, 135, 136)
	}
	return k
}

// aimed is a probe that, if one is found soon, a rule of the policy takes when it is asked:
// packets at random meet the default drop too often to tell much about the order.
func (g generator) aimed(m model, number int) probe {
	r := pick(g, m.Rules...)
	for range 50 {
		k := g.between(m, r, number)
		o := outcome{target: k.target, port: k.port}
		o.out, o.local = m.route(k.target, 0)
		to := r.To == Any || !o.local && m.inZone(o.out, r.To)
		if to && m.inZone(k.in, r.From) && m.takes(&r, k, &o) {
			return k
		}
	}
	return g.probe(number)
}

// between is a probe from one zone of a rule to the other, of its service.
func (g generator) between(m model, r Rule, number int) probe {
	k := g.probe(number)
	if from := m.Zones[r.From]; len(from) > 0 {
		k.in = pick(g, from...)
	}
	if to := m.Zones[r.To]; len(to) > 0 && k.target != linkLocal {
		k.target = houseAddress(int(pick(g, to...)[2]-'0'), 2+g.IntN(6), k.source.Is4())
	}
	if r.Uplinks.Mark != 0 && k.target != linkLocal && g.chance(60) {
		k.target = g.outside(k.source.Is4())
	}
	if len(r.Services) > 0 {
		s := pick(g, r.Services...)
		k.protocol, k.kind = s.Protocol, max(s.Type, 0)
		k.port, k.sourcePort = 0, uint16(20000+number)
		switch {
		case hasPorts(s.Protocol):
			k.port = max(s.From, 1)
		case s.Protocol != ICMP && s.Protocol != ICMPv6:
			k.sourcePort = 0
		}
	}
	if k.protocol == AH && k.source.Is6() { // it is no protocol there: see README.md
		return g.probe(number)
	}
	return k
}
