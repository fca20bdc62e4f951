package packetfilter

import (
	"cmp"
	"iter"
	"net/netip"
	"slices"
)

// What can decide over a packet, besides a rule.
const (
	ByRule       = "rule"
	ByNAT        = "nat"
	ByOpening    = "opening"
	ByLockout    = "lockout"
	ByPeer       = "peer"
	ByTunnel     = "tunnel"
	ByLoopback   = "loopback"
	ByNeighbour  = "neighbour"
	ByTranslated = "translated" // a DNAT rule, whose id it has, and no rule said otherwise
	ByInvalid    = "invalid"    // it begins nothing
	ByRoute      = "route"      // there is none
	ByDefault    = "default"
)

// Decider is what decided over a packet.
type Decider struct {
	Kind string `json:"kind" doc:"What decided: a rule, a NAT rule or a built-in step"`
	ID   string `json:"id,omitempty" doc:"Id of the rule or NAT rule; absent for built-in steps"` // of the rule or NAT rule
	Name string `json:"name,omitempty" doc:"Name of the rule, or of the tunnel's interface"`      // of the rule, or of the tunnel's interface
	Why  string `json:"why,omitempty" doc:"Reason for a built-in opening, in words"`              // of an opening, in the operator's words
}

// question is one thing that a packet is asked on its way: whether it matches, and then the
// action is what happens to it.
type question struct {
	by     Decider
	action Action
	match  match
	rule   *Rule // that it is, if it is one
}

// side is an interface and the zones that it is in.
type side struct {
	name  string
	zones []string
}

func (p *Policy) side(name string) side {
	s := side{name: name}
	for zone, interfaces := range p.Zones {
		if slices.Contains(interfaces, name) {
			s.zones = append(s.zones, zone)
		}
	}
	return s
}

func (s side) in(zone string) bool { return zone == Any || slices.Contains(s.zones, zone) }

// begins is the question whether the packet begins something. Every other packet belongs to
// a connection, and passes.
func begins() question {
	return question{by: Decider{Kind: ByInvalid}, action: Drop, match: match{flows: invalid}}
}

// input are the questions to a packet for the gateway itself, in README.md's order.
func (p *Policy) input(in side) iter.Seq[question] {
	before, after := p.around(in, true)
	return concat(before, p.operator(in, nil), after)
}

// forward are the questions to a packet that passes through, in README.md's order;
// dnat is the rule that took it before, if any.
func (p *Policy) forward(in, out side, dnat *NAT) iter.Seq[question] {
	before, after := p.around(in, false)
	if dnat != nil && !dnat.NeedsRule {
		translated := question{by: Decider{Kind: ByTranslated, ID: dnat.ID, Name: dnat.Name}, action: Accept}
		after = concat(after, slices.Values([]question{translated}))
	}
	return concat(before, p.operator(in, &out), after)
}

// around are the questions before the operator's rules and after them.
func (p *Policy) around(in side, gateway bool) (before, after iter.Seq[question]) {
	if gateway {
		return p.always(in), p.openings(in)
	}
	return slices.Values([]question{begins()}), p.tunnels(in)
}

// concat are several lists, one after the other.
func concat(lists ...iter.Seq[question]) iter.Seq[question] {
	return func(yield func(question) bool) {
		for _, list := range lists {
			for q := range list {
				if !yield(q) {
					return
				}
			}
		}
	}
}

// tunnels let everything pass that comes in on them.
func (p *Policy) tunnels(in side) iter.Seq[question] {
	return func(yield func(question) bool) {
		for _, t := range p.Tunnels {
			if t.Interface == in.name && !yield(question{by: Decider{Kind: ByTunnel, Name: t.Interface}, action: Accept}) {
				return
			}
		}
	}
}

// operator are the rules between two sides; to is nil for the gateway itself.
func (p *Policy) operator(from side, to *side) iter.Seq[question] {
	return func(yield func(question) bool) {
		var rules []*Rule
		for i := range p.Rules {
			r := &p.Rules[i]
			if from.in(r.From) && (r.To == Any || to != nil && to.in(r.To)) {
				rules = append(rules, r)
			}
		}
		inOrder(rules, func(r *Rule) (int, string) { return r.Priority, r.ID })
		for _, r := range rules {
			if !yield(p.ruleQuestion(r)) {
				return
			}
		}
	}
}

// inOrder sorts by priority, then by id. Most lists come sorted, which is told in one pass.
func inOrder[T any](list []T, key func(T) (int, string)) {
	compare := func(a, b T) int {
		pa, ia := key(a)
		pb, ib := key(b)
		return cmp.Or(cmp.Compare(pa, pb), cmp.Compare(ia, ib))
	}
	if !slices.IsSortedFunc(list, compare) {
		slices.SortFunc(list, compare)
	}
}

func (p *Policy) ruleQuestion(r *Rule) question {
	return question{r.decider(), r.Action, match{source: p.addresses(&r.Source), destination: p.addresses(&r.Destination), services: r.Services}, r}
}

func (r *Rule) decider() Decider { return Decider{Kind: ByRule, ID: r.ID, Name: r.Name} }

// leftOut says why a question is not in the kernel, if so.
func (p *Policy) leftOut(q question) string {
	if q.rule == nil {
		return ""
	}
	problem := (&compiler{policy: p}).problemOf(q.rule)
	for _, s := range q.rule.Services {
		problem = cmp.Or(problem, problemOfService(s))
	}
	return problem
}

// addresses are what a selector takes, nil for all.
func (p *Policy) addresses(s *Selector) *Addresses {
	switch {
	case s.Set != "":
		return p.Sets[s.Set]
	case s.Any():
		return nil
	}
	return &s.Listed
}

// always are what comes before the operator's rules on the way to the gateway.
func (p *Policy) always(in side) iter.Seq[question] {
	return slices.Values(slices.Concat([]question{begins()}, own(in), p.peers(), p.lockout(in)))
}

// linkLocal6 are the addresses that hold on one link alone.
var linkLocal6 = netip.MustParsePrefix("fe80::/10")

// own are what a host needs to be one.
func own(in side) []question {
	if in.name == "lo" {
		return []question{{by: Decider{Kind: ByLoopback}, action: Accept}}
	}
	by := Decider{Kind: ByNeighbour}
	return []question{
		{by: by, action: Accept, match: match{services: neighbourServices()}},
		{by: by, action: Accept, match: match{source: networks(linkLocal6), services: []Service{{Protocol: UDP, From: 546, To: 546}}}},
	}
}

// neighbourServices are neighbour discovery and router advertisements.
func neighbourServices() []Service {
	var list []Service
	for _, t := range []int{130, 133, 134, 135, 136} {
		list = append(list, Service{Protocol: ICMPv6, Type: t})
	}
	return list
}

func (p *Policy) peers() []question {
	var hosts []Range
	for _, a := range p.Peers {
		hosts = append(hosts, Range{From: a, To: a})
	}
	from := Merge(hosts)
	return []question{{by: Decider{Kind: ByPeer}, action: Accept, match: match{source: &from, services: ports(TCP, 8443, 5432, 6379)}}}
}

func (p *Policy) lockout(in side) []question {
	l := p.Lockout
	if len(l.Zones) > 0 && !slices.ContainsFunc(l.Zones, in.in) {
		return nil
	}
	q := question{by: Decider{Kind: ByLockout}, action: Accept}
	if len(l.Networks) > 0 {
		q.match.source = networks(l.Networks...)
	}
	q.match.services = append(ports(TCP, 22, 443), ports(UDP, 443)...)
	if l.Management != 0 {
		q.match.services = append(q.match.services, ports(TCP, l.Management)...)
	}
	return []question{q}
}

func (p *Policy) openings(in side) iter.Seq[question] {
	return func(yield func(question) bool) {
		for _, o := range p.Openings {
			good := hasPorts(o.Protocol) == (o.Port != 0)
			if !good || o.Interface != "" && o.Interface != in.name {
				continue
			}
			if !yield(question{by: Decider{Kind: ByOpening, Why: o.Why}, action: Accept, match: match{services: ports(o.Protocol, o.Port)}}) {
				return
			}
		}
	}
}

func ports(protocol Protocol, list ...uint16) []Service {
	var services []Service
	for _, port := range list {
		services = append(services, Service{Protocol: protocol, From: port, To: port, Type: -1})
	}
	return services
}

func networks(prefixes ...netip.Prefix) *Addresses {
	var list []Range
	for _, p := range prefixes {
		if p.IsValid() {
			list = append(list, RangeOf(p))
		}
	}
	a := Merge(list)
	return &a
}
