package value

import (
	"net/netip"
	"strings"

	"gateway/internal/fault"
)

// Address is one IP address. An IPv4 address written as IPv6 is the IPv4 one; an address with
// an interface is none, and neither is 010.0.0.1, which some read as octal.
func Address(s string) (netip.Addr, error) {
	addr, err := netip.ParseAddr(strings.TrimSpace(s))
	if err != nil || addr.Zone() != "" {
		return netip.Addr{}, fault.Say("must be an IP address")
	}
	return addr.Unmap(), nil
}

// Host is the address of a single host.
func Host(s string) (netip.Addr, error) {
	addr, err := Address(s)
	if err != nil || addr.IsUnspecified() || addr.IsMulticast() || addr == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
		return netip.Addr{}, fault.Say("must be a single host address")
	}
	return addr, nil
}

// Listen is an address to listen on: one of this node, or all of a family. That no interface
// has it yet is fine.
func Listen(s string) (netip.Addr, error) {
	addr, err := Address(s)
	if err == nil && !addr.IsUnspecified() {
		addr, err = Host(s)
	}
	if err != nil {
		return netip.Addr{}, fault.Say("must be an IP address of this node")
	}
	if addr.Is6() && addr.IsLinkLocalUnicast() {
		return netip.Addr{}, fault.Say("must not be a link-local address, which differs per interface")
	}
	return addr, nil
}

// HostOrName is the address of a single host, or a name that is looked up.
func HostOrName(s string) (string, error) {
	if _, err := Address(s); err == nil {
		addr, err := Host(s)
		if err != nil {
			return "", err
		}
		return addr.String(), nil
	}
	name, err := HostName(s)
	if err != nil {
		return "", fault.Say("must be an IP address or a host name")
	}
	return name, nil
}

// Prefix is a network or one address, as 192.0.2.0/24 or 192.0.2.1. Of an address within a
// network, as 192.0.2.1/24, it is the network: that is what daemons make of it.
func Prefix(s string) (netip.Prefix, error) {
	s = strings.TrimSpace(s)
	if addr, err := Address(s); err == nil {
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(s)
	if err != nil || prefix.Addr().Is4In6() {
		return netip.Prefix{}, fault.Say("must be an IP address or a network such as 192.0.2.0/24")
	}
	return prefix.Masked(), nil
}

// Short is a network as people write it: one address without its length.
func Short(p netip.Prefix) string {
	if p.IsSingleIP() {
		return p.Addr().String()
	}
	return p.String()
}
