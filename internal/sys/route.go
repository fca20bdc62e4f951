package sys

import (
	"fmt"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"gateway/internal/rtnl"
)

// Route is where the kernel sends a packet.
type Route struct {
	Interface string
	MTU       int        // of the interface
	Source    netip.Addr // our own address on that way
	Gateway   netip.Addr // next hop; nobody's if the address is on the link
	Local     bool       // to this machine itself
}

// Route asks the kernel where a packet to an address goes. Nowhere is an error.
func (h *Host) Route(to netip.Addr) (Route, error) { return h.RouteMarked(to, 0) }

// RouteMarked is Route for a packet with a mark, which the rules of groups of uplinks look at.
func (h *Host) RouteMarked(to netip.Addr, mark uint32) (Route, error) {
	routes, err := netlink.RouteGetWithOptions(to.AsSlice(), &netlink.RouteGetOptions{Mark: mark})
	if err != nil || len(routes) == 0 {
		return Route{}, fmt.Errorf("look up the route to %s: %w", to, err)
	}
	r := routes[0]
	link, err := netlink.LinkByIndex(r.LinkIndex)
	if err != nil {
		return Route{}, fmt.Errorf("look up the route to %s: %w", to, err)
	}
	source, _ := netip.AddrFromSlice(r.Src)
	gateway, _ := netip.AddrFromSlice(r.Gw)
	return Route{Interface: link.Attrs().Name, MTU: link.Attrs().MTU, Source: source.Unmap(), Gateway: gateway.Unmap(), Local: r.Type == unix.RTN_LOCAL}, nil
}

// Hop is one route of the tables that every packet is looked up in.
type Hop struct {
	Network   netip.Prefix
	Interface string
	Local     bool
}

// Routes lists the routes to networks and to ourselves. Of two to the same network the first is
// used: the default of the uplinks comes before that of the main table.
func (h *Host) Routes() ([]Hop, error) {
	links, err := whole(netlink.LinkList)
	if err != nil {
		return nil, fmt.Errorf("list links: %w", err)
	}
	names := map[int]string{}
	for _, l := range links {
		names[l.Attrs().Index] = l.Attrs().Name
	}
	var out []Hop
	for _, table := range []int{unix.RT_TABLE_LOCAL, rtnl.UplinkTable, unix.RT_TABLE_MAIN} {
		routes, err := whole(func() ([]netlink.Route, error) {
			return netlink.RouteListFiltered(netlink.FAMILY_ALL, &netlink.Route{Table: table}, netlink.RT_FILTER_TABLE)
		})
		if err != nil {
			return nil, fmt.Errorf("list routes: %w", err)
		}
		for _, r := range routes {
			if network, ok := networkOf(r); ok {
				if len(r.MultiPath) > 0 {
					r.LinkIndex = r.MultiPath[0].LinkIndex
				}
				out = append(out, Hop{Network: network, Interface: names[r.LinkIndex], Local: r.Type == unix.RTN_LOCAL || r.Type == unix.RTN_BROADCAST})
			}
		}
	}
	return out, nil
}

// networkOf is where a route leads; one without a network is the default of its family.
func networkOf(r netlink.Route) (netip.Prefix, bool) {
	if r.Dst == nil {
		if r.Family == unix.AF_INET6 {
			return netip.PrefixFrom(netip.IPv6Unspecified(), 0), true
		}
		return netip.PrefixFrom(netip.IPv4Unspecified(), 0), true
	}
	addr, ok := netip.AddrFromSlice(r.Dst.IP)
	bits, _ := r.Dst.Mask.Size()
	if !ok || r.Type != unix.RTN_UNICAST && r.Type != unix.RTN_LOCAL && r.Type != unix.RTN_BROADCAST {
		return netip.Prefix{}, false
	}
	if r.Family == unix.AF_INET {
		addr = addr.Unmap()
	}
	return netip.PrefixFrom(addr, bits), true
}
