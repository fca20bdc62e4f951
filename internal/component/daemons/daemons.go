// Package daemons is the list of what gateway-apply manages: one line per daemon, in the
// order of the list of components. It imports nothing of the API.
package daemons

import (
	"context"
	"log/slog"
	"time"

	"gateway/internal/component/cert"
	"gateway/internal/component/dns"
	"gateway/internal/component/firewall/filter"
	"gateway/internal/component/firewall/policy"
	"gateway/internal/component/ntp"
	"gateway/internal/component/proxy"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/haproxy"
	"gateway/internal/sys"
)

// Deps is everything a daemon may be given. Each takes what it needs.
type Deps struct {
	Pool  db.Pool
	Units *sys.Units
	Exec  sys.Runner
	Host  *sys.Host
	At    func(step string) // told each step of what is done to a daemon; nil for nobody
	Now   func() time.Time
	Log   *slog.Logger
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
	forward := func(ctx context.Context) error { return d.Units.Start(ctx, "gateway-forwarding.service") }
	all := []daemon.Daemon{
		ntp.NewDaemon(ntp.Options{Units: d.Units, Exec: d.Exec}),
		dns.NewDaemon(dns.Options{Units: d.Units, Exec: d.Exec}),
		proxy.NewDaemon(proxy.Options{HAProxy: proxied, Exec: d.Exec}),
		cert.NewDaemon(cert.Options{HAProxy: proxied, Now: d.Now, Log: d.Log}),
	}
	reader := policy.New(daemon.NeedsOf(all))
	all = append(all, filter.New(filter.Options{Policy: reader, Exec: d.Exec, Host: d.Host, Forward: forward, Log: d.Log}))
	return Daemons{All: all, Policy: reader}
}
