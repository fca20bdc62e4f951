package sys

import (
	"fmt"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Route is where the kernel sends a packet.
type Route struct {
	Interface string
	Source    netip.Addr // our own address on that way
	Local     bool       // to this machine itself
}

// Route asks the kernel where a packet to an address goes. Nowhere is an error.
func (h *Host) Route(to netip.Addr) (Route, error) {
	routes, err := netlink.RouteGet(to.AsSlice())
	if err != nil || len(routes) == 0 {
		return Route{}, fmt.Errorf("look up the route to %s: %w", to, err)
	}
	r := routes[0]
	link, err := netlink.LinkByIndex(r.LinkIndex)
	if err != nil {
		return Route{}, fmt.Errorf("look up the route to %s: %w", to, err)
	}
	source, _ := netip.AddrFromSlice(r.Src)
	return Route{Interface: link.Attrs().Name, Source: source.Unmap(), Local: r.Type == unix.RTN_LOCAL}, nil
}
