package netstate

import (
	"net/netip"
	"slices"
	"sync"

	"gateway/internal/fault"
	"gateway/internal/rtnl"
)

// guardGateways refuses a new route whose gateway is in no network of this node, and a change
// that takes the network of a gateway away: the kernel would refuse the route after the change
// was stored, or keep it and refuse it at the next boot.
func (n *network) guardGateways(was func() (Config, error), now Config) error {
	after, mine := reaches(now), ownAddresses(now)
	doubtful := slices.ContainsFunc(now.Routes, func(r Route) bool { return needsNetwork(r) && (mine[r.Gateway] || !after(r)) })
	if !doubtful {
		return nil // what was is not read for nothing
	}
	old, err := was()
	if err != nil {
		return err
	}
	known := map[Route]bool{}
	for _, r := range old.Routes {
		known[r] = true
	}
	before, mineBefore := reaches(old), ownAddresses(old)
	foreign := sync.OnceValues(n.foreignNetworks) // read once it is needed
	for _, r := range now.Routes {
		if !needsNetwork(r) || known[r] && (!before(r) || mineBefore[r.Gateway]) {
			continue // what was in trouble already is no reason to refuse others
		}
		if mine[r.Gateway] {
			return fault.New(fault.Invalid, "the gateway %s of the route to %s is an address of this node itself", r.Gateway, r.Dst)
		}
		if after(r) {
			continue
		}
		others, err := foreign()
		if err != nil {
			return err
		}
		switch {
		case others(r):
		case known[r]:
			return fault.New(fault.Conflict, "the gateway %s of the route to %s would be in no network of this node; change or delete the route first", r.Gateway, r.Dst).
				WithCode("in_use").WithUses(fault.UsesOf(fault.Use{Kind: "route", Name: r.Dst.String(), Link: "/routes"}))
		default:
			return fault.New(fault.Invalid, "the gateway %s of the route to %s is in no network of this node; add an address in its network first, or set onlink", r.Gateway, r.Dst)
		}
	}
	return nil
}

// needsNetwork reports whether a route's gateway must be in a network of this node.
func needsNetwork(r Route) bool {
	return r.Gateway.IsValid() && !r.Onlink && !(r.Gateway.Is6() && r.Gateway.IsLinkLocalUnicast())
}

// reaches tells whether the gateway of a route is in a network of the addresses.
func reaches(c Config) func(Route) bool {
	type key struct {
		link    string // empty for any
		network netip.Prefix
	}
	networks, lengths := map[key]bool{}, map[int]bool{}
	for _, a := range c.Addresses {
		networks[key{"", a.Prefix.Masked()}], networks[key{a.Link, a.Prefix.Masked()}] = true, true
		lengths[a.Prefix.Bits()] = true
	}
	return func(r Route) bool {
		for bits := range lengths {
			if p, err := r.Gateway.Prefix(bits); err == nil && networks[key{r.Dev, p}] {
				return true
			}
		}
		return false
	}
}

func ownAddresses(c Config) map[netip.Addr]bool {
	out := map[netip.Addr]bool{}
	for _, a := range c.Addresses {
		out[a.Prefix.Addr()] = true
	}
	return out
}

// foreignNetworks tells what the addresses in the kernel reach that the network did not set: its
// own are as the rows say.
func (n *network) foreignNetworks() (func(Route) bool, error) {
	k, err := n.links()
	if err != nil {
		return nil, err
	}
	names := map[int]string{}
	for _, l := range k.Links {
		names[l.Index] = l.Name
	}
	var others Config
	for _, a := range k.Addrs {
		if a.Protocol != rtnl.Protocol {
			others.Addresses = append(others.Addresses, Address{names[a.Link], a.Prefix})
		}
	}
	within, mine := reaches(others), ownAddresses(others)
	return func(r Route) bool { return within(r) && !mine[r.Gateway] }, nil
}
