// Package change shows what was changed and how far it got, and lets an operator try a
// change out, confirm it, undo it, and make several at once. Making changes is left to
// gateway/internal/change, installing them to gateway/internal/apply.
package change

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"gateway/internal/api"
	"gateway/internal/apply"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/daemon"
	"gateway/internal/db"
)

// Options are what the component needs.
type Options struct {
	Pool    db.Pool
	Run     *change.Runner
	Set     daemon.Set
	Applier applier // apply.Client
	Log     *slog.Logger
}

type applier interface {
	Sync(ctx context.Context, component string) (change.Applied, error)
	States(ctx context.Context) ([]apply.State, error)
}

type handlers struct {
	Options
	updates *component.Broadcast
}

// history are the tables that changes fill, the one with a row for each of them first.
var history = []string{"changes", "change_rows", "change_applies", "change_secrets", "applies"}

func (h *handlers) prune(ctx context.Context) error { return change.Prune(ctx, h.Pool, time.Now()) }

// New returns the component.
func New(o Options) component.Component {
	h := &handlers{Options: o, updates: component.NewBroadcast()}
	schema := change.Schema()
	return component.Component{
		Jobs: []component.Job{{Name: "change.prune", Where: component.OnPrimary, Every: time.Hour, Run: h.prune}},
		Kept: []component.Kept{{
			Name: "changes", Tables: history, Job: "change.prune",
			Bound: component.Always(component.Bound{Days: change.KeptDays, Rows: change.KeptMost}), Amount: component.InTables(o.Pool, "created_at", history...),
		}},
		Name: "change", Tables: schema.Tables, Migrations: schema.Migrations, Routes: h.routes, Problems: h.problems(), Support: h.support(),
		Listen: map[string]func(context.Context, string){apply.Channel: func(context.Context, string) { h.updates.Notify() }},
	}
}

// batchesAtOnce bounds the memory: a batch of 16 MiB takes many times as much while it is worked on.
const batchesAtOnce = 4

func (h *handlers) routes(r api.Router) {
	h.historyRoutes(r)
	h.applyRoutes(r)
	api.Handle(r, api.Op{
		ID: "batch", Method: http.MethodPost, Path: "/batch", Config: true, MaxBody: 16 << 20, Timeout: 2 * time.Minute,
		AtOnce:  batchesAtOnce,
		Summary: "Run several operations as one change",
		Description: "All or none of them take effect, in one transaction with one apply. " +
			"Each operation sees the results of the previous ones; an id given for a create can be referred to by later operations.",
	}, func(ctx context.Context, in *struct{ Body Batch }) (*api.Body[BatchResult], error) {
		return h.batch(ctx, r, in.Body)
	})
}
