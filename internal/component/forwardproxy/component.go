// Package forwardproxy lets operators say who may reach the web through the node's proxy and what
// is denied, tells what would happen to a request, and shows the proxy's counters. What becomes of
// the rows, and what runs on them, is left to package squid.
package forwardproxy

import (
	"context"
	"embed"
	"net"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/forwardproxy/squid"
	"gateway/internal/db"
)

//go:embed migrations/*.sql
var migrations embed.FS

const (
	settingsPath = "/forward-proxy/settings"
	aclsPath     = "/forward-proxy/acls"
	listsPath    = "/forward-proxy/lists"
)

// Options are what the component needs.
type Options struct {
	DB   db.DB
	Run  *change.Runner
	Host squid.Host // *sys.Host
	// Dial reaches the proxy's port for this machine; nil means the one of this machine.
	Dial func(ctx context.Context) (net.Conn, error)
}

// handlers answer requests.
type handlers struct {
	Options
	servers nameservers
}

// New returns the component.
func New(o Options) component.Component {
	if o.Dial == nil {
		o.Dial = dialInternal
	}
	h := &handlers{Options: o}
	return component.Component{
		Name:       squid.Name,
		Tables:     squid.Tables(),
		Migrations: db.Files(migrations),
		Routes:     h.routes,
		Problems:   h.problems(),
		Support:    []component.Support{{File: "statistics.json", Read: component.Answer("/forward-proxy/stats")}},
		Objects: []component.Object{
			{Key: "settings", Path: settingsPath, Single: true},
			{Key: "lists", Path: listsPath, Name: []string{"name"}, Derived: []string{"size"}},
			{Key: "acls", Path: aclsPath, Name: []string{"type", "value", "action", "priority"}},
		},
	}
}

func (h *handlers) routes(r api.Router) {
	h.settings(r)
	h.listRoutes(r)
	h.acls().Register(r, h.DB, h.Run)
	h.orderRoute(r)
	h.explainRoute(r)
	h.statsRoute(r)
}
