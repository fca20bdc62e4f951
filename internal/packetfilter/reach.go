package packetfilter

import (
	"iter"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"gateway/internal/fault"
)

// Gateway is the destination of a query that is about the gateway itself.
const Gateway = "gateway"

// Query is a kind of packets: first ones of new connections. It is read as a rule is: about
// the destination that a packet has after DNAT.
type Query struct {
	From string // a zone or Any
	To   string // a zone, Any or Gateway
	// Source and Destination narrow it; empty ones do not.
	Source, Destination Addresses
	Services            []Service // none are all
	// Routes say which destinations are where. Without them any destination may be anywhere,
	// and a port forward reaches every zone.
	Routes Routes
}

// Witness is a packet that passes, and what lets it.
type Witness struct {
	Packet     Packet       `json:"packet"`
	Out        string       `json:"out,omitempty"`
	Local      bool         `json:"local"`
	Translated *Translation `json:"translated,omitempty"`
	Decided    Decider      `json:"decided"`
}

// String tells of the packet, what it becomes, and what lets it, for a person.
func (w Witness) String() string { return w.Said().Message }

// Said is the same with its words for translations.
func (w Witness) Said() fault.Sentence {
	if w.Translated == nil {
		return fault.Said("%s would be accepted by %s", w.Packet.Said(), w.Decided.Said())
	}
	after := w.Packet
	after.Destination, after.Port = w.Translated.Destination, w.Translated.Port
	return fault.Said("%s, which %s translates to %s, would be accepted by %s", w.Packet.Said(), w.Translated.DNAT.Said(), after.target(), w.Decided.Said())
}

// Reaches reports whether any packet of a kind passes, and shows one. It is exact: what is
// asked for, and what a rule takes, are regions, and a rule that accepts lets a packet
// through when some of its region is left after all that denies it before.
func Reaches(p *Policy, q Query) (w Witness, reaches bool, err error) {
	s := search{query: q, all: p}
	s.behind, s.local = q.Routes.places()
	ins, outs, err := s.sides()
	if err != nil {
		return Witness{}, false, err
	}
	for _, in := range ins {
		s.policy = p.from(in.side)
		for _, out := range outs {
			for _, v4 := range []bool{true, false} {
				if w, reaches, err = s.along(s.way(in, out, v4)); reaches || err != nil {
					return w, reaches, err
				}
			}
		}
	}
	return Witness{}, false, nil
}

// from is the policy with the rules alone that are about packets from a side.
func (p *Policy) from(in side) *Policy {
	narrow := *p
	narrow.Rules = nil
	for i := range p.Rules {
		if in.in(p.Rules[i].From) {
			narrow.Rules = append(narrow.Rules, p.Rules[i])
		}
	}
	return &narrow
}

// group are interfaces that no rule tells apart.
type group struct {
	side
	members []string
	gateway bool // it is the gateway itself, not interfaces
}

// search is the work on one query.
type search struct {
	query  Query
	all    *Policy
	policy *Policy // all, with the rules alone that matter to the packets at hand
	// What the query's routes say: destinations by interface, and the gateway's own.
	behind map[string]Addresses
	local  Addresses
	known  *knownRules // nil to find out about a rule each time
	work
}

// sides are where packets of the kind come from and go to.
func (s *search) sides() (ins, outs []group, err error) {
	if s.query.From == Gateway {
		return nil, nil, fault.Say("traffic sent by the gateway itself is not filtered, so it cannot be checked")
	}
	for _, zone := range []string{s.query.From, s.query.To} {
		if _, ok := s.all.Zones[zone]; !ok && zone != Any && zone != Gateway {
			return nil, nil, fault.Say("there is no zone %q", zone)
		}
	}
	ins = s.groups(s.query.From)
	if s.query.To == Gateway || s.query.To == Any {
		outs = append(outs, group{gateway: true})
	}
	if s.query.To != Gateway {
		outs = append(outs, s.groups(s.query.To)...)
	}
	return ins, outs, nil
}

// groups are the interfaces of a zone. Any also has one of which nothing is known.
func (s *search) groups(zone string) []group {
	names := s.all.Zones[zone]
	if zone == Any {
		names = append(s.interfaces(), "")
	}
	byKey := map[string]*group{}
	for _, name := range names {
		side := s.all.side(name)
		key := s.key(side)
		if byKey[key] == nil {
			byKey[key] = &group{side: side}
		}
		byKey[key].members = append(byKey[key].members, name)
	}
	var list []group
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		list = append(list, *byKey[key])
	}
	return list
}

// interfaces are all that are known, without the loopback: it is no way in.
func (s *search) interfaces() []string {
	var names []string
	for _, zone := range s.all.Zones {
		names = append(names, zone...)
	}
	for _, t := range s.all.Tunnels {
		names = append(names, t.Interface)
	}
	for _, o := range s.all.Openings {
		names = append(names, o.Interface)
	}
	names = slices.AppendSeq(names, maps.Keys(s.behind))
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(n string) bool { return n == "" || n == "lo" })
}

// key is the same for interfaces that nothing in the policy tells apart.
func (s *search) key(of side) string {
	zones := slices.Sorted(slices.Values(of.zones))
	if s.isNamed(of) {
		zones = append(zones, "\x00"+of.name)
	}
	return strings.Join(zones, "\x00")
}

// isNamed reports whether a tunnel or an opening is about the interface alone.
func (s *search) isNamed(of side) bool {
	return slices.ContainsFunc(s.all.Tunnels, func(t Tunnel) bool { return t.Interface == of.name }) ||
		slices.ContainsFunc(s.all.Openings, func(o Opening) bool { return o.Interface == of.name && of.name != "" })
}

// way is all between one group and another, or the gateway, in one family.
type way struct {
	in, out group
	place   []Range // the destinations behind out
	rules   []translation
	steps   []located
	wanted  region
	v4      bool
}

// located is a question and the region of packets that it takes.
type located struct {
	by     *Reason
	denies bool
	// outside says that its packets are no traffic that anybody means: they begin nothing, or
	// are what IPv6 itself needs.
	outside bool
	region  region
}

// way is the way with its steps drawn together.
func (s *search) way(in, out group, v4 bool) *way {
	w := s.wholeWay(in, out, v4)
	bothDeny := func(a, b located) bool { return a.denies && b.denies }
	w.steps = drawn(w.steps, bothDeny, func(r *region) *[]Range { return &r.source })
	w.steps = drawn(w.steps, bothDeny, func(r *region) *[]Range { return &r.destination })
	return w
}

// wholeWay is the way with each of its steps.
func (s *search) wholeWay(in, out group, v4 bool) *way {
	w := s.bareWay(in, out, v4)
	w.rules = s.dnat(in)
	questions := s.policy.forward(in.side, out.side, nil)
	if out.gateway {
		questions = s.policy.input(in.side)
	}
	w.steps = s.locateAll(nil, questions, v4)
	return w
}

// dnat are the DNAT rules in the kernel for what comes in on a group.
func (s *search) dnat(in group) []translation {
	return slices.DeleteFunc(s.policy.destinations(in.side), func(t translation) bool { return t.leftOut != "" })
}

// locateAll appends questions as steps.
func (s *search) locateAll(steps []located, questions iter.Seq[question], v4 bool) []located {
	for q := range questions {
		if step, asked := s.locate(q, v4); asked {
			steps = append(steps, step)
		}
	}
	return steps
}

// bareWay is the way without its steps.
func (s *search) bareWay(in, out group, v4 bool) *way {
	w := &way{in: in, out: out, v4: v4, place: s.place(out, v4), wanted: s.wanted(v4)}
	// No router forwards what is from an address of one link, unless to that link.
	if !v4 && !out.gateway && !w.returns() {
		w.wanted.source = without(w.wanted.source, networks(linkLocal6).V6)
	}
	return w
}

// locate is a question as a step, unless no packet of the family can match it.
func (s *search) locate(q question, v4 bool) (located, bool) {
	if q.rule != nil && s.known != nil {
		return s.remembered(q, v4)
	}
	r := q.match.region(v4)
	if r.empty() || s.policy.leftOut(q) != "" {
		return located{}, false
	}
	// What IPv6 itself needs is not counted as reaching the gateway, and no rule gets it.
	outside := q.by.Kind == ByNeighbour || q.by.Kind == ByInvalid
	return located{&Reason{q.by, q.action}, q.action != Accept || outside, outside, r}, true
}

// returns reports whether packets leave as they came in.
func (w *way) returns() bool { return !w.out.gateway && slices.Equal(w.in.members, w.out.members) }

// along looks for a packet that passes on a way.
func (s *search) along(w *way) (Witness, bool, error) {
	var taken []region // by DNAT rules
	for _, t := range w.rules {
		takes := t.match.region(w.v4)
		takes.flows = without(without(takes.flows, invalid(w.v4)), untracked(w.v4))
		if holds(w.place, t.rule.Target) && !takes.empty() {
			at, by, found, err := s.translated(w, t.rule, takes, taken)
			if found || err != nil {
				return s.witness(w, at, by, t.rule), found, err
			}
		}
		taken = append(taken, takes)
	}
	wanted := w.wanted
	wanted.destination = common(wanted.destination, w.place)
	at, by, found, err := s.first(wanted, taken, slices.Values(w.steps))
	return s.witness(w, at, by, nil), found, err
}

// wanted is the region that the query is about.
func (s *search) wanted(v4 bool) region {
	m := match{services: s.query.Services}
	if len(s.query.Source.V4)+len(s.query.Source.V6) > 0 {
		m.source = &s.query.Source
	}
	if len(s.query.Destination.V4)+len(s.query.Destination.V6) > 0 {
		m.destination = &s.query.Destination
	}
	return m.region(v4)
}

// place are the destinations behind a group.
func (s *search) place(out group, v4 bool) []Range {
	if len(s.query.Routes) == 0 {
		return everywhere(v4)
	}
	if out.gateway {
		return s.local.Of(v4)
	}
	var all []Range
	for _, name := range out.members {
		all = append(all, s.behind[name].Of(v4)...)
	}
	return Merge(all).Of(v4)
}

// translated looks for a packet that a DNAT rule takes, as it is sent: the query and the
// steps are asked which packets they mean before the rule changed them.
func (s *search) translated(w *way, n *NAT, takes region, taken []region) (packetAt, Decider, bool, error) {
	before := func(r region) region {
		if !holds(r.destination, n.Target) {
			return region{}
		}
		return region{r.source, takes.destination, n.before(r.flows)}
	}
	steps := func(yield func(located) bool) {
		for _, step := range w.steps {
			step.region = before(step.region)
			if !yield(step) {
				return
			}
		}
		if !w.out.gateway && !n.NeedsRule {
			yield(located{by: &Reason{Decider{Kind: ByTranslated, ID: n.ID, Name: n.Name}, Accept}, region: takes})
		}
	}
	return s.first(before(w.wanted).common(takes), taken, steps)
}

// first looks for a packet of a region that passes the steps, and was not taken before them.
func (s *search) first(wanted region, taken []region, steps iter.Seq[located]) (at packetAt, by Decider, found bool, err error) {
	if wanted.empty() {
		return at, by, false, nil
	}
	var denied []region
	for _, r := range taken {
		if r.touches(wanted) {
			denied = append(denied, r)
		}
	}
	for step := range steps {
		inside := step.region.common(wanted)
		if inside.empty() {
			continue
		}
		if step.denies {
			if denied = append(denied, inside); inside.covers(wanted) {
				break
			}
			continue
		}
		// Nothing of what earlier steps accept was left, so whatever is left here is decided here.
		if at, found, err = s.remainder(inside, denied); found || err != nil {
			return at, step.by.Decider, found, err
		}
	}
	return packetAt{}, Decider{}, false, nil
}

// witness tells of a packet that was found.
func (s *search) witness(w *way, at packetAt, by Decider, dnat *NAT) Witness {
	packet := Packet{In: w.in.members[0], Source: at.source, Destination: at.destination}.withFlow(at.flow)
	found := Witness{Packet: packet, Local: w.out.gateway, Decided: by}
	to := at.destination
	if dnat != nil {
		to = dnat.Target
		found.Translated = &Translation{DNAT: dnat.decider(), Destination: to, Port: packet.withFlow(dnat.sent(at.flow)).Port}
	}
	switch {
	case w.out.gateway:
	case len(s.query.Routes) > 0:
		found.Out, _, _ = s.query.Routes.Route(to, 0)
	default:
		found.Out = w.out.members[0]
	}
	if w.returns() {
		found.Packet.In = found.Out
	}
	return found
}

// packetAt is one packet of a region.
type packetAt struct {
	source, destination netip.Addr
	flow                flow
}
