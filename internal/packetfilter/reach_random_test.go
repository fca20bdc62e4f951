package packetfilter

import (
	"net/netip"
	"slices"
	"testing"

	"gateway/tools/bar"
)

// query is about a kind of packets that the policy may well have an opinion about.
func (g generator) query() Query {
	q := Query{From: g.zone(15), To: g.zone(15), Routes: g.routes()}
	if g.chance(30) {
		q.To = Gateway
	}
	if g.chance(30) {
		q.Source = g.addresses()
	}
	if g.chance(30) {
		q.Destination = g.addresses()
	}
	if g.chance(60) {
		q.Services = g.services()
	}
	return q
}

// routes are those of the house, or random ones, or none.
func (g generator) routes() Routes {
	if g.chance(30) {
		return nil
	}
	list := Routes{{Network: prefix("0.0.0.0/0"), Out: "if0"}, {Network: prefix("::/0"), Out: "if0"}}
	for i, name := range houseInterfaces {
		for _, v4 := range []bool{true, false} {
			own := ownAddress(name, v4)
			list = append(list, Hop{Network: netip.PrefixFrom(own, own.BitLen()), Local: true})
			network, _ := houseAddress(i, 0, v4).Prefix(own.BitLen() / 4 * 3)
			list = append(list, Hop{Network: network, Out: name})
		}
	}
	for range g.IntN(4) {
		list = append(list, Hop{Network: g.network(g.chance(50)), Out: pick(g, houseInterfaces...)})
	}
	return list
}

// packetOf is a packet that the query is likely to be about.
func (g generator) packetOf(q Query, p *Policy) Packet {
	r := g.probe(0)
	k := Packet{In: r.in, Source: r.source, Destination: r.target, Protocol: r.protocol, Port: r.port, Type: r.kind}
	if zone := p.Zones[q.From]; len(zone) > 0 {
		k.In = pick(g, zone...)
	}
	if list := q.Source.Of(k.Source.Is4()); len(list) > 0 {
		k.Source = pick(g, list...).From
	}
	if list := q.Destination.Of(k.Source.Is4()); len(list) > 0 {
		k.Destination = pick(g, list...).To
	}
	if len(q.Services) > 0 && g.chance(50) {
		k = k.withFlow(pick(g, q.Services...).span().From)
	}
	return k
}

// route is that of the query, or any when it knows none.
func (g generator) route(q Query, p *Policy) Route {
	if len(q.Routes) > 0 {
		return q.Routes.Route
	}
	out, local := pick(g, houseInterfaces...), q.To == Gateway || q.To == Any && g.chance(30)
	if zone := p.Zones[q.To]; len(zone) > 0 {
		out = pick(g, zone...)
	}
	if local {
		out = ""
	}
	return func(netip.Addr, uint32) (string, bool, bool) { return out, local, true }
}

// route is the way that the witness says it takes.
func (w Witness) route(netip.Addr, uint32) (string, bool, bool) { return w.Out, w.Local, true }

// holds reports whether a packet that was explained is one that the query is about.
func (q Query) holds(p *Policy, k Packet, t Trace) bool {
	in := func(name, zone string) bool { return zone == Any || slices.Contains(p.Zones[zone], name) }
	to := q.To == Any || q.To == Gateway && t.Local || !t.Local && in(t.Out, q.To)
	if !in(k.In, q.From) || !to || t.Decided.Kind == ByNeighbour {
		return false
	}
	if t.Translated != nil && t.Translated.DNAT.ID != "" {
		k.Destination, k.Port = t.Translated.Destination, t.Translated.Port
	}
	m := model{Policy: p}
	return m.selects(Selector{Listed: q.Source}, k.Source) && m.selects(Selector{Listed: q.Destination}, k.Destination) &&
		serves(q.Services, probe{source: k.Source, protocol: k.Protocol, kind: k.Type}, k.Port)
}

// TestReachesAgreesWithExplain holds every answer against packets: a witness must pass, and
// where nothing reaches, no packet of the kind may.
func TestReachesAgreesWithExplain(t *testing.T) {
	reached, not, passed := 0, 0, 0
	for seed := range uint64(bar.GateSize(100, 500, 50_000)) {
		g := newGenerator(3_000_000 + seed)
		p := g.policy()
		for _, zone := range generatedZones { // also those without an interface
			p.Zones[zone] = slices.Clip(p.Zones[zone])
		}
		for range 3 {
			q := g.query()
			w, reaches, err := Reaches(p, q)
			if err != nil {
				t.Fatalf("policy %d: %v", 3_000_000+seed, err)
			}
			if reaches {
				reached++
				holdsUp(t, p, q, w)
			} else {
				not++
			}
			k, got, passes := g.passing(p, q)
			if passes {
				passed++
			}
			if passes && !reaches {
				t.Fatalf("policy %d: nothing reaches %+v, but %+v passes by %+v", 3_000_000+seed, q, k, got.Decided)
			}
		}
	}
	t.Logf("%d kinds reach, %d do not; for %d a packet was found by chance", reached, not, passed)
	if reached == 0 || not == 0 || passed == 0 {
		t.Error("this shows nothing")
	}
}

// passing looks for a packet of a kind that passes, by chance.
func (g generator) passing(p *Policy, q Query) (Packet, Trace, bool) {
	for range 100 {
		k := g.packetOf(q, p)
		if t := Explain(p, k, g.route(q, p)); t.Verdict == Accept && q.holds(p, k, t) {
			return k, t, true
		}
	}
	return Packet{}, Trace{}, false
}
