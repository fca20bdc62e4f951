// Package logs shows what the services of this node wrote: the journal of their units, and
// the audit log beside it. It keeps nothing itself; how long journald does, and to whom the log shipper sends it, is
// for operators to say. What becomes of that is left to package journald.
package logs

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"gateway/internal/api"
	"gateway/internal/audit"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/logs/journald"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/journal"
	"gateway/internal/logship"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Options are what the component needs.
type Options struct {
	DB       db.Pool
	Run      *change.Runner
	Services []daemon.Service
	Lines    journal.Lines
	Now      func() time.Time
	Log      *slog.Logger
	// Status is the file in which the log shipper says how it is doing; empty for that of this machine.
	Status string
}

type handlers struct {
	db      db.DB
	run     *change.Runner
	now     func() time.Time
	status  string
	journal *journal.Reader
	audit   func(ctx context.Context, q audit.Query) ([]audit.Entry, error)
	sources []Source
	log     *slog.Logger
	// A search and a stream are a process each: nobody may have all of them.
	searches, streams perAccount
}

// New returns the component.
func New(o Options) component.Component {
	h := &handlers{
		db: o.DB, run: o.Run, now: o.Now, status: cmp.Or(o.Status, logship.StatusFile),
		journal: &journal.Reader{Lines: o.Lines, Now: o.Now}, sources: sources(o.Services), log: o.Log,
		searches: perAccount{most: 4, each: 2}, streams: perAccount{most: 16, each: 4},
		audit: func(ctx context.Context, q audit.Query) ([]audit.Entry, error) { return audit.Search(ctx, o.DB, q) },
	}
	return component.Component{
		Name: journald.Name, Tables: journald.Tables(), Migrations: db.Files(migrations), Routes: h.routes, Problems: h.problems(), Kept: kept(o.Services), Support: support(h.sources),
		Objects: []component.Object{{Key: "settings", Path: settingsPath, Single: true}},
	}
}

// searchTimeout is more than a search takes: it ends by itself, and one window may be long.
const searchTimeout = 60 * time.Second

func (h *handlers) routes(r api.Router) {
	h.settingsRoutes(r)
	h.shippingRoutes(r)
	api.Handle(r, api.Op{
		ID: "list-logs", Method: http.MethodGet, Path: "/logs", Access: api.Viewer, AtOnce: 4, WithoutDatabase: true, Timeout: searchTimeout,
		Summary: "What the services of this node wrote, newest first",
		Description: "Entries of the systemd journal by the units of the chosen sources, and of the audit log. " +
			"The access log has a line for each request, those of whoever reads it too: it is in the answer only when sources names it. " +
			"A search for text looks back step by step and ends after some seconds: searched_since says how far it came. " +
			"Send next as cursor for older entries, with the other parameters unchanged.",
	}, h.list)
	api.Handle(r, api.Op{
		ID: "list-log-sources", Method: http.MethodGet, Path: "/logs/sources", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "The sources of log entries",
		Description: "The services of this node, each with its systemd unit, the access log of the reverse proxy and the audit log. The list is the same on every node of one version.",
	}, func(context.Context, *struct{}) (*api.Body[[]Source], error) { return api.OK(h.sources), nil })
	api.Stream(r, api.Op{
		ID: "live-logs", Path: "/logs/live", Access: api.Viewer, WithoutDatabase: true, Check: h.checkLive,
		Summary:     "Stream: each new log entry as it is written",
		Description: "Each message is one entry, as in GET /logs. Audit entries are not in it: GET /audit/live streams those. The stream ends with the session.",
	}, h.follow,
		api.Param{Name: "sources", Doc: "Sources, separated by commas; all but the access log if left out"},
		api.Param{Name: "level", Doc: "debug, info, warn or error: this level and worse"},
		api.Param{Name: "q", Doc: "Text anywhere in the message, case-insensitively"})
}

// failed says in the operator's words that the journal could not be read.
func failed(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return errors.Join(fault.New(fault.Unavailable, "the journal of this node could not be read; see whether systemd-journald.service runs").WithCode("journal_unavailable"), err)
}
