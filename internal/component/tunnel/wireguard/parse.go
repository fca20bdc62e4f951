package wireguard

import (
	"encoding/base64"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"gateway/internal/fault"
	"gateway/internal/rtnl"
	"gateway/internal/value"
)

// keyBytes is the length of every key of WireGuard's.
const keyBytes = 32

// Key is a public, private or preshared one.
type Key [keyBytes]byte

// String is the key as everybody writes it.
func (k Key) String() string { return base64.StdEncoding.EncodeToString(k[:]) }

// ParseKey reads a key as everybody writes it: 32 bytes in base64. The key of zeros, which the
// kernel takes for none, is none.
func ParseKey(s string) (Key, error) {
	b, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSpace(s))
	if err != nil || len(b) != keyBytes || Key(b) == (Key{}) {
		return Key{}, fault.Say("must be a WireGuard key: 32 bytes in base64, 44 characters")
	}
	return Key(b), nil
}

// ValidName reports whether a tunnel can be called so.
func ValidName(name string) bool { return rtnl.ValidName(name) }

// ParseAllowed is the networks that a peer may use, masked as the kernel does it, each once.
func ParseAllowed(all []string) ([]netip.Prefix, error) {
	out := make([]netip.Prefix, 0, len(all))
	for _, s := range all {
		p, err := value.Prefix(s)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out, nil
}

// ParseAddresses is what an interface has: addresses with their networks, comma-separated, one
// for each family.
func ParseAddresses(cidr string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for s := range strings.SplitSeq(cidr, ",") {
		p, err := netip.ParsePrefix(strings.TrimSpace(s))
		if err != nil || p.Addr().Zone() != "" || p.Addr().Is4In6() {
			return nil, fault.Say("must be an address with its network, such as 10.8.0.1/24; one for IPv4, one for IPv6, separated by a comma")
		}
		if _, err := rtnl.ParseAddress(p.Addr().String(), p.Bits()); err != nil || p.Addr().IsLoopback() {
			return nil, fault.Say("must be an address that an interface can have")
		}
		if slices.ContainsFunc(out, func(o netip.Prefix) bool { return o.Addr().Is4() == p.Addr().Is4() }) {
			return nil, fault.Say("must have at most one address for IPv4 and one for IPv6")
		}
		out = append(out, p)
	}
	return out, nil
}

// Endpoint is where a peer is dialled.
type Endpoint struct {
	Host string // an address or a name
	Port uint16
}

// String is what ParseEndpoint reads.
func (e Endpoint) String() string { return net.JoinHostPort(e.Host, strconv.Itoa(int(e.Port))) }

// Addr is the address, unless the host is a name.
func (e Endpoint) Addr() (netip.Addr, bool) {
	ip, err := netip.ParseAddr(e.Host)
	return ip, err == nil
}

// ParseEndpoint reads host:port, in which an IPv6 address is in brackets.
func ParseEndpoint(s string) (Endpoint, error) {
	host, port, err := net.SplitHostPort(strings.TrimSpace(s))
	if err != nil {
		return Endpoint{}, fault.Say("must be host:port, such as vpn.example.com:51820 or [2001:db8::1]:51820")
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return Endpoint{}, fault.Say("must have a port from 1 to 65535")
	}
	name, err := value.HostOrName(host)
	if err != nil {
		return Endpoint{}, err
	}
	return Endpoint{name, uint16(n)}, nil
}
