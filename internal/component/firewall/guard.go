package firewall

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"sync"

	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/intent"
	"gateway/internal/packetfilter"
)

// guard refuses a change that breaks what the operator wrote down as true, or that cuts off
// whoever makes it. What is broken already may be left so: a repair takes several steps.
func (p *part) guard(ctx context.Context, was func() (*state, error), after *state) error {
	before := sync.OnceValues(was)
	if err := p.guardAssertions(after, before); err != nil {
		return err
	}
	return p.guardSession(ctx, after, before)
}

func (p *part) guardAssertions(after *state, before func() (*state, error)) error {
	if len(after.asserted) == 0 {
		return nil
	}
	routes, err := p.routesNow()
	if err != nil {
		return err
	}
	for _, a := range after.asserted {
		broken := a.broken(&after.policy, routes)
		if broken == "" {
			continue
		}
		old, err := before()
		if err != nil {
			return err
		}
		if slices.ContainsFunc(old.asserted, func(was asserted) bool { return was.ID == a.ID && was.broken(&old.policy, routes) != "" }) {
			continue
		}
		return fault.New(fault.Conflict, "this breaks the assertion %q: %s", a.Name, broken).WithCode("assertion_broken")
	}
	return nil
}

// asserted is an assertion that is enabled, as a question to the policy.
type asserted struct {
	ID, Name, Expect string
	query            packetfilter.Query
	unusable         string
}

// broken says why it does not hold; it is empty when it does.
func (a asserted) broken(p *packetfilter.Policy, routes packetfilter.Routes) string {
	if a.unusable != "" {
		return a.unusable
	}
	a.query.Routes = routes
	w, reaches, err := packetfilter.Reaches(p, a.query)
	switch {
	case err != nil:
		return "it cannot be decided: " + err.Error()
	case a.Expect == "never" && reaches:
		return w.String()
	case a.Expect == "reach" && !reaches:
		return "nothing of the kind would pass"
	}
	return ""
}

// routesNow are the kernel's routes.
func (p *part) routesNow() (packetfilter.Routes, error) {
	hops, err := p.Host.Routes()
	if err != nil {
		return nil, err
	}
	out := make(packetfilter.Routes, len(hops))
	for i, h := range hops {
		out[i] = packetfilter.Hop{Network: h.Network, Out: h.Interface, Local: h.Local}
	}
	return out, nil
}

// assertRow is an assertion as it is stored.
type assertRow struct {
	ID, Name, Expect, From, To, Source, Destination string
	Service, Group                                  id
}

const assertQuery = `select id::text, name, expect, coalesce(src_zone, 'any'), case when dst_gateway then 'gateway' else coalesce(dst_zone, 'any') end,
	src_cidr, dst_cidr, service_object_id, service_group_id from firewall_assertions where enabled order by name`

// assertion reads one. What cannot be read is broken: nobody should rely on it.
func (r *reader) assertion(row assertRow) asserted {
	a := asserted{ID: row.ID, Name: row.Name, Expect: row.Expect, query: packetfilter.Query{From: row.From, To: row.To}}
	a.query.Services, a.unusable = r.servicesOf(row.Service, row.Group)
	for text, to := range map[string]*packetfilter.Addresses{row.Source: &a.query.Source, row.Destination: &a.query.Destination} {
		if text == "" {
			continue
		}
		n, err := prefix(text)
		if err != nil {
			a.unusable = fmt.Sprintf("%q is no network", text)
			continue
		}
		*to = packetfilter.Merge([]packetfilter.Range{packetfilter.RangeOf(n)})
	}
	return a
}

// guardSession forecasts whether whoever asks could still sign in afterwards. With a
// confirmation asked for, the change comes back by itself.
func (p *part) guardSession(ctx context.Context, after *state, before func() (*state, error)) error {
	if intent.Of(ctx).ConfirmWithin > 0 {
		return nil
	}
	k, ok := p.session(ctx)
	if !ok {
		return nil
	}
	trace, reaches := p.arrives(&after.policy, k)
	if reaches {
		return nil
	}
	old, err := before()
	if err != nil {
		return err
	}
	if _, reached := p.arrives(&old.policy, k); !reached {
		return nil
	}
	return fault.New(fault.Conflict, "this would cut you off: a new connection from %s by %s to port %d would not reach us (%s); have it confirmed, so that it comes back by itself, or keep a way in",
		k.Source, k.In, k.Port, trace.Decided).WithCode("would_lock_out")
}

// mayKeep refuses to keep what cuts off whoever confirms it: their connection may be one from
// before the change, and the next one would not come about.
func (p *part) mayKeep(ctx context.Context, now *state) error {
	k, ok := p.session(ctx)
	if !ok {
		return nil
	}
	trace, reaches := p.arrives(&now.policy, k)
	if reaches {
		return nil
	}
	return fault.New(fault.Conflict, "keeping this would cut you off: a new connection from %s by %s to port %d would not reach us (%s); "+
		"let it be undone, or confirm it from a place that still gets in, or on the node with gateway-ctl confirm", k.Source, k.In, k.Port, trace.Decided).WithCode("would_lock_out")
}

// arrives reports whether a packet to the gateway gets there: it passes, and no NAT rule
// sends it elsewhere.
func (p *part) arrives(policy *packetfilter.Policy, k packetfilter.Packet) (packetfilter.Trace, bool) {
	trace := packetfilter.Explain(policy, k, func(to netip.Addr) (out string, local, ok bool) {
		if to == k.Destination {
			return "", true, true // it reached us there just now
		}
		return p.way(to)
	})
	return trace, trace.Verdict == packetfilter.Accept && trace.Local
}

// session is the first packet of the next connection of whoever asks.
func (p *part) session(ctx context.Context) (packetfilter.Packet, bool) {
	c := identity.OriginOf(ctx)
	if !c.Addr.IsValid() || c.Addr.IsLoopback() || p.Host == nil {
		return packetfilter.Packet{}, false
	}
	back, err := p.Host.Route(c.Addr)
	if err != nil {
		return packetfilter.Packet{}, false // it reached us all the same; we cannot tell how
	}
	return packetfilter.Packet{
		In: back.Interface, Source: c.Addr, Destination: back.Source, Protocol: packetfilter.TCP, Port: c.Port,
	}, true
}
