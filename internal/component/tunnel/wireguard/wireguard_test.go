package wireguard_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/component/tunnel/wireguard/wireguardtest"
	"gateway/internal/fault"
	"gateway/internal/rtnl/reconcile"
	"gateway/internal/secret"
)

// The link is one of wireguard-go, a stand-in for the kernel's own, which this test does not make.
//
// shows (stand-in) TUN-05
func TestATunnelIsUpAndItsPeerGetsThrough(t *testing.T) {
	r := newRig(t, nil)
	w, k, key := server(t, 51820, "10.8.0.1/24", "fd08::1/64")
	w.MTU = 1400
	phone, shared := wireguardtest.NewKey(t), wireguardtest.NewKey(t)
	p := peer(t, phone, "10.8.0.2/32", "10.99.0.0/24", "fd99::/64")
	p.Preshared = true
	k.Preshared[wireguard.PeerKey{Tunnel: w.Name, PublicKey: p.PublicKey}] = secret.Text(shared.String())
	r.become(one(w, p), k)
	r.has("-d link show "+w.Name, ",UP", "mtu 1400", "group 250", "alias gateway")
	r.has("addr show "+w.Name, "10.8.0.1/24", "fd08::1/64")
	r.has("route show", "10.99.0.0/24 dev "+w.Name+" proto 251")
	r.has("-6 route show", "fd99::/64 dev "+w.Name+" proto 251")
	r.lacks("route show", "10.8.0.2")
	c := wireguardtest.NewClient(t, r.space, phone, netip.MustParseAddr("10.8.0.2"), key.PublicKey(), shared, loopback(51820))
	if !c.Reach(netip.MustParseAddr("10.8.0.1"), 5*time.Second) {
		t.Fatal("the client does not get through")
	}
	s := r.report().Peers
	if len(s) != 1 || s[0].PublicKey != p.PublicKey || s[0].Rx == 0 || s[0].Tx == 0 || s[0].LastHandshake.IsZero() || !strings.HasPrefix(s[0].Endpoint, "127.0.0.1:") || len(s[0].AllowedIPs) != 3 {
		t.Errorf("status = %+v", s)
	}
	// Off: everything of it is gone.
	r.become(wireguard.Config{}, wireguard.Keys{})
	r.lacks("link show", w.Name)
	r.lacks("route show", "10.99.0.0/24")
}

func TestAnInterfaceOfAnotherIsLeftAlone(t *testing.T) {
	r := newRig(t, nil)
	w, k, _ := server(t, 51820, "10.8.0.1/24")
	r.ip("link add " + w.Name + " type bridge")
	r.ip("tuntap add mode tun name hand0")
	if err := r.try(one(w), k); err != nil {
		t.Fatal(err)
	}
	wrong := r.report().Wrong
	if len(wrong) != 1 || wrong[0].Kind != reconcile.Conflict || wrong[0].Subject != "tunnel "+w.Name {
		t.Errorf("trouble = %+v", wrong)
	}
	r.become(wireguard.Config{}, wireguard.Keys{})
	r.has("link show", w.Name, "hand0")
	r.lacks("addr show", "10.8.0.1")
}

func TestAKernelWithoutWireGuardSaysSo(t *testing.T) {
	r := newRig(t, func(o *wireguard.Options) { o.Make, o.Kind = nil, "" })
	w, k, _ := server(t, 51820, "10.8.0.1/24")
	err := r.try(one(w), k)
	if strings.Contains(r.ip("link show"), w.Name) {
		t.Skip("this kernel has WireGuard")
	}
	if err == nil || !strings.Contains(err.Error(), "this kernel has no WireGuard") {
		t.Errorf("apply = %v", err)
	}
	if said := fault.SentenceOf(err); said.Nested["0"].Text != "tunnel %s" {
		t.Errorf("the tunnel is named without words: %+v", said)
	}
	if wrong := r.report().Wrong; len(wrong) != 1 || wrong[0].Kind != reconcile.Refused {
		t.Errorf("trouble = %+v", wrong)
	}
}

// What is changed of a peer, and only that, is told the device; a network may move from one
// peer to another, or two may swap theirs.
func TestPeersComeChangeAndGo(t *testing.T) {
	r := newRig(t, nil)
	w, k, _ := server(t, 51820, "10.8.0.1/24")
	a, b := peer(t, wireguardtest.NewKey(t), "10.8.0.2/32", "10.50.0.0/16"), peer(t, wireguardtest.NewKey(t), "10.8.0.3/32", "10.60.0.0/16")
	same := func(want ...wireguard.Peer) {
		t.Helper()
		r.become(one(w, want...), k)
		got := map[string]wireguard.Status{}
		for _, s := range r.report().Peers {
			got[s.PublicKey] = s
		}
		if len(got) != len(want) {
			t.Fatalf("%d peers, want %d", len(got), len(want))
		}
		for _, p := range want {
			s := got[p.PublicKey]
			if len(s.AllowedIPs) != len(p.AllowedIPs) || s.Keepalive != p.Keepalive {
				t.Errorf("got %+v, want %+v", s, p)
			}
			for _, n := range p.AllowedIPs {
				if !strings.Contains(strings.Join(s.AllowedIPs, " "), n.String()) {
					t.Errorf("got %+v, want %s too", s, n)
				}
			}
		}
	}
	same(a)
	same(a, b)
	a.AllowedIPs, b.AllowedIPs = b.AllowedIPs, a.AllowedIPs
	same(a, b)
	a.AllowedIPs = append(a.AllowedIPs, b.AllowedIPs[1])
	b.AllowedIPs, b.Keepalive = b.AllowedIPs[:1], 25
	same(a, b)
	b.Keepalive = 0
	same(b, a)
	same(b)
	r.lacks("route show", "10.60.0.0/16")
}

func TestWhatSomebodyRemovesComesBack(t *testing.T) {
	r := newRig(t, nil)
	w, k, _ := server(t, 51820, "10.8.0.1/24")
	c := one(w, peer(t, wireguardtest.NewKey(t), "10.50.0.0/16"))
	r.become(c, k)
	for _, act := range []string{"link del " + w.Name, "addr flush dev " + w.Name, "route del 10.50.0.0/16", "link set " + w.Name + " down"} {
		r.ip(act)
		r.become(c, k)
		r.has("link show "+w.Name, ",UP")
		r.has("addr show "+w.Name, "10.8.0.1/24")
		r.has("route show", "10.50.0.0/16 dev "+w.Name)
		if n := len(r.report().Peers); n != 1 {
			t.Errorf("after %q: %d peers", act, n)
		}
	}
}

func TestAFileIsReadAsItWasWritten(t *testing.T) {
	w, k, _ := server(t, 51820, "10.8.0.1/24", "fd08::1/64")
	p := peer(t, wireguardtest.NewKey(t), "10.8.0.2/32")
	p.Endpoint, p.Keepalive, p.ExpiresAt, p.Preshared = "vpn.example.com:51820", 25, time.Date(2027, 1, 2, 3, 4, 5, 6000, time.UTC), true
	k.Preshared[wireguard.PeerKey{Tunnel: w.Name, PublicKey: p.PublicKey}] = secret.Text(p.PublicKey)
	c := one(w, p, peer(t, wireguardtest.NewKey(t)))
	got, err := wireguard.Parse(append(c.Text(), "# gw-sha256 0\n"...))
	if err != nil || string(got.Text()) != string(c.Text()) || len(got.Tunnels) != 1 || len(got.Tunnels[0].Peers) != 2 {
		t.Errorf("%s%v", got.Text(), err)
	}
	read, err := wireguard.ParseKeys(append(k.Text(), "# gw-sha256 0\n"...))
	if err != nil || string(read.Text()) != string(k.Text()) || !strings.Contains(string(k.Text()), "preshared "+w.Name) {
		t.Errorf("%v", err)
	}
	for _, bad := range []string{"tunnel", "tunnel {", `peer {"id":"x"}`, "rule {}", `tunnel {"where":1}`} {
		if _, err := wireguard.Parse([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	if _, err := wireguard.ParseKeys([]byte("private a")); err == nil || strings.Contains(err.Error(), "private a") {
		t.Errorf("a broken line of keys: %v", err)
	}
}

// With an MTU that is too small for IPv6, the kernel takes it from the link by itself, and with it
// the address that is to go.
func TestATunnelGivesUpIPv6ForASmallMTU(t *testing.T) {
	r := newRig(t, nil)
	w, k, _ := server(t, 51820, "10.8.0.1/24", "fd08::1/64")
	r.become(one(w), k)
	w.MTU, w.Addresses = 1279, w.Addresses[:1]
	r.become(one(w), k)
	r.has("addr show "+w.Name, "mtu 1279", "10.8.0.1/24")
	r.lacks("addr show "+w.Name, "fd08::1/64")
	w.MTU, w.Addresses = 0, append(w.Addresses, netip.MustParsePrefix("fd08::1/64"))
	r.become(one(w), k)
	r.has("addr show "+w.Name, "10.8.0.1/24", "fd08::1/64")
}
