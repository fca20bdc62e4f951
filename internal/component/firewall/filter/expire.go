package filter

import (
	"context"
	"net/netip"
	"slices"

	"gateway/internal/component/firewall/policy"
	"gateway/internal/netfilter"
	"gateway/internal/packetfilter"
	"gateway/internal/sys"
)

// cutExpired ends what rules had let in that ran out since, once the kernel is without them:
// rules are asked about the first packet of a connection only. Whoever renders first after
// that moment leaves such a rule out, also after a restart, so it is the rendering that says
// which these are.
func (f *filter) cutExpired(ctx context.Context) {
	now := f.rendered.Load()
	if now == nil {
		return
	}
	fresh := slices.DeleteFunc(slices.Clone(now.Expired), func(r packetfilter.Rule) bool { return slices.Contains(f.expiry.cut, r.ID) })
	if len(fresh) > 0 && (f.inKernel(fresh) || !f.cutBy(ctx, fresh, now)) {
		return // the apply that is under way says when it is done; else it is tried again
	}
	f.expiry.cut = nil
	for _, r := range now.Expired {
		f.expiry.cut = append(f.expiry.cut, r.ID)
	}
}

// inKernel reports whether one of the rules is still asked.
func (f *filter) inKernel(rules []packetfilter.Rule) bool {
	counters, err := f.table.Counters()
	if err != nil {
		f.Log.Error("count packets", "err", err)
		return true
	}
	return slices.ContainsFunc(rules, func(r packetfilter.Rule) bool {
		_, there := counters["r_"+r.ID]
		return there
	})
}

// cutBy ends the connections that the rules let in and nothing lets in now.
func (f *filter) cutBy(ctx context.Context, over []packetfilter.Rule, now *policy.State) bool {
	// Asking these rules alone is cheap and clears most connections; all of them may be
	// ten thousand.
	alone := now.Policy
	alone.Rules = over
	ask := f.remembered()
	route := Route(ask)
	n, err := netfilter.Cut(ctx, netfilter.Filter{Match: func(c netfilter.Connection) bool {
		back, _ := ask(c.Source, 0) // without a route it came in by no interface that we know
		k := packetfilter.Packet{
			In: back.Interface, Source: c.Source, Destination: c.Destination,
			Protocol: packetfilter.Protocol(c.Protocol), Port: c.Port, Type: c.Type,
		}
		by := packetfilter.Explain(&alone, k, route)
		return by.Decided.Kind == packetfilter.ByRule && by.Verdict == packetfilter.Accept &&
			packetfilter.Explain(&now.Policy, k, route).Verdict != packetfilter.Accept
	}})
	if err != nil {
		f.Log.Error("cut the connections of a rule that expired", "err", err)
		return false
	}
	f.Log.Info("a rule expired", "connections_cut", n)
	return true
}

// remembered asks the kernel for each route once: connections are many, hosts are few.
func (f *filter) remembered() func(to netip.Addr, mark uint32) (sys.Route, error) {
	type answer struct {
		sys.Route
		err error
	}
	type question struct {
		to   netip.Addr
		mark uint32
	}
	known := map[question]answer{}
	return func(to netip.Addr, mark uint32) (sys.Route, error) {
		q := question{to, mark}
		a, ok := known[q]
		if !ok {
			a.Route, a.err = f.Host.RouteMarked(to, mark)
			known[q] = a
		}
		return a.Route, a.err
	}
}

// Route is the kernel's route to an address, as a packet is followed by it.
func Route(ask func(to netip.Addr, mark uint32) (sys.Route, error)) packetfilter.Route {
	return func(to netip.Addr, mark uint32) (out string, local, ok bool) {
		r, err := ask(to, mark)
		return r.Interface, r.Local, err == nil
	}
}
