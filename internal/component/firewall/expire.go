package firewall

import (
	"context"
	"net/netip"
	"slices"

	"gateway/internal/netfilter"
	"gateway/internal/packetfilter"
)

// expired has the rules applied anew when one ran out, and cuts what it had let in: rules
// are asked about the first packet of a connection only.
func (p *part) expired(ctx context.Context, again func()) {
	was := p.rendered.Load()
	p.expiry.expect(nil) // until the rendering says when the next one does
	again()
	if now := p.rendered.Load(); was != nil && now != was {
		p.cutExpired(ctx, was, now)
	}
}

// cutExpired ends the connections whose rule was there and is no longer.
func (p *part) cutExpired(ctx context.Context, was, now *state) {
	stays := map[string]bool{}
	for _, r := range now.policy.Rules {
		stays[r.ID] = true
	}
	gone := slices.DeleteFunc(slices.Clone(was.policy.Rules), func(r packetfilter.Rule) bool { return stays[r.ID] })
	if len(gone) == 0 {
		return
	}
	n, err := netfilter.Cut(ctx, netfilter.Filter{Match: func(c netfilter.Connection) bool {
		k := packetfilter.Packet{
			In: p.cameBy(c.Source), Source: c.Source, Destination: c.Destination,
			Protocol: packetfilter.Protocol(c.Protocol), Port: c.Port, Type: c.Type,
		}
		by := packetfilter.Explain(&was.policy, k, p.way).Decided.ID
		return slices.ContainsFunc(gone, func(r packetfilter.Rule) bool { return r.ID == by })
	}})
	if err != nil {
		p.Log.Error("cut the connections of a rule that expired", "err", err)
		return
	}
	p.Log.Info("a rule expired", "connections cut", n)
}

// cameBy is the interface that packets of a source come in by, as far as routes tell.
func (p *part) cameBy(source netip.Addr) string {
	r, err := p.Host.Route(source)
	if err != nil {
		return ""
	}
	return r.Interface
}
