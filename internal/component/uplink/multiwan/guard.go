package multiwan

import (
	"context"
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"

	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/intent"
	"gateway/internal/rtnl"
)

// guard refuses a change that sends the answers to whoever makes it another way than now. With
// a confirmation asked for, the change comes back by itself.
func (d *ways) guard(ctx context.Context, was func() (Config, error), now Config) error {
	if intent.Of(ctx).ConfirmWithin > 0 {
		return nil
	}
	origin := identity.OriginOf(ctx)
	caller := origin.Addr
	if !caller.IsValid() || caller.IsLoopback() || d.Host == nil {
		return nil
	}
	back, err := d.Host.Route(caller)
	if err != nil || back.Local {
		return nil // it reached us all the same; we cannot tell how
	}
	old, err := was()
	if err != nil {
		return err
	}
	own := origin.Local // which of several uplinks it came by is told by the address that it came to
	if !own.IsValid() || own.Is6() != caller.Is6() {
		own = back.Source
	}
	s, err := d.session(caller, back.Interface, own)
	if err != nil {
		return nil // as above
	}
	if why := s.lost(old, now); why.Message != "" {
		return fault.New(fault.Conflict, "you would lose access: your session from %s comes in on %s, and %s; save with automatic revert, or keep an access path",
			caller, s.link, why).WithCode("would_lock_out")
	}
	return nil
}

// session is the way of whoever asks to us.
type session struct {
	six   bool
	link  string
	back  rtnl.Route   // the kernel's route for what we answer
	plain []rtnl.Route // the default routes of the main table
	names map[int]string
}

func (d *ways) session(caller netip.Addr, link string, own netip.Addr) (s session, err error) {
	conn, err := d.Open()
	if err != nil {
		return s, err
	}
	defer conn.Close()
	s = session{six: caller.Is6(), link: link, names: map[int]string{}}
	if s.back, err = conn.Lookup(caller, own); err != nil {
		return s, err
	}
	routes, err := conn.Routes(0)
	if err != nil {
		return s, err
	}
	for _, r := range routes {
		if r.Table == unix.RT_TABLE_MAIN && r.Dst.Bits() == 0 && r.Dst.Addr().Is6() == s.six {
			s.plain = append(s.plain, r)
		}
	}
	links, err := conn.Links()
	for _, l := range links {
		s.names[l.Index] = l.Name
	}
	if name := s.names[s.back.Link]; name != "" {
		s.link = name
	}
	return s, err
}

// follows reports whether a default route of the main table leads to the gateway by which the
// session is answered: an uplink without a gateway of its own takes that.
func (s session) follows() bool {
	return slices.ContainsFunc(s.plain, func(r rtnl.Route) bool { return s.names[r.Link] == s.link && r.Gateway == s.back.Gateway })
}

// lost says what of the way a change takes away; it is empty when nothing is.
func (s session) lost(was, now Config) fault.Sentence {
	if s.back.Table == unix.RT_TABLE_MAIN && s.back.Dst.Bits() > 0 {
		return fault.Sentence{} // such routes come before the uplinks
	}
	u, is := now.on(s.link, s.six)
	if old, had := was.on(s.link, s.six); had && is && old.Gateway == u.Gateway {
		return fault.Sentence{}
	}
	if is {
		if u.Gateway.IsValid() && u.Gateway != s.back.Gateway {
			return fault.Said("the answers would go to another gateway, %s", u.Gateway)
		}
		if !u.Gateway.IsValid() && s.back.Gateway.IsValid() && !s.follows() {
			return fault.Said("no gateway would be known on %s", s.link)
		}
		return fault.Sentence{}
	}
	if g, chooses := now.fallback(s.six); chooses {
		return fault.Said("the answers would go where the uplink group %s leads", g.Name)
	}
	if s.follows() {
		return fault.Sentence{}
	}
	return fault.Said("without the uplink there would be no route back")
}
