package restore_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/audit"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/restore"
	"gateway/tools/bar"
)

const node = "node-1"

// rig is a node as far as a restore concerns it: a cluster, a folder, services that are up or down,
// and an operator. An archive is a database to copy, and two files.
type rig struct {
	t       *testing.T
	cluster restore.Cluster
	folder  restore.Folder
	journal *restore.Journal

	up       bool // the services
	answer   restore.Answer
	fails    string // what does not work
	state    restore.State
	boot     string
	uptime   time.Duration
	anchors  []audit.Anchored
	points   []string
	dieAt    int // the number of the point; -1 for none
	answered bool
	hooks
}

var errDied = errors.New("killed")

func newRig(t *testing.T) *rig {
	t.Helper()
	dsn := dbtest.DSN(t, audit.Schema())
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	address := func(name string) string { v := *u; v.Path = "/" + name; return v.String() }
	r := &rig{t: t, up: true, boot: "first", dieAt: -1, journal: &restore.Journal{Path: filepath.Join(t.TempDir(), "restore", "journal.json")}}
	r.journal.Save = r.save
	r.cluster = restore.Cluster{Address: address, Prefix: strings.TrimPrefix(u.Path, "/") + "_", Node: node, Now: time.Now}
	r.folder = restore.Folder{Dir: t.TempDir(), Names: []string{"setup.json", "master.key", "jwt.secret"}}
	made := strings.TrimPrefix(u.Path, "/")
	r.admin("alter database %s rename to %s", made, r.cluster.Prefix+"archive")
	r.in("archive", `create table marker (text text); insert into marker values ('new');
		create table users (id uuid primary key, session_epoch bigint not null default 0);
		create table backups (id uuid primary key, file text not null); create table backup_uploads (place text, name text);
		create table user_sessions (revoked_at timestamptz);
		insert into users values ('00000000-0000-0000-0000-000000000001', 3)`)
	r.entries("archive", 5)
	r.fresh()
	t.Cleanup(func() {
		for _, name := range []string{"archive", restore.Live, restore.Restored, restore.Before} {
			r.admin("drop database if exists %s with (force)", r.cluster.Prefix+name)
		}
	})
	return r
}

// fresh puts the old state in place: a database that has gone on since the archive, and its files.
func (r *rig) fresh() {
	r.t.Helper()
	for _, name := range []string{restore.Live, restore.Restored, restore.Before} {
		r.admin("drop database if exists %s with (force)", r.cluster.Prefix+name)
	}
	r.admin("create database %s template %s", r.cluster.Prefix+restore.Live, r.cluster.Prefix+"archive")
	r.in(restore.Live, `update marker set text = 'old'; update users set session_epoch = 7; insert into user_sessions values (null); insert into backups values ('00000000-0000-0000-0000-0000000000aa', 'a.gwb'); insert into backup_uploads values ('vault', 'a')`)
	r.entries(restore.Live, 3)
	if err := r.folder.Clean(); err != nil {
		r.t.Fatal(err)
	}
	for _, name := range []string{"setup.json", "master.key"} { // jwt.secret comes with the archive only
		if err := os.WriteFile(filepath.Join(r.folder.Dir, name), []byte("old"), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	_ = os.Remove(filepath.Join(r.folder.Dir, "jwt.secret"))
	r.up, r.answer, r.fails, r.boot, r.uptime, r.points, r.dieAt, r.anchors, r.answered = true, restore.NoAnswer, "", "first", 0, nil, -1, nil, false
	r.hooks = hooks{}
	r.anchor()
}

func (r *rig) admin(format string, args ...any) {
	r.t.Helper()
	conn, err := pgx.Connect(context.Background(), r.cluster.Address("postgres"))
	if err == nil {
		defer conn.Close(context.Background())
		_, err = conn.Exec(context.Background(), fmt.Sprintf(format, args...))
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) with(name string, fn func(*pgx.Conn) error) {
	r.t.Helper()
	conn, err := pgx.Connect(context.Background(), r.cluster.Address(r.cluster.Prefix+name))
	if err == nil {
		defer conn.Close(context.Background())
		err = fn(conn)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) in(name, sql string) {
	r.t.Helper()
	r.with(name, func(c *pgx.Conn) error {
		_, err := c.Exec(context.Background(), sql, pgx.QueryExecModeSimpleProtocol)
		return err
	})
}

func (r *rig) entries(name string, n int) {
	r.t.Helper()
	log := audit.NewLog(node, time.Now)
	r.with(name, func(c *pgx.Conn) error {
		for range n {
			if err := log.Record(context.Background(), c, audit.Entry{Actor: "ann", Action: "ntp.pool.create", Subject: name}); err != nil {
				return err
			}
		}
		return nil
	})
}

// anchor keeps the end of the live log, as gateway-apply does.
func (r *rig) anchor() {
	r.t.Helper()
	r.with(restore.Live, func(c *pgx.Conn) error {
		heads, err := audit.Heads(context.Background(), c)
		for _, h := range heads {
			r.anchors = append(r.anchors, audit.Anchored{NodeID: h.NodeID, Seq: h.Seq, Hash: fmt.Sprintf("%x", h.Hash), At: time.Now()})
		}
		return err
	})
}

// fail is for what a test wants not to work.
func (r *rig) fail(what string) error {
	if r.fails == what {
		return errors.New(what + " does not work")
	}
	return nil
}

type databases struct {
	restore.Cluster
	r *rig
}

func (d databases) Load(ctx context.Context, _ restore.Plan) error {
	if err := d.Ensure(ctx, db.OwnerRole); err != nil {
		return err
	}
	d.r.admin("create database %s template %s", d.Prefix+restore.Restored, d.Prefix+"archive")
	return d.r.fail("load")
}

func (d databases) Carry(ctx context.Context, from, to string, note restore.Note) error {
	if err := d.r.fail("carry"); err != nil && to == restore.Before {
		return err
	}
	return d.Cluster.Carry(ctx, from, to, note, d.r.anchors)
}

func (d databases) Swap(ctx context.Context) error {
	if err := errors.Join(d.r.fail("swap"), d.r.deadlineKept()); err != nil {
		return err
	}
	if d.r.up {
		d.r.t.Error("the databases are renamed while the services run")
	}
	if err := d.Cluster.Swap(ctx); err != nil {
		return err
	}
	d.r.at("swapped") // and nobody was told
	return nil
}

func (d databases) SwapBack(ctx context.Context) error {
	if err := d.Cluster.SwapBack(ctx); err != nil {
		return err
	}
	d.r.at("swapped back")
	return nil
}

type files struct{ r *rig }

func (f files) Stage(context.Context, restore.Plan) error {
	for _, name := range f.r.folder.Names {
		if err := f.r.folder.Put(name, []byte("new")); err != nil {
			return err
		}
	}
	return f.r.fail("check")
}
func (f files) Forward(context.Context) error             { return f.r.folder.Forward() }
func (f files) Back(context.Context) error                { return f.r.folder.Back() }
func (f files) Clean(context.Context, restore.Plan) error { return f.r.folder.Clean() }

type services struct{ r *rig }

func (s services) Stop(context.Context) error      { s.r.up = false; return nil }
func (s services) Start(ctx context.Context) error { return s.r.start(ctx) }
func (s services) Sync(ctx context.Context) error  { return s.r.sync(ctx) }
func (s services) Up(context.Context) error {
	if err := s.r.fail("start"); err != nil {
		return err
	}
	s.r.entries(restore.Live, 2) // somebody signs in
	s.r.anchor()
	return nil
}

type console struct{ r *rig }

func (c console) Answer(context.Context, string) (restore.Answer, error) {
	c.r.uptime += time.Hour // nobody is waited for in a test
	c.r.answered = true
	return c.r.answer, nil
}

// at dies at the point of the given number.
func (r *rig) at(point string) {
	r.points = append(r.points, point)
	r.full = r.full || point == r.fullAt
	if r.dieAt == len(r.points)-1 {
		panic(errDied)
	}
}

func (r *rig) job() *restore.Job {
	return &restore.Job{
		Journal: r.journal, Databases: databases{r.cluster, r}, Files: files{r}, Services: services{r}, Console: console{r},
		Render: func(context.Context) error { return r.fail("render") },
		Clock:  restore.Clock{Now: time.Now, Uptime: func() time.Duration { return r.uptime }, Boot: r.boot},
		Log:    slog.New(slog.DiscardHandler), At: r.at, Retry: time.Millisecond, Settled: func() { r.settled = r.up },
	}
}

// run runs the job and reports whether it was killed.
func (r *rig) run(do func(*restore.Job) error) (killed bool) {
	r.t.Helper()
	defer func() {
		if v := recover(); v == errDied { //nolint:errorlint // it is that very value
			killed = true
		} else if v != nil {
			panic(v)
		}
	}()
	if err := do(r.job()); err != nil {
		r.t.Errorf("the job ended with %v", err)
	}
	return false
}

func begin(j *restore.Job) error {
	return j.Run(context.Background(), restore.Plan{ID: "0198c0de-0000-7000-8000-000000000001", Actor: "ann@example.com", Within: 600})
}

func resume(j *restore.Job) error { return j.Resume(context.Background()) }

// check finds what is mixed, left over or lost.
func (r *rig) check(when string) (side string) {
	r.t.Helper()
	ctx := context.Background()
	names, err := r.cluster.Names(ctx)
	if err != nil || names != (restore.Names{Live: true}) {
		r.t.Errorf("%s: databases %+v, %v; want the live one alone", when, names, err)
		return ""
	}
	var epoch int64
	var entries, backups, sessions, broken int
	r.with(restore.Live, func(c *pgx.Conn) error {
		if err := c.QueryRow(ctx, `select text from marker`).Scan(&side); err != nil {
			return err
		}
		if err := c.QueryRow(ctx, `select session_epoch from users`).Scan(&epoch); err != nil {
			return err
		}
		if err := c.QueryRow(ctx, `select count(*) from backups, backup_uploads`).Scan(&backups); err != nil {
			return err
		}
		if err := c.QueryRow(ctx, `select count(*) from user_sessions where revoked_at is null`).Scan(&sessions); err != nil {
			return err
		}
		report, err := audit.Compare(ctx, c, node, r.anchors)
		for _, b := range report.Breaks {
			r.t.Errorf("%s: the audit log: %s", when, b)
		}
		entries, broken = int(report.Entries), len(report.Breaks)
		return err
	})
	for _, name := range r.folder.Names {
		data, err := os.ReadFile(filepath.Join(r.folder.Dir, name))
		if name == "jwt.secret" && side == "old" {
			if !errors.Is(err, os.ErrNotExist) {
				r.t.Errorf("%s: %s of the archive stayed", when, name)
			}
		} else if string(data) != side {
			r.t.Errorf("%s: %s is %q, the database is %q", when, name, data, side)
		}
	}
	if want := map[string]int64{"old": 7, "new": 8}[side]; epoch != want {
		r.t.Errorf("%s: session epoch %d, want %d", when, epoch, want)
	}
	if stay := side == "old" && r.state.Result == restore.Refused || r.fails == "carry"; (sessions == 1) != stay {
		r.t.Errorf("%s: %d sessions go on, the result is %q", when, sessions, r.state.Result)
	}
	if entries < 8 || backups != 1 || !r.up || broken > 0 {
		r.t.Errorf("%s: %d audit entries, %d backups, services up: %v", when, entries, backups, r.up)
	}
	for _, gone := range []string{r.journal.Path, filepath.Join(r.folder.Dir, "restore")} {
		if _, err := os.Stat(gone); !errors.Is(err, os.ErrNotExist) {
			r.t.Errorf("%s: %s is left over (%v)", when, gone, err)
		}
	}
	return side
}

func TestARestoreThatIsConfirmedStays(t *testing.T) {
	r := newRig(t)
	r.answer = restore.Confirm
	r.run(begin)
	if side := r.check("confirmed"); side != "new" || r.state.Result != restore.Confirmed {
		t.Errorf("the state is %s, the result %q (%v)", side, r.state.Result, r.state.Error)
	}
	for _, s := range r.state.Steps {
		if s.State != restore.Done || s.Started == nil || s.Finished == nil {
			t.Errorf("step %s is %s", s.Code, s.State)
		}
	}
	r.with(restore.Live, func(c *pgx.Conn) error {
		actions, err := db.List[struct{ Action, Actor string }](context.Background(), c, `select action, actor from audit_entries where action like 'backup.%' order by seq`)
		if fmt.Sprint(actions) != "[{backup.restore.done ann@example.com} {backup.restore.kept ann@example.com}]" {
			t.Errorf("audit entries: %v", actions)
		}
		return err
	})
}

func TestARestoreThatDoesNotStay(t *testing.T) {
	r := newRig(t)
	for _, tc := range []struct {
		name, fails string
		answer      restore.Answer
		result, why string
	}{
		{"nobody confirms it", "", restore.NoAnswer, restore.Undone, "not confirmed in time"},
		{"somebody wants it undone", "", restore.Undo, restore.Undone, ""},
		{"the archive is damaged", "check", restore.Confirm, restore.Refused, "check does not work"},
		{"the rows do not load", "load", restore.Confirm, restore.Refused, "load does not work"},
		{"a renderer fails", "render", restore.Confirm, restore.Refused, "render does not work"},
		{"the databases cannot be renamed", "swap", restore.Confirm, restore.Refused, "swap does not work"},
		{"the API does not come up", "start", restore.Confirm, restore.Undone, "start does not work"},
		{"the restored database gives nothing back", "carry", restore.NoAnswer, restore.Undone, "not confirmed in time"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r.t = t
			r.fresh()
			r.answer, r.fails = tc.answer, tc.fails
			r.run(begin)
			if tc.fails == "carry" {
				r.anchors = r.anchors[:1] // what was written since is lost, as the anchors say
			}
			if side := r.check(tc.name); side != "old" || r.state.Result != tc.result {
				t.Errorf("the state is %s, the result %q, want old and %q", side, r.state.Result, tc.result)
			}
			if got := r.state.Error; (got == nil) != (tc.why == "") || got != nil && !strings.Contains(got.Message, tc.why) {
				t.Errorf("error %v, want %q", got, tc.why)
			}
		})
	}
}

// A node that lost its database gets that of the archive, and undoing leaves it as empty as it was.
func TestANodeWithoutADatabaseIsRestored(t *testing.T) {
	r := newRig(t)
	for answer, want := range map[restore.Answer]string{restore.Confirm: "new", restore.Undo: ""} {
		r.fresh()
		r.admin("drop database %s with (force)", r.cluster.Prefix+restore.Live)
		r.answer = answer
		r.run(begin)
		names, err := r.cluster.Names(t.Context())
		if err != nil || names != (restore.Names{Live: true}) || !r.up {
			t.Errorf("%s: databases %+v, %v", answer, names, err)
		}
		var side *string
		r.with(restore.Live, func(c *pgx.Conn) error {
			return c.QueryRow(t.Context(), `select (xpath('/row/text/text()', query_to_xml('select text from ' || to_regclass('marker'), false, true, '')))[1]::text`).Scan(&side)
		})
		if got := valueOf(side); got != want {
			t.Errorf("%s: the database has %q, want %q", answer, got, want)
		}
	}
}

func valueOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// A job that is killed at any point, and resumed with or without a boot between, comes to the old state
// or the new one, and never to a mixture; so does one that is killed again while it is resumed.
func TestEveryKillEndsOldOrNew(t *testing.T) {
	r := newRig(t)
	for _, answer := range []restore.Answer{restore.Confirm, restore.Undo} {
		r.fresh()
		r.answer = answer
		r.run(begin)
		points := slices.Clone(r.points)
		if len(points) < 20 {
			t.Fatalf("there are %d points only: %v", len(points), points)
		}
		t.Logf("%d points: %v", len(points), points)
		ended := map[string]int{}
		from := 0
		if answer == restore.Undo { // up to here it is the same story
			from = slices.Index(points, "phase waiting")
		}
		for i, point := range points[from:] {
			i += from
			when := fmt.Sprintf("%s: killed at %s (%d)", answer, point, i)
			again := (i*7 + 3) % 12 // another one for each
			kinds := []func() string{
				func() string { return r.killed(answer, i, -1, false, when) },
				func() string { return r.killed(answer, i, -1, true, when+", then a boot") },
				func() string {
					return r.killed(answer, i, again, i%2 == 0, fmt.Sprintf("%s and then at %d", when, again))
				},
			}
			switch bar.GateSize(1, 2, 3) {
			case 1: // a third of the points, each in another way
				if i%3 != 0 {
					continue
				}
				kinds = kinds[i/3%3 : i/3%3+1]
			case 2:
				kinds = kinds[i%3 : i%3+1]
			}
			for _, kill := range kinds {
				ended[kill()]++
			}
		}
		t.Logf("%s: %v", answer, ended)
		if answer == restore.Confirm && (ended["old"] == 0 || ended["new"] == 0) || ended[""] > 0 {
			t.Errorf("%v: want some of each", ended)
		}
	}
}

func (r *rig) killed(answer restore.Answer, at, again int, boots bool, when string) string {
	r.t.Helper()
	r.fresh()
	r.answer, r.dieAt = answer, at
	if !r.run(begin) {
		r.t.Errorf("%s: it was not killed", when)
	}
	restart := func(dieAt int) bool {
		if boots {
			r.boot, r.uptime, r.up = r.boot+"+", 0, true
		}
		r.points, r.dieAt = nil, dieAt
		return r.run(resume)
	}
	for again >= 0 && restart(again) {
		again -= 5
	}
	restart(-1)
	side := r.check(when)
	if boots && side == "new" && !r.answered {
		r.t.Errorf("%s: the new state stays though nobody confirmed it", when)
	}
	return side
}
