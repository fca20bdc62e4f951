// Package all is THE list: one line per component, in the order they are migrated.
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
	"gateway/internal/capture"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/alert"
	"gateway/internal/component/audit"
	"gateway/internal/component/backup"
	"gateway/internal/component/cert"
	changehistory "gateway/internal/component/change"
	"gateway/internal/component/dhcp"
	"gateway/internal/component/diag"
	"gateway/internal/component/diag/bundle"
	"gateway/internal/component/diag/recorder"
	"gateway/internal/component/dns"
	"gateway/internal/component/firewall"
	"gateway/internal/component/firewall/policy"
	"gateway/internal/component/forwardproxy"
	"gateway/internal/component/graphs"
	"gateway/internal/component/logs"
	"gateway/internal/component/network"
	"gateway/internal/component/ntp"
	"gateway/internal/component/problems"
	"gateway/internal/component/proxy"
	"gateway/internal/component/radius"
	"gateway/internal/component/setup"
	"gateway/internal/component/system"
	"gateway/internal/component/tunnel"
	"gateway/internal/component/uplink"
	"gateway/internal/component/user"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/dnsprovider"
	"gateway/internal/restore"
	"gateway/internal/secret"
	"gateway/internal/setupstate"
	"gateway/internal/sys"
)

// Deps is everything a component may be given. Each takes what it needs.
type Deps struct {
	Pool      db.Pool
	Questions db.Questions // to the process that speaks to the outside
	Database  interface{ Up() bool }
	Run       *change.Runner
	Audit     *auditlog.Log
	Setup     *setupstate.Store
	Users     *user.Users
	Box       *secret.Box
	Hasher    *auth.Hasher
	Limits    auth.Limits
	SetupCode string // path of the one-time code
	Samples   string // folder of what the graphs show
	State     string // folder of the state files
	Node      string // machine id
	Version   string
	Host      *sys.Host
	Units     *sys.Units
	Apt       *sys.Apt
	Applier   apply.Client
	Set       daemon.Set // what every daemon makes of the rows
	Services  []daemon.Service
	Policy    *policy.Reader // the one of Set's packet filter
	Metrics   *prometheus.Registry
	Now       func() time.Time
	Log       *slog.Logger

	// For the process that speaks to the outside.
	DNSProviders dnsprovider.Open
	Lookup       func(ctx context.Context, name string) ([]netip.Addr, error)
}

// List returns the components.
func List(d Deps) []component.Component {
	alerts := alert.New(alert.Options{DB: d.Pool, Run: d.Run, Box: d.Box, Database: d.Database, Host: d.Host, Now: d.Now, Log: d.Log})
	filtering := firewall.Options{DB: d.Pool, Run: d.Run, Applier: d.Applier, Host: d.Host, Lookup: d.Lookup, Policy: d.Policy, Now: d.Now, Log: d.Log}
	var list []component.Component
	list = []component.Component{
		changehistory.New(changehistory.Options{Pool: d.Pool, Run: d.Run, Set: d.Set, Applier: d.Applier, Log: d.Log}),
		audit.New(d.Pool, d.Audit, d.Node, d.Setup, d.Now, d.Log),
		d.Users.Component(),
		setup.New(setup.Options{Pool: d.Pool, Audit: d.Audit, Store: d.Setup, Hasher: d.Hasher, Limits: d.Limits, CodeFile: d.SetupCode, Now: d.Now, Log: d.Log}),
		system.New(system.Options{
			DB: d.Pool, Run: d.Run, Setup: d.Setup, Database: d.Database, Host: d.Host, Units: d.Units, Packages: d.Apt, Applier: d.Applier, Services: d.Services,
			Metrics: d.Metrics, Version: d.Version, Now: d.Now, Log: d.Log, IPv6: proxy.ListenOnIPv6,
			Kept: func() []component.Kept { return component.AllKept(list) },
		}),
		logs.New(logs.Options{DB: d.Pool, Run: d.Run, Services: d.Services, Lines: sys.Lines, Now: d.Now, Log: d.Log}),
		network.New(network.Options{DB: d.Pool, Run: d.Run, Applier: d.Applier}),
		tunnel.New(tunnel.Options{DB: d.Pool, Run: d.Run, Box: d.Box, Applier: d.Applier, Lookup: d.Lookup, Now: d.Now, Log: d.Log}),
		uplink.New(uplink.Options{DB: d.Pool, Run: d.Run, Applier: d.Applier, Log: d.Log}),
		ntp.New(ntp.Options{DB: d.Pool, Run: d.Run, Applier: d.Applier, Now: d.Now}),
		dhcp.New(dhcp.Options{DB: d.Pool, Run: d.Run, Applier: d.Applier, Host: d.Host, Setup: d.Setup, Questions: d.Questions}),
		dns.New(dns.Options{DB: d.Pool, Run: d.Run, Applier: d.Applier, Questions: d.Questions}),
		radius.New(radius.Options{DB: d.Pool, Run: d.Run, Box: d.Box, Applier: d.Applier, Host: d.Host}),
		forwardproxy.New(forwardproxy.Options{DB: d.Pool, Run: d.Run, Host: d.Host}),
		proxy.New(proxy.Options{DB: d.Pool, Run: d.Run, Applier: d.Applier, Setup: d.Setup, Questions: d.Questions, Host: d.Host, Lookup: d.Lookup}),
		cert.New(cert.Options{DB: d.Pool, Run: d.Run, Box: d.Box, Applier: d.Applier, Setup: d.Setup, Host: d.Host, Providers: d.DNSProviders, CycleFailed: alerts.RenewalsAborted, Now: d.Now, Log: d.Log}),
		firewall.New(filtering),
		backup.New(backup.Options{DB: d.Pool, Run: d.Run, Box: d.Box, Setup: d.Setup, Questions: d.Questions, Host: d.Host, Schemas: func() []db.Schema { return component.Schemas(list) }, Restores: restores(d, func() []component.Component { return list }), Users: d.Users, Dir: d.State, Version: d.Version, Now: d.Now, Log: d.Log}),
		diag.New(diag.Options{
			Run: d.Run, Questions: d.Questions, Host: d.Host, Lookup: d.Lookup, Explain: filtering.Explain,
			Uplink: func(ctx context.Context, link string, v4 bool) (string, error) {
				return uplink.NameOf(ctx, d.Pool, link, v4)
			},
			Captures: &recorder.Recorder{Socket: capture.Socket, Dir: d.State, Now: d.Now, Log: d.Log},
			Bundle:   bundles(d, func() []component.Component { return list }),
		}),
	}
	list = append(list, graphs.New(graphs.Options{Dir: d.Samples, Host: d.Host, Metrics: d.Metrics, Now: d.Now, Log: d.Log}, list))
	collected := problems.Options{Database: d.Database, Now: d.Now, Log: d.Log}
	list = append(list, alerts.Component(alert.Look(problems.NewLook(collected, list)), list))
	list = append(list, problems.New(collected, list))
	return list
}

// bundles are made of what all components declare.
func bundles(d Deps, list func() []component.Component) bundle.Maker {
	return bundle.Maker{
		Components: list, Managed: func(name string) bool { _, managed := d.Set.Find(name); return managed },
		Node: d.Node, Version: d.Version, Limits: bundle.Defaults(), Now: d.Now, Log: d.Log,
		Hostname: func() string {
			health, _ := d.Host.Health() // without a name it is a node still
			return health.Hostname
		},
	}
}

// restores puts backups back; it reads an archive by the schemas of all components.
func restores(d Deps, list func() []component.Component) *restore.Service {
	return &restore.Service{
		Dir: d.State, DB: d.Pool, Applier: d.Applier, Node: d.Node, Now: d.Now,
		Schemas: func() []db.Schema { return component.Schemas(list()) },
		Links: func() (names []string, err error) {
			all, err := d.Host.Interfaces()
			for _, i := range all {
				if i.LinkType == "ether" {
					names = append(names, i.Name)
				}
			}
			return names, err
		},
	}
}
