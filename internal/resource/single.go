package resource

import (
	"context"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/db"
)

// Single declares a settings object: one row that is always there (a migration makes
// it), read by GET and replaced by PUT. Row and In are as for Resource.
type Single[Row row, In any] struct {
	Component string // "dns"
	Path      string // "/dns/settings"
	Table     string // "dns_settings"; has the columns of Meta, and one row
	Access    api.Access
	Summary   string // what the settings are of: "the DNS resolver"
	Lasting   bool   // as for Resource
	// Validate holds what a tag cannot say.
	Validate func(ctx context.Context, tx db.DB, old *Row, in *In) error
	// Derive gives the columns that are no field of In.
	Derive func(ctx context.Context, id string, old *Row, in *In) (map[string]any, error)
}

// Register adds the two operations to r.
func (d Single[Row, In]) Register(r api.Router, q db.DB, run *change.Runner) {
	all := Resource[Row, In]{
		Component: d.Component, Noun: "settings", Path: d.Path, Table: d.Table, Lasting: d.Lasting, Validate: d.Validate, Derive: d.Derive,
		Name: func(Row) string { return "settings" },
	}
	s := &single[Row, In]{&store[Row, In]{Resource: all, q: q, run: run, sql: statements(all)}}
	run.UndoBy(d.Table, s.undo)
	api.Inherit[Row, In](r)
	api.Handle(r, api.Op{
		ID: "get-" + d.Component + "-settings", Method: http.MethodGet, Path: d.Path, Access: d.Access,
		Summary: "Get the settings of " + d.Summary, Description: getHelp,
	}, s.get)
	api.Handle(r, api.Op{
		ID: "update-" + d.Component + "-settings", Method: http.MethodPut, Path: d.Path, Config: true, Lasting: d.Lasting,
		Summary: "Replace the settings of " + d.Summary, Description: replaceHelp,
	}, s.update)
}

type single[Row row, In any] struct{ *store[Row, In] }

type settings[In any] struct {
	IfMatch string `header:"If-Match" maxLength:"200" doc:"ETag of the version this is based on; 412 when there is a newer one"`
	Body    In
}

func (s *single[Row, In]) get(ctx context.Context, _ *struct{}) (*api.Row[Row], error) {
	row, err := s.only(ctx, s.q, "")
	if err != nil {
		return nil, err
	}
	return answer(row), nil
}

func (s *single[Row, In]) update(ctx context.Context, in *settings[In]) (*api.Row[Row], error) {
	var made Row
	err := s.write(ctx, "update", "settings", func(tx change.Tx) error {
		old, err := s.only(ctx, tx, " for update")
		if err != nil {
			return err
		}
		if err := s.matches(in.IfMatch, old); err != nil {
			return err
		}
		values, err := s.values(ctx, tx, old.meta().ID, &old, &in.Body)
		if err != nil {
			return err
		}
		values["revision"], values["updated_at"] = old.meta().Revision+1, time.Now()
		made, err = s.replace(ctx, tx, old.meta().ID, values)
		return err
	})
	if err != nil {
		return nil, err
	}
	return answer(made), nil
}

func (s *single[Row, In]) only(ctx context.Context, q db.DB, lock string) (Row, error) {
	rows, err := q.Query(ctx, s.sql.list+lock)
	if err == nil {
		var row Row
		if row, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Row]); err == nil {
			return row, nil
		}
	}
	var none Row
	return none, db.Fault(err, "settings", nil)
}
