package packetfilter

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Reach is how much of the traffic between two places passes.
type Reach string

// The reaches. What is unknown would have taken too long to decide.
const (
	ReachAll     Reach = "all"
	ReachSome    Reach = "some"
	ReachNone    Reach = "none"
	ReachUnknown Reach = "unknown"
)

// Why there is no traffic between two places at all.
const (
	NoInterface = "no_interface" // one of the zones has none
	NoRoute     = "no_route"     // no route leads there
)

// Cell is what passes from one zone to another, or to the gateway itself. As with a Query, it
// is about first packets, the destination and service after DNAT, and any source.
type Cell struct {
	From, To string
	Reach    Reach
	Empty    string // why there is no traffic; then the reach is none
	// Services pass, at least between some addresses; Except are those that do not. They are
	// "tcp/443", "udp" or "other", which is every protocol that a service cannot have.
	Services, Except []string
	// Narrow says that one of the services passes between some addresses, and not between others.
	Narrow bool
	// By are the first that decide here, in their order; More says that there are others.
	By   []Reason
	More bool

	passing, failing []Span[flow]
}

// Reason is something that decides between two places, and how.
type Reason struct {
	Decider
	Action Action
}

// maxReasons is how many of them a cell tells.
const maxReasons = 12

// Matrix tells for each zone what of its traffic reaches every zone, and the gateway. Answers
// are exact, as those of Reaches are.
func Matrix(p *Policy, routes Routes) []Cell {
	m := newMatrix(p, routes)
	zones := slices.Sorted(maps.Keys(p.Zones))
	var cells []Cell
	for _, from := range zones {
		row := make([]tally, len(zones)+1)
		for _, in := range m.zones[from] {
			m.enter(in)
			for i, to := range zones {
				m.count(&row[i], in, m.zones[to])
			}
			m.count(&row[len(zones)], in, []end{{group{gateway: true}, "", Gateway}})
		}
		for i, to := range append(slices.Clone(zones), Gateway) {
			present := len(m.zones[from]) > 0 && (to == Gateway || len(m.zones[to]) > 0)
			cells = append(cells, row[i].cell(from, to, present))
		}
	}
	return cells
}

// matrix is the work on all cells.
type matrix struct {
	search
	zones map[string][]end
	spent work
	// What no rule tells apart is found out once.
	shared  map[string]*meeting
	alike   map[string]int // how many groups there are with each inKey
	entered []translation  // the DNAT rules for the group at hand
}

// end is a group of a zone, and what tells it from others where packets come from and go to.
type end struct {
	group
	inKey, outKey string
}

// between are the rules from one group to another as steps, and the flows that they tell apart.
type between struct {
	steps, drawn []located
	classes      []*class
	found        map[string]*tally // by the place that packets go to
}

// meeting is that of each family.
type meeting struct{ v4, v6 *between }

func newMatrix(p *Policy, routes Routes) *matrix {
	m := &matrix{zones: map[string][]end{}, shared: map[string]*meeting{}, alike: map[string]int{}}
	m.search = search{query: Query{Routes: routes}, all: p, policy: p, known: &knownRules{map[string]*knownRule{}, map[string][]Span[flow]{}}}
	m.behind, m.local = routes.places()
	from, to := map[string]bool{}, map[string]bool{}
	for i := range p.Rules {
		from[p.Rules[i].From], to[p.Rules[i].To] = true, true
	}
	for zone := range p.Zones {
		for _, g := range m.groups(zone) {
			m.zones[zone] = append(m.zones[zone], m.end(g, from, to))
		}
	}
	return m
}

func (m *matrix) end(g group, from, to map[string]bool) end {
	named := ""
	if m.isNamed(g.side) {
		named = g.name
	}
	e := end{g, fmt.Sprintf("%q %q %t", zonesIn(g, from), named, len(m.all.lockout(g.side)) > 0), fmt.Sprintf("%q", zonesIn(g, to))}
	m.alike[e.inKey]++
	return e
}

// enter begins with what comes in on a group.
func (m *matrix) enter(in end) {
	if m.alike[in.inKey] == 1 {
		clear(m.shared) // nobody else needs what is found now
	}
	m.policy = m.all.from(in.side)
	m.entered = m.dnat(in.group)
}

// zonesIn are those zones of a group that a rule names.
func zonesIn(g group, named map[string]bool) []string {
	var list []string
	for _, zone := range g.zones {
		if named[zone] {
			list = append(list, zone)
		}
	}
	slices.Sort(list)
	return list
}

// between is what packets of each family meet from the group at hand to another.
func (m *matrix) between(in, out end) *meeting {
	key := in.inKey + out.outKey
	known := m.shared[key]
	if known == nil {
		known = m.meeting(in, out)
		m.shared[key] = known
	}
	return known
}

func (m *matrix) meeting(in, out end) *meeting {
	to := &out.side
	if out.gateway {
		to = nil
	}
	var v4, v6 []located
	before, after := m.policy.around(in.side, out.gateway)
	for q := range concat(before, m.policy.operator(in.side, to), after) {
		if step, asked := m.locate(q, true); asked {
			v4 = append(v4, step)
		}
		if step, asked := m.locate(q, false); asked {
			v6 = append(v6, step)
		}
	}
	return &meeting{newBetween(v4), newBetween(v6)}
}

func (m *meeting) of(v4 bool) *between {
	if v4 {
		return m.v4
	}
	return m.v6
}

func newBetween(steps []located) *between {
	sameKind := func(a, b located) bool { return a.denies == b.denies && a.outside == b.outside }
	b := &between{steps: steps, found: map[string]*tally{}}
	b.drawn = drawn(slices.Clone(steps), sameKind, func(r *region) *[]Range { return &r.source })
	b.drawn = drawn(b.drawn, sameKind, func(r *region) *[]Range { return &r.destination })
	return b
}

// tally is what was found out for one cell so far.
type tally struct {
	passing, failing []Span[flow]
	unknown          bool
	reasons          []Reason
	more             bool
}

// count adds all ways from one group to others.
func (m *matrix) count(t *tally, in end, outs []end) {
	for _, out := range outs {
		for _, v4 := range []bool{true, false} {
			w := m.bareWay(in.group, out.group, v4)
			if w.wanted.destination = common(w.wanted.destination, w.place); !w.wanted.empty() {
				w.rules = m.entered
				b := m.between(in, out)
				t.add(m.found(w, b.of(v4)))
			}
		}
	}
}

// found is what is found out on a way. Where nothing is translated it is the same for all
// packets to a place that meet the same rules.
func (m *matrix) found(w *way, b *between) *tally {
	key := strconv.FormatBool(w.returns())
	if len(m.query.Routes) > 0 {
		key += strings.Join(w.out.members, " ")
	}
	shared := len(w.rules) == 0
	if known := b.found[key]; known != nil && shared {
		return known
	}
	t := &tally{}
	if shared {
		b.found[key] = t
	}
	w.steps = b.steps
	t.explain(w)
	w.steps = b.drawn
	m.pass(t, w, b)
	return t
}

// add adds what was found on a way.
func (t *tally) add(o *tally) {
	t.passing, t.failing = append(t.passing, o.passing...), append(t.failing, o.failing...)
	t.unknown, t.more = t.unknown || o.unknown, t.more || o.more
	for _, r := range o.reasons {
		t.note(r)
	}
}

// pass finds out which flows pass on a way, and which do not.
func (m *matrix) pass(t *tally, w *way, b *between) {
	var list []*class
	if len(w.rules) > 0 { // then they depend on where DNAT leads
		list = newClasses(w)
	} else if list = b.classes; list == nil {
		list = newClasses(w)
		b.classes = list
	}
	for _, c := range list {
		passes, fails, err := m.ask(w, c)
		t.unknown = t.unknown || err != nil
		if passes {
			t.passing = append(t.passing, c.spans...)
		}
		if fails {
			t.failing = append(t.failing, c.spans...)
		}
	}
}

// The most that is done for one class of flows, and for all of them: beyond it a cell is unknown.
const (
	classRegions  = maxRegions / 50
	classCompared = maxCompared / 50
)

// ask finds out for one class whether anything of it passes, and whether anything does not.
func (m *matrix) ask(w *way, c *class) (passes, fails bool, err error) {
	regions, compared := min(classRegions, max(100, maxRegions-m.spent.regions)), min(classCompared, max(10_000, maxCompared-m.spent.compared))
	m.work = work{maxRegions - regions, maxCompared - compared}
	defer func() {
		m.spent.regions += m.regions - (maxRegions - regions)
		m.spent.compared += m.compared - (maxCompared - compared)
	}()
	if passes, fails, err = m.divide(c.direct(w)); err != nil || passes && fails {
		return passes, fails, err
	}
	for _, at := range c.translations {
		p, f, err := m.divide(c.translated(w, at))
		passes, fails = passes || p, fails || f
		if err != nil || passes && fails {
			return passes, fails, err
		}
	}
	return passes, fails, nil
}

// divide finds out whether some packet of a region passes the steps, and whether some does not.
func (m *matrix) divide(wanted region, steps iter.Seq[located]) (passes, fails bool, err error) {
	if wanted.empty() {
		return false, false, nil
	}
	var accepted, denied []region // each with what is outside
	for step := range steps {
		inside := step.region.common(wanted)
		if inside.empty() {
			continue
		}
		switch {
		case step.outside:
			accepted, denied = append(accepted, inside), append(denied, inside)
		case step.denies:
			if fails, err = m.isLeft(fails, inside, accepted); err != nil {
				return passes, fails, err
			}
			denied = append(denied, inside)
		default:
			if passes, err = m.isLeft(passes, inside, denied); err != nil {
				return passes, fails, err
			}
			accepted = append(accepted, inside)
		}
		if passes && fails || inside.covers(wanted) {
			return passes, fails, nil
		}
	}
	fails, err = m.isLeft(fails, wanted, accepted)
	return passes, fails, err
}

// isLeft reports whether something of a region is left, unless that is known.
func (m *matrix) isLeft(already bool, r region, taken []region) (bool, error) {
	if already {
		return true, nil
	}
	_, found, err := m.remainder(r, taken)
	return found, err
}

// cell is the answer.
func (t *tally) cell(from, to string, present bool) Cell {
	c := Cell{From: from, To: to, Reach: ReachSome, passing: sorted(t.passing), failing: sorted(t.failing), By: t.reasons, More: t.more}
	all := sorted(slices.Concat(c.passing, c.failing))
	c.Narrow = touch(c.passing, c.failing)
	c.Services, c.Except = serviceNames(c.passing, all), serviceNames(without(c.failing, c.passing), all)
	switch {
	case !present:
		c.Empty, c.Reach = NoInterface, ReachNone
	case t.unknown:
		c.Reach = ReachUnknown
	case len(all) == 0:
		c.Empty, c.Reach = NoRoute, ReachNone
	case len(c.passing) == 0:
		c.Reach = ReachNone
	case len(c.failing) == 0:
		c.Reach = ReachAll
	}
	return c
}

// explain notes what decides on a way. What one of the first covers as a whole decides nothing.
func (t *tally) explain(w *way) {
	var first []region
	for _, step := range w.steps {
		inside := step.region.common(w.wanted)
		hidden := func(earlier region) bool { return earlier.covers(inside) }
		if step.outside || inside.empty() || slices.ContainsFunc(first, hidden) {
			continue
		}
		if len(first) < maxReasons {
			first = append(first, inside)
		}
		t.note(*step.by)
		if t.more || inside.covers(w.wanted) {
			return
		}
	}
	for _, n := range w.rules {
		if holds(w.place, n.rule.Target) && !w.out.gateway && !n.rule.NeedsRule {
			t.note(Reason{Decider{Kind: ByTranslated, ID: n.rule.ID, Name: n.rule.Name}, Accept})
		}
	}
}

func (t *tally) note(r Reason) {
	switch {
	case slices.Contains(t.reasons, r):
	case len(t.reasons) == maxReasons:
		t.more = true
	default:
		t.reasons = append(t.reasons, r)
	}
}
