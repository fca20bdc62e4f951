// Package all is THE list: one line per part of the product, in the order they
// are migrated and applied.
package all

import (
	"context"
	"log/slog"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway/internal/apply"
	auditlog "gateway/internal/audit"
	"gateway/internal/auth"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/audit"
	"gateway/internal/component/cert"
	changehistory "gateway/internal/component/change"
	"gateway/internal/component/dns"
	"gateway/internal/component/firewall"
	"gateway/internal/component/network"
	"gateway/internal/component/ntp"
	"gateway/internal/component/proxy"
	"gateway/internal/component/setup"
	"gateway/internal/component/system"
	"gateway/internal/component/user"
	"gateway/internal/db"
	"gateway/internal/dnsprovider"
	"gateway/internal/haproxy"
	"gateway/internal/secret"
	"gateway/internal/setupstate"
	"gateway/internal/sys"
)

// Deps is everything a part may be given. Each takes what it needs.
type Deps struct {
	Pool      db.Pool
	Database  interface{ Up() bool }
	Run       *change.Runner
	Audit     *auditlog.Log
	Setup     *setupstate.Store
	Users     *user.Users
	Box       *secret.Box
	Hasher    *auth.Hasher
	Limits    auth.Limits
	SetupCode string // path of the one-time code
	Node      string // machine id
	Version   string
	Host      *sys.Host
	Units     *sys.Units
	Apt       *sys.Apt
	Exec      sys.Runner
	Applier   apply.Client
	Set       func() component.Set            // the finished list; not before all parts are made
	At        func(step string)               // told each step of what is done to a daemon
	Forward   func(ctx context.Context) error // lets the kernel forward; nil but in gateway-apply
	Metrics   prometheus.Gatherer
	Now       func() time.Time
	Log       *slog.Logger

	// For the process that speaks to the outside.
	DNSProviders dnsprovider.Open
	Lookup       func(ctx context.Context, name string) ([]netip.Addr, error)
}

// Managed returns the parts that render files for a daemon. gateway-apply has these alone.
func Managed(d Deps) []component.Component {
	proxied := haproxy.NewDaemon(d.Units)
	proxied.At = d.At
	parts := []component.Component{
		ntp.New(ntp.Options{DB: d.Pool, Run: d.Run, Applier: d.Applier, Units: d.Units, Exec: d.Exec, Now: d.Now}),
		dns.New(dns.Options{DB: d.Pool, Run: d.Run, Applier: d.Applier, Units: d.Units, Exec: d.Exec}),
		proxy.New(proxy.Options{DB: d.Pool, Run: d.Run, Applier: d.Applier, HAProxy: proxied, Exec: d.Exec, Setup: d.Setup}),
		cert.New(cert.Options{DB: d.Pool, Run: d.Run, Box: d.Box, Setup: d.Setup, Host: d.Host, HAProxy: proxied, Providers: d.DNSProviders, Now: d.Now, Log: d.Log}),
	}
	tables, needed := component.NeedsOf(parts)
	return append(parts, firewall.New(firewall.Options{
		DB: d.Pool, Run: d.Run, Applier: d.Applier, Exec: d.Exec, Host: d.Host, Lookup: d.Lookup, Forward: d.Forward, Needed: needed, NeededTables: tables, Now: d.Now, Log: d.Log,
	}))
}

// List returns the parts.
func List(d Deps) []component.Component {
	return append([]component.Component{
		changehistory.New(changehistory.Options{Pool: d.Pool, Run: d.Run, Set: d.Set, Applier: d.Applier, Log: d.Log}),
		audit.New(d.Pool, d.Audit, d.Node, d.Setup, d.Now, d.Log),
		d.Users.Component(),
		setup.New(setup.Options{Pool: d.Pool, Audit: d.Audit, Store: d.Setup, Hasher: d.Hasher, Limits: d.Limits, CodeFile: d.SetupCode, Now: d.Now, Log: d.Log}),
		system.New(system.Options{
			Run: d.Run, Setup: d.Setup, Database: d.Database, Host: d.Host, Units: d.Units, Packages: d.Apt, Applier: d.Applier,
			Metrics: d.Metrics, Version: d.Version, Now: d.Now, Log: d.Log, IPv6: proxy.ListenOnIPv6,
		}),
		network.New(network.Options{DB: d.Pool, Run: d.Run}),
	}, Managed(d)...)
}
