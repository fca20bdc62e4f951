package netstate

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"

	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/intent"
	"gateway/internal/rtnl"
)

// guard refuses a change that takes away what carries the session of whoever makes it: the
// interface, our address on it, or the route back. With a confirmation asked for, the change
// comes back by itself.
func (n *network) guard(ctx context.Context, was func() (Config, error), now Config) error {
	if err := n.guardGateways(was, now); err != nil {
		return err
	}
	if err := n.guardStrangers(was, now); err != nil {
		return err
	}
	if intent.Of(ctx).ConfirmWithin > 0 {
		return nil
	}
	caller := identity.OriginOf(ctx).Addr
	if !caller.IsValid() || caller.IsLoopback() || n.Host == nil {
		return nil
	}
	back, err := n.Host.Route(caller)
	if err != nil || back.Local {
		return nil // it reached us all the same; we cannot tell how
	}
	old, err := was()
	if err != nil {
		return err
	}
	s := session{caller: caller, link: back.Interface, own: back.Source}
	kernel, err := n.everything()
	if err != nil {
		return err
	}
	if why := s.lost(old, now, kernel); why != "" {
		return fault.New(fault.Conflict, "you would lose access: your session from %s comes in on %s, and %s; save with automatic revert, or keep an access path",
			caller, back.Interface, why).WithCode("would_lock_out")
	}
	return nil
}

// guardGateways refuses a new route whose gateway is in no network of this node: the kernel
// would refuse it after the change was stored.
func (n *network) guardGateways(was func() (Config, error), now Config) error {
	if !slices.ContainsFunc(now.Routes, func(r Route) bool { return r.Gateway.IsValid() && !r.Onlink }) {
		return nil
	}
	old, err := was()
	if err != nil {
		return err
	}
	known := map[Route]bool{}
	for _, r := range old.Routes {
		known[r] = true
	}
	var addrs []rtnl.Addr // of the kernel, once they are needed
	for _, r := range now.Routes {
		if known[r] || !r.Gateway.IsValid() || r.Onlink || r.Gateway.IsLinkLocalUnicast() {
			continue
		}
		within := func(a Address) bool { return a.Prefix.Masked().Contains(r.Gateway) && (r.Dev == "" || r.Dev == a.Link) }
		own := func(a Address) bool { return a.Prefix.Addr() == r.Gateway }
		switch {
		case slices.ContainsFunc(now.Addresses, own):
			return fault.New(fault.Invalid, "the gateway %s of the route to %s is an address of this node itself", r.Gateway, r.Dst)
		case slices.ContainsFunc(now.Addresses, within):
			continue
		}
		if addrs == nil {
			if addrs, err = n.addrs(); err != nil {
				return err
			}
		}
		if !slices.ContainsFunc(addrs, func(a rtnl.Addr) bool { return a.Prefix.Masked().Contains(r.Gateway) && a.Prefix.Addr() != r.Gateway }) {
			return fault.New(fault.Invalid, "the gateway %s of the route to %s is in no network of this node; add an address in its network first, or set onlink", r.Gateway, r.Dst)
		}
	}
	return nil
}

func (n *network) addrs() ([]rtnl.Addr, error) {
	c, err := n.Open()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	all, err := c.Addrs()
	if err != nil {
		return nil, fmt.Errorf("list addresses: %w", err)
	}
	return append([]rtnl.Addr{}, all...), nil
}

// everything is the kernel with the routes of all.
func (n *network) everything() (k Kernel, err error) {
	c, err := n.Open()
	if err != nil {
		return k, err
	}
	defer c.Close()
	if k, err = look(c); err != nil {
		return k, err
	}
	k.Routes, err = c.Routes(0)
	return k, err
}

// session is the way of whoever asks to us.
type session struct {
	caller netip.Addr
	link   string
	own    netip.Addr
}

// lost says what of the way a change takes away; it is empty when nothing is.
func (s session) lost(was, now Config, k Kernel) string {
	if name := rebuilt(s.link, was, now, map[string]bool{}); name != "" {
		return "the change removes or rebuilds the interface " + name
	}
	if stack(now, s.link) != "" && stack(was, s.link) == "" {
		return "the change makes it a member of " + stack(now, s.link)
	}
	if holds(was, s) && !holds(now, s) {
		return "the change removes its address " + s.own.String()
	}
	before, ok := best(k.Routes, s.caller)
	if !ok {
		return ""
	}
	others := slices.DeleteFunc(slices.Clone(k.Routes), func(r rtnl.Route) bool { return r.Protocol == rtnl.Protocol })
	after, ok := best(append(others, wanted(now, k)...), s.caller)
	switch {
	case !ok || after.Type != unix.RTN_UNICAST:
		return "there would be no route back"
	case after.Link != before.Link || after.Gateway != before.Gateway:
		return "the route back would lead elsewhere"
	}
	return ""
}

func find(c Config, name string) (Link, bool) {
	i := slices.IndexFunc(c.Links, func(l Link) bool { return l.Name == name })
	if i < 0 {
		return Link{}, false
	}
	return c.Links[i], true
}

// rebuilt is the first interface that a change removes or rebuilds, of those that a link is
// made of; it is empty when there is none.
func rebuilt(name string, was, now Config, seen map[string]bool) string {
	if name == "" || seen[name] {
		return ""
	}
	seen[name] = true
	if gone(name, was, now) {
		return name
	}
	l, _ := find(was, name)
	for _, below := range append(slices.Clone(l.Members), l.Parent) {
		if found := rebuilt(below, was, now, seen); found != "" {
			return found
		}
	}
	return ""
}

// guardStrangers refuses to make a member of a link that has addresses of others: they would
// stop working, and not even a revert could bring back what is not ours.
func (n *network) guardStrangers(was func() (Config, error), now Config) error {
	if !slices.ContainsFunc(now.Links, func(l Link) bool { return len(l.Members) > 0 }) {
		return nil
	}
	old, err := was()
	if err != nil {
		return err
	}
	var k Kernel
	for _, l := range now.Links {
		for _, m := range l.Members {
			if stack(old, m) != "" {
				continue
			}
			if k.Links == nil {
				if k, err = n.everything(); err != nil {
					return err
				}
			}
			if a, ok := strange(k, m); ok {
				return fault.New(fault.Conflict, "%s has the address %s, which another program set: as a member of %s it would stop working for good; move the address to this configuration first",
					m, a, l.Name).WithCode("foreign_address")
			}
		}
	}
	return nil
}

// strange is an address of a link that others gave it, beside those of the link itself.
func strange(k Kernel, name string) (netip.Prefix, bool) {
	for _, l := range k.Links {
		for _, a := range k.Addrs {
			if l.Name == name && a.Link == l.Index && a.Protocol != rtnl.Protocol && !a.Prefix.Addr().IsLinkLocalUnicast() {
				return a.Prefix, true
			}
		}
	}
	return netip.Prefix{}, false
}

// gone reports whether a link that we made is removed, or made anew as another one.
func gone(name string, was, now Config) bool {
	old, ok := find(was, name)
	if !ok || !old.Made() {
		return false
	}
	l, ok := find(now, name)
	return !ok || l.Kind != old.Kind || l.Parent != old.Parent || l.VLANID != old.VLANID ||
		l.Mode != old.Mode || l.LACPRate != old.LACPRate || l.STP != old.STP || l.VLANFilter != old.VLANFilter || pulled(old, l)
}

// pulled reports whether a member goes: it may be the one that works.
func pulled(old, now Link) bool {
	return slices.ContainsFunc(old.Members, func(m string) bool { return !slices.Contains(now.Members, m) })
}

// stack is the bond or bridge that a link is a member of.
func stack(c Config, name string) string {
	for _, l := range c.Links {
		if slices.Contains(l.Members, name) {
			return l.Name
		}
	}
	return ""
}

func holds(c Config, s session) bool {
	return slices.ContainsFunc(c.Addresses, func(a Address) bool { return a.Link == s.link && a.Prefix.Addr() == s.own })
}

// wanted are the routes of the main table as the kernel will have them.
func wanted(c Config, k Kernel) []rtnl.Route {
	p := &planner{byName: map[string]rtnl.Link{}, wanted: map[string]Link{}}
	for _, l := range k.Links {
		p.byName[l.Name] = l
	}
	var out []rtnl.Route
	for _, w := range c.Routes {
		r, ok := p.route(w)
		if ok && r.Link == 0 {
			r.Link = onLink(k, r.Gateway)
		}
		if ok && (r.Link != 0 || r.Type != unix.RTN_UNICAST) {
			out = append(out, r)
		}
	}
	return out
}

// onLink is the link that a gateway is on.
func onLink(k Kernel, gateway netip.Addr) int {
	for _, a := range k.Addrs {
		if a.Prefix.Masked().Contains(gateway) {
			return a.Link
		}
	}
	return 0
}

// best is the route of the main table that a packet takes: the longest network, then the
// lowest metric, then the first.
func best(routes []rtnl.Route, to netip.Addr) (found rtnl.Route, ok bool) {
	for _, r := range routes {
		if r.Table != unix.RT_TABLE_MAIN || !r.Dst.Contains(to) {
			continue
		}
		if !ok || r.Dst.Bits() > found.Dst.Bits() || r.Dst.Bits() == found.Dst.Bits() && r.Metric < found.Metric {
			found, ok = r, true
		}
	}
	return found, ok
}
