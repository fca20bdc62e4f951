package packetfilter

import (
	"encoding/binary"
	"iter"
	"slices"
)

// knownRules are what was found out about rules that come up between many pairs of zones.
type knownRules struct {
	rules map[string]*knownRule   // by id
	flows map[string][]Span[flow] // one list of each content: equal ones are identical
}

// knownRule is a rule as a step of each family.
type knownRule struct{ v4, v6 *located }

// remembered is locate for a rule.
func (s *search) remembered(q question, v4 bool) (located, bool) {
	rule := s.known.rules[q.rule.ID]
	if rule == nil {
		rule = &knownRule{}
		s.known.rules[q.rule.ID] = rule
		if s.policy.leftOut(q) == "" {
			rule.v4, rule.v6 = s.known.step(q, true), s.known.step(q, false)
		}
	}
	step := rule.v6
	if v4 {
		step = rule.v4
	}
	if step == nil {
		return located{}, false
	}
	return *step, true
}

func (k *knownRules) step(q question, v4 bool) *located {
	r := q.match.region(v4)
	if r.empty() {
		return nil
	}
	var key []byte
	for _, s := range r.flows {
		key = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(key, uint32(s.From)), uint32(s.To))
	}
	if same, ok := k.flows[string(key)]; ok {
		r.flows = same
	} else {
		k.flows[string(key)] = r.flows
	}
	return &located{by: &Reason{q.by, q.action}, denies: q.action != Accept, region: r}
}

// class are flows that nothing on a way tells apart, as they are after DNAT.
type class struct {
	*classes
	spans        []Span[flow]
	own          []int // that take it, besides those that take every flow
	translations []int // DNAT rules that may make something else such a flow
}

// classes are all flows on a way.
type classes struct {
	takes []region // what each DNAT rule takes
	leads []bool   // whether it sends packets to what is behind the way
	// steps are those of the way; what a DNAT rule takes does not come there as it was sent, so
	// that is outside and stands before them.
	steps  []located
	always []int // those that take every flow
}

// newClasses divides the flows on a way.
func newClasses(w *way) []*class {
	c := &classes{}
	for _, t := range w.rules {
		takes := t.match.region(w.v4)
		takes.flows = without(without(takes.flows, invalid(w.v4)), untracked(w.v4))
		c.takes = append(c.takes, takes)
		c.leads = append(c.leads, holds(w.place, t.rule.Target) && !takes.empty())
		c.steps = append(c.steps, located{outside: true, region: takes})
	}
	c.steps = append(c.steps, w.steps...)
	cuts := c.cuts(w.rules)
	all, spans, list := make([]class, len(cuts)), make([]Span[flow], len(cuts)), make([]*class, len(cuts))
	for i, from := range cuts {
		spans[i] = Span[flow]{from, everyFlows[0].To}
		if i+1 < len(cuts) {
			spans[i].To = cuts[i+1] - 1
		}
		all[i] = class{classes: c, spans: spans[i : i+1 : i+1]}
		list[i] = &all[i]
	}
	c.spread(w.rules, cuts, list)
	return united(list)
}

// cuts are where a class begins.
func (c *classes) cuts(rules []translation) []flow {
	cuts := []flow{0}
	known := map[*Span[flow]]bool{}
	cut := func(list []Span[flow], by flow) {
		for _, s := range list {
			cuts = append(cuts, s.From+by, s.To+by+1)
		}
	}
	for _, step := range c.steps {
		if flows := step.region.flows; len(flows) > 0 && !known[&flows[0]] {
			known[&flows[0]] = true
			cut(flows, 0)
		}
	}
	for i := range c.takes {
		n := rules[i].rule
		to := n.targets()
		if !c.leads[i] || len(to) == 0 {
			continue
		}
		cut(to, 0)
		cuts = append(cuts, to[0].From+1) // where everything else is sent to
		if by, moves := n.distance(); moves {
			for _, earlier := range c.takes[:i+1] {
				cut(earlier.flows, by)
			}
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	last, _ := slices.BinarySearch(cuts, everyFlows[0].To+1)
	return cuts[:last]
}

// spread tells each class what it has to do with.
func (c *classes) spread(rules []translation, cuts []flow, list []*class) {
	each := func(spans []Span[flow], tell func(*class)) {
		for _, s := range spans {
			for i, _ := slices.BinarySearch(cuts, s.From); i < len(list) && cuts[i] <= s.To; i++ {
				tell(list[i])
			}
		}
	}
	for i, step := range c.steps {
		if covers(step.region.flows, everyFlows) {
			c.always = append(c.always, i)
			continue
		}
		each(step.region.flows, func(one *class) { one.own = append(one.own, i) })
	}
	for i := range c.takes {
		if !c.leads[i] {
			continue
		}
		becomes := rules[i].rule.targets()
		if len(becomes) == 0 {
			becomes = c.takes[i].flows
		}
		each(becomes, func(one *class) { one.translations = append(one.translations, i) })
	}
}

// united puts classes together that have the same steps. Those that something is translated to
// stay apart: what they were before it may differ.
func united(list []*class) []*class {
	var fewer []*class
	known := map[string]*class{}
	for _, c := range list {
		if len(c.translations) > 0 {
			fewer = append(fewer, c)
			continue
		}
		var key []byte
		for _, i := range c.own {
			key = binary.AppendUvarint(key, uint64(i))
		}
		if same := known[string(key)]; same != nil {
			same.spans = append(same.spans, c.spans...)
			continue
		}
		known[string(key)] = c
		fewer = append(fewer, c)
	}
	return fewer
}

// about are the steps that take the class, in their order.
func (c *class) about() iter.Seq[int] {
	return func(yield func(int) bool) {
		own, always := c.own, c.always
		for len(own)+len(always) > 0 {
			from := &own
			if len(own) == 0 || len(always) > 0 && always[0] < own[0] {
				from = &always
			}
			if !yield((*from)[0]) {
				return
			}
			*from = (*from)[1:]
		}
	}
}

// direct is what is not translated: its packets, and the steps that they meet.
func (c *class) direct(w *way) (region, iter.Seq[located]) {
	// All spans meet the same steps, so one stands for them.
	wanted := region{w.wanted.source, w.wanted.destination, c.spans[:1]}
	return wanted, func(yield func(located) bool) {
		for i := range c.about() {
			if !yield(c.steps[i]) {
				return
			}
		}
	}
}

// translated is what a DNAT rule makes such a flow, as it was sent.
func (c *class) translated(w *way, at int) (region, iter.Seq[located]) {
	n, takes := w.rules[at].rule, c.takes[at]
	wanted := region{w.wanted.source, takes.destination, n.before(c.spans)}.common(takes)
	return wanted, func(yield func(located) bool) {
		for _, earlier := range c.takes[:at] {
			if earlier.touches(wanted) && !yield(located{outside: true, region: earlier}) {
				return
			}
		}
		for i := range c.about() {
			if i < len(c.takes) || !holds(c.steps[i].region.destination, n.Target) {
				continue
			}
			step := c.steps[i]
			step.region = region{step.region.source, takes.destination, wanted.flows}
			if !yield(step) {
				return
			}
		}
		if !w.out.gateway && !n.NeedsRule {
			yield(located{region: takes})
		}
	}
}
