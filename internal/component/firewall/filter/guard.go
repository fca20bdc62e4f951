package filter

import (
	"context"
	"net/netip"
	"slices"
	"sync"

	"gateway/internal/component/firewall/policy"
	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/intent"
	"gateway/internal/packetfilter"
)

// guard refuses a change that breaks what the operator wrote down as true, or that cuts off
// whoever makes it. What is broken already may be left so: a repair takes several steps.
func (f *filter) guard(ctx context.Context, was func() (*policy.State, error), after *policy.State) error {
	before := sync.OnceValues(was)
	if err := f.guardAssertions(ctx, after, before); err != nil {
		return err
	}
	return f.guardSession(ctx, after, before)
}

func (f *filter) guardAssertions(ctx context.Context, after *policy.State, before func() (*policy.State, error)) error {
	if len(after.Assertions) == 0 {
		return nil
	}
	routes := f.routing(ctx)
	will, err := routes(after)
	if err != nil {
		return err
	}
	for _, a := range after.Assertions {
		why := Broken(a, &after.Policy, will)
		if why.Message == "" {
			continue
		}
		old, err := before()
		if err != nil {
			return err
		}
		are, err := routes(old)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(old.Assertions, func(was policy.Assertion) bool {
			return was.ID == a.ID && Broken(was, &old.Policy, are).Message != ""
		}) {
			continue
		}
		return fault.New(fault.Conflict, "this violates the assertion %q: %s", a.Name, why).WithCode("assertion_broken")
	}
	return nil
}

// Broken says why an assertion does not hold; it is empty when it does.
func Broken(a policy.Assertion, p *packetfilter.Policy, routes packetfilter.Routes) fault.Sentence {
	if a.Unusable.Message != "" {
		return a.Unusable
	}
	a.Query.Routes = routes
	w, reaches, err := packetfilter.Reaches(p, a.Query)
	switch {
	case err != nil:
		return fault.Said("it cannot be verified: %s", fault.SentenceOf(err))
	case a.Expect == "never" && reaches:
		return w.Said()
	case a.Expect == "reach" && !reaches:
		return fault.Said("no such packet would be accepted")
	}
	return fault.Sentence{}
}

// guardSession forecasts whether whoever asks could still sign in afterwards. With a
// confirmation asked for, the change comes back by itself.
func (f *filter) guardSession(ctx context.Context, after *policy.State, before func() (*policy.State, error)) error {
	if intent.Of(ctx).ConfirmWithin > 0 {
		return nil
	}
	k, ok := f.session(ctx)
	if !ok {
		return nil
	}
	trace, reaches := f.arrives(&after.Policy, k)
	if reaches {
		return nil
	}
	old, err := before()
	if err != nil {
		return err
	}
	if _, reached := f.arrives(&old.Policy, k); !reached {
		return nil
	}
	return fault.New(fault.Conflict, "you would lose access: a new connection from %s on %s to port %d would not reach the gateway (%s); save with automatic revert, or keep an access path",
		k.Source, k.In, k.Port, trace.Decided.Said()).WithCode("would_lock_out")
}

// mayKeep refuses to keep what cuts off whoever confirms it: their connection may be one from
// before the change, and the next one would not come about.
func (f *filter) mayKeep(ctx context.Context, now *policy.State) error {
	k, ok := f.session(ctx)
	if !ok {
		return nil
	}
	trace, reaches := f.arrives(&now.Policy, k)
	if reaches {
		return nil
	}
	return fault.New(fault.Conflict, "if you confirm this, you lose access: a new connection from %s on %s to port %d would not reach the gateway (%s); "+
		"let it be reverted, or confirm it from an address that keeps access, or on the node with gateway-ctl confirm", k.Source, k.In, k.Port, trace.Decided.Said()).WithCode("would_lock_out")
}

// arrives reports whether a packet to the gateway gets there: it passes, and no NAT rule
// sends it elsewhere.
func (f *filter) arrives(p *packetfilter.Policy, k packetfilter.Packet) (packetfilter.Trace, bool) {
	trace := packetfilter.Explain(p, k, func(to netip.Addr, mark uint32) (out string, local, ok bool) {
		if to == k.Destination {
			return "", true, true // it reached us there just now
		}
		return Route(f.Host.RouteMarked)(to, mark)
	})
	return trace, trace.Verdict == packetfilter.Accept && trace.Local
}

// session is the first packet of the next connection of whoever asks.
func (f *filter) session(ctx context.Context) (packetfilter.Packet, bool) {
	c := identity.OriginOf(ctx)
	if !c.Addr.IsValid() || c.Addr.IsLoopback() {
		return packetfilter.Packet{}, false
	}
	back, err := f.Host.Route(c.Addr)
	if err != nil {
		return packetfilter.Packet{}, false // it reached us all the same; we cannot tell how
	}
	to := c.Local
	if !to.IsValid() || to.Is6() != c.Addr.Is6() {
		to = back.Source
	}
	return packetfilter.Packet{In: back.Interface, Source: c.Addr, Destination: to, Protocol: packetfilter.TCP, Port: c.Port}, true
}
