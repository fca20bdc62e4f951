package dump_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/backup/archive"
	"gateway/internal/backup/archive/archivetest"
	"gateway/internal/backup/dump"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/db/migrate"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// lamps is a schema with what COPY must get right: generated columns, sequences, references, rows of a migration.
func lamps(more ...string) db.Schema {
	files := fstest.MapFS{"0901_lamps.sql": {Data: []byte(`-- +goose Up
		create table rooms (id bigint primary key, name text not null, photo bytea, size double precision, tags text[], at timestamptz, for_ interval, about jsonb, net inet);
		create table lamps (id bigint generated always as identity primary key, room bigint references rooms (id), name text not null check (name <> 'dark'),
			upper_name text generated always as (upper(name)) stored);
		create table settings (id boolean primary key default true check (id), limit_ integer not null);
		insert into settings (limit_) values (10);
		create table sessions (id bigint primary key, room bigint references rooms (id));
		create table twins (id bigint primary key, n bigint not null);
		create table other_twins (id bigint primary key, n bigint not null);
	`)}}
	for i, sql := range more {
		files["090"+string(rune('2'+i))+"_more.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + sql)}
	}
	return db.Schema{Migrations: files, Tables: []db.Table{
		{Name: "rooms", Scope: db.History},
		{Name: "lamps", Scope: db.History},
		{Name: "settings", Scope: db.History},
		{Name: "sessions", Scope: db.History, NoBackup: true},
		{Name: "twins", Scope: db.History},
		{Name: "other_twins", Scope: db.History},
	}}
}

const furnish = `insert into rooms values (1, E'hall\t\\.\n''"; drop table lamps; --', '\x00ff0a5c', 0.1, '{"a b",NULL,"c\\"}', '2026-03-01 04:05:06.789+02', '1 mon 2 days', '{"a": "\n"}', '10.0.0.1'),
		(2, '\.', null, 'NaN', null, 'infinity', null, null, null), (3, '\N', '', '-0', '{}', null, null, 'null', '2001:db8::/32');
	insert into lamps (room, name) select 1 + n % 3, 'lamp ' || n from generate_series(1, 100) n;
	delete from lamps where id > 90;
	update settings set limit_ = 20;
	insert into sessions values (1, 1)`

func sealing(t testing.TB) (archive.Sealing, archive.Opening) {
	t.Helper()
	identity, err := age.GenerateX25519Identity()
	must(t, err)
	o, err := archive.NewOpening(identity, make([]byte, 32))
	must(t, err)
	return archive.Sealing{Recipients: []*age.X25519Recipient{identity.Recipient()}, MAC: make([]byte, 32)}, o
}

func backupOf(s archive.Sealing, schemas ...db.Schema) dump.Backup {
	return dump.Backup{
		Header: archive.Header{About: archive.About{
			ID: "0198c0de-0000-7000-8000-000000000001", Product: "0.1.0", Host: "gw1", NodeID: "4711", Kind: "manual", Created: time.Now(),
		}},
		Keys: s, Schemas: schemas, Files: []archive.File{{Name: "master.key", Data: []byte("secret")}},
	}
}

// house is a database, and an archive of it.
type house struct {
	t    testing.TB
	dsn  string
	pool *pgxpool.Pool
	s    archive.Sealing
	o    archive.Opening
	data []byte
}

func furnished(t testing.TB) *house {
	t.Helper()
	h := &house{t: t, dsn: dbtest.DSN(t, lamps())}
	var err error
	h.pool, err = db.Open(h.dsn)
	must(t, err)
	t.Cleanup(h.pool.Close)
	_, err = h.pool.Exec(t.Context(), furnish)
	must(t, err)
	h.s, h.o = sealing(t)
	h.data = h.write()
	return h
}

func (h *house) write() []byte {
	h.t.Helper()
	var out bytes.Buffer
	// As the role of the scheduler, which owns nothing.
	pool, err := db.Open(dbtest.As(h.t, h.dsn, db.APIRole))
	must(h.t, err)
	defer pool.Close()
	written, err := dump.Write(h.t.Context(), pool, &out, backupOf(h.s, lamps()))
	must(h.t, err)
	if written.Size != int64(out.Len()) || len(written.SHA256) != 64 {
		h.t.Errorf("written = %+v, and there are %d bytes", written, out.Len())
	}
	return out.Bytes()
}

// load loads into a database of its own and returns a pool on it.
func (h *house) load(data []byte, schemas ...db.Schema) (*pgxpool.Pool, dump.Loaded, error) {
	h.t.Helper()
	r, err := archive.NewReader(bytes.NewReader(data), h.o)
	if err != nil {
		return nil, dump.Loaded{}, err
	}
	defer r.Close()
	to := dump.Target{Admin: h.dsn, Name: "gt_" + strings.ReplaceAll(db.NewID(), "-", ""), Owner: db.OwnerRole}
	h.t.Cleanup(func() { must(h.t, dump.Drop(context.Background(), h.dsn, to.Name)) })
	loaded, err := dump.Load(h.t.Context(), r, to, schemas, dump.Options{})
	if err != nil {
		var there bool
		must(h.t, h.pool.QueryRow(h.t.Context(), `select exists (select from pg_database where datname = $1)`, to.Name).Scan(&there))
		if there {
			h.t.Error("a database is left of an archive that was refused")
		}
		return nil, loaded, err
	}
	cfg, err := pgxpool.ParseConfig(h.dsn)
	must(h.t, err)
	cfg.ConnConfig.Database = to.Name
	pool, err := pgxpool.NewWithConfig(h.t.Context(), cfg)
	must(h.t, err)
	h.t.Cleanup(pool.Close)
	return pool, loaded, nil
}

func text(t testing.TB, pool *pgxpool.Pool, query string) string {
	t.Helper()
	var out string
	must(t, pool.QueryRow(t.Context(), `select coalesce(string_agg(r::text, E'\n' order by r::text), '') from (`+query+`) r`).Scan(&out))
	return out
}

func TestWhatIsLoadedIsWhatWasThere(t *testing.T) {
	h := furnished(t)
	pool, loaded, err := h.load(h.data, lamps())
	must(t, err)
	for _, q := range []string{
		`select id, name, photo, size, tags, at, for_, about, net from rooms`, `select id, room, name, upper_name from lamps`, `select id, limit_ from settings`,
	} {
		if diff := cmp.Diff(text(t, h.pool, q), text(t, pool, q)); diff != "" {
			t.Errorf("%s: %s", q, diff)
		}
	}
	if got := text(t, pool, `select id from sessions`); got != "" {
		t.Errorf("sessions came along: %s", got)
	}
	if loaded.Tables["lamps"].Rows != 90 || loaded.Tables["rooms"].Rows != 3 || loaded.FilesBytes != 6 {
		t.Errorf("loaded = %+v", loaded)
	}
	var next int64
	must(t, pool.QueryRow(t.Context(), `insert into lamps (room, name) values (1, 'new') returning id`).Scan(&next))
	if next != 91 {
		t.Errorf("the next lamp has number %d, want 91", next)
	}
	// What is written again is the same, but for the ids of the archives.
	var again bytes.Buffer
	_, err = pool.Exec(t.Context(), `delete from lamps where id = 91`)
	must(t, err)
	written, err := dump.Write(t.Context(), pool, &again, backupOf(h.s, lamps()))
	must(t, err)
	if diff := cmp.Diff(loaded.Sums, written.Sums); diff != "" {
		t.Error(diff)
	}
}

func TestTheProductsRolesMayUseWhatIsLoaded(t *testing.T) {
	h := furnished(t)
	pool, _, err := h.load(h.data, lamps())
	must(t, err)
	cfg := pool.Config()
	cfg.ConnConfig.User = db.APIRole
	api, err := pgxpool.NewWithConfig(t.Context(), cfg)
	must(t, err)
	defer api.Close()
	if got := text(t, api, `select limit_ from settings`); got != "(20)" {
		t.Errorf("settings = %s", got)
	}
	if _, err := api.Exec(t.Context(), `drop table settings`); err == nil {
		t.Error("the API may drop a table")
	}
	if got := text(t, pool, `select distinct tableowner from pg_tables where schemaname = 'public'`); got != "("+db.OwnerRole+")" {
		t.Errorf("tables belong to %s", got)
	}
	if err := migrate.Ready(t.Context(), api, []db.Schema{lamps()}); err != nil {
		t.Errorf("the API would not start: %v", err)
	}
}

// Rows of an older version go through the migrations that came since, as those of a node that is upgraded.
func TestAnOlderArchiveIsBroughtUpToDate(t *testing.T) {
	h := furnished(t)
	newer := lamps(`alter table lamps add column watts integer; update lamps set watts = 60;`, `drop table other_twins; alter table rooms rename to chambers;`)
	newer.Tables = slices.DeleteFunc(newer.Tables, func(t db.Table) bool { return t.Name == "other_twins" || t.Name == "rooms" })
	newer.Tables = append(newer.Tables, db.Table{Name: "chambers", Scope: db.History})
	pool, loaded, err := h.load(h.data, newer)
	must(t, err)
	if got := text(t, pool, `select count(1), sum(watts) from lamps join chambers c on c.id = room`); got != "(90,5400)" {
		t.Errorf("lamps = %s", got)
	}
	if !slices.Equal(loaded.From, []int64{901}) || !slices.Equal(loaded.To, []int64{901, 902, 903}) {
		t.Errorf("from %v to %v", loaded.From, loaded.To)
	}
}

// A table whose rows are in backups since a migration is missing in those from before it, and in no later one.
func TestATableMayTravelSinceAMigration(t *testing.T) {
	h := furnished(t)
	later := lamps(`create table more (id int);`)
	travels := func(since int64) db.Schema {
		s := later
		s.Tables = slices.Clone(later.Tables)
		for i := range s.Tables {
			if s.Tables[i].Name == "sessions" {
				s.Tables[i].NoBackup, s.Tables[i].BackupSince = false, since
			}
		}
		return s
	}
	for since, refused := range map[int64]bool{902: false, 901: true, 0: true} {
		if _, _, err := dump.Check(bytes.NewReader(h.data), h.o, []db.Schema{travels(since)}); errors.Is(err, archive.ErrDamaged) != refused {
			t.Errorf("since %d: %v, want it refused: %t", since, err, refused)
		}
	}
}

func TestANewerArchiveIsRefused(t *testing.T) {
	h := furnished(t)
	must(t, migrate.Run(t.Context(), h.pool, []db.Schema{lamps("create table more (id int);")}))
	newer := h.write()
	if _, _, err := h.load(newer, lamps()); !errors.Is(err, archive.ErrNewer) {
		t.Errorf("err = %v, want newer", err)
	}
	if _, _, err := dump.Check(bytes.NewReader(newer), h.o, []db.Schema{lamps()}); !errors.Is(err, archive.ErrNewer) {
		t.Errorf("check: %v, want newer", err)
	}
}

// What only the database can tell, in an archive that is right on the outside.
func TestRowsThatDoNotFitAreRefused(t *testing.T) {
	h := furnished(t)
	parts := archivetest.Open(t, h.data, h.o)
	manifest := func(change func(*archive.Manifest)) func(*archivetest.Parts) {
		return func(p *archivetest.Parts) {
			m := p.Manifest(t)
			change(&m)
			p.SetManifest(t, m)
		}
	}
	texts := func(table, text string) func(*archivetest.Parts) {
		return func(p *archivetest.Parts) { p.SetText(t, table, text) }
	}
	for name, spoil := range map[string]func(*archivetest.Parts){
		"a lamp in no room":                texts("lamps", "1\t99\tred\n"),
		"a row twice":                      texts("settings", "t\t1\nt\t1\n"),
		"a value that a check forbids":     texts("lamps", "1\t1\tdark\n"),
		"a null that may not be":           texts("lamps", "1\t1\t\\N\n"),
		"a statement for a row":            texts("settings", "drop table lamps;\n"),
		"a row with a column more":         texts("settings", "t\t1\t2\n"),
		"an end of the data within it":     texts("twins", "1\t1\n\\.\n2\t2\n"),
		"an end that hides a statement":    texts("twins", "1\t1\n\\.\ndrop table lamps;\n"),
		"bytes that are no text":           texts("lamps", "1\t1\t\xff\n"),
		"a zero byte":                      texts("lamps", "1\t1\ta\x00b\n"),
		"a last row that is cut":           texts("twins", "1\t1\n2\t2"),
		"a column that is computed":        manifest(func(m *archive.Manifest) { m.Tables[0].Columns = append(m.Tables[0].Columns, "upper_name") }),
		"a column that is not there":       manifest(func(m *archive.Manifest) { m.Tables[0].Columns[0] = `id) from program 'id'; --` }),
		"a table of PostgreSQL's":          manifest(func(m *archive.Manifest) { m.Tables[0].Name = "pg_authid" }),
		"the table of the migrations":      manifest(func(m *archive.Manifest) { m.Left[0] = "goose_db_version" }),
		"a table that is left out instead": func(p *archivetest.Parts) { leaveOut(t, p, "settings") },
		"a table that says it is left out": func(p *archivetest.Parts) {
			leaveOut(t, p, "settings")
			manifest(func(m *archive.Manifest) { m.Left = append(m.Left, "settings") })(p)
		},
		"rows of a table that does not travel": func(p *archivetest.Parts) { bring(t, p, "sessions", "1\t1\n", "id", "room") },
	} {
		t.Run(name, func(t *testing.T) {
			p := parts.Clone()
			spoil(&p)
			if _, _, err := h.load(p.Bytes(t, h.s), lamps()); !errors.Is(err, archive.ErrDamaged) {
				t.Errorf("err = %v, want damaged", err)
			}
		})
	}
}

// leaveOut removes a table without a word.
func leaveOut(t *testing.T, p *archivetest.Parts, name string) {
	m, sums := p.Manifest(t), p.Sums(t)
	m.Tables = slices.DeleteFunc(m.Tables, func(t archive.Table) bool { return t.Name == name })
	sums.DBBytes -= sums.Tables[name].Bytes
	delete(sums.Tables, name)
	p.Entries = slices.DeleteFunc(p.Entries, func(e archivetest.Entry) bool { return strings.HasPrefix(e.Name, "tables/"+name+"/") })
	p.SetManifest(t, m)
	p.SetSums(t, sums)
}

// bring adds rows of a table that was left out.
func bring(t *testing.T, p *archivetest.Parts, name, text string, columns ...string) {
	m := p.Manifest(t)
	m.Left = slices.DeleteFunc(m.Left, func(left string) bool { return left == name })
	m.Tables = append(m.Tables, archive.Table{Name: name, Columns: columns})
	p.SetManifest(t, m)
	at := slices.IndexFunc(p.Entries, func(e archivetest.Entry) bool { return strings.HasPrefix(e.Name, "files/") })
	e := p.Entries[at]
	e.Name = "tables/" + name + "/00001.copy.zst"
	p.Entries = slices.Insert(p.Entries, at, e)
	p.SetText(t, name, text)
}

func TestADatabaseThatIsThereIsNotTouched(t *testing.T) {
	h := furnished(t)
	r, err := archive.NewReader(bytes.NewReader(h.data), h.o)
	must(t, err)
	defer r.Close()
	name := h.pool.Config().ConnConfig.Database
	if _, err := dump.Load(t.Context(), r, dump.Target{Admin: h.dsn, Name: name}, []db.Schema{lamps()}, dump.Options{}); err == nil {
		t.Error("loaded into a database that was there")
	}
	if got := text(t, h.pool, `select count(1) from lamps`); got != "(90)" {
		t.Errorf("lamps = %s", got)
	}
}

// One who writes into two tables at once is seen in both, or in neither.
func TestAnArchiveIsOneMoment(t *testing.T) {
	h := furnished(t)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := 0; ctx.Err() == nil; n++ {
			_, _ = h.pool.Exec(ctx, `with a as (insert into twins values ($1, $1)) insert into other_twins values ($1, $1)`, n)
		}
	}()
	defer func() { stop(); <-done }()
	for range 5 {
		_, sums, err := archive.Check(bytes.NewReader(h.write()), h.o)
		must(t, err)
		if a, b := sums.Tables["twins"], sums.Tables["other_twins"]; a.SHA256 != b.SHA256 {
			t.Errorf("%d rows in one table and %d in the other", a.Rows, b.Rows)
		}
	}
}

func TestProgressGoesForwardToItsEnd(t *testing.T) {
	h := furnished(t)
	_, err := h.pool.Exec(t.Context(), `insert into twins select n, n from generate_series(1, 200000) n; analyze`)
	must(t, err)
	b := backupOf(h.s, lamps())
	var told []int64
	var of int64
	b.Progress = func(done, total int64) { told, of = append(told, done), total }
	_, err = dump.Write(t.Context(), h.pool, io.Discard, b)
	must(t, err)
	if !slices.IsSorted(told) || len(told) < 5 || told[len(told)-1] != of {
		t.Errorf("told %v of %d", told, of)
	}
}

func TestAWriterThatFailsEndsTheBackup(t *testing.T) {
	h := furnished(t)
	full := errors.New("the disk is full")
	_, err := dump.Write(t.Context(), h.pool, failing{full}, backupOf(h.s, lamps()))
	if !errors.Is(err, full) {
		t.Errorf("err = %v", err)
	}
	var busy int
	must(t, h.pool.QueryRow(t.Context(), `select count(1) from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`).Scan(&busy))
	if busy != 0 {
		t.Errorf("%d transactions are still open", busy)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
