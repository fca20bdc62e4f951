package wireguard_test

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/component/tunnel/wireguard/wireguardtest"
	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/intent"
	"gateway/internal/sys"
)

// asked is a host that sends everything back by one interface.
type asked struct{ link string }

func (a asked) Route(netip.Addr) (sys.Route, error) {
	return sys.Route{Interface: a.link, Source: netip.MustParseAddr("192.0.2.1")}, nil
}

func TestAChangeThatTakesTheSessionIsRefused(t *testing.T) {
	phone, other := peer(t, wireguardtest.NewKey(t), "10.8.0.2/32"), peer(t, wireguardtest.NewKey(t), "10.8.0.3/32")
	w, _, _ := server(t, 51820, "10.8.0.1/24")
	ported := w
	ported.Port = 51821
	dials := func(allowed ...string) wireguard.Config {
		p := peer(t, wireguardtest.NewKey(t), allowed...)
		p.Endpoint = "203.0.113.9:51820"
		return one(wireguard.Tunnel{Name: "wgc", Mode: wireguard.Client, Addresses: []netip.Prefix{netip.MustParsePrefix("10.9.0.2/24")}}, p)
	}
	none := wireguard.Config{}
	for _, tc := range []struct {
		name, caller, link string
		was, now           wireguard.Config
		refused            bool
	}{
		{"nothing", "192.0.2.7", "e0", none, none, false},
		{"a tunnel to elsewhere", "192.0.2.7", "e0", none, dials("172.16.0.0/12"), false},
		{"a tunnel that takes all, and a neighbour", "192.0.2.7", "e0", none, dials("0.0.0.0/0"), false},
		{"a tunnel that takes all, and somebody from afar", "198.51.100.7", "e0", none, dials("0.0.0.0/0", "::/0"), false},
		{"two halves of all, with the endpoint in one", "198.51.100.7", "e0", none, dials("128.0.0.0/1", "0.0.0.0/1"), false},
		{"his very network", "198.51.100.7", "e0", none, dials("198.51.100.0/24"), true},
		{"the neighbour's address", "192.0.2.7", "e0", none, dials("192.0.2.7/32"), true},
		{"a network that is on a link already", "192.0.2.7", "e0", none, dials("192.0.2.0/24"), false},
		{"as it was", "198.51.100.7", "e0", dials("198.51.100.0/24"), dials("198.51.100.0/24"), false},
		{"one more peer", "10.8.0.2", w.Name, one(w, phone), one(w, phone, other), false},
		{"the peer removed", "10.8.0.2", w.Name, one(w, phone, other), one(w, other), true},
		{"another peer removed", "10.8.0.2", w.Name, one(w, phone, other), one(w, phone), false},
		{"the tunnel removed", "10.8.0.2", w.Name, one(w, phone), none, true},
		{"another port", "10.8.0.2", w.Name, one(w, phone), one(ported, phone), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t, nil)
			for _, line := range []string{"link add e0 type bridge", "addr add 192.0.2.1/24 dev e0", "link set e0 up", "route add default via 192.0.2.254"} {
				r.ip(line)
			}
			guard := wireguard.GuardForTest(wireguard.Options{Host: asked{tc.link}, Open: wireguardtest.Options(t, r.space).Open})
			ctx := identity.WithOrigin(t.Context(), func() identity.Origin { return identity.Origin{Addr: netip.MustParseAddr(tc.caller)} })
			err := guard(ctx, tc.was, tc.now)
			var f *fault.Fault
			if tc.refused != errors.As(err, &f) || tc.refused && f.Code != "would_lock_out" {
				t.Errorf("the guard says %v", err)
			}
			if err := guard(intent.With(ctx, intent.Ask{ConfirmWithin: time.Minute}), tc.was, tc.now); err != nil {
				t.Errorf("with a confirmation asked for: %v", err)
			}
		})
	}
}

// A tunnel that takes everything takes answers from addresses that have no way out of their own.
func TestASessionToAnInnerAddress(t *testing.T) {
	r := newRig(t, nil)
	for _, line := range []string{
		"link add e0 type bridge", "addr add 192.0.2.1/24 dev e0", "link set e0 up", "route add default via 192.0.2.254",
		"link add e1 type bridge", "addr add 10.1.0.1/24 dev e1", "link set e1 up",
	} {
		r.ip(line)
	}
	p := peer(t, wireguardtest.NewKey(t), "0.0.0.0/0")
	p.Endpoint = "203.0.113.9:51820"
	now := one(wireguard.Tunnel{Name: "wgc", Mode: wireguard.Client, Addresses: []netip.Prefix{netip.MustParsePrefix("10.9.0.2/24")}}, p)
	guard := wireguard.GuardForTest(wireguard.Options{Host: asked{"e0"}, Open: wireguardtest.Options(t, r.space).Open})
	for to, refused := range map[string]bool{"192.0.2.1": false, "10.1.0.1": true} {
		ctx := identity.WithOrigin(t.Context(), func() identity.Origin {
			return identity.Origin{Addr: netip.MustParseAddr("198.51.100.7"), Local: netip.MustParseAddr(to)}
		})
		if err := guard(ctx, wireguard.Config{}, now); (err != nil) != refused {
			t.Errorf("to %s: %v", to, err)
		}
	}
}

// Somebody without an address, such as a job, is nobody who could be cut off.
func TestNobodyIsNotCutOff(t *testing.T) {
	guard := wireguard.GuardForTest(wireguard.Options{})
	if err := guard(context.Background(), wireguard.Config{}, wireguard.Config{}); err != nil {
		t.Error(err)
	}
}
