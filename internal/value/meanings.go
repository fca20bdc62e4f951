package value

import (
	"net/netip"
	"slices"
)

// Metadata are the addresses at which clouds hand out credentials, where they are not link-local: those of Amazon, Google,
// Oracle and Alibaba. Nobody is to be led there by this node.
var Metadata = []netip.Prefix{
	netip.MustParsePrefix("fd00:ec2::254/128"), netip.MustParsePrefix("fd00:ec2::23/128"), netip.MustParsePrefix("fd20:ce::254/128"),
	netip.MustParsePrefix("fd00:c1::a9fe:a9fe/128"), netip.MustParsePrefix("100.100.100.200/32"),
}

// IsMetadata reports whether clouds hand out credentials at an address of their own choice, see Metadata.
func IsMetadata(a netip.Addr) bool {
	return slices.ContainsFunc(Metadata, func(p netip.Prefix) bool { return p.Contains(a) })
}

// embedding is a prefix whose addresses stand for IPv4 addresses, and the bytes at which those are in them. A translator or a
// tunnel on the way makes IPv4 of them.
type embedding struct {
	prefix netip.Prefix
	at     [4]int
	sparse bool // the bytes mean that only with a prefix of this length, and are mostly zero otherwise
}

var embeddings = []embedding{
	{prefix: netip.MustParsePrefix("::ffff:0:0:0/96"), at: [4]int{12, 13, 14, 15}}, // SIIT, RFC 2765
	{prefix: netip.MustParsePrefix("::/96"), at: [4]int{12, 13, 14, 15}},           // IPv4-compatible, RFC 4291
	{prefix: netip.MustParsePrefix("64:ff9b::/96"), at: [4]int{12, 13, 14, 15}},    // NAT64, RFC 6052
	{prefix: netip.MustParsePrefix("2002::/16"), at: [4]int{2, 3, 4, 5}},           // 6to4, RFC 3056
	// NAT64 with a prefix of the network's own, RFC 8215: of 96, 64, 56 or 48 bits, which nobody can tell from the address.
	{prefix: netip.MustParsePrefix("64:ff9b:1::/48"), at: [4]int{12, 13, 14, 15}, sparse: true},
	{prefix: netip.MustParsePrefix("64:ff9b:1::/48"), at: [4]int{9, 10, 11, 12}, sparse: true},
	{prefix: netip.MustParsePrefix("64:ff9b:1::/48"), at: [4]int{7, 9, 10, 11}, sparse: true},
	{prefix: netip.MustParsePrefix("64:ff9b:1::/48"), at: [4]int{6, 7, 9, 10}, sparse: true},
}

// Meanings are an address and those that it may be turned into on its way.
func Meanings(addr netip.Addr) []netip.Addr {
	addr = addr.Unmap()
	all := []netip.Addr{addr}
	if !addr.Is6() {
		return all
	}
	bytes, bare := addr.As16(), addr.WithZone("")
	for _, e := range embeddings {
		if !e.prefix.Contains(bare) {
			continue
		}
		in := netip.AddrFrom4([4]byte{bytes[e.at[0]], bytes[e.at[1]], bytes[e.at[2]], bytes[e.at[3]]})
		if e.sparse && in.As4()[0] == 0 {
			continue
		}
		all = append(all, in)
	}
	return all
}
