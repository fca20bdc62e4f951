package packetfilter

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"strconv"
	"testing"

	"gateway/tools/bar"
)

// dice makes policies, packets and queries in so small a world that they meet often.
type dice struct{ *rand.Rand }

func (d dice) sometimes() bool { return d.IntN(3) == 0 }

func oneOf[T any](d dice, list ...T) T { return list[d.IntN(len(list))] }

func (d dice) zone() string { return oneOf(d, "a", "b", "c", "none", Any) }

func (d dice) iface() string { return oneOf(d, "a0", "a1", "b0", "c0", "wg0", "x0") }

func (d dice) address(v4 bool) netip.Addr {
	if v4 {
		return netip.AddrFrom4([4]byte{10, 0, 0, byte(d.IntN(8))})
	}
	return netip.AddrFrom16([16]byte{0xfd, 15: byte(d.IntN(8))})
}

func (d dice) prefix(v4 bool) netip.Prefix {
	a := d.address(v4)
	p, _ := a.Prefix(a.BitLen() - d.IntN(4))
	return p
}

func (d dice) addresses() Addresses {
	var list []Range
	for range 1 + d.IntN(3) {
		list = append(list, RangeOf(d.prefix(d.IntN(2) == 0)))
	}
	return Merge(list)
}

func (d dice) selector() Selector {
	switch d.IntN(5) {
	case 0:
		return Selector{Set: oneOf(d, "e1", "e2", "e3", "e4")} // the last is not there
	case 1:
		return Selector{Listed: d.addresses()}
	case 2:
		if d.sometimes() {
			return Selector{Broken: "broken"}
		}
	}
	return Selector{}
}

func (d dice) service() Service {
	s := Service{Protocol: oneOf(d, TCP, TCP, UDP, ICMP, ICMPv6, GRE), Type: -1}
	switch {
	case hasTypes(s.Protocol):
		s.Type = oneOf(d, -1, 0, 8, 128, 135)
	case s.Protocol != GRE && !d.sometimes():
		s.From = d.port()
		s.To = s.From + uint16(d.IntN(3))
	}
	return s
}

func (d dice) services() []Service {
	var list []Service
	for range d.IntN(4) {
		list = append(list, d.service())
	}
	return list
}

func (d dice) port() uint16 { return oneOf[uint16](d, 21, 22, 23, 24, 53, 443, 546, 5432, 8443) }

func (d dice) rule(id int) Rule {
	return Rule{
		ID: strconv.FormatInt(int64(id), 16), Priority: d.IntN(5), From: d.zone(), To: d.zone(), Source: d.selector(), Destination: d.selector(),
		Services: d.services(), Action: oneOf(d, Accept, Drop, Reject),
	}
}

func (d dice) nat(id int) NAT {
	v4 := d.IntN(2) == 0
	n := NAT{ID: "c" + strconv.Itoa(id), Priority: d.IntN(4), Kind: oneOf(d, DNAT, DNAT, SNAT, Masquerade), In: oneOf(d, d.zone(), ""), Out: oneOf(d, d.zone(), "")}
	if n.Kind != Masquerade {
		n.Target = d.address(v4)
	}
	if d.sometimes() {
		n.Source = d.prefix(v4)
	}
	if d.sometimes() {
		n.Destination = d.prefix(v4 != (d.IntN(8) == 0)) // sometimes mixed
	}
	if n.Protocol = oneOf(d, TCP, UDP, 0); n.Protocol != 0 && !d.sometimes() {
		n.Port = d.port()
		n.PortEnd = n.Port + uint16(d.IntN(3))
	}
	if n.Protocol != 0 && d.sometimes() {
		n.ToPort = d.port()
		n.ToEnd = n.ToPort + uint16(d.IntN(3))
	}
	return n
}

func (d dice) policy() *Policy {
	p := &Policy{
		Zones: map[string][]string{"a": {"a0", "a1"}, "b": {"b0"}, "c": {"c0"}, "none": nil},
		Sets:  map[string]*Addresses{"e1": ptr(d.addresses()), "e2": ptr(d.addresses()), "e3": {}},
	}
	for i := range d.IntN(12) {
		p.Rules = append(p.Rules, d.rule(i))
	}
	for i := range d.IntN(4) {
		p.NAT = append(p.NAT, d.nat(i))
	}
	for range d.IntN(3) {
		p.Openings = append(p.Openings, Opening{Protocol: oneOf(d, TCP, UDP), Port: d.port(), Interface: oneOf(d, "", "a0", "x0"), Why: "w" + strconv.Itoa(d.IntN(9))})
	}
	if d.sometimes() {
		p.Tunnels = []Tunnel{{Interface: "wg0", Subnet: d.prefix(true)}}
	}
	if d.sometimes() {
		p.Peers = []netip.Addr{d.address(true), d.address(false)}
	}
	if d.sometimes() {
		p.Lockout.Zones = []string{d.zone()}
	}
	if d.sometimes() {
		p.Lockout.Networks = []netip.Prefix{d.prefix(true)}
	}
	return p
}

func (d dice) packet() Packet {
	v4 := d.IntN(2) == 0
	s := d.service()
	return Packet{
		In: d.iface(), Source: d.address(v4), Destination: d.address(v4), Protocol: oneOf(d, s.Protocol, TCP),
		Port: d.port() + uint16(d.IntN(2)), Type: max(s.Type, 0),
	}
}

// packetOf is a packet that the query is likely to be about.
func (d dice) packetOf(q Query, p *Policy) Packet {
	k := d.packet()
	if zone := p.Zones[q.From]; len(zone) > 0 {
		k.In = oneOf(d, zone...)
	}
	if list := q.Source.Of(k.Source.Is4()); len(list) > 0 {
		k.Source = list[d.IntN(len(list))].From
	}
	if list := q.Destination.Of(k.Source.Is4()); len(list) > 0 {
		k.Destination = list[d.IntN(len(list))].To
	}
	if len(q.Services) > 0 && d.IntN(2) == 0 {
		k = k.withFlow(oneOf(d, q.Services...).span().From)
	}
	return k
}

func (d dice) routes() Routes {
	if d.sometimes() {
		return nil
	}
	var list Routes
	for range 1 + d.IntN(6) {
		h := Hop{Network: d.prefix(d.IntN(2) == 0), Out: d.iface()}
		if h.Local = d.sometimes(); h.Local {
			h.Out = ""
		}
		list = append(list, h)
	}
	return append(list, Hop{Network: netip.MustParsePrefix("0.0.0.0/0"), Out: "b0"})
}

func (d dice) query() Query {
	q := Query{From: d.zone(), To: oneOf(d, d.zone(), d.zone(), Gateway), Routes: d.routes()}
	if d.sometimes() {
		q.Source = d.addresses()
	}
	if d.sometimes() {
		q.Destination = d.addresses()
	}
	if d.sometimes() {
		q.Services = d.services()
	}
	return q
}

// route is the way that the witness says it takes.
func (w Witness) route(netip.Addr) (string, bool, bool) { return w.Out, w.Local, true }

// holds reports whether a packet that was explained is one that the query is about.
func (q Query) holds(p *Policy, k Packet, t Trace) bool {
	in, out := p.side(k.In), p.side(t.Out)
	to := q.To == Any || q.To == Gateway && t.Local || q.To != Gateway && !t.Local && slices.Contains(out.zones, q.To)
	if !in.in(q.From) || !to || t.Decided.Kind == ByNeighbour {
		return false
	}
	if t.Translated != nil && t.Translated.DNAT.ID != "" {
		k.Destination, k.Port = t.Translated.Destination, t.Translated.Port
	}
	return (len(q.Source.V4)+len(q.Source.V6) == 0 || q.Source.Has(k.Source)) &&
		(len(q.Destination.V4)+len(q.Destination.V6) == 0 || q.Destination.Has(k.Destination)) &&
		(len(q.Services) == 0 || serve(q.Services, k))
}

// TestReachesAgreesWithExplain holds every answer against packets: a witness must pass, and
// where nothing reaches, no packet of the kind may.
func TestReachesAgreesWithExplain(t *testing.T) {
	seed := rand.Uint64()
	d := dice{rand.New(rand.NewPCG(seed, seed))}
	reached, not, passed := 0, 0, 0
	for range bar.Size(4_000, 100_000) {
		p, q := d.policy(), d.query()
		w, reaches, err := Reaches(p, q)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if reaches {
			reached++
			holdsUp(t, p, q, w)
		} else {
			not++
		}
		for range 50 {
			k := d.packetOf(q, p)
			got := Explain(p, k, d.route(q, p))
			if got.Verdict != Accept || !q.holds(p, k, got) {
				continue
			}
			if passed++; !reaches {
				t.Fatalf("seed %d: nothing reaches %+v of\n%+v\nbut %+v passes by %+v", seed, q, p, k, got)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d: %+v", seed, p)
		}
	}
	t.Logf("seed %d: %d kinds reach, %d do not, %d packets passed", seed, reached, not, passed)
	if reached == 0 || not == 0 || passed == 0 {
		t.Error("this shows nothing")
	}
}

// route is that of the query, or any when it knows none.
func (d dice) route(q Query, p *Policy) Route {
	if len(q.Routes) > 0 {
		return q.Routes.Route
	}
	out, local := d.iface(), q.To == Gateway || q.To == Any && d.sometimes()
	if zone := p.Zones[q.To]; len(zone) > 0 {
		out = oneOf(d, zone...)
	}
	if local {
		out = ""
	}
	return func(netip.Addr) (string, bool, bool) { return out, local, true }
}
