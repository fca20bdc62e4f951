// Package ntp lets operators say where the node's clock gets its time from and to whom it
// gives it, and tells how the clock is doing. What becomes of the rows, and what runs on
// them, is left to package chrony.
package ntp

import (
	"context"
	"embed"
	"net"
	"time"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/ntp/chrony"
	"gateway/internal/db"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Options are what the component needs.
type Options struct {
	DB      db.DB
	Run     *change.Runner
	Applier applier // apply.Client
	Now     func() time.Time
	// Dial reaches chrony's monitoring port; nil means the one of this machine.
	Dial func(ctx context.Context) (net.Conn, error)
}

type applier interface {
	Ask(ctx context.Context, component, verb string, in, out any) error
}

// handlers answer requests.
type handlers struct{ Options }

// New returns the component.
func New(o Options) component.Component {
	if o.Dial == nil {
		o.Dial = dialMonitor
	}
	h := &handlers{o}
	return component.Component{
		Name:       chrony.Name,
		Tables:     chrony.Tables(),
		Migrations: db.Files(migrations),
		Routes:     h.routes,
		Problems:   h.problems(),
		Values:     h.values(),
		Support: []component.Support{
			{File: "status.json", Read: component.Answer("/ntp/status")},
			{File: "sources.json", Read: component.Answer("/ntp/sources")},
		},
		Objects: []component.Object{
			{Key: "settings", Path: settingsPath, Single: true},
			{Key: "pools", Path: poolsPath, Name: []string{"address"}},
		},
	}
}

func (h *handlers) routes(r api.Router) {
	h.resources(r)
	h.statusRoutes(r)
	h.syncRoute(r)
}
