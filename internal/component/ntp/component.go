// Package ntp keeps the node's clock right and serves the time to others, by chrony. It
// renders one drop-in file of chrony's; how the daemon is started, and with what else, is
// left to the drop-in of chrony.service in the Debian package, letting clients through the
// packet filter to package firewall.
package ntp

import (
	"context"
	"embed"
	"net"
	"time"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/sys"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Options are what the component needs. Run and Applier are nil in gateway-apply, Units in
// gateway-api.
type Options struct {
	DB      db.DB
	Run     *change.Runner
	Applier applier // apply.Client
	Units   units   // *sys.Units
	Exec    sys.Runner
	Now     func() time.Time
	// Dial reaches chrony's monitoring port; nil means the one of this machine.
	Dial func(ctx context.Context) (net.Conn, error)
}

type applier interface {
	Ask(ctx context.Context, component, verb string, in, out any) error
}

type units interface {
	Start(ctx context.Context, unit string) error
	Restart(ctx context.Context, unit string) error
}

const (
	name = "ntp"
	unit = "chrony.service"
)

type part struct{ Options }

// New returns the component.
func New(o Options) component.Component {
	if o.Dial == nil {
		o.Dial = dialMonitor
	}
	p := &part{o}
	return component.Component{
		Name:       name,
		Tables:     tables(),
		Migrations: db.Files(migrations),
		Routes:     p.routes,
		Objects: []component.Object{
			{Key: "settings", Path: settingsPath, Single: true},
			{Key: "pools", Path: poolsPath, Name: []string{"address"}},
		},
	}
}

func tables() []component.Table {
	return []component.Table{
		{Name: "ntp_settings", Scope: component.NodeLocal},
		{Name: "ntp_pools", Scope: component.Replicated},
	}
}

// NewDaemon returns what gateway-apply needs of chrony.
func NewDaemon(o Options) daemon.Daemon {
	p := &part{o}
	return daemon.Daemon{
		Config: daemon.Config{
			Name: name, Tables: tables(), Source: daemon.Steps[state]{Load: load, Render: state.render},
			Needs: daemon.Needs{Tables: []string{"ntp_settings"}, Openings: openings},
			Check: p.check,
		},
		Units: []string{unit},
		Apply: p.apply,
		Verbs: map[string]daemon.Verb{forceSync: p.forceSync},
	}
}

func (p *part) routes(r api.Router) {
	p.resources(r)
	p.statusRoutes(r)
	p.syncRoute(r)
}

// openings is the port that clients ask, while there is something for them to reach.
func openings(ctx context.Context, q db.DB) ([]daemon.Opening, error) {
	s, err := loadSettings(ctx, q)
	if err != nil || !s.ServeClients || !s.reachable() {
		return nil, err
	}
	return []daemon.Opening{{Protocol: "udp", Port: 123, Why: "NTP for clients"}}, nil
}
