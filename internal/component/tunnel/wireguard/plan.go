package wireguard

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"

	"gateway/internal/fault"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/reconcile"
)

// defaultMTU is what WireGuard gives a new link.
const defaultMTU = 1420

const (
	fullTable = rtnl.TunnelTable
	// fullMark is on the packets of tunnels themselves while there are such routes, so that they
	// are not sent into a tunnel again. The lower bits are left to others.
	fullMark, fullMask = 0xfb000000, 0xff000000
	// firstPriority is that of the first rule; it comes before the kernel's own of table main.
	firstPriority = 32000
)

// kernel is what there is: all links and addresses, routes of the main table, and the routes
// and rules that are ours.
type kernel struct {
	links  []rtnl.Link
	addrs  []rtnl.Addr
	routes []rtnl.Route
	rules  []rtnl.Rule
}

// plan is one look at the kernel held against what is wanted.
type plan struct {
	want  []Tunnel // whose links are there
	have  kernel
	index map[string]int
	// ends are where peers are dialled: routes with one of them go by fullTable.
	ends  []netip.Addr
	steps []reconcile.Step
	wrong []reconcile.Trouble
}

func newPlan(want []Tunnel, have kernel, ends []netip.Addr) *plan {
	p := &plan{have: have, ends: ends, index: map[string]int{}}
	for _, l := range have.links {
		p.index[l.Name] = l.Index
	}
	for _, t := range want {
		if p.index[t.Name] != 0 { // else it was removed just now, which wakes us
			p.want = append(p.want, t)
		}
	}
	p.setLinks()
	p.addresses()
	p.routes()
	return p
}

func (p *plan) do(what string, m rtnl.Message, expected ...error) {
	p.steps = append(p.steps, reconcile.Step{What: what, Msg: m, Expected: expected})
}

// alias marks a link for those who look at it by hand.
const alias = "gateway"

func (p *plan) setLinks() {
	for _, t := range p.want {
		what := "tunnel " + t.Name
		l := p.have.links[slices.IndexFunc(p.have.links, func(l rtnl.Link) bool { return l.Name == t.Name })]
		if mtu := cmp.Or(t.MTU, defaultMTU); mtu != l.MTU { // one that is no longer set must not stay
			p.do(what+": MTU", rtnl.SetMTU(l.Index, mtu))
		}
		if l.Alias != alias {
			p.do(what+": description", rtnl.SetAlias(l.Index, alias))
		}
		if !l.Up {
			p.do(what, rtnl.SetUp(l.Index, true))
		}
	}
}

// addresses adds before it removes: with its last address a link loses its routes.
func (p *plan) addresses() {
	type place struct {
		link   int
		prefix netip.Prefix
	}
	have, want, mine := map[place]rtnl.Addr{}, map[place]bool{}, map[int]string{}
	for _, a := range p.have.addrs {
		have[place{a.Link, a.Prefix}] = a
	}
	for _, t := range p.want {
		mine[p.index[t.Name]] = t.Name
		for _, a := range t.Addresses {
			at := place{p.index[t.Name], a}
			want[at] = true
			if _, there := have[at]; !there {
				p.do(fmt.Sprintf("address %s on %s", a, t.Name), rtnl.AddAddr(at.link, a, rtnl.TunnelProtocol))
			}
		}
	}
	for _, a := range p.have.addrs {
		if name, ours := mine[a.Link]; ours && a.Protocol == rtnl.TunnelProtocol && !want[place{a.Link, a.Prefix}] {
			p.do(fmt.Sprintf("address %s on %s", a.Prefix, name), rtnl.DelAddr(a.Link, a.Prefix), unix.EADDRNOTAVAIL, unix.ENXIO) // or IPv6 is gone from the link
		}
	}
}

// wantedRoute is one with the name of its link.
type wantedRoute struct {
	rtnl.Route
	tunnel string
}

// routesOf are what leads into tunnels: the networks of peers that are not within the tunnel's
// own network, which has a route already.
func routesOf(tunnels []Tunnel, ends []netip.Addr) (all []wantedRoute) {
	for _, t := range tunnels {
		for _, p := range t.Peers {
			for _, n := range p.AllowedIPs {
				if slices.ContainsFunc(t.Addresses, func(a netip.Prefix) bool { return a.Masked().Contains(n.Addr()) && a.Bits() <= n.Bits() }) {
					continue
				}
				if p.unresolved && takesAll(n) {
					continue // or the question for its address would go there too
				}
				r := rtnl.Route{Protocol: rtnl.TunnelProtocol, Table: unix.RT_TABLE_MAIN, Dst: n, Type: unix.RTN_UNICAST}
				if n.Addr().Is6() {
					r.Metric = rtnl.DefaultMetric6
				}
				if n.Bits() == 0 || slices.ContainsFunc(ends, n.Contains) {
					r.Table = fullTable
				}
				all = append(all, wantedRoute{r, t.Name})
			}
		}
	}
	return all
}

// takesAll reports whether a network is everything, or a half of it, which is written for the same.
func takesAll(n netip.Prefix) bool { return n.Bits() <= 1 }

func (p *plan) routes() {
	have := map[rtnl.Key]rtnl.Route{}
	for _, r := range p.have.routes {
		if r.Protocol == rtnl.TunnelProtocol {
			have[r.Key()] = r
		}
	}
	var full []rtnl.Route
	seen := map[rtnl.Key]string{}
	for _, w := range routesOf(p.want, p.ends) {
		w.Link = p.index[w.tunnel]
		what, key := fmt.Sprintf("route %s of tunnel %s", w.Dst, w.tunnel), w.Key()
		if other, taken := seen[key]; taken {
			if other != w.tunnel {
				p.wrong = append(p.wrong, reconcile.Trouble{Kind: reconcile.Conflict, Subject: what, Why: fault.Said("it leads into tunnel %s already", other)})
			}
			continue
		}
		seen[key] = w.tunnel
		if w.Table == fullTable {
			full = append(full, w.Route)
		}
		old, there := have[key]
		delete(have, key)
		switch {
		case !there:
			p.do(what, rtnl.AddRoute(w.Route))
		case old != w.Route: // not by replacing: the kernel takes any route of the key for the one that is meant
			p.do(what, rtnl.DelRoute(old), unix.ESRCH)
			p.do(what, rtnl.AddRoute(w.Route))
		}
	}
	p.rules(full) // before routes go: what is no longer marked is no longer looked up there
	for _, r := range p.have.routes {
		if old, unwanted := have[r.Key()]; unwanted && old == r {
			p.do(fmt.Sprintf("route %s", r.Dst), rtnl.DelRoute(r), unix.ESRCH)
		}
	}
}

// wantedRules lead what is not a tunnel's own packet into the tunnel that takes everything, after the
// main table's routes but its default. What leaves from an address of an interface with a
// default route goes on leaving there: answers to those who reached us at it.
func (p *plan) wantedRules(full []rtnl.Route) (want []rtnl.Rule) {
	for _, six := range []bool{false, true} {
		if !slices.ContainsFunc(full, func(r rtnl.Route) bool { return r.Dst.Addr().Is6() == six }) {
			continue
		}
		rule := rtnl.Rule{IPv6: six, Protocol: rtnl.TunnelProtocol, Table: unix.RT_TABLE_MAIN, Priority: firstPriority}
		for _, a := range p.externalAddresses(six) {
			rule.Src = netip.PrefixFrom(a, a.BitLen())
			want = append(want, rule)
		}
		rule.Src, rule.Priority, rule.MinPrefixLength = netip.Prefix{}, firstPriority+1, 1
		want = append(want, rule)
		want = append(want, rtnl.Rule{IPv6: six, Protocol: rtnl.TunnelProtocol, Table: fullTable, Priority: firstPriority + 2, Mark: fullMark, Mask: fullMask, Not: true})
	}
	return want
}

func (p *plan) rules(full []rtnl.Route) {
	want := p.wantedRules(full)
	for _, r := range want {
		if !slices.Contains(p.have.rules, r) {
			p.do(fmt.Sprintf("rule %d", r.Priority), rtnl.AddRule(r))
		}
	}
	for _, r := range p.have.rules {
		if !slices.Contains(want, r) {
			p.do(fmt.Sprintf("rule %d", r.Priority), rtnl.DelRule(r), unix.ENOENT)
		}
	}
}

// externalAddresses are the addresses of interfaces with a default route.
func (p *plan) externalAddresses(six bool) (out []netip.Addr) {
	for _, a := range p.have.addrs {
		ip := a.Prefix.Addr()
		if ip.Is6() != six || ip.IsLinkLocalUnicast() || ip.IsLoopback() || slices.Contains(out, ip) {
			continue
		}
		if slices.ContainsFunc(p.have.routes, func(r rtnl.Route) bool {
			return r.Table == unix.RT_TABLE_MAIN && r.Dst.Bits() == 0 && r.Link == a.Link && r.Dst.Addr().Is6() == six && r.Protocol != rtnl.TunnelProtocol
		}) {
			out = append(out, ip)
		}
	}
	slices.SortFunc(out, func(a, b netip.Addr) int { return cmp.Compare(a.String(), b.String()) })
	return out
}

// marked reports whether packets of tunnels need the mark.
func marked(want []Tunnel, ends []netip.Addr) bool {
	return slices.ContainsFunc(routesOf(want, ends), func(r wantedRoute) bool { return r.Table == fullTable })
}
