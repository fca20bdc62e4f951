package db

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
)

// Scope says how far a table's rows reach.
type Scope int

const (
	// Replicated rows are configuration that every node of a cluster shares.
	Replicated Scope = iota + 1
	// NodeLocal rows are configuration of this node alone.
	NodeLocal
	// History rows record what happened (audit, sessions, events): no configuration, not hashed, no row images.
	History
)

// Table declares one table. Columns in Omit never enter row images (password hashes and the like).
type Table struct {
	Name  string
	Scope Scope
	Omit  []string
	// OneWay are columns that only go forward, or that are set from elsewhere: undoing a
	// change leaves them as they are.
	OneWay []string
	// NoUndo says why a change of these rows cannot be one that is undone by itself.
	NoUndo string
	// RowsChecked says that whatever row is accepted renders to text its daemon takes,
	// whatever else there is; a change of such rows alone needs no candidate check.
	RowsChecked bool
	// API and Applier say what these processes may do, where it is not what the scope says.
	API, Applier *Rights
}

// Configuration reports whether the table holds what an operator configured.
func (t Table) Configuration() bool { return t.Scope == Replicated || t.Scope == NodeLocal }

// Schema is one owner's tables and the migrations that make them. Migration
// numbers are global: 0001_name.sql exists once over all owners.
type Schema struct {
	Tables     []Table
	Migrations fs.FS
}

// Files is the folder migrations/ of an owner's embedded files.
func Files(embedded fs.FS) fs.FS {
	sub, err := fs.Sub(embedded, "migrations")
	if err != nil {
		panic(err) // only a malformed name fails, and this one is not
	}
	return sub
}

// Migrate applies what is missing, under a lock that lets parallel starters wait
// for each other, then puts the row-image trigger on every configuration table and gives
// each role what it needs.
func Migrate(ctx context.Context, pool *pgxpool.Pool, schemas []Schema) error {
	files, err := merge(schemas)
	if err != nil {
		return err
	}
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
	if err := attachTriggers(ctx, pool, schemas); err != nil {
		return err
	}
	return grant(ctx, pool, schemas)
}

// attachTriggers makes recording a property of being declared, so that a new table cannot be forgotten.
// Only what is missing is attached: creating a trigger locks its table.
func attachTriggers(ctx context.Context, pool *pgxpool.Pool, schemas []Schema) error {
	have, err := triggers(ctx, pool)
	if err != nil {
		return err
	}
	for _, s := range schemas {
		for _, t := range s.Tables {
			args, attached := have[t.Name]
			if !t.Configuration() || attached && args == strings.Join(t.Omit, ",") {
				continue
			}
			q := fmt.Sprintf(`create or replace trigger gateway_row_image after insert or update or delete on %s
				for each row execute function gateway_row_image(%s)`, pgx.Identifier{t.Name}.Sanitize(), quoteAll(t.Omit))
			if _, err := pool.Exec(ctx, q); err != nil {
				return fmt.Errorf("attach row images to %s: %w", t.Name, err)
			}
		}
	}
	return nil
}

// triggers maps each table that records row images to its trigger's arguments.
func triggers(ctx context.Context, pool *pgxpool.Pool) (map[string]string, error) {
	rows, err := pool.Query(ctx, `select c.relname, replace(rtrim(encode(t.tgargs, 'escape'), '\000'), '\000', ',')
		from pg_trigger t join pg_class c on c.oid = t.tgrelid where t.tgname = 'gateway_row_image'`)
	if err != nil {
		return nil, fmt.Errorf("list row image triggers: %w", err)
	}
	have := map[string]string{}
	var table, args string
	_, err = pgx.ForEachRow(rows, []any{&table, &args}, func() error { have[table] = args; return nil })
	return have, err
}

func quoteAll(columns []string) string {
	q := make([]string, len(columns))
	for i, c := range columns {
		q[i] = "'" + strings.ReplaceAll(c, "'", "''") + "'"
	}
	return strings.Join(q, ", ")
}

// merge lays the owners' migrations side by side, refusing two with one number.
func merge(schemas []Schema) (fs.FS, error) {
	all := files{}
	numbers := map[string]string{}
	for _, s := range schemas {
		if s.Migrations == nil {
			continue
		}
		names, err := fs.Glob(s.Migrations, "*.sql")
		if err != nil {
			return nil, fmt.Errorf("list migrations: %w", err)
		}
		for _, name := range names {
			number, _, _ := strings.Cut(name, "_")
			if other, ok := numbers[number]; ok {
				return nil, fmt.Errorf("migrations %s and %s have the same number", other, name)
			}
			numbers[number] = name
			if all[name], err = fs.ReadFile(s.Migrations, name); err != nil {
				return nil, fmt.Errorf("read migration %s: %w", name, err)
			}
		}
	}
	return all, nil
}

// numbers are those of all migrations.
func numbers(schemas []Schema) ([]int64, error) {
	all, err := merge(schemas)
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(all, "*.sql")
	if err != nil {
		return nil, err
	}
	out := make([]int64, len(names))
	for i, name := range names {
		number, _, _ := strings.Cut(name, "_")
		if out[i], err = strconv.ParseInt(number, 10, 64); err != nil {
			return nil, fmt.Errorf("migration %s has no number: %w", name, err)
		}
	}
	return out, nil
}

// Tables lists every declared table by name.
func Tables(schemas []Schema) []Table {
	var all []Table
	for _, s := range schemas {
		all = append(all, s.Tables...)
	}
	slices.SortFunc(all, func(a, b Table) int { return strings.Compare(a.Name, b.Name) })
	return all
}
