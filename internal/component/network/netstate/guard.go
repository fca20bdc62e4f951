package netstate

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

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
	s, kernel, known := n.session(ctx)
	if !known {
		return nil // it reached us all the same; we cannot tell how
	}
	old, err := was()
	if err != nil {
		return err
	}
	if why := s.lost(old, now, kernel); why.Message != "" {
		return fault.New(fault.Conflict, "you would lose access: your session from %s comes in on %s, and %s; save with automatic revert, or keep an access path",
			s.caller, s.link, why).WithCode("would_lock_out")
	}
	return nil
}

// session is the way of whoever asks to us, as the kernel has it.
func (n *network) session(ctx context.Context) (s session, k Kernel, known bool) {
	origin := identity.OriginOf(ctx)
	s.caller, s.own = origin.Addr, origin.Local
	if !s.caller.IsValid() || s.caller.IsLoopback() || n.Host == nil {
		return s, k, false
	}
	back, err := n.Host.Route(s.caller)
	if err != nil || back.Local {
		return s, k, false
	}
	if s.link = back.Interface; s.own.Is6() != s.caller.Is6() || !s.own.IsValid() || s.own.IsLoopback() {
		s.own = back.Source
	}
	if s.back, err = n.lookup(s.caller, s.own); err != nil {
		return s, k, false
	}
	if k, err = n.everything(); err != nil {
		return s, k, false
	}
	if i := slices.IndexFunc(k.Links, func(l rtnl.Link) bool { return l.Index == s.back.Link }); i >= 0 {
		s.link = k.Links[i].Name // answers from this address may leave by another one
	}
	return s, k, true
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
	if k.Routes, err = c.Routes(0); err != nil {
		return k, fmt.Errorf("list routes: %w", err)
	}
	if k.Rules, err = c.Rules(0); err != nil {
		return k, fmt.Errorf("list rules: %w", err)
	}
	if k.Neighbours, err = c.Neighbours(); err != nil {
		return k, fmt.Errorf("list neighbours: %w", err)
	}
	if k.Stations, err = c.Stations(); err != nil {
		return k, fmt.Errorf("list the stations of bridges: %w", err)
	}
	return k, nil
}

func (n *network) lookup(to, from netip.Addr) (rtnl.Route, error) {
	c, err := n.Open()
	if err != nil {
		return rtnl.Route{}, err
	}
	defer c.Close()
	return c.Lookup(to, from)
}

func find(c Config, name string) (Link, bool) {
	i := slices.IndexFunc(c.Links, func(l Link) bool { return l.Name == name })
	if i < 0 {
		return Link{}, false
	}
	return c.Links[i], true
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

// gone reports whether a link that we made is removed, made anew as another one, or down for a
// while.
func gone(name string, was, now Config) bool {
	old, ok := find(was, name)
	if !ok || !old.Made() {
		return false
	}
	l, ok := find(now, name)
	return !ok || l.Kind != old.Kind || l.Parent != old.Parent || l.VLANID != old.VLANID ||
		l.Mode != old.Mode || l.LACPRate != old.LACPRate
}

// pulled are the members that go.
func pulled(name string, was, now Config) []string {
	old, _ := find(was, name)
	l, _ := find(now, name)
	return slices.DeleteFunc(slices.Clone(old.Members), func(m string) bool { return slices.Contains(l.Members, m) })
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
