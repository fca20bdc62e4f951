package packetfilter

import "net/netip"

// The kinds of findings.
const (
	Redundant    = "redundant"    // an earlier rule does the same to all of its packets
	Contradicted = "contradicted" // an earlier rule does something else to them
)

// Finding is a rule that no packet ever comes to, because one earlier rule takes them all.
type Finding struct {
	Kind string  `json:"kind"`
	Rule Decider `json:"rule"`
	By   Decider `json:"by"`
}

// Covered are the rules that one earlier rule covers. What several cover together is not
// found, and neither is what is left out.
func Covered(p *Policy) []Finding {
	var found []Finding
	seen := map[corner][]*shadow{}
	for i, r := range p.inOrder() {
		s := p.shadow(i, r)
		if s == nil {
			continue
		}
		by := s.coveredBy(seen)
		if by == nil {
			seen[s.corner()] = append(seen[s.corner()], s)
			continue
		}
		// What this one would cover, the other covers too, so it need not be remembered.
		kind := Redundant
		if by.rule.Action != r.Action {
			kind = Contradicted
		}
		found = append(found, Finding{kind, r.decider(), by.rule.decider()})
	}
	return found
}

func (p *Policy) inOrder() []*Rule {
	rules := make([]*Rule, len(p.Rules))
	for i := range p.Rules {
		rules[i] = &p.Rules[i]
	}
	inOrder(rules, func(r *Rule) (int, string) { return r.Priority, r.ID })
	return rules
}

// shadow is a rule and what it takes in each family.
type shadow struct {
	place   int
	rule    *Rule
	regions [2]region
}

// shadow is nil for a rule that takes nothing.
func (p *Policy) shadow(place int, r *Rule) *shadow {
	q := p.ruleQuestion(r)
	s := &shadow{place, r, [2]region{q.match.region(true), q.match.region(false)}}
	if s.regions[0].empty() && s.regions[1].empty() || p.leftOut(q) != "" {
		return nil
	}
	return s
}

func (s *shadow) covers(o *shadow) bool {
	for i := range s.regions {
		if !o.regions[i].empty() && !s.regions[i].covers(o.regions[i]) {
			return false
		}
	}
	return true
}

// corner is where a rule is looked up: its zones, and in each dimension the one point it
// takes there, or nothing if it takes more. A rule that covers another stands in one of the
// other's corners, so two rules about different hosts are never held against each other.
type corner struct {
	from, to            string
	source, destination netip.Addr
	flow                flow
}

func (s *shadow) corner() corner {
	c := corner{from: s.rule.From, to: s.rule.To}
	// A rule of both families takes more than one point.
	if r := s.regions[0]; s.regions[1].empty() {
		c.source, c.destination, c.flow = single(r.source), single(r.destination), single(r.flows)
	}
	if r := s.regions[1]; s.regions[0].empty() {
		c.source, c.destination, c.flow = single(r.source), single(r.destination), single(r.flows)
	}
	return c
}

func single[P point[P]](list []Span[P]) (at P) {
	if len(list) == 1 && list[0].From.Compare(list[0].To) == 0 {
		at = list[0].From
	}
	return at
}

// coveredBy is the first of the earlier rules that takes all that this one takes.
func (s *shadow) coveredBy(seen map[corner][]*shadow) *shadow {
	var first *shadow
	for _, c := range s.corner().wider() {
		for _, other := range seen[c] {
			if first != nil && other.place > first.place {
				break
			}
			if other.covers(s) {
				first = other
				break
			}
		}
	}
	return first
}

// wider are the corners in which rules may stand that cover those of this one.
func (c corner) wider() []corner {
	list := []corner{c}
	list = widen(list, func(c *corner) { c.from = Any })
	list = widen(list, func(c *corner) { c.to = Any })
	list = widen(list, func(c *corner) { c.source = netip.Addr{} })
	list = widen(list, func(c *corner) { c.destination = netip.Addr{} })
	return widen(list, func(c *corner) { c.flow = 0 })
}

// widen adds each corner again with a change, unless it changes nothing.
func widen(list []corner, change func(*corner)) []corner {
	for _, c := range list {
		wide := c
		if change(&wide); wide != c {
			list = append(list, wide)
		}
	}
	return list
}
