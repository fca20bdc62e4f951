package netstate

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"sync"

	"gateway/internal/fault"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/forecast"
)

// guard refuses a change that takes away what carries the session of whoever makes it: the
// interface, our address on it, or the route back. With a confirmation asked for, the change
// comes back by itself.
func (n *network) guard(ctx context.Context, was func() (state, error), now state) error {
	before := sync.OnceValues(func() (Config, error) { s, err := was(); return s.Config, err })
	if err := n.guardGateways(before, now.Config); err != nil {
		return err
	}
	if err := n.guardForeignAddresses(before, now.Config); err != nil {
		return err
	}
	found, known, err := forecast.Find(ctx, n.Host, n.Open)
	if err != nil || !known || !found.Back.Dst.IsValid() {
		return err
	}
	old, err := before()
	if err != nil || session(found).apartFrom(old, now.Config) {
		return err
	}
	found, seen, known, err := forecast.Look(ctx, n.Host, n.Open)
	if err != nil || !known || !found.Back.Dst.IsValid() {
		return err
	}
	kernel := asKernel(seen)
	if err := n.readNeighbours(&kernel); err != nil {
		return err
	}
	if why := session(found).lost(old, now.Config, kernel); why.Message != "" {
		return found.Refuse(why)
	}
	why, err := now.others.Lost(ctx, found, seen, Name, old.forecast, now.forecast)
	if err != nil {
		return err
	}
	return found.Refuse(why)
}

// asKernel is what a guard has seen of the kernel, as the planner takes it.
func asKernel(n forecast.Network) Kernel {
	return Kernel{Links: n.Links, Addrs: n.Addrs, Routes: n.Routes, Rules: n.Rules}
}

// readNeighbours adds by which member of a bridge others were heard.
func (n *network) readNeighbours(k *Kernel) error {
	c, err := n.Open()
	if err != nil {
		return err
	}
	defer c.Close()
	if k.Neighbours, err = c.Neighbours(); err != nil {
		return fmt.Errorf("list neighbours: %w", err)
	}
	if k.FDB, err = c.FDB(); err != nil {
		return fmt.Errorf("list the forwarding database of bridges: %w", err)
	}
	return nil
}

func find(c Config, name string) (Link, bool) {
	i := slices.IndexFunc(c.Links, func(l Link) bool { return l.Name == name })
	if i < 0 {
		return Link{}, false
	}
	return c.Links[i], true
}

// guardForeignAddresses refuses to make a member of a link that has addresses of others: they
// would stop working, and not even a revert could bring back what is not ours.
func (n *network) guardForeignAddresses(was func() (Config, error), now Config) error {
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
			if masterIn(old, m) != "" {
				continue
			}
			if k.Links == nil {
				if k, err = n.links(); err != nil {
					return err
				}
			}
			if a, ok := foreignAddress(k, m); ok {
				return fault.New(fault.Conflict, "%s has the address %s, which another program set: as a member of %s it would stop working for good; move the address to this configuration first",
					m, a, l.Name).WithCode("foreign_address")
			}
		}
	}
	return nil
}

// links are the kernel's, with their addresses.
func (n *network) links() (k Kernel, err error) {
	c, err := n.Open()
	if err != nil {
		return k, err
	}
	defer c.Close()
	return look(c)
}

// foreignAddress is an address of a link that others gave it, beside those of the link itself.
func foreignAddress(k Kernel, name string) (netip.Prefix, bool) {
	for _, l := range k.Links {
		for _, a := range k.Addrs {
			if l.Name == name && a.Link == l.Index && a.Protocol != rtnl.Protocol && !a.Prefix.Addr().IsLinkLocalUnicast() {
				return a.Prefix, true
			}
		}
	}
	return netip.Prefix{}, false
}

// removedOrRebuilt reports whether a link that we made is removed, made anew as another one, or
// down for a while.
func removedOrRebuilt(name string, was, now Config) bool {
	old, ok := find(was, name)
	if !ok || !old.Made() {
		return false
	}
	l, ok := find(now, name)
	return !ok || l.Kind != old.Kind || l.Parent != old.Parent || l.VLANID != old.VLANID ||
		l.Mode != old.Mode || l.LACPRate != old.LACPRate
}

// removedMembers are the members that go.
func removedMembers(name string, was, now Config) []string {
	old, _ := find(was, name)
	l, _ := find(now, name)
	return slices.DeleteFunc(slices.Clone(old.Members), func(m string) bool { return slices.Contains(l.Members, m) })
}

// masterIn is the bond or bridge that a link is a member of.
func masterIn(c Config, name string) string {
	for _, l := range c.Links {
		if slices.Contains(l.Members, name) {
			return l.Name
		}
	}
	return ""
}
