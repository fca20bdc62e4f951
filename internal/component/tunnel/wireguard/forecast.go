package wireguard

import (
	"context"
	"net/netip"
	"reflect"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/forecast"
	"gateway/internal/secret"
)

// Forecast is what applying the rows makes of the kernel.
func Forecast() forecast.Source {
	return forecast.Source{Name: Name, Tables: Tables(), Load: func(ctx context.Context, q db.DB) (forecast.Change, error) {
		s, err := load(ctx, q, withoutKeys, newKeys)
		return s.change(linkKind, time.Now()), err
	}}
}

// withoutKeys is for those who ask for routes only.
var withoutKeys daemon.Unseal = func([]byte, secret.Place) (secret.Text, error) { return secret.Redacted, nil }

// connectedMetric6 is what the kernel gives the network of an IPv6 address.
const connectedMetric6 = 256

// change is what applying the configuration at a time makes of a network, in which tunnels have
// links of that kind.
func (c Config) change(kind string, now time.Time) forecast.Change {
	c.Tunnels = slices.Clone(c.Tunnels)
	for i, t := range c.Tunnels {
		c.Tunnels[i].Peers = slices.DeleteFunc(slices.Clone(t.Peers), func(p Peer) bool { return !p.live(now) })
	}
	return func(n forecast.Network) forecast.Network { return c.forecast(n, kind) }
}

func (c Config) forecast(n forecast.Network, kind string) forecast.Network {
	n, want, index := c.withLinks(n, kind)
	n = withAddresses(n, want, index)
	var routes, full []rtnl.Route
	for _, w := range routesOf(want, endpoints(c)) {
		w.Link = index[w.tunnel]
		routes = append(routes, w.Route)
		if w.Table == fullTable {
			full = append(full, w.Route)
		}
	}
	n = n.WithRoutes(rtnl.TunnelProtocol, routes)
	p := plan{have: kernel{addrs: n.Addrs, routes: n.Routes}}
	return n.WithRules(rtnl.TunnelProtocol, p.wantedRules(full))
}

// withLinks is the network with the links of the tunnels and no others of ours. One that is not
// there yet gets a number that no link has.
func (c Config) withLinks(n forecast.Network, kind string) (_ forecast.Network, want []Tunnel, index map[string]int) {
	gone := map[int]bool{}
	index = map[string]int{}
	foreign := map[string]bool{}
	for _, l := range n.Links {
		ours := l.Group == rtnl.Group && l.Kind == kind
		_, wanted := find(c, l.Name)
		gone[l.Index] = ours && !wanted
		foreign[l.Name] = !ours
		index[l.Name] = l.Index
	}
	n.Links = slices.DeleteFunc(slices.Clone(n.Links), func(l rtnl.Link) bool { return gone[l.Index] })
	n.Addrs = slices.DeleteFunc(slices.Clone(n.Addrs), func(a rtnl.Addr) bool { return gone[a.Link] })
	n.Routes = slices.DeleteFunc(slices.Clone(n.Routes), func(r rtnl.Route) bool { return gone[r.Link] })
	for i, t := range c.Tunnels {
		if foreign[t.Name] {
			continue // it is in trouble, and nothing is led there
		}
		if want = append(want, t); index[t.Name] == 0 {
			index[t.Name] = -1 - i
			n.Links = append(n.Links, rtnl.Link{Index: index[t.Name], Name: t.Name, Kind: kind, Group: rtnl.Group, Up: true, Carrier: true, PointToPoint: true})
		}
	}
	return n, want, index
}

// withAddresses is the network with the addresses of tunnels, and the routes that come with them.
func withAddresses(n forecast.Network, want []Tunnel, index map[string]int) forecast.Network {
	tunnel := map[int]bool{}
	for _, t := range want {
		tunnel[index[t.Name]] = true
	}
	n.Addrs = slices.DeleteFunc(n.Addrs, func(a rtnl.Addr) bool { return tunnel[a.Link] && a.Protocol == rtnl.TunnelProtocol })
	n.Routes = slices.DeleteFunc(n.Routes, func(r rtnl.Route) bool { return tunnel[r.Link] && r.Protocol == unix.RTPROT_KERNEL })
	for _, t := range want {
		for _, a := range t.Addresses {
			n.Addrs = append(n.Addrs, rtnl.Addr{Link: index[t.Name], Prefix: a, Protocol: rtnl.TunnelProtocol})
			r := rtnl.Route{Table: unix.RT_TABLE_MAIN, Dst: a.Masked(), Link: index[t.Name], Type: unix.RTN_UNICAST, Protocol: unix.RTPROT_KERNEL}
			if a.Addr().Is6() {
				r.Metric = connectedMetric6
			}
			if !a.IsSingleIP() {
				n.Routes = append(n.Routes, r)
			}
		}
	}
	return n
}

// sameRoutes reports whether two configurations lead the same into the same tunnels.
func sameRoutes(a, b Config) bool {
	type tunnel struct {
		name      string
		addresses []netip.Prefix
	}
	tunnels := func(c Config) (all []tunnel) {
		for _, t := range c.Tunnels {
			all = append(all, tunnel{t.Name, t.Addresses})
		}
		return all
	}
	return reflect.DeepEqual(tunnels(a), tunnels(b)) && slices.Equal(routesOf(a.Tunnels, endpoints(a)), routesOf(b.Tunnels, endpoints(b)))
}
