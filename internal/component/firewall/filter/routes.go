package filter

import (
	"context"
	"net/netip"
	"sync"

	"golang.org/x/sys/unix"

	"gateway/internal/component/firewall/policy"
	"gateway/internal/packetfilter"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/forecast"
	"gateway/internal/sys"
)

// Routes are the kernel's routes as the packet filter's questions take them.
func Routes(hops []sys.Hop) packetfilter.Routes {
	out := make(packetfilter.Routes, len(hops))
	for i, h := range hops {
		out[i] = packetfilter.Hop{Network: h.Network, Out: h.Interface, Local: h.Local}
	}
	return out
}

// routing answers which routes there will be once what is stored is applied. A link that is yet to
// be made has none: whether what it leads to breaks an assertion is seen when it is there.
func (f *filter) routing(ctx context.Context) func(*policy.State) (packetfilter.Routes, error) {
	kernel := sync.OnceValues(f.Network)
	return func(s *policy.State) (packetfilter.Routes, error) {
		if len(s.Routing.Sources) == 0 {
			hops, err := f.Host.Routes()
			return Routes(hops), err
		}
		n, err := kernel()
		if err != nil {
			return nil, err
		}
		n, err = s.Routing.After(ctx, n)
		return routesOf(n), err
	}
}

// networkNow asks the kernel.
func networkNow() (forecast.Network, error) {
	conn, err := rtnl.Open()
	if err != nil {
		return forecast.Network{}, err
	}
	defer conn.Close()
	return forecast.Read(conn)
}

// routesOf are the routes of a network, the table that is asked first before the others. What is
// the gateway's own is told by its addresses: the routes to those come with them.
func routesOf(n forecast.Network) packetfilter.Routes {
	names := make(map[int]string, len(n.Links))
	for _, l := range n.Links {
		names[l.Index] = l.Name
	}
	own := make(map[netip.Addr]bool, len(n.Addrs))
	out := make(packetfilter.Routes, 0, len(n.Addrs)+len(n.Routes))
	for _, a := range n.Addrs {
		own[a.Prefix.Addr()] = true
		out = append(out, packetfilter.Hop{Network: netip.PrefixFrom(a.Prefix.Addr(), a.Prefix.Addr().BitLen()), Local: true})
	}
	for _, table := range []uint32{unix.RT_TABLE_LOCAL, rtnl.UplinkTable, unix.RT_TABLE_MAIN} {
		for _, r := range n.Routes {
			local := r.Type == unix.RTN_LOCAL || r.Type == unix.RTN_BROADCAST
			leads := r.Type == unix.RTN_UNICAST || r.Type == unix.RTN_BROADCAST || r.Type == unix.RTN_LOCAL && (own[r.Dst.Addr()] || !r.Dst.IsSingleIP())
			if r.Table == table && leads {
				out = append(out, packetfilter.Hop{Network: r.Dst, Out: names[r.Link], Local: local})
			}
		}
	}
	return out
}
