package change

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"gateway/internal/db"
	"gateway/internal/fault"
)

// written is a row image with what is needed to go back.
type written struct {
	Number    int64
	Table     string
	Operation string
	Old, New  json.RawMessage
	Hidden    []string        // columns without an image that it touched
	Kept      json.RawMessage // what those held, while the change may be undone by itself
}

// reverter writes the inverse of one change.
type reverter struct {
	tx        Tx
	id        string // of the change to undo
	timeout   bool   // by itself
	direct    bool   // the change still waits: see Step.Direct
	tables    map[string]db.Table
	rules     map[string]Rule
	conflicts []Conflict
	steps     int // that were taken
}

func (v *reverter) all(ctx context.Context, tx Tx) error {
	v.tx = tx
	rows, err := v.rows(ctx)
	if err != nil {
		return err
	}
	tx.work.reverting = true
	if err := v.lock(ctx, rows); err != nil {
		return err
	}
	settled, err := Settle(ctx, tx, v.id, Reverted)
	if err != nil {
		return err
	}
	if v.timeout && !settled {
		return Nothing()
	}
	if v.direct && !settled { // somebody confirmed it meanwhile, and others may have changed things since
		v.direct, tx.work.undoing = false, false
	}
	if len(rows) == 0 && settled {
		return nil // its wait is all that there is to end; otherwise it would keep others out for ever
	}
	if len(rows) == 0 {
		return fault.New(fault.Conflict, "this change stored nothing that can be reverted").WithCode("nothing_to_revert")
	}
	before, err := v.deleted(ctx)
	if err != nil {
		return err
	}
	for remainder := rows; len(remainder) > 0; {
		if remainder, err = v.pass(ctx, remainder); err != nil {
			return err
		}
	}
	if len(v.conflicts) > 0 {
		f := fault.New(fault.Conflict, "later changes touched the same fields; revert those first, or set the fields by hand").WithCode("revert_conflict")
		f.Current = v.conflicts
		return f
	}
	if v.steps == 0 {
		return fault.New(fault.Conflict, "this change cannot be reverted here; change the setting where it was made").WithCode("not_revertible")
	}
	return v.alone(ctx, before, rows)
}

// lock holds the components whose rows go back, as their own operations would.
func (v *reverter) lock(ctx context.Context, rows []written) error {
	w := v.tx.work
	var tables []string
	for _, row := range rows {
		if !slices.Contains(tables, row.Table) {
			tables = append(tables, row.Table)
		}
	}
	var b pgx.Batch
	for _, component := range w.ownersOf(tables) {
		w.queueLock(&b, component)
	}
	if b.Len() == 0 {
		return nil
	}
	if err := v.tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("lock what is undone: %w", err)
	}
	return nil
}

// rows are what the change wrote, the last first.
func (v *reverter) rows(ctx context.Context) ([]written, error) {
	rows, err := db.List[written](ctx, v.tx, `select r.number, r.table_name, r.operation, r.old_row, r.new_row, r.hidden, s.old_row
		from change_rows r left join change_secrets s on s.change_id = r.change_id and s.number = r.number
		where r.change_id = $1 order by r.number desc`, v.id)
	if err != nil {
		return nil, fmt.Errorf("read what change %s wrote: %w", v.id, err)
	}
	return rows, nil
}

// pass undoes what it can. The database records what it deletes along in an order of its
// own, so a row may come before the one it refers to: such are left for the next pass.
func (v *reverter) pass(ctx context.Context, rows []written) (remainder []written, err error) {
	var refusal error
	for _, row := range rows {
		noted, queued := len(v.conflicts), len(v.tx.work.effects)
		err := pgx.BeginFunc(ctx, v.tx, func(pgx.Tx) error { return v.one(ctx, row) })
		if err == nil {
			continue
		}
		v.conflicts, v.tx.work.effects = v.conflicts[:noted], v.tx.work.effects[:queued]
		if !mayPass(err) {
			return nil, err
		}
		remainder = append(remainder, row)
		if refusal == nil {
			refusal = db.Fault(err, "object", nil)
		}
	}
	if len(remainder) == len(rows) {
		return nil, refusal
	}
	return remainder, nil
}

// mayPass reports whether what failed may succeed once other rows are back.
func mayPass(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return strings.HasPrefix(pg.Code, "23") // a constraint
	}
	_, refused := fault.Of(err)
	return refused
}

// deleted counts the rows that the change under way has deleted.
func (v *reverter) deleted(ctx context.Context) (n int, err error) {
	err = v.tx.QueryRow(ctx, `select count(*) from change_rows where change_id = $1 and operation = 'DELETE'`, v.tx.work.id).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count what the revert deleted: %w", err)
	}
	return n, nil
}

// alone refuses what the database deleted along: somebody made it later.
func (v *reverter) alone(ctx context.Context, before int, rows []written) error {
	after, err := v.deleted(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.Operation == "INSERT" {
			before++
		}
	}
	if after > before {
		return fault.New(fault.Conflict, "%d objects created later belong to this one and would be lost; remove or move them first", after-before).WithCode("revert_conflict")
	}
	return nil
}

func (v *reverter) one(ctx context.Context, row written) error {
	old, err := object(row.Old)
	if err != nil {
		return err
	}
	now, err := object(row.New)
	if err != nil {
		return err
	}
	if old.id() == "" && now.id() == "" {
		return fault.New(fault.Conflict, "this change wrote something that cannot be reverted on its own").WithCode("not_revertible")
	}
	if len(row.Hidden) > 0 {
		if row.Kept == nil {
			return fault.New(fault.Conflict, "this change replaced or removed secrets, which the history does not keep; enter them again").WithCode("secrets_not_kept")
		}
		kept, err := object(row.Kept)
		if err != nil {
			return err
		}
		maps.Copy(old, kept)
	}
	switch row.Operation {
	case "INSERT":
		err = v.uninsert(ctx, row.Table, now)
	case "DELETE":
		err = v.undelete(ctx, row.Table, old)
	default:
		err = v.unupdate(ctx, row, old, now)
	}
	if err != nil {
		return fmt.Errorf("revert %s of %s: %w", row.Operation, row.Table, err)
	}
	return nil
}

// judged does a step by the rule of its table.
func (v *reverter) judged(ctx context.Context, table string, s Step) error {
	v.steps++
	rule, ok := v.rules[table]
	if !ok {
		return s.write()
	}
	s.Direct = v.direct
	return rule(ctx, v.tx, s)
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
	return v.judged(ctx, table, Step{ID: made.id(), Gone: true, write: func() error {
		_, err := v.tx.Exec(ctx, fmt.Sprintf(`delete from %s where id = $1`, pgx.Identifier{table}.Sanitize()), made.id())
		return err
	}})
}

func (v *reverter) undelete(ctx context.Context, table string, gone image) error {
	current, err := v.current(ctx, table, gone.id())
	if err != nil {
		return err
	}
	if current != nil {
		v.conflicts = append(v.conflicts, Conflict{table, gone.id(), "id", null(gone["id"]), null(nil), null(current["id"])})
		return nil
	}
	raw, err := json.Marshal(gone)
	if err != nil {
		return err
	}
	name := pgx.Identifier{table}.Sanitize()
	var columns []string // those that the image has: a column that was added since gets its default
	for _, f := range slices.Sorted(maps.Keys(gone)) {
		columns = append(columns, pgx.Identifier{f}.Sanitize())
	}
	list := strings.Join(columns, ", ")
	return v.judged(ctx, table, Step{ID: gone.id(), Made: true, Image: raw, write: func() error {
		_, err := v.tx.Exec(ctx, fmt.Sprintf(`insert into %s (%s) select %s from jsonb_populate_record(null::%s, $1::jsonb)`, name, list, list, name), string(raw))
		return err
	}})
}

// unupdate puts back only the fields that the change set: others are later changes' to keep.
func (v *reverter) unupdate(ctx context.Context, row written, old, now image) error {
	forward := v.tables[row.Table].OneWay
	var fields []string
	for _, f := range slices.Sorted(maps.Keys(now)) {
		if !unkept(f) && !slices.Contains(forward, f) && !same(old[f], now[f]) {
			fields = append(fields, f)
		}
	}
	current, err := v.current(ctx, row.Table, now.id())
	if err != nil {
		return err
	}
	if current == nil {
		v.conflicts = append(v.conflicts, Conflict{row.Table, now.id(), "id", null(old["id"]), null(now["id"]), null(nil)})
		return nil
	}
	if clash, err := v.clash(ctx, row.Table, old, now, current, fields); err != nil || clash {
		return err
	}
	fields = append(fields, row.Hidden...)
	if len(fields) == 0 {
		return nil
	}
	return v.set(ctx, row.Table, old, fields, current)
}

func (v *reverter) set(ctx context.Context, table string, old image, fields []string, current image) error {
	name := pgx.Identifier{table}.Sanitize()
	back := image{}
	var sets []string
	for _, f := range fields {
		column := pgx.Identifier{f}.Sanitize()
		sets = append(sets, column+" = o."+column)
		back[f] = old[f]
	}
	if _, ok := current["revision"]; ok {
		sets = append(sets, "revision = t.revision + 1", "updated_at = now()")
	}
	raw, err := json.Marshal(back)
	if err != nil {
		return err
	}
	return v.judged(ctx, table, Step{ID: old.id(), Image: raw, write: func() error {
		_, err := v.tx.Exec(ctx, fmt.Sprintf(`update %s t set %s from jsonb_populate_record(null::%s, $2::jsonb) o where t.id = $1`,
			name, strings.Join(sets, ", "), name), old.id(), string(raw))
		return err
	}})
}
