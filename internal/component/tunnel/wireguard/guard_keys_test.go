package wireguard_test

import (
	"maps"
	"net/netip"
	"strings"
	"testing"
	"time"

	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/component/tunnel/wireguard/wireguardtest"
	"gateway/internal/identity"
	"gateway/internal/secret"
)

// Whoever comes through a tunnel has its old keys: with others nobody gets in to put them back.
func TestKeysOfTheSessionsTunnelAreNotReplacedBlindly(t *testing.T) {
	phone, other := peer(t, wireguardtest.NewKey(t), "10.8.0.2/32"), peer(t, wireguardtest.NewKey(t), "10.8.0.3/32")
	w, was, _ := server(t, 51820, "10.8.0.1/24")
	with := func(of wireguard.Peer) wireguard.Keys {
		now := wireguard.Keys{Private: was.Private, Preshared: maps.Clone(was.Preshared)}
		now.Preshared[wireguard.PeerKey{Tunnel: w.Name, PublicKey: of.PublicKey}] = secret.Text(wireguardtest.NewKey(t).String())
		return now
	}
	for _, tc := range []struct {
		name, link string
		now        wireguard.Keys
		refused    bool
	}{
		{"the same", w.Name, was, false},
		{"another key of the tunnel", w.Name, keys(w.Name, wireguardtest.NewKey(t)), true},
		{"another key of the tunnel, from elsewhere", "e0", keys(w.Name, wireguardtest.NewKey(t)), false},
		{"a preshared key of the peer", w.Name, with(phone), true},
		{"a preshared key of another peer", w.Name, with(other), false},
	} {
		r := newRig(t, nil)
		guard := wireguard.GuardKeysForTest(wireguard.Options{Host: asked{tc.link}, Open: wireguardtest.Options(t, r.space).Open})
		ctx := identity.WithOrigin(t.Context(), func() identity.Origin { return identity.Origin{Addr: netip.MustParseAddr("10.8.0.2")} })
		if err := guard(ctx, one(w, phone, other), was, tc.now); (err != nil) != tc.refused {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func TestThePeerOfTheSessionIsNotLetExpireBlindly(t *testing.T) {
	phone := peer(t, wireguardtest.NewKey(t), "10.8.0.2/32")
	w, _, _ := server(t, 51820, "10.8.0.1/24")
	dialled := w
	dialled.Mode = wireguard.Client
	soon := phone
	soon.ExpiresAt = time.Now().Add(time.Minute)
	r := newRig(t, nil)
	guard := wireguard.GuardForTest(wireguard.Options{Host: asked{w.Name}, Open: wireguardtest.Options(t, r.space).Open})
	ctx := identity.WithOrigin(t.Context(), func() identity.Origin { return identity.Origin{Addr: netip.MustParseAddr("10.8.0.2")} })
	for name, tc := range map[string]struct {
		was, now wireguard.Config
		refused  bool
	}{
		"an end":       {one(w, phone), one(w, soon), true},
		"no end more":  {one(w, soon), one(w, phone), false},
		"another mode": {one(w, phone), one(dialled, phone), true},
	} {
		if err := guard(ctx, tc.was, tc.now); (err != nil) != tc.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The question for the address of an endpoint must not go into the tunnel that waits for it.
func TestNothingIsTakenBeforeTheEndpointIsKnown(t *testing.T) {
	for _, allowed := range []string{"0.0.0.0/0", "128.0.0.0/1 0.0.0.0/1"} {
		r := newRig(t, nil)
		far := beyond(r)
		serve(t, far.space, "198.51.100.1:80")
		c, p, k := provider(r, far, append(strings.Fields(allowed), "172.16.0.0/12")...)
		p.Endpoint = "vpn.example.com:51820"
		if err := r.try(one(c, p), k); err != nil {
			t.Fatal(err)
		}
		if got := dial(r.space, "", "198.51.100.1:80"); got != "192.0.2.1" {
			t.Errorf("%s: before, the server takes us for %s", allowed, got)
		}
		if wrong := r.report().Wrong; len(wrong) != 1 || !strings.Contains(wrong[0].Why.Message, "vpn.example.com") {
			t.Errorf("%s: trouble %+v", allowed, wrong)
		}
		r.has("route show table all", "172.16.0.0/12") // that is nobody's way to a name server
		r.endpoints(wireguard.Found{"vpn.example.com": {"203.0.113.9"}})
		got := ""
		for range 5 { // WireGuard tries anew after 5 s; a dial takes 3
			if got = dial(r.space, "", "198.51.100.1:80"); got == "10.9.0.2" {
				break
			}
		}
		if got != "10.9.0.2" {
			t.Errorf("%s: then the server takes us for %s", allowed, got)
		}
		if wrong := r.report().Wrong; len(wrong) > 0 {
			t.Errorf("%s: trouble %+v", allowed, wrong)
		}
	}
}
