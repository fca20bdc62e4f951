package forecast

import (
	"context"
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"

	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/intent"
	"gateway/internal/rtnl"
	"gateway/internal/sys"
)

// Session is how whoever makes a change reaches this node.
type Session struct {
	Caller netip.Addr
	Own    netip.Addr // our address that it came to
	Entry  string     // the interface by which the kernel reaches the caller from any address
	Link   string     // the interface by which it is answered
	Back   rtnl.Route // the kernel's route for the answers; without Dst where it has none
}

// Host knows the kernel's routes: a *sys.Host.
type Host interface {
	Route(to netip.Addr) (sys.Route, error)
}

// Look finds out how the caller reaches this node. It is not known where nothing can be lost:
// a confirmation was asked for, so that the change comes back by itself, or the caller is on
// this node; nor where the kernel has no route to the caller, who reached us all the same.
func Look(ctx context.Context, host Host, open func() (*rtnl.Conn, error)) (s Session, n Network, known bool, err error) {
	if s, known, err = Find(ctx, host, open); err != nil || !known {
		return s, n, false, err
	}
	conn, err := open()
	if err != nil {
		return s, n, false, err
	}
	defer conn.Close()
	if n, err = Read(conn); err != nil {
		return s, n, false, err
	}
	if i := slices.IndexFunc(n.Links, func(l rtnl.Link) bool { return l.Index == s.Back.Link }); i >= 0 {
		s.Link = n.Links[i].Name // answers from this address may leave by another one
	}
	if s.Entry == "" {
		s.Entry = s.Link
	}
	return s, n, true, nil
}

// Find is Look without what decides over routes, which may be ten thousand: Link may not be the
// one by which answers leave, and Entry is empty where only those from our address find a route.
func Find(ctx context.Context, host Host, open func() (*rtnl.Conn, error)) (s Session, known bool, err error) {
	origin := identity.OriginOf(ctx)
	s.Caller, s.Own = origin.Addr, origin.Local
	if intent.Of(ctx).ConfirmWithin > 0 || !s.Caller.IsValid() || s.Caller.IsLoopback() || host == nil {
		return s, false, nil
	}
	back, unreachable := host.Route(s.Caller) // from any address
	if back.Local {
		return s, false, nil
	}
	s.Entry, s.Link = back.Interface, back.Interface
	if !s.Own.IsValid() || s.Own.Is6() != s.Caller.Is6() || s.Own.IsLoopback() {
		s.Own = back.Source
	}
	conn, err := open()
	if err != nil {
		return s, false, err
	}
	defer conn.Close()
	if s.Back, err = conn.Lookup(s.Caller, s.Own); err != nil {
		s.Back = rtnl.Route{}
	}
	if unreachable != nil {
		s.Entry = ""
	}
	return s, unreachable == nil || s.Back.Dst.IsValid(), nil
}

// Refuse words the refusal of a change; it is nil where there is no reason.
func (s Session) Refuse(why fault.Sentence) error {
	if why.Message == "" {
		return nil
	}
	return fault.New(fault.Conflict, "you would lose access: your session from %s comes in on %s, and %s; save with automatic revert, or keep an access path",
		s.Caller, s.Link, why).WithCode("would_lock_out")
}

// Same reports whether a route leads the answers where another one does.
func Same(a, b rtnl.Route) bool {
	return a.Type == unix.RTN_UNICAST && a.Type == b.Type && a.Link == b.Link && a.Gateway == b.Gateway
}
