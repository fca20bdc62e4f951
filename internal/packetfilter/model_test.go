package packetfilter

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
)

// This file is README.md once more, in the plainest way: no ranges that are merged, no
// chains, no order but that of the loops. It shares nothing with the compiler and the
// explanation but the types of a Policy, so that agreeing with it means something.

// probe is the first packet of a connection.
type probe struct {
	in               string
	source, target   netip.Addr
	protocol         Protocol
	sourcePort, port uint16
	kind             int // of an ICMP message
}

// outcome is what becomes of a probe.
type outcome struct {
	verdict        Action
	local          bool
	out            string // of a forwarded one
	source, target netip.Addr
	sourcePorts    [2]uint16 // it leaves with one of these
	port           uint16
	counters       []string // that rise, sorted
	by             string   // what decided, in README.md's words
	group          string   // the name of the group of uplinks that a rule chose
}

func (k probe) String() string {
	return fmt.Sprintf("from %s: %s to %s, protocol %d, ports %d to %d, message %d", k.in, k.source, k.target, k.protocol, k.sourcePort, k.port, k.kind)
}

func (o outcome) String() string {
	return fmt.Sprintf("%s by %s, local %t, out %q, group %q: %s to %s, ports %d to %d, counters %q", o.verdict, o.by, o.local, o.out, o.group, o.source, o.target, o.sourcePorts, o.port, o.counters)
}

// model answers for one policy; route says where an address is.
type model struct {
	*Policy
	route func(to netip.Addr, mark uint32) (out string, local bool)
}

func (m model) judge(k probe) outcome {
	o := outcome{verdict: Drop, source: k.source, target: k.target, port: k.port, sourcePorts: [2]uint16{k.sourcePort, k.sourcePort}}
	state := tracking(k)
	if state == "invalid" {
		o.by = "invalid"
		return o
	}
	translated := state == "new" && m.translateTarget(k, &o)
	o.out, o.local = m.route(o.target, 0)
	if state == "new" && !o.local {
		m.choose(k, &o)
	}
	switch {
	case o.local:
		o.out = ""
		m.input(k, &o)
	case k.source.IsLinkLocalUnicast() && o.out != k.in:
		o.by = "not forwarded by any host"
	default:
		m.forward(k, &o, translated)
		if o.verdict == Accept && state == "new" {
			m.translateSource(k, &o)
		}
	}
	slices.Sort(o.counters)
	return o
}

// tracking is what connection tracking makes of a first packet. Messages that answer
// something are invalid without it, as are those in the other family, and those of IPv6's
// own business are not tracked.
func tracking(k probe) string {
	switch {
	case k.protocol == ICMP && (k.source.Is6() || !slices.Contains([]int{8, 13, 15, 17}, k.kind)):
		return "invalid"
	case k.protocol == ICMPv6 && k.source.Is6() && slices.Contains([]int{130, 131, 132, 133, 134, 135, 136, 143}, k.kind):
		return "untracked"
	case k.protocol == ICMPv6 && (k.source.Is4() || k.kind != 128 && k.kind != 139):
		return "invalid"
	}
	return "new"
}

func (m model) input(k probe, o *outcome) {
	v6 := k.source.Is6()
	tcp := func(ports ...uint16) bool { return k.protocol == TCP && slices.Contains(ports, o.port) }
	switch {
	case k.in == "lo":
		o.by = "loopback"
	case v6 && k.protocol == ICMPv6 && slices.Contains([]int{130, 133, 134, 135, 136}, k.kind):
		o.by = "neighbour"
	case v6 && k.protocol == UDP && o.port == 546 && netip.MustParsePrefix("fe80::/10").Contains(k.source):
		o.by = "neighbour"
	case tcp(8443, 5432, 6379) && slices.Contains(m.Peers, k.source):
		o.by = "peer"
	case (tcp(22, 443) || tcp(m.Lockout.Management) && m.Lockout.Management != 0 || k.protocol == UDP && o.port == 443) && m.managed(k):
		o.by = "lockout"
	}
	if o.by != "" {
		o.verdict = Accept
		return
	}
	if m.rules(k, o) {
		return
	}
	for _, open := range m.Openings {
		if k.protocol == open.Protocol && o.port == open.Port && (open.Interface == "" || open.Interface == k.in) {
			o.verdict, o.by = Accept, "opening"
			return
		}
	}
	o.by = "default"
	o.counters = append(o.counters, "drop_input")
}

// managed is whether the setting lets the probe's sender manage the gateway.
func (m model) managed(k probe) bool {
	zone, network := len(m.Lockout.Zones) == 0, len(m.Lockout.Networks) == 0
	for _, name := range m.Lockout.Zones {
		zone = zone || m.inZone(k.in, name)
	}
	for _, n := range m.Lockout.Networks {
		network = network || n.Contains(k.source)
	}
	return zone && network
}

func (m model) forward(k probe, o *outcome, translated bool) {
	if m.rules(k, o) {
		return
	}
	o.verdict = Accept
	for _, t := range m.Tunnels {
		if t.Interface == k.in {
			o.by = "tunnel"
			return
		}
	}
	if translated {
		o.by = "translated"
		return
	}
	o.verdict, o.by = Drop, "default"
	o.counters = append(o.counters, "drop_forward")
}

// choose lets the rule that takes the probe, where the routes send it, choose its uplinks.
func (m model) choose(k probe, o *outcome) {
	r := m.first(k, o)
	if r != nil && r.Action == Accept && r.Uplinks.Mark != 0 && r.Uplinks.V4 == k.source.Is4() {
		o.group = r.Uplinks.Name
		o.out, _ = m.route(o.target, r.Uplinks.Mark)
	}
}

// rules asks the operator's rules.
func (m model) rules(k probe, o *outcome) (decided bool) {
	best := m.first(k, o)
	if best == nil {
		return false
	}
	o.verdict, o.by = best.Action, "rule "+best.ID
	o.counters = append(o.counters, "r_"+best.ID)
	return true
}

// first is the operator's rule that takes the probe.
func (m model) first(k probe, o *outcome) (best *Rule) {
	for i := range m.Rules {
		r := &m.Rules[i]
		to := r.To == Any || !o.local && m.inZone(o.out, r.To)
		if !to || !m.inZone(k.in, r.From) || !m.takes(r, k, o) {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(r.Priority, best.Priority), cmp.Compare(r.ID, best.ID)) < 0 {
			best = r
		}
	}
	return best
}

func (m model) inZone(name, zone string) bool {
	return zone == Any || slices.Contains(m.Zones[zone], name)
}

func (m model) takes(r *Rule, k probe, o *outcome) bool {
	return r.Broken == "" && m.selects(r.Source, k.source) && m.selects(r.Destination, o.target) && serves(r.Services, k, o.port)
}

func (m model) selects(s Selector, a netip.Addr) bool {
	if s.Broken != "" {
		return false
	}
	list := append(slices.Clone(s.Listed.V4), s.Listed.V6...)
	if s.Set != "" {
		set := m.Sets[s.Set]
		if set == nil {
			return false
		}
		list = append(slices.Clone(set.V4), set.V6...)
	} else if len(list) == 0 {
		return true
	}
	for _, r := range list {
		if r.From.Is4() == a.Is4() && r.From.Compare(a) <= 0 && r.To.Compare(a) >= 0 {
			return true
		}
	}
	return false
}

func serves(list []Service, k probe, port uint16) bool {
	for _, s := range list {
		switch {
		case s.Protocol != k.protocol:
		case s.Protocol == ICMP || s.Protocol == ICMPv6:
			if k.source.Is4() == (s.Protocol == ICMP) && (s.Type == -1 || s.Type == k.kind) {
				return true
			}
		case s.From == 0 && s.To == 0, s.From <= port && port <= s.To:
			return true
		}
	}
	return len(list) == 0
}

// translation is the first NAT rule of the kinds that takes the probe.
func (m model) translation(k probe, o *outcome, kinds ...Kind) *NAT {
	var best *NAT
	for i := range m.NAT {
		n := &m.NAT[i]
		zone, at := n.Out, o.out
		if n.Kind == DNAT {
			zone, at = n.In, k.in
		}
		switch {
		case !slices.Contains(kinds, n.Kind) || n.Broken != "" || m.mixed(n):
		case zone != "" && !m.inZone(at, zone):
		case n.Kind != Masquerade && n.Target.Is4() != k.source.Is4():
		case n.Source.IsValid() && !n.Source.Contains(k.source):
		case n.Destination.IsValid() && !n.Destination.Contains(o.target):
		case n.Protocol != 0 && n.Protocol != k.protocol:
		case n.Port != 0 && (o.port < n.Port || o.port > n.PortEnd):
		case best == nil || cmp.Or(cmp.Compare(n.Priority, best.Priority), cmp.Compare(n.ID, best.ID)) < 0:
			best = n
		}
	}
	if best != nil {
		o.counters = append(o.counters, "n_"+best.ID)
	}
	return best
}

func (m model) mixed(n *NAT) bool {
	target := n.Kind != Masquerade
	return n.Source.IsValid() && n.Destination.IsValid() && n.Source.Addr().Is4() != n.Destination.Addr().Is4() ||
		target && n.Source.IsValid() && n.Source.Addr().Is4() != n.Target.Is4() ||
		target && n.Destination.IsValid() && n.Destination.Addr().Is4() != n.Target.Is4()
}

func (m model) translateTarget(k probe, o *outcome) bool {
	n := m.translation(k, o, DNAT)
	if n == nil {
		return false
	}
	o.target = n.Target
	switch {
	case n.ToPort == 0:
	case n.Port != 0 && n.ToEnd-n.ToPort == n.PortEnd-n.Port:
		o.port = n.ToPort + (o.port - n.Port)
	case o.port < n.ToPort || o.port > n.ToEnd:
		o.port = n.ToPort
	}
	return !n.NeedsRule
}

func (m model) translateSource(k probe, o *outcome) {
	n := m.translation(k, o, SNAT, Masquerade)
	switch {
	case n == nil:
		for _, t := range m.Tunnels {
			if t.Interface == o.out && t.Subnet.Contains(k.source) {
				o.source = ownAddress(o.out, k.source.Is4())
			}
		}
		return
	case n.Kind == SNAT:
		o.source = n.Target
	default:
		o.source = ownAddress(o.out, k.source.Is4())
	}
	if n.ToPort != 0 && (k.sourcePort < n.ToPort || k.sourcePort > n.ToEnd) {
		o.sourcePorts = [2]uint16{n.ToPort, n.ToEnd}
	}
}
