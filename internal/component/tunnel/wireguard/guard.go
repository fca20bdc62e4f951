package wireguard

import (
	"context"
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"

	"gateway/internal/fault"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/forecast"
)

// guard refuses a change that takes the session of whoever makes it into a tunnel, or the
// tunnel away through which it comes. With a confirmation asked for, the change comes back by
// itself.
func (d *tunnels) guard(ctx context.Context, was func() (state, error), now state) error {
	found, seen, known, err := forecast.Look(ctx, d.Host, d.Open)
	if err != nil || !known {
		return err
	}
	old, err := was()
	if err != nil {
		return err
	}
	s := session{caller: found.Caller, own: found.Own, link: found.Entry}
	if why := s.lost(old, now, others(seen)); why.Message != "" {
		found.Link = s.link
		return found.Refuse(why)
	}
	if sameRoutes(old.Config, now.Config) {
		return nil // as with most changes of peers, and the others need not be read
	}
	why, err := now.others.Lost(ctx, found, seen, Name, old.change(d.Kind, d.Now()), now.change(d.Kind, d.Now()))
	if err != nil {
		return err
	}
	return found.Refuse(why)
}

// others are all addresses, and the routes of the main table that are not a tunnel's.
func others(n forecast.Network) kernel {
	return kernel{addrs: n.Addrs, routes: slices.DeleteFunc(slices.Clone(n.Routes), func(r rtnl.Route) bool {
		return r.Table != unix.RT_TABLE_MAIN || r.Protocol == rtnl.TunnelProtocol
	})}
}

// session is the way of whoever asks to us: to our own address, by a link.
type session struct {
	caller, own netip.Addr
	link        string
}

// lost says what of the way a change takes away; it is empty when nothing is.
func (s session) lost(was, now state, have kernel) fault.Sentence {
	if _, ok := find(was.Config, s.link); ok {
		return s.cut(was, now)
	}
	if by := s.into(now.Config, have); by.IsValid() && !s.into(was.Config, have).IsValid() {
		return fault.Said("the route back would lead into a tunnel, by %s", by)
	}
	return fault.Sentence{}
}

// into is the network by which answers go into a tunnel; invalid if they do not.
func (s session) into(c Config, have kernel) (by netip.Prefix) {
	best := -1 // the route of others that is taken
	for _, r := range have.routes {
		if r.Dst.Contains(s.caller) {
			best = max(best, r.Dst.Bits())
		}
	}
	for _, t := range c.Tunnels {
		for _, a := range t.Addresses {
			if a.Contains(s.caller) && a.Bits() > best {
				best, by = a.Bits(), a.Masked()
			}
		}
	}
	var full netip.Prefix
	for _, r := range routesOf(c.Tunnels, endpoints(c)) {
		switch {
		case !r.Dst.Contains(s.caller):
		case r.Table == fullTable:
			full = r.Dst
		case r.Dst.Bits() > best:
			best, by = r.Dst.Bits(), r.Dst
		}
	}
	// Routes of the main table come before a tunnel that takes everything, but its default, and
	// answers leave where they were asked for: see rules.
	p := plan{have: have}
	if full.IsValid() && best <= 0 && !slices.Contains(p.externalAddresses(s.caller.Is6()), s.own) {
		return full
	}
	return by
}

// endpoints are where peers are dialled, as far as no name has to be looked up for it.
func endpoints(c Config) (all []netip.Addr) {
	for _, t := range c.Tunnels {
		for _, p := range t.Peers {
			if at, err := netip.ParseAddrPort(p.Endpoint); err == nil {
				all = append(all, at.Addr().Unmap())
			}
		}
	}
	return all
}

func find(c Config, name string) (Tunnel, bool) {
	i := slices.IndexFunc(c.Tunnels, func(t Tunnel) bool { return t.Name == name })
	if i < 0 {
		return Tunnel{}, false
	}
	return c.Tunnels[i], true
}

// cut says how a change ends a session that comes through a tunnel. Keys count: the other end
// has the old ones.
func (s session) cut(was, now state) fault.Sentence {
	old, _ := find(was.Config, s.link)
	t, ok := find(now.Config, s.link)
	if !ok {
		return fault.Said("the change removes the tunnel %s", s.link)
	}
	if t.Port != old.Port || t.Mode != old.Mode || !slices.Equal(t.Addresses, old.Addresses) {
		return fault.Said("the change gives the tunnel %s another port, mode or address", s.link)
	}
	if now.keys.Private[s.link].Reveal() != was.keys.Private[s.link].Reveal() {
		return fault.Said("the change gives the tunnel %s another key", s.link)
	}
	before, after := through(old, s.caller), through(t, s.caller)
	id := PeerKey{s.link, before.PublicKey}
	switch {
	case before.PublicKey != after.PublicKey:
		return fault.Said("the change removes or replaces the peer by which it comes")
	case was.keys.Preshared[id].Reveal() != now.keys.Preshared[id].Reveal():
		return fault.Said("the change gives the peer by which it comes another preshared key")
	case !after.ExpiresAt.Equal(before.ExpiresAt) && !after.ExpiresAt.IsZero():
		return fault.Said("the change lets the peer by which it comes expire")
	}
	return fault.Sentence{}
}

// through is the peer to which packets for an address go.
func through(t Tunnel, ip netip.Addr) (by Peer) {
	best := -1
	for _, p := range t.Peers {
		for _, n := range p.AllowedIPs {
			if n.Contains(ip) && n.Bits() > best {
				best, by = n.Bits(), p
			}
		}
	}
	return by
}
