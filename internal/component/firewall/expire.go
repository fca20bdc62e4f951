package firewall

import (
	"context"
	"net/netip"
	"slices"

	"gateway/internal/netfilter"
	"gateway/internal/packetfilter"
	"gateway/internal/sys"
)

// cutExpired ends what rules had let in that ran out since, once the kernel is without them:
// rules are asked about the first packet of a connection only. Whoever renders first after
// that moment leaves such a rule out, also after a restart, so it is the rendering that says
// which these are.
func (p *part) cutExpired(ctx context.Context) {
	now := p.rendered.Load()
	if now == nil {
		return
	}
	fresh := slices.DeleteFunc(slices.Clone(now.over), func(r packetfilter.Rule) bool { return slices.Contains(p.expiry.cut, r.ID) })
	if len(fresh) > 0 && (p.inKernel(fresh) || !p.cutBy(ctx, fresh, now)) {
		return // the apply that is under way says when it is done; else the next look tries again
	}
	p.expiry.cut = nil
	for _, r := range now.over {
		p.expiry.cut = append(p.expiry.cut, r.ID)
	}
}

// inKernel reports whether one of the rules is still asked.
func (p *part) inKernel(rules []packetfilter.Rule) bool {
	counters, err := p.table.Counters()
	if err != nil {
		p.Log.Error("count packets", "err", err)
		return true
	}
	return slices.ContainsFunc(rules, func(r packetfilter.Rule) bool {
		_, there := counters["r_"+r.ID]
		return there
	})
}

// cutBy ends the connections that the rules let in and nothing lets in now.
func (p *part) cutBy(ctx context.Context, over []packetfilter.Rule, now *state) bool {
	// Asking these rules alone is cheap and clears most connections; all of them may be
	// ten thousand.
	alone := now.policy
	alone.Rules = over
	way := p.remembered()
	route := func(to netip.Addr) (out string, local, ok bool) {
		r, err := way(to)
		return r.Interface, r.Local, err == nil
	}
	n, err := netfilter.Cut(ctx, netfilter.Filter{Match: func(c netfilter.Connection) bool {
		back, _ := way(c.Source) // without a route it came in by no interface that we know
		k := packetfilter.Packet{
			In: back.Interface, Source: c.Source, Destination: c.Destination,
			Protocol: packetfilter.Protocol(c.Protocol), Port: c.Port, Type: c.Type,
		}
		by := packetfilter.Explain(&alone, k, route)
		return by.Decided.Kind == packetfilter.ByRule && by.Verdict == packetfilter.Accept &&
			packetfilter.Explain(&now.policy, k, route).Verdict != packetfilter.Accept
	}})
	if err != nil {
		p.Log.Error("cut the connections of a rule that expired", "err", err)
		return false
	}
	p.Log.Info("a rule expired", "connections_cut", n)
	return true
}

// remembered asks the kernel for each route once: connections are many, hosts are few.
func (p *part) remembered() func(netip.Addr) (sys.Route, error) {
	type answer struct {
		sys.Route
		err error
	}
	known := map[netip.Addr]answer{}
	return func(to netip.Addr) (sys.Route, error) {
		a, ok := known[to]
		if !ok {
			a.Route, a.err = p.Host.Route(to)
			known[to] = a
		}
		return a.Route, a.err
	}
}
