package sys

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Interface is one network link as the kernel has it now, in the words of `ip -j`.
type Interface struct {
	Index     int       `json:"ifindex" doc:"Kernel's number of the interface"`
	Name      string    `json:"ifname" doc:"Name of the interface"`
	Flags     []string  `json:"flags" doc:"Link flags, such as UP and LOWER_UP"`
	MTU       int       `json:"mtu" doc:"Largest packet in bytes"`
	LinkType  string    `json:"link_type" doc:"Link layer type, such as ether or loopback"`
	Address   string    `json:"address" doc:"MAC address; empty without one"`
	AddrInfo  []Address `json:"addr_info" doc:"IP addresses of the interface"`
	RxBytes   uint64    `json:"rx_bytes" doc:"Bytes received since the interface exists"`
	TxBytes   uint64    `json:"tx_bytes" doc:"Bytes sent since the interface exists"`
	RxPackets uint64    `json:"rx_packets" doc:"Packets received since the interface exists"`
	TxPackets uint64    `json:"tx_packets" doc:"Packets sent since the interface exists"`
	RxDrop    uint64    `json:"rx_drop" doc:"Received packets that were dropped"`
	TxDrop    uint64    `json:"tx_drop" doc:"Packets to send that were dropped"`
}

// Address is one IP address of a link.
type Address struct {
	Family    string `json:"family" doc:"inet for IPv4, inet6 for IPv6"`
	Local     string `json:"local" doc:"IP address"`
	PrefixLen int    `json:"prefixlen" doc:"Prefix length of its network"`
	Scope     string `json:"scope" doc:"Where it is valid: global, link or host"`
}

// A dump that the kernel's tables change under is marked, and asked for again. Links
// that never stand still for so many dumps are shown as the last one saw them.
const dumpAttempts = 4

// Interfaces lists the links of our network namespace by index.
func (h *Host) Interfaces() ([]Interface, error) {
	links, err := whole(netlink.LinkList)
	if err != nil {
		return nil, fmt.Errorf("list links: %w", err)
	}
	addrs, err := whole(func() ([]netlink.Addr, error) { return netlink.AddrList(nil, netlink.FAMILY_ALL) })
	if err != nil {
		return nil, fmt.Errorf("list addresses: %w", err)
	}
	byLink := map[int][]Address{}
	for _, a := range addrs {
		byLink[a.LinkIndex] = append(byLink[a.LinkIndex], newAddress(a))
	}
	out := make([]Interface, 0, len(links))
	for _, l := range links {
		out = append(out, newInterface(l.Attrs(), byLink[l.Attrs().Index]))
	}
	slices.SortFunc(out, func(a, b Interface) int { return cmp.Compare(a.Index, b.Index) })
	return out, nil
}

// Addresses are those of all links.
func Addresses(links []Interface) (out []netip.Addr) {
	for _, l := range links {
		for _, a := range l.AddrInfo {
			if addr, err := netip.ParseAddr(a.Local); err == nil {
				out = append(out, addr.Unmap())
			}
		}
	}
	return out
}

func whole[T any](dump func() ([]T, error)) ([]T, error) {
	var items []T
	var err error
	for range dumpAttempts {
		items, err = dump()
		if !errors.Is(err, netlink.ErrDumpInterrupted) {
			return items, err
		}
	}
	return items, nil
}

func newInterface(a *netlink.LinkAttrs, addrs []Address) Interface {
	i := Interface{
		Index:    a.Index,
		Name:     a.Name,
		Flags:    flagNames(a.RawFlags),
		MTU:      a.MTU,
		LinkType: a.EncapType,
		Address:  linkAddress(a),
		AddrInfo: addrs,
	}
	if addrs == nil {
		i.AddrInfo = []Address{} // an empty list in JSON, not null
	}
	if s := a.Statistics; s != nil {
		i.RxBytes, i.TxBytes = s.RxBytes, s.TxBytes
		i.RxPackets, i.TxPackets = s.RxPackets, s.TxPackets
		i.RxDrop, i.TxDrop = s.RxDropped, s.TxDropped
	}
	return i
}

// linkAddress brings back the address of all zeros, which the library takes for none:
// loopback has one, a tunnel does not.
func linkAddress(a *netlink.LinkAttrs) string {
	if len(a.HardwareAddr) == 0 && (a.EncapType == "loopback" || a.EncapType == "ether") {
		return "00:00:00:00:00:00"
	}
	return a.HardwareAddr.String()
}

func newAddress(a netlink.Addr) Address {
	family := "inet6"
	if a.IP.To4() != nil {
		family = "inet"
	}
	// With a peer, the prefix is the peer's and the local address stands alone.
	network := a.IPNet
	if a.Peer != nil {
		network = a.Peer
	}
	prefix, _ := network.Mask.Size()
	return Address{Family: family, Local: a.IP.String(), PrefixLen: prefix, Scope: scopeName(a.Scope)}
}

func scopeName(scope int) string {
	switch scope {
	case unix.RT_SCOPE_UNIVERSE:
		return "global"
	case unix.RT_SCOPE_SITE:
		return "site"
	case unix.RT_SCOPE_LINK:
		return "link"
	case unix.RT_SCOPE_HOST:
		return "host"
	case unix.RT_SCOPE_NOWHERE:
		return "nowhere"
	default:
		return fmt.Sprint(scope)
	}
}

// flagNames spells and orders the flags as iproute2 does. It has no word for RUNNING:
// it says NO-CARRIER when a link that is up lacks it.
func flagNames(raw uint32) []string {
	names := []string{}
	if raw&unix.IFF_UP != 0 && raw&unix.IFF_RUNNING == 0 {
		names = append(names, "NO-CARRIER")
	}
	for _, f := range []struct {
		bit  uint32
		name string
	}{
		{unix.IFF_LOOPBACK, "LOOPBACK"},
		{unix.IFF_BROADCAST, "BROADCAST"},
		{unix.IFF_POINTOPOINT, "POINTOPOINT"},
		{unix.IFF_MULTICAST, "MULTICAST"},
		{unix.IFF_NOARP, "NOARP"},
		{unix.IFF_ALLMULTI, "ALLMULTI"},
		{unix.IFF_PROMISC, "PROMISC"},
		{unix.IFF_MASTER, "MASTER"},
		{unix.IFF_SLAVE, "SLAVE"},
		{unix.IFF_DEBUG, "DEBUG"},
		{unix.IFF_DYNAMIC, "DYNAMIC"},
		{unix.IFF_AUTOMEDIA, "AUTOMEDIA"},
		{unix.IFF_PORTSEL, "PORTSEL"},
		{unix.IFF_NOTRAILERS, "NOTRAILERS"},
		{unix.IFF_UP, "UP"},
		{unix.IFF_LOWER_UP, "LOWER_UP"},
		{unix.IFF_DORMANT, "DORMANT"},
		{unix.IFF_ECHO, "ECHO"},
	} {
		if raw&f.bit != 0 {
			names = append(names, f.name)
		}
	}
	return names
}
