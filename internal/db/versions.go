package db

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// Versions reads a table of ten thousand rows of which few are others than the last time.
// PostgreSQL never changes a row in place: a version of it is named for good by where it
// lies and by the transaction that wrote it, also within one that is rolled back later. So
// the names are read, and the contents of those alone that are not known. The zero value knows none.
type Versions[Row any] struct {
	// From is all of the query after its columns: "users where active order by email".
	From string
	// Table and Columns are what to read of a version.
	Table, Columns string

	mu   sync.Mutex
	rows map[version]*Row
}

type version struct {
	place       pgtype.TID
	transaction uint32
}

var errMoved = errors.New("rows were changed between two readings")

// Load returns the rows in the query's order. They are shared: do not change them.
func (v *Versions[Row]) Load(ctx context.Context, q DB) ([]*Row, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	rows, err := v.load(ctx, q)
	if errors.Is(err, errMoved) { // outside of a transaction; what is known now suffices mostly
		rows, err = v.load(ctx, q)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", v.Table, err)
	}
	return rows, nil
}

func (v *Versions[Row]) load(ctx context.Context, q DB) ([]*Row, error) {
	names, unknown, err := v.names(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := v.learn(ctx, q, unknown); err != nil {
		return nil, err
	}
	out, current := make([]*Row, len(names)), make(map[version]*Row, len(names))
	for i, name := range names {
		if out[i] = v.rows[name]; out[i] == nil {
			return nil, errMoved
		}
		current[name] = out[i]
	}
	v.rows = current
	return out, nil
}

func (v *Versions[Row]) names(ctx context.Context, q DB) (names []version, unknown []pgtype.TID, err error) {
	rows, err := q.Query(ctx, "select ctid, xmin from "+v.From)
	if err != nil {
		return nil, nil, err
	}
	names = make([]version, 0, len(v.rows)+16)
	var name version
	_, err = pgx.ForEachRow(rows, []any{&name.place, &name.transaction}, func() error {
		names = append(names, name)
		if v.rows[name] == nil {
			unknown = append(unknown, name.place)
		}
		return nil
	})
	return names, unknown, err
}

func (v *Versions[Row]) learn(ctx context.Context, q DB, places []pgtype.TID) error {
	if len(places) == 0 {
		return nil
	}
	rows, err := q.Query(ctx, "select ctid, xmin, "+v.Columns+" from "+v.Table+" where ctid = any($1)", places)
	if err != nil {
		return err
	}
	defer rows.Close()
	if v.rows == nil {
		v.rows = make(map[version]*Row, len(places))
	}
	for rows.Next() {
		var name version
		row := new(Row)
		if err := rows.Scan(append([]any{&name.place, &name.transaction}, addresses(row)...)...); err != nil {
			return err
		}
		v.rows[name] = row
	}
	return rows.Err()
}

// addresses are those of a struct's exported fields, in their order.
func addresses(row any) (out []any) {
	value := reflect.ValueOf(row).Elem()
	for i := range value.NumField() {
		if value.Type().Field(i).IsExported() {
			out = append(out, value.Field(i).Addr().Interface())
		}
	}
	return out
}
