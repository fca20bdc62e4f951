package change

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"gateway/internal/auth"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/intent"
)

// Conflict is one field that a change set and a later one set again: reverting would
// overwrite the later one unseen.
type Conflict struct {
	Table   string          `json:"table"`
	ID      string          `json:"id"`
	Field   string          `json:"field"`
	Before  json.RawMessage `json:"before" doc:"Before the change that is to be reverted"`
	After   json.RawMessage `json:"after" doc:"As that change set it"`
	Current json.RawMessage `json:"current" doc:"As it is now"`
}

// Revert undoes one change by writing the inverse of its row images, as a change of its
// own. Later changes stay: where they touched the same fields it is refused, with all
// three states of each. Tables are the declared ones, for what their images leave out.
func (r *Runner) Revert(ctx context.Context, id string, tables []db.Table) error {
	return r.revert(ctx, id, Change{Actor: auth.From(ctx).Actor()}, tables)
}

// Undo is Revert for a change that was not confirmed in time.
func (r *Runner) Undo(ctx context.Context, id string, tables []db.Table) error {
	return r.revert(ctx, id, Change{Actor: "confirm-timeout", undoing: true}, tables)
}

func (r *Runner) revert(ctx context.Context, id string, c Change, tables []db.Table) error {
	was, err := Get(ctx, r.pool, id)
	if err != nil {
		return err
	}
	timeout := c.undoing
	c.undoing = was.ConfirmState != nil && *was.ConfirmState == Waiting
	if timeout && !c.undoing {
		return nil // somebody was faster
	}
	c.Component, c.Action, c.Subject, c.reverts = was.Component, was.Component+".revert", was.Action+" "+was.Subject, id
	c.Detail = map[string]any{"reverts": id}
	return r.transact(ctx, c, func(w *work) error {
		return w.step(ctx, c, func(tx Tx) error {
			settled, err := Settle(ctx, tx, id, Reverted)
			if err != nil {
				return err
			}
			if timeout && !settled {
				return Nothing()
			}
			rows, err := Rows(ctx, tx, id)
			if err != nil {
				return err
			}
			if len(rows) == 0 {
				return fault.New(fault.Conflict, "this change stored nothing that could be undone").WithCode("nothing_to_revert")
			}
			return (&reverter{tx: tx, id: id, omit: omitted(tables)}).all(ctx, w.id, rows)
		})
	})
}

func omitted(tables []db.Table) map[string][]string {
	m := map[string][]string{}
	for _, t := range tables {
		m[t.Name] = t.Omit
	}
	return m
}

type reverter struct {
	tx        pgx.Tx
	id        string // of the change to undo
	omit      map[string][]string
	conflicts []Conflict
}

func (v *reverter) all(ctx context.Context, reverting string, rows []intent.Row) error {
	left := slices.Clone(rows)
	slices.Reverse(left)
	for len(left) > 0 {
		again, err := v.pass(ctx, left)
		if err != nil {
			return err
		}
		left = again
	}
	if len(v.conflicts) > 0 {
		f := fault.New(fault.Conflict, "later changes touched the same fields; undo those first, or set the fields by hand").WithCode("revert_conflict")
		f.Current = v.conflicts
		return f
	}
	return v.alone(ctx, reverting, len(rows))
}

// pass undoes what it can. The database records what it deletes along in an order of its
// own, so a row may come before the one it refers to: such are left for the next pass.
func (v *reverter) pass(ctx context.Context, rows []intent.Row) (left []intent.Row, err error) {
	for _, row := range rows {
		noted := len(v.conflicts)
		err := pgx.BeginFunc(ctx, v.tx, func(pgx.Tx) error { return v.one(ctx, row) })
		var pg *pgconn.PgError
		if errors.As(err, &pg) && pg.Code == foreignKey {
			v.conflicts = v.conflicts[:noted]
			left = append(left, row)
			continue
		}
		if err != nil {
			return nil, db.Fault(err, "object", nil)
		}
	}
	if len(left) == len(rows) {
		return nil, fault.New(fault.Conflict, "something else refers to what this change made, or what it removed referred to something that is gone since").WithCode("revert_conflict")
	}
	return left, nil
}

const foreignKey = "23503"

// alone refuses what the database would have deleted along: somebody made it later.
func (v *reverter) alone(ctx context.Context, reverting string, want int) error {
	var wrote int
	err := v.tx.QueryRow(ctx, `select count(*) from change_rows where change_id = $1`, reverting).Scan(&wrote)
	if err != nil {
		return fmt.Errorf("count what the revert wrote: %w", err)
	}
	if wrote > want {
		return fault.New(fault.Conflict, "%d other objects that were made later belong to this one and would be lost; remove or move them first", wrote-want).WithCode("revert_conflict")
	}
	return nil
}

func (v *reverter) one(ctx context.Context, row intent.Row) error {
	old, err := object(row.Old)
	if err != nil {
		return err
	}
	now, err := object(row.New)
	if err != nil {
		return err
	}
	if old.id() == "" && now.id() == "" {
		return fault.New(fault.Conflict, "what this change wrote is no configuration of its own, and cannot be undone by itself").WithCode("not_revertible")
	}
	switch row.Operation {
	case "INSERT":
		err = v.uninsert(ctx, row.Table, now)
	case "DELETE":
		err = v.undelete(ctx, row.Table, old)
	default:
		err = v.unupdate(ctx, row.Table, old, now)
	}
	if err != nil {
		return fmt.Errorf("revert %s of %s: %w", row.Operation, row.Table, err)
	}
	return nil
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
		if !unkept(f) && (later[f] || !same(after[f], current[f])) {
			v.conflicts = append(v.conflicts, Conflict{table, after.id(), f, null(before[f]), null(after[f]), null(current[f])})
			found = true
		}
	}
	return found, nil
}

// later are the fields of a row that changes after ours set. Those that were undone,
// and what undid them, do not count.
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

func (v *reverter) uninsert(ctx context.Context, table string, made image) error {
	current, err := v.current(ctx, table, made.id())
	if err != nil {
		return err
	}
	if current == nil {
		v.conflicts = append(v.conflicts, Conflict{table, made.id(), "id", null(nil), null(made["id"]), null(nil)})
		return nil
	}
	if clash, err := v.clash(ctx, table, nil, made, current, slices.Sorted(maps.Keys(made))); err != nil || clash {
		return err
	}
	_, err = v.tx.Exec(ctx, fmt.Sprintf(`delete from %s where id = $1`, pgx.Identifier{table}.Sanitize()), made.id())
	return err
}

func (v *reverter) undelete(ctx context.Context, table string, gone image) error {
	if omit := v.omit[table]; len(omit) > 0 {
		return fault.New(fault.Conflict, "what was deleted held secrets, which the history does not keep; make it anew").WithCode("secrets_not_kept")
	}
	current, err := v.current(ctx, table, gone.id())
	if err != nil {
		return err
	}
	if current != nil {
		v.conflicts = append(v.conflicts, Conflict{table, gone.id(), "id", null(gone["id"]), null(nil), null(current["id"])})
		return nil
	}
	name := pgx.Identifier{table}.Sanitize()
	raw, err := json.Marshal(gone)
	if err != nil {
		return err
	}
	_, err = v.tx.Exec(ctx, fmt.Sprintf(`insert into %s select (jsonb_populate_record(null::%s, $1::jsonb)).*`, name, name), string(raw))
	return err
}

// unupdate puts back only the fields that the change set: others are later changes' to keep.
func (v *reverter) unupdate(ctx context.Context, table string, old, now image) error {
	var fields []string
	for _, f := range slices.Sorted(maps.Keys(now)) {
		if !unkept(f) && !same(old[f], now[f]) {
			fields = append(fields, f)
		}
	}
	current, err := v.current(ctx, table, now.id())
	if err != nil {
		return err
	}
	if current == nil {
		v.conflicts = append(v.conflicts, Conflict{table, now.id(), "id", null(old["id"]), null(now["id"]), null(nil)})
		return nil
	}
	if clash, err := v.clash(ctx, table, old, now, current, fields); err != nil || clash || len(fields) == 0 {
		return err
	}
	return v.set(ctx, table, old, fields, current)
}

func (v *reverter) set(ctx context.Context, table string, old image, fields []string, current image) error {
	name := pgx.Identifier{table}.Sanitize()
	var sets []string
	for _, f := range fields {
		column := pgx.Identifier{f}.Sanitize()
		sets = append(sets, column+" = o."+column)
	}
	if _, ok := current["revision"]; ok {
		sets = append(sets, "revision = t.revision + 1", "updated_at = now()")
	}
	raw, err := json.Marshal(old)
	if err != nil {
		return err
	}
	_, err = v.tx.Exec(ctx, fmt.Sprintf(`update %s t set %s from jsonb_populate_record(null::%s, $2::jsonb) o where t.id = $1`,
		name, strings.Join(sets, ", "), name), old.id(), string(raw))
	return err
}
