// Package audit shows the audit log: recent entries, search, and the live stream.
// Writing and verifying it is left to gateway/internal/audit.
package audit

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"gateway/internal/api"
	"gateway/internal/audit"
	"gateway/internal/component"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/setupstate"
)

type handlers struct {
	pool  db.Pool
	log   *audit.Log
	live  *audit.Live
	setup *setupstate.Store
	now   func() time.Time
	err   *slog.Logger
}

// entries are the tables of the log, the one with a row for each entry first.
var entries = []string{"audit_entries", "audit_names", "audit_heads"}

// New returns the component; node is this node's machine id.
func New(pool db.Pool, log *audit.Log, node string, setup *setupstate.Store, now func() time.Time, logger *slog.Logger) component.Component {
	h := &handlers{pool: pool, log: log, live: audit.NewLive(pool, node, logger), setup: setup, now: now, err: logger}
	schema := audit.Schema()
	return component.Component{
		Name:       "audit",
		Tables:     schema.Tables,
		Migrations: schema.Migrations,
		Routes:     h.routes,
		Listen: map[string]func(context.Context, string){
			audit.Channel: h.heed,
		},
		Problems: h.problems(),
		Kept: []component.Kept{{
			Name: "audit", Tables: entries, Job: "audit.prune", Bound: h.bound, Amount: component.InTables(pool, "created_at", entries...),
		}},
		Jobs: []component.Job{{Name: "audit.prune", Where: component.OnEveryNode, Every: time.Hour, Run: h.prune}},
	}
}

// heed shows new entries, and first adds those that waited for the database.
func (h *handlers) heed(ctx context.Context, _ string) {
	if err := h.log.Drain(ctx, h.pool); err != nil && !db.Unavailable(err) {
		h.err.Error("append what waited for the database", "err", err)
	}
	h.live.Poll(ctx)
}

func (h *handlers) routes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "recent-audit", Method: http.MethodGet, Path: "/audit/recent", Access: api.Viewer,
		Summary:     "The latest audit entries, newest first",
		Description: "Who did what and when, on every node. GET /audit/search filters and pages.",
	}, h.recent)
	api.Handle(r, api.Op{
		ID: "search-audit", Method: http.MethodGet, Path: "/audit/search", Access: api.Viewer,
		Summary:     "Search the audit log, newest first",
		Description: "Text matches anywhere, case-insensitively. For the next page, send created_at and seq of the last entry as before and before_seq.",
	}, h.search)
	api.Stream(r, api.Op{
		ID: "live-audit", Path: "/audit/live", Access: api.Viewer,
		Summary:     "Stream: the last 50 entries, oldest first, then each new one",
		Description: "Each message is one entry, as in GET /audit/recent. The stream ends with the session.",
	}, h.stream)
}

func (h *handlers) recent(ctx context.Context, in *struct {
	Limit int `query:"limit" default:"100" minimum:"1" maximum:"1000" doc:"Maximum number of entries to return"`
},
) (*api.Body[[]audit.Entry], error) {
	entries, err := audit.Recent(ctx, h.pool, in.Limit)
	if err != nil {
		return nil, err
	}
	return api.OK(entries), nil
}

type searchInput struct {
	Actor     string    `query:"actor" maxLength:"254" doc:"Part of the actor's name"`
	Action    string    `query:"action" maxLength:"100" doc:"Part of the action"`
	Subject   string    `query:"subject" minLength:"3" maxLength:"254" doc:"Part of the subject, at least three characters"`
	Since     time.Time `query:"since" doc:"Not before this time"`
	Until     time.Time `query:"until" doc:"Not after this time"`
	Before    time.Time `query:"before" doc:"created_at of the last entry of the previous page"`
	BeforeSeq int64     `query:"before_seq" minimum:"0" doc:"seq of that entry"`
	Limit     int       `query:"limit" default:"100" minimum:"1" maximum:"1000" doc:"Maximum number of entries to return"`
}

func (h *handlers) search(ctx context.Context, in *searchInput) (*api.Body[[]audit.Entry], error) {
	q := audit.Query{Actor: in.Actor, Action: in.Action, Subject: in.Subject, Since: in.Since, Until: in.Until, Limit: in.Limit}
	if !in.Before.IsZero() {
		q.Before = &audit.Cursor{CreatedAt: in.Before, Seq: in.BeforeSeq}
	} else if in.BeforeSeq != 0 {
		return nil, fault.At("before_seq", "is allowed only together with before")
	}
	entries, err := audit.Search(ctx, h.pool, q)
	if err != nil {
		return nil, err
	}
	return api.OK(entries), nil
}

func (h *handlers) stream(ctx context.Context, send func(any) error) error {
	sub, err := h.live.Subscribe(ctx)
	if err != nil {
		return err
	}
	defer sub.Close()
	for _, e := range sub.Snapshot {
		if err := send(e); err != nil {
			return err
		}
	}
	for {
		e, err := sub.Next(ctx)
		if err != nil {
			return err
		}
		if err := send(e); err != nil {
			return err
		}
	}
}

func (h *handlers) bound(context.Context) (component.Bound, error) {
	state, err := h.setup.Load()
	return component.Bound{Days: int64(days(state))}, err
}

// prune removes what is older than the operator wants to keep.
func (h *handlers) prune(ctx context.Context) error {
	state, err := h.setup.Load()
	if err != nil {
		return err
	}
	// As a rule the log says so since the retention was set; not so after a restore of a database from before that.
	if err := h.log.Keep(ctx, h.pool, days(state)); err != nil {
		return err
	}
	_, err = h.log.Prune(ctx, h.pool, h.now().AddDate(0, 0, -days(state)))
	return err
}

// days are those whose entries are kept.
func days(s setupstate.State) int { return max(s.Retention.AuditDays, audit.LeastDays) }
