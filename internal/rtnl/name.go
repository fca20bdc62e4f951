package rtnl

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
)

// nameForm is what the kernel takes as the name of an interface, less what means something to
// nft, to a shell or in a path; reserved are names of folders beside those of interfaces.
var (
	nameForm = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,15}$`)
	reserved = []string{".", "..", "all", "default"}
)

// ValidName reports whether an interface can be called so.
func ValidName(name string) bool {
	return nameForm.MatchString(name) && !slices.Contains(reserved, name)
}

// ParseAddress is an address of an interface with the length of its network.
func ParseAddress(address string, bits int) (netip.Prefix, error) {
	ip, err := netip.ParseAddr(address)
	if err != nil || ip.Zone() != "" || ip.Is4In6() {
		return netip.Prefix{}, fmt.Errorf("%q is not an IP address", address)
	}
	p := netip.PrefixFrom(ip, bits)
	// The kernel takes ::1 on its own interface only, which has it.
	if !p.IsValid() || bits == 0 || ip.IsUnspecified() || ip.IsMulticast() || ip == netip.IPv6Loopback() {
		return netip.Prefix{}, fmt.Errorf("%s/%d is no address of an interface", address, bits)
	}
	return p, nil
}
