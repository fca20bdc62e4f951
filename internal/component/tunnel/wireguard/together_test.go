package wireguard_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/component/tunnel/wireguard/wireguardtest"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/forecast"
)

// What is forecast of a configuration is what the kernel has when it is applied.
func TestTheForecastIsWhatTheKernelHas(t *testing.T) {
	r := newRig(t, nil)
	for _, line := range []string{"link add e0 type bridge", "addr add 192.0.2.1/24 dev e0", "link set e0 up", "route add default via 192.0.2.254"} {
		r.ip(line)
	}
	o := wireguardtest.Options(t, r.space)
	kernel := func() forecast.Network {
		conn, err := o.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		n, err := forecast.Read(conn)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	w, k, _ := server(t, 51820, "10.8.0.1/24")
	moved := w
	moved.Addresses = []netip.Prefix{netip.MustParsePrefix("10.18.0.1/24")}
	phone, branch := peer(t, wireguardtest.NewKey(t), "10.8.0.2/32"), peer(t, wireguardtest.NewKey(t), "10.8.0.3/32", "172.16.0.0/12")
	guest := peer(t, wireguardtest.NewKey(t), "172.31.0.0/16")
	guest.ExpiresAt = time.Now().Add(-time.Hour)
	all := peer(t, wireguardtest.NewKey(t), "0.0.0.0/0")
	all.Endpoint = "203.0.113.9:51820"
	for _, c := range []wireguard.Config{one(w, phone, branch), one(w, phone, all), one(moved, branch), one(w, phone, guest), {}, one(w, branch)} {
		want := ofTunnels(wireguard.ForecastForTest(c, o.Kind)(kernel()))
		r.become(c, k)
		if got := ofTunnels(kernel()); !slices.Equal(got, want) {
			t.Errorf("%s\nthe kernel has\n%s\nthe forecast was\n%s", c.Text(), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// ofTunnels are routes, addresses and rules of tunnels, as text. The number of a link is not
// known before it is made.
func ofTunnels(n forecast.Network) (out []string) {
	names, tunnel := map[int]string{}, map[int]bool{}
	for _, l := range n.Links {
		names[l.Index], tunnel[l.Index] = l.Name, l.Group == rtnl.Group
	}
	for _, r := range n.Routes {
		if tunnel[r.Link] && r.Table != 255 && !r.Dst.Addr().Is6() {
			out = append(out, fmt.Sprintf("route %s dev %s table %d protocol %d", r.Dst, names[r.Link], r.Table, r.Protocol))
		}
	}
	for _, a := range n.Addrs {
		if tunnel[a.Link] && a.Protocol == rtnl.TunnelProtocol {
			out = append(out, fmt.Sprintf("address %s dev %s", a.Prefix, names[a.Link]))
		}
	}
	for _, r := range n.Rules {
		if r.Protocol == rtnl.TunnelProtocol {
			out = append(out, fmt.Sprintf("rule %+v", r))
		}
	}
	slices.Sort(out)
	return out
}
