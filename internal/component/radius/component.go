// Package radius lets operators say who may ask the RADIUS server and who may sign in, and tells
// what came of it. What becomes of the rows, and what runs on them, is left to package freeradius.
package radius

import (
	"context"
	"embed"
	"net"
	"time"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/radius/freeradius"
	"gateway/internal/db"
	"gateway/internal/secret"
	"gateway/internal/sys"
)

//go:embed migrations/*.sql
var migrations embed.FS

const (
	settingsPath = "/radius/settings"
	clientsPath  = "/radius/clients"
	usersPath    = "/radius/users"
)

// Options are what the component needs.
type Options struct {
	DB      db.DB
	Run     *change.Runner
	Box     *secret.Box
	Applier applier // apply.Client
	// Host tells the addresses of this node; nil means the one that we run on.
	Host interface {
		Interfaces() ([]sys.Interface, error)
	}
	// Dial reaches the daemon's port for this machine; nil means the one of this machine.
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
		o.Dial = dialProbe
	}
	if o.Host == nil {
		o.Host = sys.NewHost(time.Now)
	}
	h := &handlers{o}
	return component.Component{
		Name:       freeradius.Name,
		Tables:     freeradius.Tables(),
		Migrations: db.Files(migrations),
		Routes:     h.routes,
		Problems:   h.problems(),
		Objects: []component.Object{
			{Key: "settings", Path: settingsPath, Single: true},
			{Key: "clients", Path: clientsPath, Name: []string{"name"}, Derived: []string{"secret_configured"}},
			{Key: "users", Path: usersPath, Name: []string{"name"}, Derived: []string{"password_configured"}, Optional: []string{"vlan"}},
		},
	}
}

func (h *handlers) routes(r api.Router) {
	h.settings(r)
	h.clients().Register(r, h.DB, h.Run)
	h.users().Register(r, h.DB, h.Run)
	h.signInRoutes(r)
}
