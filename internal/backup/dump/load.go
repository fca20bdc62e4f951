package dump

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/backup/archive"
	"gateway/internal/db"
	"gateway/internal/db/migrate"
)

// Target is the database that Load makes.
type Target struct {
	// Admin is the address of the cluster for its superuser, with whatever database to connect to first.
	Admin string
	Name  string // of the new database
	Owner string // of its tables: db.OwnerRole; empty for the superuser
}

// Options of Load; the zero value is fine.
type Options struct {
	// Progress is told now and then how much of the archive was read, in bytes; nil for nobody.
	Progress func(done, total int64)
	// File is given each state file, after all tables and before anything counts: what it returns
	// refuses the archive.
	File func(archive.File) error
}

// Loaded is what Load put into the database.
type Loaded struct {
	archive.Sums
	From []int64 // the migrations that the archive had
	To   []int64 // and those that the database has now
}

// Load makes a database of an archive and brings it up to the present schema. Unless it returns nil there
// is no such database: one that is there before is an error, and one that was begun is dropped.
func Load(ctx context.Context, r *archive.Reader, t Target, schemas []db.Schema, o Options) (out Loaded, err error) {
	out.From = r.Manifest().Schema
	if out.To, err = known(out.From, schemas); err != nil {
		return out, err
	}
	if err := declared(r.Manifest(), schemas); err != nil {
		return out, err
	}
	if err := create(ctx, t); err != nil {
		return out, err
	}
	defer func() {
		if err != nil {
			short, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
			defer cancel()
			err = errors.Join(err, Drop(short, t.Admin, t.Name))
		}
	}()
	pool, err := t.pool(t.Owner)
	if err != nil {
		return out, err
	}
	defer pool.Close()
	if err := migrate.Only(ctx, pool, schemas, out.From); err != nil {
		return out, err
	}
	if err := t.fill(ctx, r, o); err != nil {
		return out, err
	}
	out.Sums = r.Sums()
	if err := migrate.Run(ctx, pool, schemas); err != nil {
		return out, fmt.Errorf("bring the rows of the archive up to date: %w", err)
	}
	if _, err := pool.Exec(ctx, `analyze`); err != nil { // without figures the first queries would be slow
		return out, err
	}
	return out, nil
}

// known returns all of our migrations, and refuses an archive that has one more.
func known(archived []int64, schemas []db.Schema) ([]int64, error) {
	ours, err := migrate.Numbers(schemas)
	if err != nil {
		return nil, err
	}
	slices.Sort(ours)
	for _, n := range archived {
		if _, found := slices.BinarySearch(ours, n); !found {
			return nil, fmt.Errorf("%w: it has been through migration %d", archive.ErrNewer, n)
		}
	}
	return ours, nil
}

// Known refuses an archive of a later version.
func Known(h archive.Header, schemas []db.Schema) error {
	_, err := known(h.Schema, schemas)
	return err
}

// Check finds what is wrong with an archive without a database: all but what the rows themselves are. It
// is quick beside Load, which makes a database first.
func Check(f io.ReadSeeker, o archive.Opening, schemas []db.Schema) (archive.Manifest, archive.Sums, error) {
	m, sums, err := archive.Check(f, o)
	if err != nil {
		return archive.Manifest{}, archive.Sums{}, err
	}
	return m, sums, errors.Join(Known(archive.Header{About: m.About}, schemas), declared(m, schemas))
}

// declared refuses an archive that has another opinion than we about what travels: whoever makes one with a key could
// bring sessions of their own, or leave the users out. A table that is declared no more may be either.
func declared(m archive.Manifest, schemas []db.Schema) error {
	travels, since := map[string]bool{}, map[string]int64{}
	for _, t := range db.Tables(schemas) {
		travels[t.Name], since[t.Name] = !t.NoBackup, t.BackupSince
	}
	for _, t := range m.Tables {
		if may, found := travels[t.Name]; found && !may {
			return fmt.Errorf("%w: the rows of table %s are in no backup", archive.ErrDamaged, t.Name)
		}
	}
	for _, name := range m.Left {
		if n := since[name]; travels[name] && (n == 0 || slices.Contains(m.Schema, n)) {
			return fmt.Errorf("%w: the rows of table %s are in every backup", archive.ErrDamaged, name)
		}
	}
	return nil
}

// create makes the database as packaging makes that of the product.
func create(ctx context.Context, t Target) error {
	conn, err := pgx.Connect(ctx, t.Admin)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	name := pgx.Identifier{t.Name}.Sanitize()
	q := `create database ` + name + ` template template0 encoding 'UTF8' locale 'C.UTF-8' locale_provider builtin builtin_locale 'C.UTF-8'`
	if t.Owner != "" {
		q += ` owner ` + pgx.Identifier{t.Owner}.Sanitize()
	}
	if _, err := conn.Exec(ctx, q); err != nil {
		return fmt.Errorf("make the database %s: %w", t.Name, err)
	}
	if err := admit(ctx, conn, name); err != nil {
		return errors.Join(fmt.Errorf("make the database %s: %w", t.Name, err), Drop(ctx, t.Admin, t.Name))
	}
	return nil
}

// admit lets nobody in but the roles of the product, where there are such.
func admit(ctx context.Context, conn *pgx.Conn, name string) error {
	if _, err := conn.Exec(ctx, `revoke all on database `+name+` from public`); err != nil {
		return err
	}
	roles, err := db.List[struct{ Name string }](ctx, conn, `select rolname from pg_roles where rolname = any($1)`, []string{db.APIRole, db.ApplyRole})
	if err != nil {
		return err
	}
	for _, role := range roles {
		who := pgx.Identifier{role.Name}.Sanitize()
		if _, err := conn.Exec(ctx, `grant connect on database `+name+` to `+who+`; alter role `+who+` in database `+name+` set search_path = public`); err != nil {
			return err
		}
	}
	return nil
}

// Drop removes a database, whoever is connected to it. It need not be there.
func Drop(ctx context.Context, admin, name string) error {
	conn, err := pgx.Connect(ctx, admin)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, `drop database if exists `+pgx.Identifier{name}.Sanitize()+` with (force)`); err != nil {
		return fmt.Errorf("drop the database %s: %w", name, err)
	}
	return nil
}

// pool is for the new database, as role.
func (t Target) pool(role string) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(t.Admin)
	if err != nil {
		return nil, fmt.Errorf("parse database address: %w", err)
	}
	cfg.MaxConns = 4
	cfg.ConnConfig.Database = t.Name
	cfg.ConnConfig.RuntimeParams["application_name"] = "gateway"
	if role != "" {
		cfg.ConnConfig.RuntimeParams["role"] = role
	}
	return pgxpool.NewWithConfig(context.Background(), cfg)
}

// fill puts the rows in, as one transaction that is committed when all of the archive was right.
func (t Target) fill(ctx context.Context, r *archive.Reader, o Options) error {
	pool, err := t.pool("") // only a superuser may leave the triggers out
	if err != nil {
		return err
	}
	defer pool.Close()
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, plainText+`; set local session_replication_role = replica`); err != nil {
			return err
		}
		c, err := readCatalogue(ctx, tx)
		if err != nil {
			return err
		}
		if err := c.fits(r.Manifest()); err != nil {
			return err
		}
		if err := c.truncate(ctx, tx); err != nil {
			return err
		}
		if err := copyAll(ctx, tx, r, o); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, checkReferences); err != nil {
			return fmt.Errorf("%w: %w", archive.ErrDamaged, err)
		}
		_, err = tx.Exec(ctx, setSequences)
		return err
	})
}

// fits compares the manifest with the catalogue that our migrations of its numbers made: the same
// tables, and the same columns of each.
func (c catalogue) fits(m archive.Manifest) error {
	ours := map[string][]string{}
	for _, t := range c.tables {
		ours[t.Name] = t.Columns
	}
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%w: %w", archive.ErrDamaged, fmt.Errorf(format, args...))
	}
	for _, t := range m.Tables {
		columns, found := ours[t.Name]
		if !found {
			return wrong("there is no table %s in its schema", t.Name)
		}
		if !slices.Equal(slices.Sorted(slices.Values(columns)), slices.Sorted(slices.Values(t.Columns))) {
			return wrong("table %s has other columns in its schema", t.Name)
		}
		delete(ours, t.Name)
	}
	for _, name := range m.Left {
		if _, found := ours[name]; !found {
			return wrong("there is no table %.80q in its schema", name)
		}
		delete(ours, name)
	}
	for name := range ours {
		return wrong("it lacks the table %s", name)
	}
	return nil
}

func copyAll(ctx context.Context, tx pgx.Tx, r *archive.Reader, o Options) error {
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(r.Position())
		}
		if e.Table != "" {
			err = copyTable(ctx, tx, e)
		} else if o.File != nil {
			err = giveFile(e, o.File)
		}
		if err != nil {
			return err
		}
	}
}

func giveFile(e *archive.Entry, to func(archive.File) error) error {
	data, err := io.ReadAll(e)
	if err != nil {
		return err
	}
	return to(archive.File{Name: e.File, Data: data})
}

func copyTable(ctx context.Context, tx pgx.Tx, e *archive.Entry) error {
	in := &failing{Reader: e}
	t := table{e.Table, e.Columns} // which fits has compared with the catalogue
	tag, err := tx.Conn().PgConn().CopyFrom(ctx, in, "copy "+t.copied()+" from stdin")
	switch {
	case in.err != nil:
		return in.err
	case err != nil:
		return fmt.Errorf("%w: table %s: %w", archive.ErrDamaged, e.Table, err)
	case tag.RowsAffected() != e.Rows():
		return fmt.Errorf("%w: table %s has %d rows, and %d were taken", archive.ErrDamaged, e.Table, e.Rows(), tag.RowsAffected())
	}
	return nil
}

// failing keeps the reader's own error: the database only tells that the copy was ended.
type failing struct {
	io.Reader
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}

// truncate removes what the migrations put there, of all tables at once because they refer to each other.
func (c catalogue) truncate(ctx context.Context, tx pgx.Tx) error {
	names := make([]string, len(c.tables))
	for i, t := range c.tables {
		names[i] = pgx.Identifier{"public", t.Name}.Sanitize()
	}
	_, err := tx.Exec(ctx, "truncate "+strings.Join(names, ", "))
	return err
}

// checkReferences makes every foreign key anew, which looks at all rows: as a replica the server did not.
const checkReferences = `do $$ declare c record; begin
	for c in select conrelid::regclass as on_table, conname, pg_get_constraintdef(oid) as definition from pg_constraint
		where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0
	loop
		execute format('alter table %s drop constraint %I', c.on_table, c.conname);
		execute format('alter table %s add constraint %I %s', c.on_table, c.conname, c.definition);
	end loop;
end $$`

// setSequences has each sequence go on behind the highest number in its column.
const setSequences = `do $$ declare c record; begin
	for c in select a.attrelid::regclass as on_table, a.attname, pg_get_serial_sequence(a.attrelid::regclass::text, a.attname) as name
		from pg_attribute a join pg_class t on t.oid = a.attrelid
		where t.relnamespace = 'public'::regnamespace and t.relkind = 'r' and t.relname <> 'goose_db_version' and a.attnum > 0 and not a.attisdropped
			and pg_get_serial_sequence(a.attrelid::regclass::text, a.attname) is not null
	loop
		execute format('select setval(%L, coalesce(max(%I), 1), max(%I) is not null) from %s', c.name, c.attname, c.attname, c.on_table);
	end loop;
end $$`
