package multiwan

import (
	"context"
	"slices"

	"golang.org/x/sys/unix"

	"gateway/internal/fault"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/forecast"
)

// guard refuses a change that sends the answers to whoever makes it another way than now. With
// a confirmation asked for, the change comes back by itself.
func (d *uplinks) guard(ctx context.Context, was func() (state, error), now state) error {
	found, seen, known, err := forecast.Look(ctx, d.Host, d.Open)
	if err != nil || !known || !found.Back.Dst.IsValid() {
		return err
	}
	old, err := was()
	if err != nil {
		return err
	}
	if why := newSession(found, seen).lost(old.Config, now.Config); why.Message != "" {
		return found.Refuse(why)
	}
	why, err := now.others.Lost(ctx, found, seen, Name, old.forecast, now.forecast)
	if err != nil {
		return err
	}
	return found.Refuse(why)
}

// session is the way of whoever asks to us.
type session struct {
	six          bool
	link         string
	back         rtnl.Route   // the kernel's route for what we answer
	mainDefaults []rtnl.Route // the default routes of the main table
	names        map[int]string
}

func newSession(found forecast.Session, seen forecast.Network) session {
	s := session{six: found.Caller.Is6(), link: found.Link, back: found.Back, names: map[int]string{}}
	for _, r := range seen.Routes {
		if r.Table == unix.RT_TABLE_MAIN && r.Dst.Bits() == 0 && r.Dst.Addr().Is6() == s.six {
			s.mainDefaults = append(s.mainDefaults, r)
		}
	}
	for _, l := range seen.Links {
		s.names[l.Index] = l.Name
	}
	return s
}

// follows reports whether a default route of the main table leads to the gateway by which the
// session is answered: an uplink without a gateway of its own takes that.
func (s session) follows() bool {
	return slices.ContainsFunc(s.mainDefaults, func(r rtnl.Route) bool { return s.names[r.Link] == s.link && r.Gateway == s.back.Gateway })
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
	if g, chooses := now.defaultGroup(s.six); chooses {
		return fault.Said("the answers would go where the uplink group %s leads", g.Name)
	}
	if s.follows() {
		return fault.Sentence{}
	}
	return fault.Said("without the uplink there would be no route back")
}
