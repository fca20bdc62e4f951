package resource

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
)

type store[Row row, In any] struct {
	Resource[Row, In]
	q   db.DB
	run *change.Runner
	sql sql
}

// ListQuery are the parameters of every list.
type ListQuery struct {
	Limit  int    `query:"limit" default:"100" minimum:"1" maximum:"1000" doc:"Page size"`
	Offset int    `query:"offset" default:"0" minimum:"0" maximum:"10000000" doc:"Number of entries to skip"`
	Q      string `query:"q" maxLength:"200" doc:"Search text, case-insensitive, matches anywhere"`
	Sort   string `query:"sort" maxLength:"64" doc:"Field to sort by; prefix with - for descending order"`
	Filter string `query:"filter" maxLength:"300" doc:"Only entries with this field value, as field:value (zone_id:0198…)"`
}

// list reads the page and the total in one round trip.
func (s *store[Row, In]) list(ctx context.Context, in *ListQuery) (*api.Page[Row], error) {
	order, err := s.order(in.Sort)
	if err != nil {
		return nil, err
	}
	where, args, err := s.where(in.Q, in.Filter)
	if err != nil {
		return nil, err
	}
	var b pgx.Batch
	out := &api.Page[Row]{}
	b.Queue(s.sql.list+where+order+" limit "+strconv.Itoa(in.Limit)+" offset "+strconv.Itoa(in.Offset), args...).
		Query(func(rows pgx.Rows) (err error) {
			out.Body.Data, err = pgx.AppendRows(make([]Row, 0, in.Limit), rows, pgx.RowToStructByPos[Row])
			return err
		})
	b.Queue(s.sql.count+where, args...).QueryRow(func(row pgx.Row) error { return row.Scan(&out.Total) })
	if err := s.q.SendBatch(ctx, &b).Close(); err != nil {
		return nil, fmt.Errorf("list %s: %w", s.Table, err)
	}
	return out, nil
}

func (s *store[Row, In]) where(q, filter string) (string, []any, error) {
	var terms []string
	var args []any
	if q != "" && s.sql.matches != "" {
		terms, args = append(terms, "("+s.sql.matches+")"), append(args, "%"+likeEscape.Replace(q)+"%")
	}
	if filter != "" {
		field, value, _ := strings.Cut(filter, ":")
		if !slices.Contains(s.Filter, field) {
			return "", nil, fault.At("filter", "must be one of %s", strings.Join(s.Filter, ", "))
		}
		column := cmp.Or(s.Computed[field], field)
		terms, args = append(terms, column+"::text = $"+strconv.Itoa(len(args)+1)), append(args, value)
	}
	if len(terms) == 0 {
		return "", nil, nil
	}
	return " where " + strings.Join(terms, " and "), args, nil
}

// What the operator types is text, not a pattern.
var likeEscape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// order ends with the key, so that pages neither repeat nor miss a row.
func (s *store[Row, In]) order(sort string) (string, error) {
	column, down := strings.CutPrefix(sort, "-")
	if column == "" {
		column = s.Sort[0]
	}
	if !s.sql.sortable[column] {
		return "", fault.At("sort", "must be one of %s", strings.Join(s.Sort, ", "))
	}
	if down {
		return " order by " + column + " desc, id desc", nil
	}
	return " order by " + column + ", id", nil
}

// One names a row in the path.
type One struct {
	ID string `path:"id" doc:"Id of the resource"`
}

func (s *store[Row, In]) get(ctx context.Context, in *One) (*api.Row[Row], error) {
	row, err := s.read(ctx, s.q, s.sql.get, in.ID)
	if err != nil {
		return nil, err
	}
	return answer(row), nil
}

func (s *store[Row, In]) read(ctx context.Context, q db.DB, query, id string) (Row, error) {
	var none Row
	if !db.ValidID(id) {
		return none, db.Fault(pgx.ErrNoRows, spaced(s.Noun), nil)
	}
	rows, err := q.Query(ctx, query, id)
	if err != nil {
		return none, fmt.Errorf("read %s %s: %w", s.Noun, id, err)
	}
	row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Row])
	if err != nil {
		return none, db.Fault(fmt.Errorf("read %s %s: %w", s.Noun, id, err), spaced(s.Noun), nil)
	}
	return row, nil
}

func answer[Row row](r Row) *api.Row[Row] {
	return &api.Row[Row]{ETag: etag(r), Body: api.Envelope[Row]{Data: r}}
}

func etag(r row) string { return `"` + strconv.FormatInt(r.meta().Revision, 10) + `"` }
