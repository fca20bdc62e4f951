// Package daemons is the list of what gateway-apply manages: one line per daemon, in the
// order of the list of components. It imports nothing of the API.
package daemons

import (
	"context"
	"log/slog"
	"time"

	"gateway/internal/component/cert/pemfiles"
	"gateway/internal/component/dns"
	"gateway/internal/component/firewall"
	"gateway/internal/component/ntp"
	"gateway/internal/component/proxy/haproxyconf"
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

// List returns the daemons.
func List(d Deps) []daemon.Daemon {
	proxied := haproxy.NewDaemon(d.Units)
	proxied.At = d.At
	forward := func(ctx context.Context) error { return d.Units.Start(ctx, "gateway-forwarding.service") }
	all := []daemon.Daemon{
		ntp.NewDaemon(ntp.Options{Units: d.Units, Exec: d.Exec}),
		dns.NewDaemon(dns.Options{Units: d.Units, Exec: d.Exec}),
		haproxyconf.New(haproxyconf.Options{HAProxy: proxied, Exec: d.Exec}),
		pemfiles.New(pemfiles.Options{HAProxy: proxied, Log: d.Log}),
	}
	tables, needed := daemon.NeedsOf(all)
	return append(all, firewall.NewDaemon(firewall.Options{
		DB: d.Pool, Exec: d.Exec, Host: d.Host, Forward: forward, Needed: needed, NeededTables: tables, Now: d.Now, Log: d.Log,
	}))
}
