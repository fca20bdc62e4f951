// Package uplink manages the ways out of this node: uplinks, groups of them with tiers and
// weights, and what operators see of their state. How the kernel is brought there is package
// multiwan's, whether an uplink works package health's, asking it package probe's.
package uplink

import (
	"context"
	"embed"
	"log/slog"

	"gateway/internal/api"
	"gateway/internal/apply"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/uplink/multiwan"
	"gateway/internal/component/uplink/probe"
	"gateway/internal/db"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Options are what the component needs.
type Options struct {
	DB      db.DB
	Run     *change.Runner
	Applier applier // apply.Client
	Log     *slog.Logger
}

type applier interface {
	Ask(ctx context.Context, component, verb string, in, out any) error
	States(ctx context.Context) ([]apply.State, error)
}

type uplinks struct{ Options }

const (
	uplinksPath = "/uplinks"
	groupsPath  = "/uplink-groups"
	membersPath = "/uplink-members"
)

// New returns the component.
func New(o Options) component.Component {
	u := &uplinks{o}
	return component.Component{
		Name:       multiwan.Name,
		Tables:     multiwan.Tables(),
		Migrations: db.Files(migrations),
		Routes:     u.register,
		Problems:   u.problems(),
		Support:    []component.Support{{File: "status.json", Read: component.Answer("/uplinks/status")}},
		Background: probe.Monitor{Tell: u.tell, Log: o.Log}.Run,
		Objects: []component.Object{
			{Key: "uplinks", Path: uplinksPath, Name: []string{"name"}, Derived: []string{"number"}},
			{Key: "groups", Path: groupsPath, Name: []string{"name"}, Derived: []string{"number"}},
			{
				Key: "members", Path: membersPath, Name: []string{"group_id", "uplink_id"},
				Refs: map[string]string{"group_id": "groups", "uplink_id": "uplinks"},
			},
		},
	}
}

func (u *uplinks) register(r api.Router) {
	u.uplinks().Register(r, u.DB, u.Run)
	u.groups().Register(r, u.DB, u.Run)
	u.members().Register(r, u.DB, u.Run)
	u.statusRoute(r)
}

// tell hands what became of probes to gateway-apply, which decides, and answers whom to probe.
func (u *uplinks) tell(ctx context.Context, probed multiwan.Probed) (targets multiwan.Targets, err error) {
	return targets, u.ask(ctx, multiwan.ProbeVerb, probed, &targets)
}
