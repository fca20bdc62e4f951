package change

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
	"gateway/internal/intent"
)

// Conflict is one field that a change set and a later one set again: reverting would
// overwrite the later one unseen.
type Conflict struct {
	Table   string          `json:"table"`
	ID      string          `json:"id"`
	Field   string          `json:"field"`
	Before  json.RawMessage `json:"before" doc:"Before the change to be reverted"`
	After   json.RawMessage `json:"after" doc:"As that change set it"`
	Current json.RawMessage `json:"current" doc:"As it is now"`
}

type image map[string]json.RawMessage

func object(raw json.RawMessage) (image, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var m image
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, fmt.Errorf("read a row image: %w", err)
	}
	return m, nil
}

func (m image) id() string { return strings.Trim(string(m["id"]), `"`) }

// unkept are fields that every write sets anew; they tell nothing about who changed what.
func unkept(field string) bool { return field == "revision" || field == "updated_at" }

// current reads the row as it is now, as its image would be.
func (v *reverter) current(ctx context.Context, table, id string) (image, error) {
	q := fmt.Sprintf(`select to_jsonb(t) from %s t where id = $1 for update`, pgx.Identifier{table}.Sanitize())
	rows, err := v.tx.Query(ctx, q, id)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return object(found[0])
}

// clash notes the fields among these that are not as the change left them, or that a
// later change set, even if to the same value: it was meant to stay.
func (v *reverter) clash(ctx context.Context, table string, before, after, current image, fields []string) (found bool, err error) {
	later, err := v.later(ctx, table, after.id())
	if err != nil {
		return false, err
	}
	for _, f := range fields {
		if !unkept(f) && !slices.Contains(v.tables[table].OneWay, f) && (later[f] || !same(after[f], current[f])) {
			v.conflicts = append(v.conflicts, Conflict{table, after.id(), f, null(before[f]), null(after[f]), null(current[f])})
			found = true
		}
	}
	return found, nil
}

// later are the fields of a row that changes after ours set. Those that were undone,
// and what undid them, do not count, unless they were undone within a batch, which may have done more.
func (v *reverter) later(ctx context.Context, table, id string) (map[string]bool, error) {
	images, err := db.List[intent.Row](ctx, v.tx, `select r.table_name, r.operation, r.old_row, r.new_row
		from change_rows r join changes c on c.id = r.change_id
		where r.table_name = $1 and coalesce(r.new_row, r.old_row) ->> 'id' = $2
		and r.number > (select max(number) from change_rows where change_id = $3)
		and c.reverts is null and not exists (select from changes u where u.reverts = c.id)`, table, id, v.id)
	if err != nil {
		return nil, err
	}
	fields := map[string]bool{}
	for _, row := range images {
		old, err := object(row.Old)
		if err != nil {
			return nil, err
		}
		now, err := object(row.New)
		if err != nil {
			return nil, err
		}
		for f := range now {
			fields[f] = fields[f] || !same(old[f], now[f])
		}
	}
	return fields, nil
}

func null(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("null")
	}
	return raw
}

// same compares values, not their spelling: numbers and objects come back from the database in its own.
func same(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	if json.Unmarshal(null(a), &x) != nil || json.Unmarshal(null(b), &y) != nil {
		return false
	}
	ax, err1 := json.Marshal(x)
	by, err2 := json.Marshal(y)
	return err1 == nil && err2 == nil && bytes.Equal(ax, by)
}
