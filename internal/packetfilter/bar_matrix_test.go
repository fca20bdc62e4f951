package packetfilter

import (
	"fmt"
	"maps"
	"net/netip"
	"runtime"
	"slices"
	"sync"
	"testing"

	"gateway/tools/bar"
)

// TestBarPeople04ZoneMatrix holds every cell of the zone matrix against all packets that a
// random policy can tell apart, each judged by the model, which shares nothing with the matrix.
func TestBarPeople04ZoneMatrix(t *testing.T) {
	bar.NotShort(t)
	policies := bar.GateSize(100, 200, 5000)
	var sum matrixCheck
	var mu sync.Mutex
	var workers sync.WaitGroup
	seeds := make(chan uint64)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for seed := range seeds {
				found := checkMatrix(seed)
				mu.Lock()
				sum.add(found)
				mu.Unlock()
			}
		})
	}
	for seed := range uint64(policies) {
		seeds <- 5_000_000 + seed
	}
	close(seeds)
	workers.Wait()
	for _, w := range sum.wrong[:min(5, len(sum.wrong))] {
		t.Log(w)
	}
	t.Logf("cells: %v", sum.reaches)
	figure := fmt.Sprintf("%d policies, %d cells against %d packets: %d wrong; control: counting rules says %d cells wrong",
		policies, sum.cells, sum.packets, len(sum.wrong), sum.counted)
	bar.Report(t, "people", 4, figure, "0 wrong; control shows some", len(sum.wrong) == 0 && sum.counted > 0)
	for _, reach := range []Reach{ReachAll, ReachSome, ReachNone} {
		if sum.reaches[reach] == 0 {
			t.Errorf("no cell was %s: this shows nothing about it", reach)
		}
	}
}

// matrixCheck is what came of comparing.
type matrixCheck struct {
	cells, packets, counted int
	wrong                   []string
	reaches                 map[Reach]int
}

func (c *matrixCheck) add(o matrixCheck) {
	c.cells, c.packets, c.counted = c.cells+o.cells, c.packets+o.packets, c.counted+o.counted
	c.wrong = append(c.wrong, o.wrong...)
	if c.reaches == nil {
		c.reaches = map[Reach]int{}
	}
	for reach, n := range o.reaches {
		c.reaches[reach] += n
	}
}

// seenFlows are the flows of the packets that pass between two places, and of those that do not.
type seenFlows struct{ passing, failing map[flow]bool }

func (s seenFlows) reach() Reach {
	switch {
	case len(s.passing) == 0:
		return ReachNone
	case len(s.failing) == 0:
		return ReachAll
	}
	return ReachSome
}

// narrow reports whether a flow passes for some packets only.
func (s seenFlows) narrow() bool {
	for f := range s.passing {
		if s.failing[f] {
			return true
		}
	}
	return false
}

// checkMatrix compares the matrix of one random policy with all kinds of packets.
func checkMatrix(seed uint64) matrixCheck {
	g := newGenerator(seed)
	p := g.smallPolicy()
	truth, packets := exhaust(p)
	out := matrixCheck{packets: packets, reaches: map[Reach]int{}}
	for _, c := range Matrix(p, smallRoutes()) {
		out.cells++
		out.reaches[c.Reach]++
		was := truth[[2]string{c.From, c.To}]
		if d := differs(c, was); d != "" {
			out.wrong = append(out.wrong, fmt.Sprintf("policy %d: %s to %s: %s", seed, c.From, c.To, d))
		}
		if countedReach(p, c.From, c.To) != was.reach() {
			out.counted++
		}
	}
	return out
}

// differs says what of a cell the packets contradict.
func differs(c Cell, was seenFlows) string {
	if c.Reach != was.reach() {
		return fmt.Sprintf("is %s, packets show %s", c.Reach, was.reach())
	}
	if c.Narrow != was.narrow() {
		return fmt.Sprintf("narrow is %t, packets show %t", c.Narrow, was.narrow())
	}
	for f := range was.passing {
		if !holds(c.passing, f) {
			return fmt.Sprintf("flow %x passes, and is not among %v", f, c.Services)
		}
	}
	for f := range was.failing {
		if !was.passing[f] && holds(c.passing, f) {
			return fmt.Sprintf("flow %x does not pass, and is among %v", f, c.Services)
		}
	}
	return ""
}

// countedReach is what the matrix said before: how many rules there are between two zones, and
// how many of them are about all of it.
func countedReach(p *Policy, from, to string) Reach {
	accept, deny, whole := 0, 0, 0
	for _, r := range p.Rules {
		if r.From != from && r.From != Any || r.To != to && r.To != Any {
			continue
		}
		if r.Action == Accept {
			accept++
		} else {
			deny++
		}
		if r.Source.Any() && r.Destination.Any() && len(r.Services) == 0 {
			whole++
		}
	}
	switch {
	case accept+deny == 0 || whole > 0 && accept == 0:
		return ReachNone
	case whole > 0 && deny == 0:
		return ReachAll
	}
	return ReachSome
}

// smallInterfaces are those of the house that small policies are about.
var smallInterfaces = houseInterfaces[:3]

// smallPolicy is about so few addresses and services that all kinds of packets can be gone through.
func (g generator) smallPolicy() *Policy {
	full := g.policy()
	p := &Policy{Zones: g.zones(true), Sets: map[string]*Addresses{"5e0": ptr(g.addresses())}, Lockout: full.Lockout, Peers: full.Peers[:min(1, len(full.Peers))]}
	for name, interfaces := range p.Zones {
		p.Zones[name] = slices.DeleteFunc(interfaces, func(i string) bool { return !slices.Contains(smallInterfaces, i) })
		if len(p.Zones[name]) == 0 && name != "void" {
			delete(p.Zones, name)
		}
	}
	pool := []Selector{{}, {}, {Set: "5e0"}, {Listed: Merge([]Range{g.someRange()})}}
	services := [][]Service{nil, g.services(), {g.service()}, {g.service()}}
	for i := range 1 + g.IntN(9) {
		r := g.rule(i, 25, []string{"5e0"})
		r.Source, r.Destination, r.Services = pick(g, pool...), pick(g, pool...), pick(g, services...)
		r.Action = pick(g, Accept, Accept, Drop)
		p.Rules = append(p.Rules, r)
	}
	for i := range g.IntN(3) {
		p.NAT = append(p.NAT, g.nat(i))
	}
	p.Openings, p.Tunnels = full.Openings[:min(1, len(full.Openings))], full.Tunnels
	return p
}

// smallRoute is houseRoute with what every gateway has to itself.
func smallRoute(to netip.Addr, _ uint32) (out string, local bool) {
	if to.IsMulticast() || to == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
		return "", true
	}
	return houseRoute(to, 0)
}

// smallRoutes are the same as a routing table.
func smallRoutes() Routes {
	list := Routes{{Network: prefix("0.0.0.0/0"), Out: "if0"}, {Network: prefix("::/0"), Out: "if0"}, {Network: netip.PrefixFrom(linkLocal, 128), Local: true}}
	for i, name := range houseInterfaces {
		for bits, v4 := range map[int]bool{24: true, 64: false} {
			own := ownAddress(name, v4)
			list = append(list, Hop{Network: netip.PrefixFrom(own, own.BitLen()), Local: true}, Hop{Network: netip.PrefixFrom(houseAddress(i, 0, v4), bits), Out: name})
		}
	}
	return list
}

// exhaust judges one packet of each kind that the policy can tell apart, and answers what passes
// and what does not between any two places.
func exhaust(p *Policy) (truth map[[2]string]seenFlows, packets int) {
	truth = map[[2]string]seenFlows{}
	m := model{p, smallRoute}
	for _, v4 := range []bool{true, false} {
		sources, targets, flows := sourcePoints(p, v4), targetPoints(p, v4), flowPoints(p, v4)
		for _, in := range smallInterfaces {
			for _, source := range sources {
				for _, target := range targets {
					for _, k := range flows {
						k.in, k.source, k.target = in, source, target
						packets++
						note(truth, m, k)
					}
				}
			}
		}
	}
	return truth, packets
}

// note judges a packet and counts it where it belongs, unless it is none that anybody means.
func note(truth map[[2]string]seenFlows, m model, k probe) {
	o := m.judge(k)
	if o.by == "invalid" || o.by == "neighbour" || o.by == "not forwarded by any host" {
		return
	}
	arrived := Packet{Protocol: k.protocol, Port: o.port, Type: k.kind}
	for from := range m.Zones {
		if !m.inZone(k.in, from) {
			continue
		}
		for to := range m.Zones {
			if !o.local && m.inZone(o.out, to) {
				seenBetween(truth, from, to).put(arrived.flow(), o.verdict == Accept)
			}
		}
		if o.local {
			seenBetween(truth, from, Gateway).put(arrived.flow(), o.verdict == Accept)
		}
	}
}

func seenBetween(truth map[[2]string]seenFlows, from, to string) seenFlows {
	key := [2]string{from, to}
	if truth[key].passing == nil {
		truth[key] = seenFlows{map[flow]bool{}, map[flow]bool{}}
	}
	return truth[key]
}

func (s seenFlows) put(f flow, passes bool) {
	if passes {
		s.passing[f] = true
	} else {
		s.failing[f] = true
	}
}

// points are where something begins: the first address of each range, and the one after it.
type points map[netip.Addr]bool

func (p points) add(v4 bool, ranges ...Range) {
	for _, r := range ranges {
		if r.From.Is4() != v4 {
			continue
		}
		p[r.From] = true
		if next := r.To.Next(); next.IsValid() {
			p[next] = true
		}
	}
}

func (p points) prefixes(v4 bool, list ...netip.Prefix) {
	for _, n := range list {
		if n.IsValid() {
			p.add(v4, RangeOf(n))
		}
	}
}

func (p points) selector(v4 bool, policy *Policy, s Selector) {
	p.add(v4, s.Listed.Of(v4)...)
	if set := policy.Sets[s.Set]; set != nil {
		p.add(v4, set.Of(v4)...)
	}
}

func (p points) sorted() []netip.Addr {
	return slices.SortedFunc(maps.Keys(p), netip.Addr.Compare)
}

func sourcePoints(p *Policy, v4 bool) []netip.Addr {
	at := points{everywhere(v4)[0].From: true}
	at.prefixes(v4, prefix("fe80::/10"))
	at.prefixes(v4, p.Lockout.Networks...)
	for _, peer := range p.Peers {
		at.add(v4, Range{From: peer, To: peer})
	}
	for _, r := range p.Rules {
		at.selector(v4, p, r.Source)
	}
	for _, n := range p.NAT {
		at.prefixes(v4, n.Source)
	}
	return at.sorted()
}

func targetPoints(p *Policy, v4 bool) []netip.Addr {
	at := points{everywhere(v4)[0].From: true}
	for _, hop := range slices.Concat(ownHops(), smallRoutes()) {
		at.prefixes(v4, hop.Network)
	}
	for _, r := range p.Rules {
		at.selector(v4, p, r.Destination)
	}
	for _, n := range p.NAT {
		at.prefixes(v4, n.Destination)
	}
	// Networks that no interface of a zone leads to say nothing.
	zoned := slices.Concat(slices.Collect(maps.Values(p.Zones))...)
	return slices.DeleteFunc(at.sorted(), func(a netip.Addr) bool {
		out, local := smallRoute(a, 0)
		return !local && !slices.Contains(zoned, out) && !slices.ContainsFunc(p.NAT, func(n NAT) bool { return n.Kind == DNAT })
	})
}

// flowPoints are one packet of each flow that something tells apart.
func flowPoints(p *Policy, v4 bool) []probe {
	list := []probe{{protocol: GRE}, {protocol: ESP}, {protocol: AH}, {protocol: 200}}
	kinds, protocol := []int{0, 3, 8, 13, 15, 17}, ICMP
	if !v4 {
		kinds, protocol = []int{1, 128, 129, 130, 131, 135, 139, 143}, ICMPv6
	}
	for _, kind := range kinds {
		list = append(list, probe{protocol: protocol, kind: kind})
	}
	for _, transport := range []Protocol{TCP, UDP, SCTP} {
		for _, port := range portPoints(p, transport) {
			list = append(list, probe{protocol: transport, port: port})
		}
	}
	return list
}

// portPoints are where something begins among the ports of a protocol.
func portPoints(p *Policy, of Protocol) []uint16 {
	at := map[uint16]bool{0: true}
	add := func(protocol Protocol, from, to uint16) {
		if protocol == of && (from != 0 || to != 0) {
			at[from], at[to+1] = true, true
		}
	}
	for _, port := range []uint16{22, 443, p.Lockout.Management, 8443, 5432, 6379} {
		add(TCP, port, port)
	}
	add(UDP, 443, 443)
	add(UDP, 546, 546)
	for _, o := range p.Openings {
		add(o.Protocol, o.Port, o.Port)
	}
	for _, r := range p.Rules {
		for _, s := range r.Services {
			add(s.Protocol, s.From, s.To)
		}
	}
	for _, n := range p.NAT {
		add(n.Protocol, n.Port, n.PortEnd)
		add(n.Protocol, n.ToPort, n.ToEnd)
		add(n.Protocol, n.ToPort, n.ToPort)
	}
	// Where a rule about the port that something arrives at begins, as it was sent.
	for _, n := range p.NAT {
		if n.Kind != DNAT || n.Protocol != of || n.ToPort == 0 || n.Port == 0 {
			continue
		}
		for _, port := range slices.Collect(maps.Keys(at)) {
			at[port-n.ToPort+n.Port] = true
		}
	}
	return slices.Sorted(maps.Keys(at))
}
