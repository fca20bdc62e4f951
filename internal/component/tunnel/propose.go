package tunnel

import (
	"net/netip"
	"slices"

	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/fault"
)

// everything is what goes through a client's peer unless somebody says otherwise.
func everything(mtu int) []netip.Prefix {
	all := []netip.Prefix{netip.PrefixFrom(netip.IPv4Unspecified(), 0)}
	if mtu == 0 || mtu >= smallestIPv6 {
		all = append(all, netip.PrefixFrom(netip.IPv6Unspecified(), 0))
	}
	return all
}

// propose is the next free address of each of a tunnel's networks.
func propose(addressCIDR string, others []neighbour) ([]netip.Prefix, error) {
	networks, err := wireguard.ParseAddresses(addressCIDR)
	if err != nil {
		return nil, fault.At("interface_id", "the tunnel has no address that can be read; correct that first")
	}
	var used []netip.Prefix
	for _, n := range others {
		used = append(used, n.AllowedIPs...)
	}
	var free []netip.Prefix
	for _, n := range networks {
		if addr, ok := nextFree(n, used); ok {
			free = append(free, netip.PrefixFrom(addr, addr.BitLen()))
		}
	}
	if len(free) == 0 {
		return nil, fault.At("allowed_ips", "no address is free in %s; enter one, or give the tunnel a larger network", addressCIDR)
	}
	return free, nil
}

// nextFree is the first address of a network that nobody has.
func nextFree(own netip.Prefix, used []netip.Prefix) (netip.Addr, bool) {
	network := own.Masked()
	hosts := map[netip.Addr]bool{own.Addr(): true}
	var blocks []netip.Prefix // that a peer has for more than itself
	for _, u := range used {
		switch {
		case u.IsSingleIP():
			hosts[u.Addr()] = true
		case u.Bits() > network.Bits() && network.Contains(u.Addr()):
			blocks = append(blocks, u)
		}
	}
	first, broadcast := network.Addr().Next(), last(network)
	if network.Bits() >= network.Addr().BitLen()-1 { // two addresses, for the two ends
		first, broadcast = network.Addr(), netip.Addr{}
	}
	for addr := first; network.Contains(addr); addr = addr.Next() {
		if i := slices.IndexFunc(blocks, func(b netip.Prefix) bool { return b.Contains(addr) }); i >= 0 {
			addr = last(blocks[i])
			continue
		}
		if !hosts[addr] && (addr.Is6() || addr != broadcast) {
			return addr, true
		}
	}
	return netip.Addr{}, false
}

// last is the highest address of a network: of IPv4 the one that means all.
func last(n netip.Prefix) netip.Addr {
	bytes := n.Addr().AsSlice()
	for bit := n.Bits(); bit < n.Addr().BitLen(); bit++ {
		bytes[bit/8] |= 0x80 >> (bit % 8)
	}
	addr, _ := netip.AddrFromSlice(bytes)
	return addr
}
