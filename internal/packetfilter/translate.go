package packetfilter

// translation is a NAT rule, what it takes, and why it is not in the kernel, if so.
type translation struct {
	rule    *NAT
	match   match
	leftOut string
}

// destinations are the DNAT rules for what comes in on a side, in order.
func (p *Policy) destinations(in side) []translation {
	// What the gateway sends to itself was tracked when it was sent: DNAT comes too late.
	if in.name == "lo" {
		return nil
	}
	return p.translations(func(n *NAT) bool { return n.Kind == DNAT && (n.In == "" || in.in(n.In)) })
}

// sources are the SNAT and masquerade rules for what leaves through a side, in order.
func (p *Policy) sources(out side) []translation {
	return p.translations(func(n *NAT) bool { return n.Kind != DNAT && (n.Out == "" || out.in(n.Out)) })
}

func (p *Policy) translations(about func(*NAT) bool) []translation {
	var rules []*NAT
	for i := range p.NAT {
		if about(&p.NAT[i]) {
			rules = append(rules, &p.NAT[i])
		}
	}
	inOrder(rules, func(n *NAT) (int, string) { return n.Priority, n.ID })
	list := make([]translation, len(rules))
	for i, n := range rules {
		list[i] = translation{n, n.asked(), problemOfNAT(n)}
	}
	return list
}

// asked is what a NAT rule takes.
func (n *NAT) asked() match {
	var m match
	if n.Source.IsValid() {
		m.source = networks(n.Source)
	}
	if n.Destination.IsValid() {
		m.destination = networks(n.Destination)
	}
	// One without addresses takes the family of what it translates to.
	if f := n.family(); f != nil && m.source == nil {
		all := Merge(everywhere(f.v4))
		m.source = &all
	}
	if n.Protocol != 0 {
		m.services = []Service{{Protocol: n.Protocol, From: n.Port, To: n.PortEnd}}
	}
	return m
}

// targets are the flows that a DNAT rule sends others to, none if it leaves them alone.
func (n *NAT) targets() []Span[flow] {
	if n.ToPort == 0 && n.ToEnd == 0 {
		return nil
	}
	return flowsOf([]Service{{Protocol: n.Protocol, From: n.ToPort, To: n.ToEnd}}, true)
}

// distance is how far a DNAT rule moves ports, if it moves them to as many others.
func (n *NAT) distance() (by flow, moves bool) {
	if n.Port == n.PortEnd || n.PortEnd-n.Port != n.ToEnd-n.ToPort {
		return 0, false
	}
	return flow(n.ToPort) - flow(n.Port), true
}

// sent is what a flow that the rule takes becomes.
func (n *NAT) sent(f flow) flow {
	to := n.targets()
	if by, moves := n.distance(); moves && len(to) > 0 {
		return f + by
	}
	if len(to) == 0 || holds(to, f) {
		return f
	}
	return to[0].From
}

// before are the flows that become one of the given ones, among those that the rule takes.
func (n *NAT) before(flows []Span[flow]) []Span[flow] {
	to := n.targets()
	if len(to) == 0 {
		return flows
	}
	kept := common(flows, to)
	if by, moves := n.distance(); moves {
		back := make([]Span[flow], len(kept))
		for i, s := range kept {
			back[i] = Span[flow]{s.From - by, s.To - by}
		}
		return back
	}
	if !holds(kept, to[0].From) {
		return kept
	}
	// Everything outside of the targets becomes their first.
	return without(everyFlows, without(to, kept))
}
