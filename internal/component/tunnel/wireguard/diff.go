package wireguard

import (
	"net"
	"net/netip"
	"slices"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"
)

// device is what a tunnel's device is to have now.
type device struct {
	tunnel  string
	private wgtypes.Key
	port    int // 0 leaves it to the kernel
	mark    int
	peers   []peer
}

// peer is one that may use the tunnel now.
type peer struct {
	key       wgtypes.Key
	preshared wgtypes.Key // zero for none
	allowed   []netip.Prefix
	keepalive time.Duration
	// endpoint is where to dial; redial says that it is to be set though it was already: where
	// a peer was seen last counts for more than where it was configured.
	endpoint netip.AddrPort
	redial   bool
}

// newDevice is a tunnel at a moment: without peers that have expired, and every network with
// one peer only.
func newDevice(t Tunnel, k Keys, now time.Time) (device, bool) {
	private, err := wgtypes.ParseKey(k.Private[t.Name].Reveal())
	if err != nil {
		return device{}, false // between the writing of two files
	}
	d := device{tunnel: t.Name, private: private, port: t.Port}
	own, taken := private.PublicKey(), map[netip.Prefix]bool{}
	for _, p := range t.Peers {
		key, err := wgtypes.ParseKey(p.PublicKey)
		shared, ok := preshared(k, PeerKey{t.Name, p.PublicKey}, p.Preshared)
		if err != nil || !ok || key == own || !p.live(now) {
			continue
		}
		one := peer{key: key, preshared: shared, keepalive: time.Duration(p.Keepalive) * time.Second}
		for _, n := range p.AllowedIPs {
			if !taken[n] {
				taken[n] = true
				one.allowed = append(one.allowed, n)
			}
		}
		d.peers = append(d.peers, one)
	}
	return d, true
}

func preshared(k Keys, of PeerKey, has bool) (wgtypes.Key, bool) {
	if !has {
		return wgtypes.Key{}, true
	}
	text := k.Preshared[of]
	key, err := wgtypes.ParseKey(text.Reveal())
	return key, err == nil
}

// diff is what to tell a device so that it becomes the wanted one, and whether there is
// anything to tell. Peers that stay as they are are not in it, so their sessions go on; all
// others are in one message, so that a network that moves is never nobody's for long.
func diff(want device, have *wgtypes.Device) (c wgtypes.Config, any bool) {
	if have.PrivateKey != want.private {
		c.PrivateKey = &want.private
	}
	if want.port != 0 && have.ListenPort != want.port {
		c.ListenPort = &want.port
	}
	if have.FirewallMark != want.mark {
		c.FirewallMark = &want.mark
	}
	there := make(map[wgtypes.Key]*wgtypes.Peer, len(have.Peers))
	for i := range have.Peers {
		there[have.Peers[i].PublicKey] = &have.Peers[i]
	}
	var set []wgtypes.PeerConfig
	for _, p := range want.peers {
		if change, differs := p.diff(there[p.key]); differs {
			set = append(set, change)
		}
		delete(there, p.key)
	}
	for _, p := range have.Peers { // in the order of the kernel
		if there[p.PublicKey] != nil {
			c.Peers = append(c.Peers, wgtypes.PeerConfig{PublicKey: p.PublicKey, Remove: true})
		}
	}
	c.Peers = append(c.Peers, set...)
	return c, c.PrivateKey != nil || c.ListenPort != nil || c.FirewallMark != nil || len(c.Peers) > 0
}

func (p peer) diff(have *wgtypes.Peer) (c wgtypes.PeerConfig, differs bool) {
	c.PublicKey = p.key
	if have == nil {
		c.ReplaceAllowedIPs, c.AllowedIPs = true, networks(p.allowed)
		c.PersistentKeepaliveInterval = &p.keepalive
		if p.preshared != (wgtypes.Key{}) {
			c.PresharedKey = &p.preshared
		}
		if p.endpoint.IsValid() {
			c.Endpoint = net.UDPAddrFromAddrPort(p.endpoint)
		}
		return c, true
	}
	c.UpdateOnly = true
	if p.preshared != have.PresharedKey {
		c.PresharedKey, differs = &p.preshared, true
	}
	if p.keepalive != have.PersistentKeepaliveInterval {
		c.PersistentKeepaliveInterval, differs = &p.keepalive, true
	}
	if !sameNetworks(p.allowed, have.AllowedIPs) {
		c.ReplaceAllowedIPs, c.AllowedIPs, differs = true, networks(p.allowed), true
	}
	if p.endpoint.IsValid() && (p.redial || have.Endpoint == nil) && addrPort(have.Endpoint) != p.endpoint {
		c.Endpoint, differs = net.UDPAddrFromAddrPort(p.endpoint), true
	}
	return c, differs
}

func addrPort(a *net.UDPAddr) netip.AddrPort {
	if a == nil {
		return netip.AddrPort{}
	}
	at := a.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}

func networks(all []netip.Prefix) []net.IPNet {
	out := make([]net.IPNet, len(all))
	for i, p := range all {
		out[i] = net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
	}
	return out
}

func prefixOf(n net.IPNet) netip.Prefix {
	ip, _ := netip.AddrFromSlice(n.IP)
	bits, of := n.Mask.Size()
	if of == 32 { // an IPv4 network may be written with sixteen bytes
		ip = ip.Unmap()
	}
	return netip.PrefixFrom(ip, bits)
}

func sameNetworks(want []netip.Prefix, have []net.IPNet) bool {
	if len(want) != len(have) {
		return false
	}
	for _, n := range have {
		if !slices.Contains(want, prefixOf(n)) {
			return false
		}
	}
	return true
}
