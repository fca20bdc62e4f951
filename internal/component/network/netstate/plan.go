package netstate

import (
	"fmt"
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"

	"gateway/internal/fault"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/reconcile"
)

// Kernel is what there is: all links and addresses, and the routes that are ours.
type Kernel struct {
	Links  []rtnl.Link
	Addrs  []rtnl.Addr
	Routes []rtnl.Route
	// Foreign are the keys of the routes of others. They may be a million, so they are read
	// only for steps that are Beside.
	Foreign map[rtnl.Key]bool
	// For the guard.
	Rules      []rtnl.Rule
	Neighbours []rtnl.Neighbour
	FDB        []rtnl.FDBEntry
}

// Step is one message to the kernel, and Trouble why something wanted is not there.
type (
	Step    = reconcile.Step
	Trouble = reconcile.Trouble
)

// The kinds of trouble.
const (
	Missing  = reconcile.Missing
	Conflict = reconcile.Conflict
	Refused  = reconcile.Refused
)

// planner holds the wanted against what there is.
type planner struct {
	want   Config
	have   Kernel
	byName map[string]rtnl.Link
	byID   map[int]string
	wanted map[string]Link
	not    map[string]bool
	reach  reach
	steps  []Step
	wrong  []Trouble
}

// Next is what to do now: as much as can be said before the kernel is looked at again. There
// is no step when nothing is left that could be done; wrong is what is not there all the same.
// not are attempts that the kernel refused: the others are not to wait for them.
func Next(want Config, have Kernel, not map[string]bool) (steps []Step, wrong []Trouble) {
	p := newPlanner(want, have)
	p.not = not
	if p.makeLinks(); len(p.steps) > 0 {
		return p.steps, p.wrong // their numbers are known after the next look
	}
	for _, l := range ordered(want.Links) {
		p.setLink(l)
	}
	p.release()
	p.raise()
	p.addresses()
	p.routes()
	return p.steps, p.wrong
}

func newPlanner(want Config, have Kernel) *planner {
	p := &planner{want: want, have: have, byName: map[string]rtnl.Link{}, byID: map[int]string{}, wanted: map[string]Link{}}
	for _, l := range have.Links {
		p.byName[l.Name], p.byID[l.Index] = l, l.Name
	}
	for _, l := range want.Links {
		p.wanted[l.Name] = l
	}
	p.reach = p.networks()
	return p
}

func (p *planner) do(what string, m rtnl.Message, expected ...error) {
	p.steps = append(p.steps, Step{What: what, Msg: m, Expected: expected})
}

func (p *planner) trouble(kind, subject string, why fault.Sentence) {
	p.wrong = append(p.wrong, Trouble{Kind: kind, Subject: subject, Why: why})
}

// ours reports whether we made a link. WireGuard's links have the group too, and another
// component takes care of them.
func ours(l rtnl.Link) bool {
	return l.Group == rtnl.Group && (l.Kind == VLAN || l.Kind == Bond || l.Kind == Bridge)
}

// makeLinks removes links that are not wanted, or not as they are, and makes those that are
// not there, as soon as what they are on is.
func (p *planner) makeLinks() {
	for _, kind := range []string{VLAN, Bridge, Bond} { // a VLAN may be on any of the others
		for _, l := range p.have.Links {
			if w, ok := p.wanted[l.Name]; l.Kind == kind && ours(l) && (!ok || p.another(w, l)) {
				if p.not[l.Name] {
					continue
				}
				p.make(l.Name, rtnl.DeleteLink(l.Index), unix.ENODEV)
				p.raiseMembers(l)
			}
		}
	}
	if len(p.steps) > 0 {
		return
	}
	for _, w := range ordered(p.want.Links) {
		if _, there := p.byName[w.Name]; there || !w.Made() || p.not[w.Name] {
			continue
		}
		m := rtnl.Link{Name: w.Name, Kind: w.Kind, VLANID: w.VLANID, Bond: bond(w), Bridge: rtnl.Bridge{STP: w.STP, VLANFilter: w.VLANFilter}}
		if w.Kind == VLAN {
			parent, ok := p.byName[w.Parent]
			if !ok {
				if above := p.wanted[w.Parent]; !above.Made() {
					p.trouble(Missing, "interface "+w.Name, fault.Said("its parent %s does not exist", w.Parent))
				}
				continue
			}
			m.Parent = parent.Index
		}
		p.make(w.Name, rtnl.CreateLink(m))
	}
}

func (p *planner) make(name string, m rtnl.Message, expected ...error) {
	p.attempt(name, "interface "+name, m, expected...)
}

func (p *planner) attempt(name, what string, m rtnl.Message, expected ...error) {
	p.steps = append(p.steps, Step{What: what, Msg: m, Attempt: name, Expected: expected})
}

// raiseMembers brings up again what a bond takes down when it goes.
func (p *planner) raiseMembers(l rtnl.Link) {
	for _, m := range p.have.Links {
		if m.Master == l.Index && m.Up {
			p.do("interface "+m.Name, rtnl.SetUp(m.Index, true), unix.ENODEV)
		}
	}
}

// another reports whether a link of ours must be made anew to become the wanted one: the
// kernel takes a new id or parent of a VLAN without a word, and does nothing.
func (p *planner) another(w Link, l rtnl.Link) bool {
	if w.Kind != l.Kind {
		return true
	}
	return w.Kind == VLAN && (w.VLANID != l.VLANID || p.byName[w.Parent].Index != l.Parent)
}

// setLink brings what a link has to what it is to have.
func (p *planner) setLink(w Link) {
	l, there := p.byName[w.Name]
	what := "interface " + w.Name
	if !there {
		if !w.Made() {
			p.trouble(Missing, what, fault.Said("there is no such interface on this node"))
		}
		return
	}
	tunnel := l.Kind == WireGuard && l.Group == rtnl.Group // which has an MTU of its own
	if w.MTU != 0 && w.MTU != l.MTU && !tunnel {
		p.do(what+": MTU", rtnl.SetMTU(l.Index, w.MTU))
	}
	if !w.Made() {
		return
	}
	if !ours(l) {
		p.trouble(Conflict, what, fault.Said("an interface of this name exists already and was not made by the gateway"))
		return
	}
	if alias := alias(w); alias != l.Alias {
		p.do(what+": description", rtnl.SetAlias(l.Index, alias))
	}
	if w.Kind == Bridge && w.STP != l.Bridge.STP {
		p.do(what+": STP", rtnl.SetSTP(l.Index, w.STP))
	}
	if w.Kind == Bridge && w.VLANFilter != l.Bridge.VLANFilter {
		p.do(what+": VLAN filtering", rtnl.SetVLANFilter(l.Index, w.VLANFilter))
	}
	if w.Kind == Bond && p.setBond(w, l) {
		return
	}
	p.join(w, l)
}

// alias marks a link for those who look at it by hand.
func alias(w Link) string {
	if w.Alias == "" {
		return "gateway"
	}
	return w.Alias
}

// setBond changes a bond; anew means that its members come back after the next look.
func (p *planner) setBond(w Link, l rtnl.Link) (anew bool) {
	b, what, try := bond(w), "interface "+w.Name, w.Name+": mode"
	mode, rate := b.Mode != l.Bond.Mode, b.Mode == modeLACP && b.LACPRate != l.Bond.LACPRate
	if p.not[try] {
		mode, rate = false, false
	}
	if mode {
		for _, m := range p.have.Links {
			if m.Master == l.Index {
				p.do("interface "+m.Name, rtnl.SetMaster(m.Index, 0))
			}
		}
	}
	if (mode || rate) && l.Up {
		p.attempt(try, what, rtnl.SetUp(l.Index, false))
	}
	if mode {
		p.attempt(try, what+": mode", rtnl.SetBondMode(l.Index, b.Mode))
		return true
	}
	if rate {
		p.attempt(try, what+": LACP rate", rtnl.SetLACPRate(l.Index, b.LACPRate))
	}
	if b.Miimon != l.Bond.Miimon || b.Hash != l.Bond.Hash {
		p.do(what+": parameters", rtnl.SetBond(l.Index, b))
	}
	return false
}

// join makes links members of a bond or bridge. A bond takes them only while they are down.
func (p *planner) join(w Link, l rtnl.Link) {
	for _, name := range w.Members {
		m, there := p.byName[name]
		what := "interface " + name
		switch {
		case !there:
			if above := p.wanted[name]; !above.Made() {
				p.trouble(Missing, what, fault.Said("there is no such interface on this node; it is a member of %s", w.Name))
			}
		case m.Master == l.Index, p.not[name+" in "+w.Name]:
		case m.Master != 0 && !ours(p.byName[p.byID[m.Master]]):
			p.trouble(Conflict, what, fault.Said("it is a member of %s, which was not made by the gateway", p.byID[m.Master]))
		default:
			try := name + " in " + w.Name
			if w.Kind == Bond {
				p.attempt(try, what, rtnl.SetUp(m.Index, false))
			}
			p.attempt(try, what, rtnl.SetMaster(m.Index, l.Index))
			if w.Kind == Bond { // else raise does it, after what the member is on
				p.attempt(try, what, rtnl.SetUp(m.Index, true))
			}
		}
	}
	// Without one the index is 0, which takes it back.
	first := p.byName[w.Primary]
	if w.Kind == Bond && l.Bond.Primary != first.Index && (w.Primary == "" || first.Master == l.Index && first.Index != 0) {
		p.do("interface "+w.Name+": primary", rtnl.SetPrimary(l.Index, first.Index))
	}
}

// release frees members that are no longer wanted.
func (p *planner) release() {
	for _, m := range p.have.Links {
		above, ok := p.byName[p.byID[m.Master]]
		if m.Master == 0 || !ok || !ours(above) {
			continue
		}
		if w := p.wanted[above.Name]; slices.Contains(w.Members, m.Name) || p.joinsElsewhere(m.Name) {
			continue
		}
		// A virtual machine's or a container's port that somebody put there is not ours to take.
		if _, declared := p.wanted[m.Name]; declared || ours(m) || m.Kind == "" {
			p.do("interface "+m.Name, rtnl.SetMaster(m.Index, 0))
			p.do("interface "+m.Name, rtnl.SetUp(m.Index, true))
		}
	}
}

func (p *planner) joinsElsewhere(name string) bool {
	return slices.ContainsFunc(p.want.Links, func(w Link) bool { return slices.Contains(w.Members, name) })
}

// raise brings up what is used; nothing is ever brought down for good.
func (p *planner) raise() {
	used := map[string]bool{}
	for _, w := range p.want.Links {
		used[w.Name] = used[w.Name] || w.Made()
		for _, m := range w.Members {
			used[m] = true
		}
		used[w.Parent] = true
	}
	for _, a := range p.want.Addresses {
		used[a.Link] = true
	}
	for _, r := range p.want.Routes {
		used[r.Dev] = true
	}
	for _, l := range p.have.Links {
		if used[l.Name] && !l.Up {
			p.do("interface "+l.Name, rtnl.SetUp(l.Index, true))
		}
	}
}

type addressKey struct {
	link   int
	prefix netip.Prefix
}

// addresses adds before it removes: with its last address a link loses its routes.
func (p *planner) addresses() {
	have, want := map[addressKey]rtnl.Addr{}, map[addressKey]bool{}
	for _, a := range p.have.Addrs {
		have[addressKey{a.Link, a.Prefix}] = a
	}
	for _, w := range p.want.Addresses {
		what := fmt.Sprintf("address %s on %s", w.Prefix, w.Link)
		l, there := p.byName[w.Link]
		if !there {
			if _, known := p.wanted[w.Link]; !known {
				p.trouble(Missing, what, fault.Said("there is no such interface on this node"))
			}
			continue
		}
		at := addressKey{l.Index, w.Prefix}
		want[at] = true
		switch a, ok := have[at]; {
		case !ok:
			p.do(what, rtnl.AddAddr(l.Index, w.Prefix, rtnl.Protocol))
		case a.Protocol != rtnl.Protocol:
			p.trouble(Conflict, what, fault.Said("another program has set this address already"))
		}
	}
	for _, a := range p.have.Addrs {
		if at := (addressKey{a.Link, a.Prefix}); a.Protocol == rtnl.Protocol && !want[at] {
			p.do(fmt.Sprintf("address %s on %s", a.Prefix, p.byID[a.Link]), rtnl.DelAddr(a.Link, a.Prefix), unix.EADDRNOTAVAIL, unix.ENXIO) // or IPv6 is gone from the link
		}
	}
}
