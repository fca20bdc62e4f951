// Package forecast says which route the answers to a session take, now and after a change.
// Several components manage the kernel's routes. A change of one of them is judged beside the rows
// of the others, which may be ahead of the kernel. What their rows lead to is left to them.
package forecast

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"

	"gateway/internal/rtnl"
)

// Network is what decides which route a packet takes, whoever made it.
type Network struct {
	Links  []rtnl.Link
	Addrs  []rtnl.Addr
	Routes []rtnl.Route
	Rules  []rtnl.Rule // in the order in which they are asked
}

// Read asks the kernel.
func Read(conn *rtnl.Conn) (n Network, err error) {
	if n.Links, err = conn.Links(); err != nil {
		return n, fmt.Errorf("list links: %w", err)
	}
	if n.Addrs, err = conn.Addrs(); err != nil {
		return n, fmt.Errorf("list addresses: %w", err)
	}
	if n.Routes, err = conn.Routes(0); err != nil {
		return n, fmt.Errorf("list routes: %w", err)
	}
	if n.Rules, err = conn.Rules(0); err != nil {
		return n, fmt.Errorf("list rules: %w", err)
	}
	return n, nil
}

// WithRules is the network with these rules instead of those of their protocol.
func (n Network) WithRules(protocol uint8, rules []rtnl.Rule) Network {
	kept := slices.DeleteFunc(slices.Clone(n.Rules), func(r rtnl.Rule) bool { return r.Protocol == protocol })
	n.Rules = append(kept, rules...)
	slices.SortStableFunc(n.Rules, func(a, b rtnl.Rule) int { return cmp.Compare(a.Priority, b.Priority) })
	return n
}

// WithRoutes is the network with these routes instead of those of their protocol.
func (n Network) WithRoutes(protocol uint8, routes []rtnl.Route) Network {
	kept := slices.DeleteFunc(slices.Clone(n.Routes), func(r rtnl.Route) bool { return r.Protocol == protocol })
	n.Routes = append(kept, routes...)
	return n
}

// Route is the one that answers take. Rules that choose by more than addresses hold for the
// session if the kernel uses their table for it.
func (n Network) Route(s Session) (rtnl.Route, bool) {
	known := false
	for _, r := range n.Rules {
		if r.IPv6 != s.Caller.Is6() {
			continue
		}
		known = true
		if !s.follows(r) {
			continue
		}
		if r.Table == 0 {
			return rtnl.Route{}, false
		}
		if found, ok := best(n.Routes, r.Table, s.Caller, r.MinPrefixLength); ok {
			return found, true
		}
	}
	if known {
		return rtnl.Route{}, false
	}
	return best(n.Routes, unix.RT_TABLE_MAIN, s.Caller, 0)
}

// follows reports whether a rule is for the answers. Their mark, if they have one, is not the one
// that a rule such as a tunnel's excludes: that is on the packets of the tunnel itself.
func (s Session) follows(r rtnl.Rule) bool {
	if r.Not && r.Mark != 0 && !r.OtherSelectors && r.Out == "" && !r.Src.IsValid() && !r.Dst.IsValid() {
		return true
	}
	if !r.ByAddress() {
		return r.Table != 0 && r.Table == s.Back.Table
	}
	return !(r.Dst.IsValid() && !r.Dst.Contains(s.Caller)) && !(r.Src.IsValid() && !r.Src.Contains(s.Own))
}

// best is the route of a table that a packet takes: the longest network of at least so many
// bits, then the lowest metric, then the first.
func best(routes []rtnl.Route, table uint32, to netip.Addr, minLength int) (found rtnl.Route, ok bool) {
	for _, r := range routes {
		if r.Table != table || r.Dst.Bits() < minLength || !r.Dst.Contains(to) {
			continue
		}
		if !ok || r.Dst.Bits() > found.Dst.Bits() || r.Dst.Bits() == found.Dst.Bits() && r.Metric < found.Metric {
			found, ok = r, true
		}
	}
	return found, ok
}
