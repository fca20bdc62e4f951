package netstate

import (
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"

	"gateway/internal/fault"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/forecast"
)

// session is how whoever makes a change reaches this node.
type session forecast.Session

// lost says what of the way a change takes away; it is empty when nothing is.
func (s session) lost(was, now Config, k Kernel) fault.Sentence {
	for _, name := range carriers(s.Link, was, k) {
		if why := s.lostLink(name, was, now, k); why.Message != "" {
			return why
		}
	}
	if !s.keepsAddress(was, now, k) {
		return fault.Said("the change removes its address %s", s.Own)
	}
	if ownAddresses(now)[s.Caller] {
		return fault.Said("the change takes the address of the session for its own")
	}
	present := forecast.Network{Routes: k.Routes, Rules: k.Rules}
	future := present
	future.Routes = after(now, k)
	before, there := present.Route(forecast.Session(s))
	if s.Back.Dst.IsValid() && (!there || before.Link != s.Back.Link || before.Gateway != s.Back.Gateway) {
		// A rule that cannot be judged from here chose it: its own route is to stay.
		if slices.Contains(present.Routes, s.Back) && !slices.Contains(future.Routes, s.Back) {
			return fault.Said("the change removes or replaces the route back")
		}
	}
	if !there {
		return fault.Sentence{}
	}
	switch then, ok := future.Route(forecast.Session(s)); {
	case !ok || then.Type != unix.RTN_UNICAST:
		return fault.Said("there would be no route back")
	case then.Link != before.Link || then.Gateway != before.Gateway:
		return fault.Said("the route back would lead elsewhere")
	}
	return fault.Sentence{}
}

// lostLink says what a change does to one of the links that carry the session.
func (s session) lostLink(name string, was, now Config, k Kernel) fault.Sentence {
	if removedOrRebuilt(name, was, now) {
		return fault.Said("the change removes or rebuilds the interface %s", name)
	}
	if in := masterIn(now, name); in != "" && in != masterIn(was, name) && in != masterOf(k, name) {
		if name == s.Link {
			return fault.Said("the change makes it a member of %s", in)
		}
		return fault.Said("the change makes %s, which carries it, a member of %s", name, in)
	}
	if m := s.lostMember(name, was, now, k); m != "" {
		return fault.Said("the change takes %s out of %s", m, name)
	}
	old, _ := find(was, name)
	l, _ := find(now, name)
	if name != s.Link && l.VLANFilter && !old.VLANFilter {
		return fault.Said("the change enables VLAN filtering on %s", name)
	}
	if l.MTU != old.MTU && s.Caller.Is6() && l.MTU != 0 && l.MTU < smallestMTU6 {
		return fault.Said("the change ends IPv6 on %s: its MTU would be below %d", name, smallestMTU6)
	}
	return fault.Sentence{}
}

// lostMember is a member that goes and that the session may come by. What the kernel knows to
// be on another one stays: of a bridge the port where the next hop was heard, of a bond any
// member with a carrier.
func (s session) lostMember(name string, was, now Config, k Kernel) string {
	going := removedMembers(name, was, now)
	i := slices.IndexFunc(k.Links, func(l rtnl.Link) bool { return l.Name == name })
	if len(going) == 0 || i < 0 {
		return ""
	}
	above := k.Links[i]
	port := s.port(above.Index, k)
	for _, l := range k.Links {
		carries := l.Index == port || above.Kind == Bond && l.Up && l.Carrier
		if l.Master == above.Index && carries && !slices.Contains(going, l.Name) {
			return ""
		}
	}
	return going[0]
}

// port is the one of a bridge by which the next hop was heard last.
func (s session) port(bridge int, k Kernel) int {
	hop := s.Caller
	if s.Back.Gateway.IsValid() {
		hop = s.Back.Gateway
	}
	for _, n := range k.Neighbours {
		for _, at := range k.FDB {
			if n.Address == hop && n.Link == s.Back.Link && n.MAC != "" && n.MAC == at.MAC && at.Bridge == bridge {
				return at.Port
			}
		}
	}
	return 0
}

// smallestMTU6 is the one below which the kernel takes IPv6 off a link.
const smallestMTU6 = 1280

// carriers are a link and those that it is on or made of, by the rows and by the kernel.
func carriers(name string, was Config, k Kernel) []string {
	out := []string{name}
	add := func(n string) {
		if n != "" && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	for i := 0; i < len(out); i++ {
		l, _ := find(was, out[i])
		add(l.Parent)
		for _, m := range l.Members {
			add(m)
		}
		j := slices.IndexFunc(k.Links, func(l rtnl.Link) bool { return l.Name == out[i] })
		if j < 0 {
			continue
		}
		for _, o := range k.Links {
			if o.Master == k.Links[j].Index || o.Index == k.Links[j].Parent && k.Links[j].Kind != "veth" { // whose is the other end
				add(o.Name)
			}
		}
	}
	return out
}

// masterOf is what a link is a member of in the kernel.
func masterOf(k Kernel, name string) string {
	for _, l := range k.Links {
		for _, above := range k.Links {
			if l.Name == name && l.Master == above.Index {
				return above.Name
			}
		}
	}
	return ""
}

// keepsAddress reports whether our address that the session came to will be there. Whoever asks
// for it by IPv4 is answered on every link, by IPv6 on its own one only.
func (s session) keepsAddress(was, now Config, k Kernel) bool {
	on := func(c Config, link string) bool {
		return slices.ContainsFunc(c.Addresses, func(a Address) bool { return a.Prefix.Addr() == s.Own && (link == "" || a.Link == link) })
	}
	link := ""
	if s.Own.Is6() && on(was, s.Link) {
		link = s.Link
	}
	removed := removedLinks(now, k)
	for _, a := range k.Addrs {
		if a.Prefix.Addr() == s.Own && a.Protocol != rtnl.Protocol {
			return !removed[a.Link]
		}
	}
	return on(now, link) || !on(was, link)
}

// removedLinks are those of ours that go, or are made anew.
func removedLinks(now Config, k Kernel) map[int]bool {
	p, out := newPlanner(now, k), map[int]bool{}
	for _, l := range k.Links {
		if w, ok := p.wanted[l.Name]; ours(l) && (!ok || p.another(w, l)) {
			out[l.Index] = true
		}
	}
	return out
}

// forecast is what applying the configuration makes of a network. Links that it would make are
// not among it yet: they lead nowhere that anybody came by.
func (c Config) forecast(n forecast.Network) forecast.Network {
	k := asKernel(n)
	removed := removedLinks(c, k)
	n.Routes, n.Addrs = after(c, k), afterAddresses(c, k)
	n.Links = slices.DeleteFunc(slices.Clone(n.Links), func(l rtnl.Link) bool { return removed[l.Index] })
	return n
}

// after are the routes that the kernel will have: those of others, the wanted ones, and those
// that come and go with our addresses.
func after(now Config, k Kernel) []rtnl.Route {
	stay, removed := afterAddresses(now, k), removedLinks(now, k)
	own := map[netip.Addr]bool{} // what there will be
	connected := map[addressKey]bool{}
	had, has := map[int]bool{}, map[int]bool{} // links with an address of IPv4
	for _, a := range stay {
		own[a.Prefix.Addr()], connected[addressKey{a.Link, a.Prefix.Masked()}] = true, true
		has[a.Link] = has[a.Link] || a.Prefix.Addr().Is4()
	}
	present := map[addressKey]bool{}
	for _, a := range k.Addrs {
		present[addressKey{a.Link, a.Prefix.Masked()}] = true
		had[a.Link] = had[a.Link] || a.Prefix.Addr().Is4()
	}
	var out []rtnl.Route
	for _, r := range k.Routes {
		at, four := addressKey{r.Link, r.Dst}, r.Dst.Addr().Is4()
		byAddress := r.Protocol == unix.RTPROT_KERNEL && present[at]
		switch {
		case r.Protocol == rtnl.Protocol, removed[r.Link], byAddress && !connected[at]:
		case four && had[r.Link] && !has[r.Link]: // with the last address all routes of a link go
		case four && !byAddress && r.Source.IsValid() && !own[r.Source] && r.Table != unix.RT_TABLE_LOCAL:
		default:
			out = append(out, r)
		}
	}
	for _, a := range stay {
		at := addressKey{a.Link, a.Prefix.Masked()}
		if present[at] || a.Prefix.Addr().Is4() && a.Prefix.IsSingleIP() {
			continue
		}
		present[at] = true
		r := rtnl.Route{Table: unix.RT_TABLE_MAIN, Dst: at.prefix, Link: a.Link, Type: unix.RTN_UNICAST, Protocol: unix.RTPROT_KERNEL}
		if r.Dst.Addr().Is6() {
			r.Metric = connectedMetric6
		}
		out = append(out, r)
	}
	return append(out, wanted(now, k)...)
}

// afterAddresses are those that the kernel will have, in the order in which it got them.
func afterAddresses(now Config, k Kernel) (out []rtnl.Addr) {
	links, removed, there := map[string]int{}, removedLinks(now, k), map[addressKey]bool{}
	for _, l := range k.Links {
		links[l.Name] = l.Index
	}
	want := map[addressKey]bool{}
	for _, a := range now.Addresses {
		want[addressKey{links[a.Link], a.Prefix}] = true
	}
	for _, a := range k.Addrs {
		at := addressKey{a.Link, a.Prefix}
		if there[at] = true; !removed[a.Link] && (a.Protocol != rtnl.Protocol || want[at]) {
			out = append(out, a)
		}
	}
	for _, a := range now.Addresses {
		if index := links[a.Link]; index != 0 && (!there[addressKey{index, a.Prefix}] || removed[index]) {
			out = append(out, rtnl.Addr{Link: index, Prefix: a.Prefix, Protocol: rtnl.Protocol})
		}
	}
	return out
}

// connectedMetric6 is what the kernel gives the network of an IPv6 address.
const connectedMetric6 = 256

// wanted are the routes as the kernel will have them.
func wanted(c Config, k Kernel) []rtnl.Route {
	p := newPlanner(c, k)
	have := keyed(slices.DeleteFunc(slices.Clone(k.Routes), func(r rtnl.Route) bool { return r.Protocol != rtnl.Protocol }))
	var out []rtnl.Route
	for _, w := range c.Routes {
		if r, ok := p.route(w, have); ok && (r.Link != 0 || r.Type != unix.RTN_UNICAST) {
			out = append(out, r)
		}
	}
	return out
}
