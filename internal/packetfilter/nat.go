package packetfilter

import "net/netip"

// natText is a NAT rule that can be written.
type natText struct {
	*NAT
	match, action string
	reached       bool
}

// readNAT is the NAT rules that can be written, in the order in which they are asked.
func (c *compiler) readNAT() []*natText {
	sorted := make([]*NAT, len(c.policy.NAT))
	for i := range c.policy.NAT {
		sorted[i] = &c.policy.NAT[i]
	}
	inOrder(sorted, func(n *NAT) (int, string) { return n.Priority, n.ID })
	texts := make([]*natText, 0, len(sorted))
	for _, n := range sorted {
		if problem := problemOfNAT(n); problem != "" {
			c.skip(n.ID, "NAT rule "+n.Name, problem)
			continue
		}
		texts = append(texts, c.natText(n))
	}
	return texts
}

func problemOfNAT(n *NAT) string {
	hasTarget := n.Kind == DNAT || n.Kind == SNAT
	switch {
	case !isID(n.ID):
		return "it has no usable id"
	case n.Broken != "":
		return n.Broken
	case !hasTarget && n.Kind != Masquerade:
		return "it has no kind"
	case hasTarget && !isPlain(n.Target):
		return "it has no target address"
	case n.Protocol != 0 && n.Protocol != TCP && n.Protocol != UDP:
		return "its protocol is neither TCP nor UDP"
	case n.Protocol == 0 && (n.Port != 0 || n.PortEnd != 0 || n.ToPort != 0 || n.ToEnd != 0):
		return "it has a port, and no protocol"
	case n.PortEnd < n.Port || n.ToEnd < n.ToPort:
		return "it ends at a lower port than it begins"
	case !n.oneFamily():
		return "it mixes IPv4 and IPv6"
	}
	return ""
}

// oneFamily is whether all addresses of the rule are of one family.
func (n *NAT) oneFamily() bool {
	var has4, has6 bool
	note := func(a netip.Addr) {
		has4 = has4 || a.Is4()
		has6 = has6 || a.Is6()
	}
	if n.Kind != Masquerade {
		note(n.Target)
	}
	note(n.Source.Addr())
	note(n.Destination.Addr())
	return !has4 || !has6
}

// family is that of the rule's addresses, or nil when it has none.
func (n *NAT) family() *family {
	for _, a := range []netip.Addr{n.Source.Addr(), n.Destination.Addr(), n.Target} {
		switch {
		case n.Kind == Masquerade && a == n.Target:
		case a.Is4():
			return &families[0]
		case a.Is6():
			return &families[1]
		}
	}
	return nil
}

func (c *compiler) natText(n *NAT) *natText {
	side, where := n.Out, c.zones[n.Out].out
	if n.Kind == DNAT {
		side, where = n.In, c.zones[n.In].in
	}
	f := n.family()
	return &natText{
		NAT:     n,
		match:   where + natMatch(n, f),
		action:  natAction(n, f),
		reached: side == "" || side == Any || where != "",
	}
}

func natMatch(n *NAT, f *family) string {
	var b []byte
	if n.Source.IsValid() {
		b = append(appendRange(append(append(b, f.name...), " saddr "...), RangeOf(n.Source)), ' ')
	}
	if n.Destination.IsValid() {
		b = append(appendRange(append(append(b, f.name...), " daddr "...), RangeOf(n.Destination)), ' ')
	}
	if len(b) == 0 && f != nil {
		b = append(append(append(b, "meta nfproto "...), f.proto...), ' ')
	}
	switch {
	case n.Protocol == 0:
	case n.Port == 0 && n.PortEnd == 0:
		b = append(b, matchProtocols([]Protocol{n.Protocol})...)
	default:
		b = append(b, matchPorts([]portRange{{n.Protocol, n.Port, n.PortEnd}})...)
	}
	return string(b)
}

func natAction(n *NAT, f *family) string {
	switch n.Kind {
	case DNAT:
		mark := "ct mark set ct mark or " + translated + " "
		if n.NeedsRule {
			mark = ""
		}
		return mark + "dnat " + f.name + " to " + dnatTarget(n)
	case SNAT:
		return "snat " + f.name + " to " + string(appendTarget(nil, n, true))
	default:
		if n.ToPort == 0 && n.ToEnd == 0 {
			return "masquerade"
		}
		return "masquerade to " + string(appendTarget(nil, n, true))
	}
}

// dnatTarget moves a range of ports to another of the same length by a map, because nft's
// own range would send all of them to the first port.
func dnatTarget(n *NAT) string {
	length := n.PortEnd - n.Port
	switch {
	case n.ToPort == n.Port && n.ToEnd == n.PortEnd:
		return string(appendTarget(nil, n, false))
	case length == 0 || length != n.ToEnd-n.ToPort:
		return string(appendTarget(nil, n, true))
	}
	b := append([]byte(protocolName(n.Protocol)), " dport map { "...)
	for i := range int(length) + 1 {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(appendNumber(b, int(n.Port)+i), " : "...)
		b = append(n.Target.AppendTo(b), " . "...)
		b = appendNumber(b, int(n.ToPort)+i)
	}
	return string(append(b, " }"...))
}

// appendTarget writes the address and the ports that the rule gives.
func appendTarget(b []byte, n *NAT, withPorts bool) []byte {
	withPorts = withPorts && (n.ToPort != 0 || n.ToEnd != 0)
	switch {
	case n.Kind == Masquerade:
	case withPorts && n.Target.Is6():
		b = append(n.Target.AppendTo(append(b, '[')), ']')
	default:
		b = n.Target.AppendTo(b)
	}
	if withPorts {
		b = appendPorts(append(b, ':'), n.ToPort, n.ToEnd)
	}
	return b
}

// writeNAT fills the base chains of translation, and after the operator's rules masquerades
// what leaves through a tunnel.
func (c *compiler) writeNAT(nat []*natText) {
	for _, n := range nat {
		chain := "postrouting"
		switch {
		case !n.reached:
			chain = "unreached"
		case n.Kind == DNAT:
			chain = "prerouting"
		}
		c.rule(chain, n.match, "counter name n_", n.ID, " ", n.action, ` comment "gid:`, n.ID, `"`)
	}
	for _, t := range c.policy.Tunnels {
		if problem := problemOfTunnel(t); problem != "" {
			c.skip("", "tunnel "+t.Interface, problem)
			continue
		}
		name := families[1].name
		if t.Subnet.Addr().Is4() {
			name = families[0].name
		}
		subnet := string(appendRange(nil, RangeOf(t.Subnet)))
		c.rule("postrouting", `oifname "`, t.Interface, `" `, name, " saddr ", subnet, " masquerade")
	}
}
