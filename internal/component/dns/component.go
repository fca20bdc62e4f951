// Package dns lets operators say whom the resolver asks, who may ask it, the zones that have
// servers of their own, and the records it answers itself. What becomes of the rows, and what
// runs on them, is left to package unbound.
package dns

import (
	"context"
	"embed"
	"encoding/json"
	"sync/atomic"
	"time"

	"gateway/internal/api"
	"gateway/internal/apply"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/dns/unbound"
	"gateway/internal/db"
	"gateway/internal/resource"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Options are what the component needs.
type Options struct {
	DB      db.DB
	Run     *change.Runner
	Applier applier // apply.Client
	// Questions is the way to gateway-scheduler, which asks the forwarders.
	Questions questions // db.Questions
}

type applier interface {
	Ask(ctx context.Context, component, verb string, in, out any) error
	States(ctx context.Context) ([]apply.State, error)
}

// handlers answer requests.
type handlers struct {
	Options
	prober prober
	trier  trier
	// failing is what was last told of queries that fail: it lasts until some succeed, however few are asked.
	failing atomic.Pointer[unbound.Lately]
}

// New returns the component.
func New(o Options) component.Component {
	h := &handlers{Options: o, prober: prober{ask: askForwarder, now: time.Now}, trier: trier{ask: askResolver, now: time.Now}}
	return component.Component{
		Name:       unbound.Name,
		Tables:     unbound.Tables(),
		Migrations: db.Files(migrations),
		Routes:     h.routes,
		Problems:   h.problems(),
		Values:     h.values(),
		Support:    []component.Support{{File: "statistics.json", Read: component.Answer("/dns/stats")}},
		Answers:    map[string]func(context.Context, json.RawMessage) (any, error){forwardersChannel: h.answerForwarders},
		Objects: []component.Object{
			{Key: "settings", Path: "/dns/settings", Single: true},
			{Key: "zones", Path: "/dns/zones", Name: []string{"name"}, Derived: []string{"records"}},
			{Key: "records", Path: "/dns/records", Name: []string{"zone_id", "name", "type", "value"}, Refs: map[string]string{"zone_id": "zones"}, Derived: []string{"fqdn"}},
		},
	}
}

func (h *handlers) routes(r api.Router) {
	resource.Single[Settings, SettingsInput]{
		Component: unbound.Name, Path: "/dns/settings", Table: "dns_settings", Access: api.Viewer, Summary: "the DNS resolver",
		Validate: validateSettings,
	}.Register(r, h.DB, h.Run)
	h.zones().Register(r, h.DB, h.Run)
	h.records().Register(r, h.DB, h.Run)
	h.statusRoutes(r)
}
