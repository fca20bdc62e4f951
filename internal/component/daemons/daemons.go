// Package daemons is the list of what gateway-apply manages: one line per daemon, in the
// order of the list of components. It imports nothing of the API.
package daemons

import (
	"context"
	"log/slog"

	"gateway/internal/component/cert/pemfiles"
	"gateway/internal/component/dhcp/kea"
	"gateway/internal/component/dns/unbound"
	"gateway/internal/component/firewall/filter"
	"gateway/internal/component/firewall/policy"
	"gateway/internal/component/forwardproxy/squid"
	"gateway/internal/component/logs/journald"
	"gateway/internal/component/network/netstate"
	"gateway/internal/component/ntp/chrony"
	"gateway/internal/component/proxy/haproxyconf"
	"gateway/internal/component/radius/freeradius"
	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/component/uplink/multiwan"
	"gateway/internal/daemon"
	"gateway/internal/daemon/hostnames"
	"gateway/internal/haproxy"
	"gateway/internal/rtnl/forecast"
	"gateway/internal/sys"
)

// Deps is everything a daemon may be given. Each takes what it needs.
type Deps struct {
	Units *sys.Units
	Exec  sys.Runner
	Host  *sys.Host
	At    func(step string) // told each step of what is done to a daemon; nil for nobody
	// Installs says that files are not only judged and shown, so that long ones are read in full.
	Installs bool
	Log      *slog.Logger
}

// Daemons are what gateway-apply manages.
type Daemons struct {
	All    []daemon.Daemon
	Policy *policy.Reader // the packet filter's; the API reads with it too, so that one process keeps one cache
}

// New returns the daemons.
func New(d Deps) Daemons {
	proxied := haproxy.NewDaemon(d.Units)
	proxied.At = d.At
	names := &hostnames.Registry{} // from the DHCP server to the resolver
	forward := func(ctx context.Context) error { return d.Units.Start(ctx, "gateway-forwarding.service") }
	sysctl := func(ctx context.Context) error { return d.Units.Start(ctx, "gateway-sysctl.service") }
	routing := Routing()
	all := []daemon.Daemon{
		journald.New(journald.Options{Units: d.Units, AccessLog: haproxyconf.AccessLog}),
		netstate.New(netstate.Options{Host: d.Host, Routing: routing, Sysctl: sysctl, Log: d.Log}),
		wireguard.New(wireguard.Options{Host: d.Host, Routing: routing, Remember: wireguard.EndpointsPath, Installed: wireguard.KeyPath, Log: d.Log}),
		multiwan.New(multiwan.Options{Host: d.Host, Routing: routing, Exec: d.Exec, HealthFile: multiwan.HealthPath, Log: d.Log}),
		chrony.New(chrony.Options{Units: d.Units, Exec: d.Exec}),
		kea.New(kea.Options{Units: d.Units, Exec: d.Exec, Host: d.Host, Names: names, Seen: kea.SeenPath, Log: d.Log}),
		unbound.New(unbound.Options{Units: d.Units, Exec: d.Exec, Names: names, Log: d.Log}),
		freeradius.New(freeradius.Options{Units: d.Units, Exec: d.Exec}),
		squid.New(squid.Options{Units: d.Units, Exec: d.Exec, Host: d.Host, Names: d.Installs, Log: d.Log}),
		haproxyconf.New(haproxyconf.Options{HAProxy: proxied, Exec: d.Exec, Log: haproxyconf.NodeLog(), Host: d.Host}),
		pemfiles.New(pemfiles.Options{HAProxy: proxied, Log: d.Log}),
	}
	reader := policy.New(daemon.NeedsOf(all))
	all = append(all, filter.New(filter.Options{Policy: reader, After: append([]string{netstate.Name}, daemon.Needing(all)...), Exec: d.Exec, Host: d.Host, Routing: routing, Forward: forward, Log: d.Log}))
	return Daemons{All: all, Policy: reader}
}

// Routing are those that manage the kernel's routes, in the order in which they are applied.
func Routing() forecast.Sources {
	return forecast.Sources{netstate.Forecast(), wireguard.Forecast(), multiwan.Forecast()}
}
