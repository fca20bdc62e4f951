package multiwan

import (
	"fmt"
	"net/netip"
	"reflect"
	"slices"

	"golang.org/x/sys/unix"

	"gateway/internal/component/uplink/health"
	"gateway/internal/fault"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/reconcile"
)

const (
	// chosenTable has the default route of those that take new connections, and each uplink a
	// table of its own after it. The main table stays its owners': a default route there is
	// what is left when no uplink has one.
	chosenTable = rtnl.UplinkTable
	firstTable  = chosenTable + 1

	// The rules. A connection's mark comes first; then the routes of the main table but its
	// default; then what a sender chose by its address or interface, and the groups that rules of
	// the packet filter choose by a mark. Tunnels that take everything come next (32000 to 32002),
	// and what none of them took goes to the uplinks.
	pinnedPriority  = 31000
	mainPriority    = 31001
	senderPriority  = 31002
	groupPriority   = 31003
	defaultPriority = 32010
)

func (u Uplink) table() uint32 { return firstTable + uint32(u.Number) }

func (g Group) table() uint32 { return rtnl.UplinkGroupTable + uint32(g.Number) }

// kernel is what there is: all links and addresses, the routes and rules that are ours, and the
// default routes of others on interfaces whose gateway is theirs to say.
type kernel struct {
	links  []rtnl.Link
	addrs  []rtnl.Addr
	routes []rtnl.Multipath
	rules  []rtnl.Rule
	others []rtnl.Route
}

// plan is one look at the kernel held against what is wanted.
type plan struct {
	want  Config
	have  kernel
	index map[string]rtnl.Link
	state func(number int) health.State
	steps []reconcile.Step
	wrong []reconcile.Trouble
}

func newPlan(want Config, have kernel, state func(int) health.State) *plan {
	p := &plan{want: want, have: have, index: indexed(have.links), state: state}
	for _, u := range want.Uplinks {
		switch l, there := p.index[u.Interface]; {
		case there && l.Up && l.Carrier && !have.hasNextHop(u):
			p.wrong = append(p.wrong, reconcile.Trouble{Kind: reconcile.Missing, Subject: "uplink " + u.Name, Why: fault.Said("no gateway is known on %s", u.Interface)})
		case !there:
			p.wrong = append(p.wrong, reconcile.Trouble{Kind: reconcile.Missing, Subject: "uplink " + u.Name, Why: fault.Said("there is no interface %s on this node", u.Interface)})
		}
	}
	p.routes()
	p.rules()
	return p
}

func indexed(links []rtnl.Link) map[string]rtnl.Link {
	out := map[string]rtnl.Link{}
	for _, l := range links {
		out[l.Name] = l
	}
	return out
}

func (p *plan) do(what string, m rtnl.Message, expected ...error) {
	p.steps = append(p.steps, reconcile.Step{What: what, Msg: m, Expected: expected})
}

// gateway is that of an uplink: as configured, or as another program says that has a default
// route on its interface, which DHCP and router advertisements make.
func (k kernel) gateway(u Uplink) netip.Addr {
	if u.Gateway.IsValid() {
		return u.Gateway
	}
	var best rtnl.Route
	for _, r := range k.others {
		i := slices.IndexFunc(k.links, func(l rtnl.Link) bool { return l.Index == r.Link })
		if i >= 0 && k.links[i].Name == u.Interface && r.Dst.Addr().Is6() == u.IPv6 && (!best.Gateway.IsValid() || r.Metric < best.Metric) {
			best = r
		}
	}
	return best.Gateway
}

// hasNextHop reports whether an uplink goes anywhere: on a link with others on it somebody must be
// the gateway, or all addresses of the world would be asked for there.
func (k kernel) hasNextHop(u Uplink) bool {
	return k.gateway(u).IsValid() || slices.ContainsFunc(k.links, func(l rtnl.Link) bool { return l.Name == u.Interface && l.PointToPoint })
}

// nextHop is that of an uplink; ok is false while its link is down, or has no gateway.
func (p *plan) nextHop(u Uplink, weight int) (w rtnl.NextHop, ok bool) {
	l, there := p.index[u.Interface]
	if !there || !l.Up || !p.have.hasNextHop(u) {
		return w, false
	}
	w = rtnl.NextHop{Link: l.Index, Gateway: p.have.gateway(u), Weight: weight}
	w.Onlink = w.Gateway.IsValid() && !w.Gateway.IsLinkLocalUnicast() && !slices.ContainsFunc(p.networks(u), func(n netip.Prefix) bool { return n.Contains(w.Gateway) })
	return w, true
}

// addresses are those of an uplink's interface that others know it by.
func (p *plan) addresses(u Uplink) (out []netip.Prefix) {
	for _, a := range p.have.addrs {
		ip := a.Prefix.Addr()
		if a.Link == p.index[u.Interface].Index && ip.Is6() == u.IPv6 && !ip.IsLinkLocalUnicast() && !slices.Contains(out, a.Prefix) {
			out = append(out, a.Prefix)
		}
	}
	return out
}

// networks are those that are reached on the link itself.
func (p *plan) networks(u Uplink) (out []netip.Prefix) {
	for _, a := range p.addresses(u) {
		if n := a.Masked(); !a.IsSingleIP() && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// wantedRoute is one with the words for it.
type wantedRoute struct {
	rtnl.Multipath
	what string
}

func newRoute(what string, table uint32, dst netip.Prefix, hops ...rtnl.NextHop) wantedRoute {
	m := rtnl.Multipath{Key: rtnl.Key{Table: table, Dst: dst}, Protocol: rtnl.UplinkProtocol, NextHops: hops}
	if dst.Addr().Is6() {
		m.Metric = rtnl.DefaultMetric6
	}
	return wantedRoute{m, what}
}

func defaultDestination(six bool) netip.Prefix {
	if six {
		return netip.PrefixFrom(netip.IPv6Unspecified(), 0)
	}
	return netip.PrefixFrom(netip.IPv4Unspecified(), 0)
}

func (p *plan) wantedRoutes() (all []wantedRoute) {
	for _, u := range p.want.Uplinks {
		way, ok := p.nextHop(u, 1)
		if !ok {
			continue
		}
		for _, n := range p.networks(u) {
			all = append(all, newRoute(fmt.Sprintf("uplink %s: network %s", u.Name, n), u.table(), n, rtnl.NextHop{Link: way.Link, Weight: 1}))
		}
		all = append(all, newRoute("uplink "+u.Name, u.table(), defaultDestination(u.IPv6), way))
	}
	for _, six := range []bool{false, true} {
		g, is := p.want.defaultGroup(six)
		if !is {
			continue
		}
		if hops := p.nextHops(g); len(hops) > 0 {
			all = append(all, newRoute("uplink group "+g.Name, chosenTable, defaultDestination(six), hops...))
		}
	}
	for _, g := range p.want.Groups {
		if hops := p.nextHops(g); g.Number > 0 && len(hops) > 0 {
			all = append(all, newRoute("uplink group "+g.Name, g.table(), defaultDestination(g.IPv6), hops...))
		}
	}
	return all
}

// nextHops are those of the uplinks that are chosen. The kernel has no route of several next hops
// that lack a gateway in IPv6: there the first one takes all.
func (p *plan) nextHops(g Group) (hops []rtnl.NextHop) {
	for _, m := range g.choose(p.state) {
		u, _ := p.want.numbered(m.Uplink)
		if w, ok := p.nextHop(u, m.Weight); ok {
			hops = append(hops, w)
		}
	}
	if len(hops) == 1 || len(hops) > 1 && g.IPv6 && slices.ContainsFunc(hops, func(w rtnl.NextHop) bool { return !w.Gateway.IsValid() }) {
		hops = hops[:1]
		hops[0].Weight = 1 // which is what the kernel says of one
	}
	return hops
}

// routes replaces: the tables are ours alone.
func (p *plan) routes() {
	have := map[rtnl.Key]rtnl.Multipath{}
	for _, r := range p.have.routes {
		have[r.Key] = r
	}
	for _, w := range p.wantedRoutes() {
		old, there := have[w.Key]
		delete(have, w.Key)
		if !there || !reflect.DeepEqual(old.NextHops, w.NextHops) {
			p.do(w.what, rtnl.ReplaceMultipath(w.Multipath))
		}
	}
	for _, r := range p.have.routes {
		if _, unwanted := have[r.Key]; unwanted {
			delete(have, r.Key)
			p.do(fmt.Sprintf("route %s of table %d", r.Dst, r.Table), rtnl.DelMultipath(r), unix.ESRCH)
		}
	}
}

func (p *plan) wantedRules() (all []rtnl.Rule) {
	for _, six := range []bool{false, true} {
		var pinned, senders []rtnl.Rule
		rule := rtnl.Rule{IPv6: six, Protocol: rtnl.UplinkProtocol}
		for _, u := range p.want.Uplinks {
			if u.IPv6 != six {
				continue
			}
			by := rule
			by.Table, by.Priority, by.Mark, by.Mask = u.table(), pinnedPriority, u.mark(), markMask
			pinned = append(pinned, by)
			by.Priority, by.Mark, by.Mask = senderPriority, 0, 0
			for _, a := range p.addresses(u) {
				from := by
				from.Src = netip.PrefixFrom(a.Addr(), a.Addr().BitLen())
				senders = append(senders, from)
			}
			by.Out = u.Interface
			senders = append(senders, by)
		}
		if len(pinned) == 0 {
			continue
		}
		rule.Table, rule.Priority, rule.MinPrefixLength = unix.RT_TABLE_MAIN, mainPriority, 1
		all = append(append(append(all, pinned...), rule), senders...)
		for _, g := range p.want.Groups {
			if g.IPv6 == six && g.Number > 0 {
				all = append(all, rtnl.Rule{
					IPv6: six, Protocol: rtnl.UplinkProtocol, Table: g.table(), Priority: groupPriority, Mark: rtnl.UplinkGroupMark(g.Number), Mask: markMask,
				})
			}
		}
		if _, is := p.want.defaultGroup(six); is {
			all = append(all, rtnl.Rule{IPv6: six, Protocol: rtnl.UplinkProtocol, Table: chosenTable, Priority: defaultPriority})
		}
	}
	return all
}

// rules adds before it removes, and after the routes: a rule that leads to an empty table is
// passed over, so nothing is lost on the way.
func (p *plan) rules() {
	want := p.wantedRules()
	for _, r := range want {
		if !slices.Contains(p.have.rules, r) {
			p.do(fmt.Sprintf("rule %d of uplinks", r.Priority), rtnl.AddRule(r))
		}
	}
	for _, r := range p.have.rules {
		if !slices.Contains(want, r) {
			p.do(fmt.Sprintf("rule %d of uplinks", r.Priority), rtnl.DelRule(r), unix.ENOENT)
		}
	}
}
