// Package dhcp lets operators say which networks are given addresses, by what rules and which
// client always has which one, and shows the leases. What becomes of the rows, and what runs on
// them, is left to package kea.
package dhcp

import (
	"context"
	"embed"
	"encoding/json"
	"os"
	"time"

	"gateway/internal/api"
	"gateway/internal/apply"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/dhcp/kea"
	"gateway/internal/db"
	"gateway/internal/setupstate"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Options are what the component needs.
type Options struct {
	DB      db.DB
	Run     *change.Runner
	Applier applier  // apply.Client
	Host    kea.Host // *sys.Host
	Setup   setup    // *setupstate.Store
	// Hostname is what this machine calls itself; nil means its kernel.
	Hostname func() (string, error)
	// Questions is the way to gateway-scheduler, which speaks to the network.
	Questions questions // db.Questions
}

type questions interface {
	Ask(ctx context.Context, channel string, in, out any) error
}

type setup interface {
	Load() (setupstate.State, error)
}

type applier interface {
	Ask(ctx context.Context, component, verb string, in, out any) error
	States(ctx context.Context) ([]apply.State, error)
}

// handlers answer requests.
type handlers struct{ Options }

// New returns the component.
func New(o Options) component.Component {
	if o.Hostname == nil {
		o.Hostname = os.Hostname
	}
	h := &handlers{o}
	return component.Component{
		Name:       kea.Name,
		Tables:     kea.Tables(),
		Migrations: db.Files(migrations),
		Routes:     h.routes,
		Jobs:       []component.Job{{Name: "dhcp.node", Where: component.OnEveryNode, Every: time.Minute, AtStart: true, Run: h.followSetup}},
		Problems:   h.problems(),
		Values:     h.values(),
		Support: []component.Support{
			{File: "status.json", Read: component.Answer("/dhcp/status")},
			{File: "usage.json", Read: component.Answer("/dhcp/usage")},
		},
		Answers: map[string]func(context.Context, json.RawMessage) (any, error){wakeChannel: answerWake},
		Objects: []component.Object{
			{Key: "settings", Path: settingsPath, Single: true},
			{Key: "subnets", Path: subnetsPath, Name: []string{"subnet"}},
			{Key: "reservations", Path: reservationsPath, Name: []string{"subnet_id", "address"}, Refs: map[string]string{"subnet_id": "subnets"}},
		},
	}
}

func (h *handlers) routes(r api.Router) {
	h.resources(r)
	h.statusRoutes(r)
	h.leaseRoutes(r)
	h.usageRoute(r)
	h.wakeRoute(r)
}
