// Package migrate brings the database to the declared schemas. Only the owner of the tables
// does that, before the other processes start.
package migrate

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"gateway/internal/db"
)

// Run applies what is missing, under a lock that lets parallel starters wait
// for each other, then puts its triggers on every configuration table and gives each role
// what it needs.
func Run(ctx context.Context, pool *pgxpool.Pool, schemas []db.Schema) error {
	files, err := db.Merge(schemas)
	if err != nil {
		return err
	}
	if err := up(ctx, pool, files); err != nil {
		return err
	}
	if err := attachTriggers(ctx, pool, schemas); err != nil {
		return err
	}
	return db.Grant(ctx, pool, schemas)
}

// Only applies the migrations with these numbers, all of which there must be, and nothing else: neither
// triggers nor rights. Rows that are as old as that are put into such a schema, and Run does the rest.
func Only(ctx context.Context, pool *pgxpool.Pool, schemas []db.Schema, numbers []int64) error {
	files, err := db.Merge(schemas)
	if err != nil {
		return err
	}
	return up(ctx, pool, subset{files, numbers})
}

// subset is a flat folder of migrations with those of some numbers alone.
type subset struct {
	fs.FS
	numbers []int64
}

// ReadDir is what fs.Glob lists a folder by.
func (s subset) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(s.FS, name)
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool {
		n, err := number(e.Name())
		return err != nil || !slices.Contains(s.numbers, n)
	}), err
}

func up(ctx context.Context, pool *pgxpool.Pool, files fs.FS) error {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return fmt.Errorf("make migration lock: %w", err)
	}
	sqlDB := stdlib.OpenDBFromPool(pool)
	defer sqlDB.Close()
	p, err := goose.NewProvider(goose.DialectPostgres, sqlDB, files,
		goose.WithSessionLocker(locker), goose.WithSlog(slog.New(slog.DiscardHandler)),
		goose.WithAllowOutofOrder(true)) // components are written side by side: a lower number may come later
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// attachTriggers makes recording and telling a property of being declared, so that a new table
// cannot be forgotten. Only what is missing is attached: creating a trigger locks its table.
func attachTriggers(ctx context.Context, pool *pgxpool.Pool, schemas []db.Schema) error {
	have, err := triggers(ctx, pool)
	if err != nil {
		return err
	}
	for _, t := range db.Tables(schemas) {
		if !t.Configuration() {
			continue
		}
		table := pgx.Identifier{t.Name}.Sanitize()
		if args, ok := have[trigger{t.Name, rowImage}]; !ok || args != strings.Join(t.Omit, ",") {
			q := fmt.Sprintf(`create or replace trigger %s after insert or update or delete on %s
				for each row execute function gateway_row_image(%s)`, rowImage, table, quoteAll(t.Omit))
			if _, err := pool.Exec(ctx, q); err != nil {
				return fmt.Errorf("attach row images to %s: %w", t.Name, err)
			}
		}
		for name, when := range notifying {
			if _, ok := have[trigger{t.Name, name}]; ok {
				continue
			}
			q := fmt.Sprintf(`create or replace trigger %[1]s %[3]s execute function gateway_rows_changed();
				alter table %[2]s enable always trigger %[1]s`, name, table, fmt.Sprintf(when, table))
			if _, err := pool.Exec(ctx, q); err != nil {
				return fmt.Errorf("attach the notification to %s: %w", t.Name, err)
			}
		}
	}
	return nil
}

// The triggers of every table of the configuration.
const (
	rowImage      = "gateway_row_image"
	rowsChanged   = "gateway_rows_changed"
	rowsTruncated = "gateway_rows_truncated"
)

// notifying are those that tell, and when. Replication fires only such as are always enabled: of
// rows, since it runs no statements, and of truncate, which it does run as one.
var notifying = map[string]string{
	rowsChanged:   "after insert or update or delete on %s for each row",
	rowsTruncated: "after truncate on %s for each statement",
}

type trigger struct{ table, name string }

// triggers are those that are attached, with their arguments.
func triggers(ctx context.Context, pool *pgxpool.Pool) (map[trigger]string, error) {
	rows, err := pool.Query(ctx, `select c.relname, t.tgname, replace(rtrim(encode(t.tgargs, 'escape'), '\000'), '\000', ',')
		from pg_trigger t join pg_class c on c.oid = t.tgrelid where t.tgname = $1 or t.tgname in ($2, $3) and t.tgenabled = 'A'`, rowImage, rowsChanged, rowsTruncated)
	if err != nil {
		return nil, fmt.Errorf("list the triggers: %w", err)
	}
	have := map[trigger]string{}
	var one trigger
	var args string
	_, err = pgx.ForEachRow(rows, []any{&one.table, &one.name, &args}, func() error { have[one] = args; return nil })
	return have, err
}

func quoteAll(columns []string) string {
	q := make([]string, len(columns))
	for i, c := range columns {
		q[i] = "'" + strings.ReplaceAll(c, "'", "''") + "'"
	}
	return strings.Join(q, ", ")
}

// Ready reports whether the database has the schema that this program was made for. A role
// that may make tables brings it there itself, as in development and tests; the product's
// own may not, and wait for whoever migrates.
func Ready(ctx context.Context, pool *pgxpool.Pool, schemas []db.Schema) error {
	var owns bool
	if err := pool.QueryRow(ctx, `select has_schema_privilege('public', 'create')`).Scan(&owns); err != nil {
		return fmt.Errorf("ask for the own rights: %w", err)
	}
	if owns {
		return Run(ctx, pool, schemas)
	}
	wanted, err := Numbers(schemas)
	if err != nil {
		return err
	}
	var missing []int64
	err = pool.QueryRow(ctx, `select coalesce(array_agg(n order by n), '{}') from unnest($1::bigint[]) n
		where not exists (select 1 from goose_db_version where version_id = n and is_applied)`, wanted).Scan(&missing)
	if err != nil {
		return fmt.Errorf("read the version of the schema: %w", err)
	}
	if len(missing) > 0 {
		return fmt.Errorf("the schema lacks the migrations %v: gateway-database.service applies them", missing)
	}
	return nil
}

// Numbers are those of all migrations.
func Numbers(schemas []db.Schema) ([]int64, error) {
	all, err := db.Merge(schemas)
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(all, "*.sql")
	if err != nil {
		return nil, err
	}
	out := make([]int64, len(names))
	for i, name := range names {
		if out[i], err = number(name); err != nil {
			return nil, fmt.Errorf("migration %s has no number: %w", name, err)
		}
	}
	return out, nil
}

func number(name string) (int64, error) {
	digits, _, _ := strings.Cut(name, "_")
	return strconv.ParseInt(digits, 10, 64)
}
