package wireguard

import (
	"maps"
	"net/netip"
	"slices"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"
)

const (
	// peerTimeout is how long a peer may not answer before it is looked for elsewhere. The age of
	// its handshake says nothing for much longer than that.
	peerTimeout = 15 * time.Second
	// keepaliveBytes is what a keepalive counts, to which nobody answers.
	keepaliveBytes = 32
)

// endpointState remembers where peers were dialled, and who does not answer.
type endpointState struct {
	dialled    map[PeerKey]netip.AddrPort // what was set last
	traffic    map[PeerKey]peerTraffic
	unanswered map[PeerKey]bool        // who does not answer
	found      map[string][]netip.Addr // what names lead to; the first one is dialled
}

func newEndpointState() endpointState {
	return endpointState{map[PeerKey]netip.AddrPort{}, map[PeerKey]peerTraffic{}, map[PeerKey]bool{}, map[string][]netip.Addr{}}
}

// peerTraffic is what the counters of a peer were, and since when it has not answered.
type peerTraffic struct {
	rx, tx int64 // when it was heard last
	at     time.Time
	since  time.Time // of the first packet to which nothing came; zero for none
	lost   bool      // nothing came for peerTimeout
}

// lost reports whether a peer that is dialled does not answer.
func (a *endpointState) lost(id PeerKey) bool { return a.traffic[id].lost }

// target is where an endpoint is dialled, if that is known.
func (a *endpointState) target(endpoint string) (netip.AddrPort, bool) {
	e, err := ParseEndpoint(endpoint)
	if endpoint == "" || err != nil {
		return netip.AddrPort{}, false
	}
	if ip, is := e.Addr(); is {
		return netip.AddrPortFrom(ip, e.Port), true
	}
	if all := a.found[e.Host]; len(all) > 0 {
		return netip.AddrPortFrom(all[0], e.Port), true
	}
	return netip.AddrPort{}, false
}

// setEndpoints tells peers where to dial. Where one was seen last is left as it is, unless its
// configuration changed since, or it does not answer there.
func (a *endpointState) setEndpoints(want *device, t Tunnel) {
	endpoints := t.endpoints()
	for i := range want.peers {
		p := &want.peers[i]
		id := PeerKey{t.Name, p.key.String()}
		at, ok := a.target(endpoints[id.PublicKey])
		if !ok {
			continue
		}
		last, was := a.dialled[id]
		p.endpoint, p.redial = at, was && last != at || a.unanswered[id]
		a.dialled[id] = at
		delete(a.unanswered, id)
	}
}

// forget is for a device that was made anew.
func (a *endpointState) forget(tunnel string) {
	of := func(k PeerKey) bool { return k.Tunnel == tunnel }
	maps.DeleteFunc(a.dialled, func(k PeerKey, _ netip.AddrPort) bool { return of(k) })
	maps.DeleteFunc(a.traffic, func(k PeerKey, _ peerTraffic) bool { return of(k) })
	maps.DeleteFunc(a.unanswered, func(k PeerKey, _ bool) bool { return of(k) })
}

// checkTraffic looks at the counters of a peer that is dialled, and reports whether it is newly lost.
func (a *endpointState) checkTraffic(id PeerKey, p *wgtypes.Peer, now time.Time) (lost bool) {
	h, known := a.traffic[id]
	if !known && p.ReceiveBytes == 0 {
		h, known = peerTraffic{at: now}, true // whatever was sent yet, nothing came
	}
	if !known || h.rx != p.ReceiveBytes || p.TransmitBytes < h.tx {
		a.traffic[id] = peerTraffic{rx: p.ReceiveBytes, tx: p.TransmitBytes, at: now}
		return false
	}
	expected := int64(keepaliveBytes)
	if p.PersistentKeepaliveInterval > 0 {
		expected += keepaliveBytes * int64(now.Sub(h.at)/p.PersistentKeepaliveInterval)
	}
	switch {
	case p.TransmitBytes-h.tx <= expected:
	case h.since.IsZero():
		h.since = now.Add(-countersEvery) // it was sent since the last look
	case now.Sub(h.since) >= peerTimeout:
		h = peerTraffic{rx: p.ReceiveBytes, tx: p.TransmitBytes, at: now, since: now, lost: true} // once more after the same time
		lost = true
	}
	a.traffic[id] = h
	return lost
}

// setAddresses takes what names lead to. An address that still is among them stays, so that a name
// with several does not make a tunnel wander; one that does not answer makes room for the next.
func (a *endpointState) setAddresses(name string, addrs []netip.Addr, lost bool) {
	if len(addrs) == 0 {
		return
	}
	if old := a.found[name]; len(old) > 0 {
		if i := slices.Index(addrs, old[0]); i >= 0 {
			if lost {
				i = (i + 1) % len(addrs)
			}
			addrs = slices.Concat(addrs[i:], addrs[:i])
		}
	}
	a.found[name] = addrs
}
