// Package proxy manages the reverse proxy, HAProxy: domains, the pools of servers behind
// them, and how requests get from the one to the other. It renders one configuration and
// the maps it looks things up in, and brings most changes to the running HAProxy without a
// reload. Certificates are package cert's, opening ports is the packet filter's.
package proxy

import (
	"context"
	"embed"
	"time"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/haproxy"
	"gateway/internal/setupstate"
	"gateway/internal/sys"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Options are what the component needs. Run and Applier are for the process that has
// routes, HAProxy for the one that applies; whoever else has files for it shares it.
type Options struct {
	DB      db.DB
	Run     *change.Runner
	Applier applier // apply.Client
	HAProxy *haproxy.Daemon
	Exec    sys.Runner // sys.Run
	Setup   setup      // *setupstate.Store
}

type applier interface {
	Ask(ctx context.Context, component, verb string, in, out any) error
}

type setup interface {
	Load() (setupstate.State, error)
}

type part struct {
	Options
	known *db.Versions[site]
	diary diary
}

// New returns the component.
func New(o Options) component.Component { return newPart(o).component() }

func newPart(o Options) *part { return &part{Options: o, known: newVersions()} }

func (p *part) component() component.Component {
	return component.Component{
		Name:       "proxy",
		Tables:     tables(),
		Migrations: db.Files(migrations),
		Routes:     p.routes,
		Jobs: []component.Job{
			{Name: "proxy.ipv6", Every: time.Minute, Run: p.followSetup},
			{Name: "proxy.traffic", Every: trafficStep, Run: p.keepTraffic},
		},
		Objects: objects(),
	}
}

// Every value is of a kind that HAProxy takes wherever we put it, so that rows are
// judged one by one; it still has the last word before files are installed.
func tables() []component.Table {
	return []component.Table{
		{Name: "proxy_settings", Scope: component.NodeLocal, RowsChecked: true, OneWay: []string{"ipv6"}},
		{Name: "proxy_backends", Scope: component.Replicated, RowsChecked: true},
		{Name: "proxy_servers", Scope: component.Replicated, RowsChecked: true},
		{Name: "proxy_domains", Scope: component.Replicated, RowsChecked: true},
		{Name: "proxy_headers", Scope: component.Replicated, RowsChecked: true},
		{Name: "proxy_users", Scope: component.Replicated, RowsChecked: true, Omit: []string{"digest"}},
		{Name: "proxy_rules", Scope: component.Replicated, RowsChecked: true},
		{Name: "proxy_ports", Scope: component.Replicated, RowsChecked: true},
		{Name: "proxy_traffic", Scope: component.History, API: &db.Rights{Insert: true, Delete: true}},
	}
}

// NewDaemon returns what gateway-apply needs of HAProxy.
func NewDaemon(o Options) daemon.Daemon { return newPart(o).daemon() }

func (p *part) daemon() daemon.Daemon {
	return daemon.Daemon{
		Config: daemon.Config{
			Name: "proxy", Tables: tables(), Source: daemon.Steps[state]{Load: p.load, Render: renderState},
			Needs: daemon.Needs{Tables: []string{"proxy_ports"}, Openings: openings},
			Check: p.check, Plain: unchecked,
		},
		Units:   []string{haproxy.Unit},
		Folders: []string{mapsDir},
		Apply:   p.apply,
		Verbs:   map[string]daemon.Verb{"stats": p.stats, "reload": p.reloadVerb, "traffic": p.traffic},
	}
}

func objects() []component.Object {
	domain := map[string]string{"domain_id": "domains"}
	return []component.Object{
		{Key: "backends", Path: "/backends", Name: []string{"name"}, Derived: []string{"servers"}},
		{Key: "servers", Path: "/backend-servers", Name: []string{"backend_id", "name"}, Refs: map[string]string{"backend_id": "backends"}, Derived: []string{"proxy_name"}},
		{Key: "domains", Path: "/domains", Name: []string{"name"}, Refs: map[string]string{"backend_id": "backends"}},
		{Key: "headers", Path: "/domain-headers", Name: []string{"domain_id", "name"}, Refs: domain},
		{Key: "routing_rules", Path: "/routing-rules", Name: []string{"domain_id", "path_prefix", "priority"}, Refs: map[string]string{"domain_id": "domains", "backend_id": "backends"}},
		{Key: "tcp_services", Path: "/tcp-services", Name: []string{"name"}, Refs: map[string]string{"backend_id": "backends"}},
	}
}

func (p *part) routes(r api.Router) {
	p.backends().Register(r, p.DB, p.Run)
	p.servers().Register(r, p.DB, p.Run)
	p.servers().RegisterUnder(r, p.DB, p.Run, p.serversOfBackend())
	p.domains().Register(r, p.DB, p.Run)
	p.headers().Register(r, p.DB, p.Run)
	p.headers().RegisterUnder(r, p.DB, p.Run, p.headersOfDomain())
	p.users().Register(r, p.DB, p.Run)
	p.users().RegisterUnder(r, p.DB, p.Run, p.usersOfDomain())
	p.rules().Register(r, p.DB, p.Run)
	p.orderRoute(r)
	p.ports().Register(r, p.DB, p.Run)
	p.statusRoutes(r)
	p.trafficRoutes(r)
}

func (p *part) load(ctx context.Context, q db.DB, _ daemon.Unseal) (state, error) {
	return load(ctx, q, p.known)
}

func renderState(s state) (daemon.Rendering, error) { return render(s), nil }
