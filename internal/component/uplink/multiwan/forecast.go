package multiwan

import (
	"context"
	"slices"

	"golang.org/x/sys/unix"

	"gateway/internal/component/uplink/health"
	"gateway/internal/db"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/forecast"
)

// Forecast is what applying the rows makes of the kernel.
func Forecast() forecast.Source {
	return forecast.Source{Name: Name, Tables: Tables(), Load: func(ctx context.Context, q db.DB) (forecast.Change, error) {
		c, err := load(ctx, q)
		return c.forecast, err
	}}
}

// forecast is what applying the configuration makes of a network.
func (c Config) forecast(n forecast.Network) forecast.Network {
	have := kernel{links: n.Links, addrs: n.Addrs}
	for _, r := range n.Routes {
		if slices.Contains(gatewayProtocols, r.Protocol) && isDefaultRoute(r) {
			have.others = append(have.others, r)
		}
	}
	p := &plan{want: c, have: have, index: indexed(n.Links)}
	p.state = func(number int) health.State {
		u, _ := c.numbered(number)
		return presumed(p.index[u.Interface], u.IPv6, n.Routes)
	}
	var routes []rtnl.Route
	for _, w := range p.wantedRoutes() {
		first := w.NextHops[0]
		routes = append(routes, rtnl.Route{
			Table: w.Table, Dst: w.Dst, Metric: w.Metric, Type: unix.RTN_UNICAST, Protocol: w.Protocol,
			Gateway: first.Gateway, Link: first.Link, Onlink: first.Onlink, Multipath: len(w.NextHops) > 1,
		})
	}
	return n.WithRoutes(rtnl.UplinkProtocol, routes).WithRules(rtnl.UplinkProtocol, p.wantedRules())
}

// presumed is the state of an uplink on a link, for those who do not monitor it: the one that
// new connections take now works, and the others with a carrier do where there is none.
func presumed(l rtnl.Link, six bool, routes []rtnl.Route) health.State {
	if !l.Up || !l.Carrier {
		return health.NoCarrier
	}
	chosen := slices.IndexFunc(routes, func(r rtnl.Route) bool { return r.Table == chosenTable && r.Dst.Addr().Is6() == six })
	if chosen < 0 || routes[chosen].Multipath || routes[chosen].Link == l.Index {
		return health.Up
	}
	return health.Down
}
