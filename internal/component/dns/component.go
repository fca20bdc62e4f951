// Package dns manages the resolver, unbound: whom it asks, who may ask it, the zones that
// have servers of their own, and the records it answers itself. It renders one file and
// brings single records to the running unbound over its control socket. Opening the port is
// left to the packet filter, installing the file to package apply.
package dns

import (
	"context"
	"embed"
	"fmt"
	"net/netip"
	"sync/atomic"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/dns/control" //nolint:depguard // our own folder, not another component
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/resource"
	"gateway/internal/sys"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Unit is unbound's.
const Unit = "unbound.service"

// Options are what the component needs. Run and Applier are for the process that has
// routes, Units for the one that applies.
type Options struct {
	DB      db.DB
	Run     *change.Runner
	Applier applier    // apply.Client
	Units   units      // *sys.Units
	Exec    sys.Runner // sys.Run
	// Socket is unbound's control socket, where it is not Debian's.
	Socket string
}

type applier interface {
	Ask(ctx context.Context, component, verb string, in, out any) error
}

type units interface {
	Restart(ctx context.Context, unit string) error
}

type part struct {
	Options
	unbound control.Client
	memo    memo
	pushed  atomic.Int64 // lines given to unbound since it last read its files
}

// New returns the component.
func New(o Options) component.Component { return newPart(o).component() }

func newPart(o Options) *part {
	if o.Socket == "" {
		o.Socket = control.Socket
	}
	return &part{Options: o, unbound: control.Client{Path: o.Socket}}
}

func (p *part) component() component.Component {
	return component.Component{
		Name:       "dns",
		Tables:     tables(),
		Migrations: db.Files(migrations),
		Routes:     p.routes,
		Objects: []component.Object{
			{Key: "settings", Path: "/dns/settings", Single: true},
			{Key: "zones", Path: "/dns/zones", Name: []string{"name"}, Derived: []string{"records"}},
			{Key: "records", Path: "/dns/records", Name: []string{"zone_id", "name", "type", "value"}, Refs: map[string]string{"zone_id": "zones"}, Derived: []string{"fqdn"}},
		},
	}
}

func tables() []component.Table {
	return []component.Table{
		{Name: "dns_settings", Scope: component.NodeLocal},
		{Name: "dns_zones", Scope: component.Replicated},
		{Name: "dns_records", Scope: component.Replicated, RowsChecked: true},
	}
}

// NewDaemon returns what gateway-apply needs of unbound.
func NewDaemon(o Options) daemon.Daemon { return newPart(o).daemon() }

func (p *part) daemon() daemon.Daemon {
	return daemon.Daemon{
		Config: daemon.Config{
			Name: "dns", Tables: tables(), Source: daemon.Steps[state]{Load: p.load, Render: p.render},
			Needs: daemon.Needs{Tables: []string{"dns_settings"}, Openings: openings},
			Check: p.check, Plain: unchecked,
		},
		Units: []string{Unit},
		Apply: p.apply,
		Verbs: map[string]daemon.Verb{"stats": p.stats, "flush": p.flush},
	}
}

func (p *part) routes(r api.Router) {
	resource.Single[Settings, SettingsInput]{
		Component: "dns", Path: "/dns/settings", Table: "dns_settings", Access: api.Viewer, Summary: "the DNS resolver",
		Validate: validateSettings,
	}.Register(r, p.DB, p.Run)
	p.zones().Register(r, p.DB, p.Run)
	p.records().Register(r, p.DB, p.Run)
	p.statusRoutes(r)
}

func (p *part) load(ctx context.Context, q db.DB, _ daemon.Unseal) (state, error) {
	return load(ctx, q, p.memo.size())
}

func (p *part) render(s state) (daemon.Rendering, error) { return render(s, &p.memo), nil }

// openings are there while somebody else than this machine can reach the resolver.
func openings(ctx context.Context, q db.DB) ([]daemon.Opening, error) {
	var listen []string
	if err := q.QueryRow(ctx, `select listen_addresses from dns_settings`).Scan(&listen); err != nil {
		return nil, fmt.Errorf("read where the resolver listens: %w", err)
	}
	for _, a := range listen {
		if addr, err := netip.ParseAddr(a); err == nil && !addr.IsLoopback() {
			return []daemon.Opening{
				{Protocol: "tcp", Port: 53, Why: "DNS for clients"},
				{Protocol: "udp", Port: 53, Why: "DNS for clients"},
			}, nil
		}
	}
	return nil, nil
}
