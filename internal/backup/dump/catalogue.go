package dump

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
)

// catalogue is what the database says of itself.
type catalogue struct {
	schema []int64 // numbers of the migrations that were applied
	tables []table // all of ours, by name
	sizes  map[string]int64
}

// table is one whose names are the catalogue's, never an archive's.
type table struct {
	Name    string
	Columns []string
}

// readCatalogue reads it in the transaction of the rows. Columns that are computed from others cannot be
// written and are left out.
func readCatalogue(ctx context.Context, q db.DB) (c catalogue, err error) {
	err = q.QueryRow(ctx, `select coalesce(array_agg(distinct version_id order by version_id), '{}') from goose_db_version
		where is_applied and version_id > 0`).Scan(&c.schema)
	if err != nil {
		return c, fmt.Errorf("read the version of the schema: %w", err)
	}
	rows, err := q.Query(ctx, `select c.relname, array_agg(a.attname::text order by a.attnum), pg_table_size(c.oid)
		from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
		where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'goose_db_version'
		group by c.oid, c.relname order by c.relname collate "C"`)
	if err != nil {
		return c, fmt.Errorf("read the tables: %w", err)
	}
	c.sizes = map[string]int64{}
	var t table
	var size int64
	_, err = pgx.ForEachRow(rows, []any{&t.Name, &t.Columns, &size}, func() error {
		c.tables = append(c.tables, t)
		c.sizes[t.Name] = size
		t.Columns = nil
		return nil
	})
	if err != nil {
		return c, fmt.Errorf("read the tables: %w", err)
	}
	return c, nil
}

// copied is the table with its columns as COPY wants them, in the order given.
func (t table) copied() string {
	columns := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = pgx.Identifier{c}.Sanitize()
	}
	return pgx.Identifier{"public", t.Name}.Sanitize() + " (" + strings.Join(columns, ", ") + ")"
}
