// Package tunnel manages WireGuard interfaces and their peers, and what peers are given: the
// text and the QR code of their configuration. How the kernel is brought there is package
// wireguard's, reading the files of wg-quick package wgquick's, opening the listen port package
// firewall's.
package tunnel

import (
	"context"
	"embed"
	"log/slog"
	"net/netip"
	"time"

	"gateway/internal/api"
	"gateway/internal/apply"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/db"
	"gateway/internal/secret"
)

//go:embed migrations/*.sql
var migrations embed.FS

const (
	interfacesPath = "/tunnel/interfaces"
	peersPath      = "/tunnel/peers"
)

// Options are what the component needs.
type Options struct {
	DB      db.DB
	Run     *change.Runner
	Box     *secret.Box
	Applier applier // apply.Client
	// Lookup resolves the names of endpoints; for the process that speaks to the outside.
	Lookup func(ctx context.Context, name string) ([]netip.Addr, error)
	Now    func() time.Time
	Log    *slog.Logger
}

type applier interface {
	Ask(ctx context.Context, component, verb string, in, out any) error
	States(ctx context.Context) ([]apply.State, error)
}

type tunnels struct{ Options }

// New returns the component.
func New(o Options) component.Component {
	if o.Now == nil {
		o.Now = time.Now
	}
	t := &tunnels{o}
	return component.Component{
		Name:       wireguard.Name,
		Tables:     wireguard.Tables(),
		Migrations: db.Files(migrations),
		Routes:     t.routes,
		Problems:   t.problems(),
		Values:     t.values(),
		Background: t.keepLookingUp,
		Support:    []component.Support{{File: "status.json", Read: component.Answer("/tunnel/status")}},
		Objects: []component.Object{
			{
				Key: "interfaces", Path: interfacesPath, Name: []string{"name"},
				Derived: []string{"public_key"}, Optional: []string{"listen_port", "mtu"},
			},
			{
				Key: "peers", Path: peersPath, Name: []string{"interface_id", "name"}, Refs: map[string]string{"interface_id": "interfaces"},
				Derived: []string{"has_private_key", "has_preshared_key"}, Optional: []string{"expires_at"}, Expires: "expires_at",
			},
		},
	}
}

func (t *tunnels) routes(r api.Router) {
	t.interfaces().Register(r, t.DB, t.Run)
	t.peers().Register(r, t.DB, t.Run)
	t.generateRoutes(r)
	t.downloadRoutes(r)
	t.statusRoute(r)
	t.importRoutes(r)
}
