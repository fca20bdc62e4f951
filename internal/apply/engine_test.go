package apply

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/apply/files"
	"gateway/internal/audit"
	"gateway/internal/change"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/intent"
	"gateway/internal/sys"
)

var lamps = db.Schema{
	Tables: []db.Table{{Name: "lamps", Scope: db.Replicated}},
	Migrations: fs.FS(fstest.MapFS{"0901_lamps.sql": {Data: []byte(
		"-- +goose Up\ncreate table lamps (id uuid primary key, word text not null unique, revision int not null default 1, updated_at timestamptz);\n")}}),
}

const lampFile = "/etc/lampd.conf"

// lampd is a daemon that reads its file when told to, and refuses what it does not like.
type lampd struct {
	mu      sync.Mutex
	root    string
	loaded  string // what it runs on
	pid     int
	started time.Time
	reloads int
	stuck   error // what a reload fails with
	checks  int

	stopped, disabled map[string]bool
}

const lampUnit, bulbUnit = "lampd.service", "lampd-bulb.service"

func (d *lampd) States(_ context.Context, names []string) ([]sys.UnitState, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []sys.UnitState
	for _, name := range names {
		s := sys.UnitState{Name: name, LoadState: "loaded", ActiveState: "active", UnitFileState: "enabled", MainPID: d.pid, StartedAt: &d.started}
		if d.stopped[name] {
			s.ActiveState, s.MainPID, s.StartedAt = "inactive", 0, nil
		}
		if d.disabled[name] {
			s.UnitFileState = "disabled"
		}
		out = append(out, s)
	}
	return out, nil
}

func (d *lampd) Start(_ context.Context, unit string) error { return d.set(&d.stopped, unit, false) }
func (d *lampd) Stop(_ context.Context, unit string) error  { return d.set(&d.stopped, unit, true) }

func (d *lampd) Disable(_ context.Context, unit string) error { return d.set(&d.disabled, unit, true) }

func (d *lampd) Enable(_ context.Context, unit string) error { return d.set(&d.disabled, unit, false) }

func (d *lampd) set(in *map[string]bool, unit string, value bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if *in == nil {
		*in = map[string]bool{}
	}
	(*in)[unit] = value
	return nil
}

// units are what runs now, and what would after a boot.
func (d *lampd) units() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := ""
	for _, name := range []string{lampUnit, bulbUnit} {
		out += fmt.Sprintf("%s up %t boot %t; ", name, !d.stopped[name], !d.disabled[name])
	}
	return out
}

func (d *lampd) restart() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pid++
	d.started = time.Now().Add(time.Second)
	d.read()
}

func (d *lampd) read() {
	data, _ := os.ReadFile(filepath.Join(d.root, lampFile))
	d.loaded = string(data)
}

func (d *lampd) apply(_ context.Context, _, now daemon.Rendering) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, u := range now.Units {
		if u.Up && d.stopped[u.Name] {
			d.stopped[u.Name], d.pid, d.started = false, d.pid+1, time.Now().Add(time.Second)
		}
	}
	if data, _ := os.ReadFile(filepath.Join(d.root, lampFile)); d.stuck != nil && strings.Contains(string(data), "jam") {
		return d.stuck
	}
	d.reloads++
	d.read()
	return nil
}

func (d *lampd) check(_ context.Context, dir string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.checks++
	data, err := os.ReadFile(filepath.Join(dir, lampFile))
	if err != nil {
		return err
	}
	if strings.Contains(string(data), "bad") {
		return fault.New(fault.Invalid, "lampd refuses a line")
	}
	return nil
}

func (d *lampd) runs() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	data, _ := files.Open([]byte(d.loaded))
	return string(data)
}

func (d *lampd) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.reloads
}

func loadLamps(ctx context.Context, q db.DB, _ daemon.Unseal) ([]string, error) {
	rows, err := q.Query(ctx, `select word from lamps order by word`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func renderLamps(words []string) (daemon.Rendering, error) {
	var r daemon.Rendering
	var b strings.Builder
	for _, word := range words {
		if word == "odd" {
			r.Problems = append(r.Problems, daemon.Problem{Subject: word, Sentence: fault.Said("is odd")})
			continue
		}
		b.WriteString("lamp " + word + "\n")
	}
	r.Files = []daemon.File{{Path: lampFile, Mode: 0o644, Data: []byte(b.String())}}
	if slices.Contains(words, "switched") {
		up := !slices.Contains(words, "off")
		r.Units = []daemon.Unit{{Name: lampUnit, Up: up}, {Name: bulbUnit, Up: up}}
	}
	return r, nil
}

type rig struct {
	t      *testing.T
	pool   *pgxpool.Pool
	daemon *lampd
	engine *Engine
	run    *change.Runner
	up     atomic.Bool
	uptime atomic.Int64
	boot   string
	root   string
	ctx    context.Context
	stop   func()
}

// newRig starts an engine over a database and a daemon of its own.
func newRig(t *testing.T) *rig {
	r := &rig{t: t, root: t.TempDir(), boot: "first"}
	for _, dir := range []string{"etc", "state", "run"} {
		if err := os.MkdirAll(filepath.Join(r.root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r.pool = dbtest.New(t, change.Schema(), audit.Schema(), lamps)
	r.daemon = &lampd{root: r.root, pid: 1, started: time.Now()}
	r.up.Store(true)
	r.ctx = identity.With(context.Background(), identity.Identity{Email: "ann@example.com"})
	lamp := daemon.Daemon{
		Config: daemon.Config{Name: "lamp", Tables: lamps.Tables, Source: daemon.Steps[[]string]{Load: loadLamps, Render: renderLamps}, Check: r.daemon.check},
		Units:  []string{lampUnit},
		Apply:  r.daemon.apply,
	}
	r.run = r.runner(lamp, func(name string) change.Applied {
		came, err := r.engine.Sync(context.Background(), name)
		if err != nil {
			t.Error(err)
		}
		return came
	})
	r.start(lamp)
	return r
}

func (r *rig) runner(d daemon.Daemon, sync func(string) change.Applied) *change.Runner {
	run := change.NewRunner(r.pool, audit.NewLog("node-1", time.Now), time.Now, daemon.Set{Configs: []daemon.Config{d.Config}}, sync)
	run.Declare(d.Name, d.Tables)
	return run
}

func (r *rig) start(lamp daemon.Daemon) {
	r.engine = NewEngine(EngineOptions{
		Daemons: []daemon.Daemon{lamp}, Pool: r.pool, Up: r.up.Load, Units: r.daemon, Tree: files.Tree{Root: r.root},
		StateDir: "/state", RunDir: filepath.Join(r.root, "run"), Node: "node-1",
		Clock: Clock{Now: time.Now, Boot: r.boot, Uptime: func() time.Duration { return time.Duration(r.uptime.Load()) }},
		Log:   slog.New(slog.DiscardHandler),
		Undo:  r.runner(lamp, nil).Undo,
	})
	if err := r.engine.Boot(r.ctx); err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(r.ctx)
	done := make(chan struct{})
	go func() { defer close(done); _ = r.engine.Run(ctx) }()
	r.stop = sync.OnceFunc(func() { cancel(); <-done })
	r.t.Cleanup(r.stop)
}

// again stops the engine, as a kill would, and starts another.
func (r *rig) again() {
	r.stop()
	r.start(r.engine.Daemons[0])
}

func (r *rig) add(ctx context.Context, word string) (intent.Outcome, error) {
	ctx = intent.With(ctx, intent.Of(ctx))
	c := change.Change{Component: "lamp", Action: "lamp.create", Subject: word}
	err := r.run.Run(ctx, c, func(tx change.Tx) error {
		_, err := tx.Exec(ctx, `insert into lamps (id, word) values ($1, $2)`, db.NewID(), word)
		return err
	})
	return intent.Came(ctx), err
}

func (r *rig) mustAdd(word string) intent.Outcome {
	r.t.Helper()
	came, err := r.add(r.ctx, word)
	if err != nil {
		r.t.Fatal(err)
	}
	return came
}

func (r *rig) runs(want string) {
	r.t.Helper()
	r.eventually("the daemon runs on "+want, func() bool { return r.daemon.runs() == want })
}

func (r *rig) eventually(what string, ok func() bool) {
	r.t.Helper()
	deadline := time.After(6 * time.Second)
	for !ok() {
		select {
		case <-deadline:
			r.t.Fatalf("not in time: %s; the daemon runs on %q, state %+v", what, r.daemon.runs(), r.engine.States())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func TestAChangeIsLiveWhenItReturns(t *testing.T) {
	r := newRig(t)
	if came := r.mustAdd("one"); came.Apply != intent.Live || came.Change == "" {
		t.Errorf("came %+v, want live", came)
	}
	if got := r.daemon.runs(); got != "lamp one\n" {
		t.Errorf("the daemon runs on %q", got)
	}
	rounds, err := change.Rounds(r.ctx, r.pool, r.mustAdd("two").Change)
	if err != nil || len(rounds) != 1 || !strings.Contains(rounds[0].Files[0].Diff, "+lamp two") {
		t.Errorf("rounds = %+v, %v; want the difference", rounds, err)
	}
}

func TestARefusedCandidateChangesNothing(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	if _, err := r.add(r.ctx, "bad"); !fault.Is(err, fault.Invalid) {
		t.Errorf("err = %v, want a refusal", err)
	}
	if _, err := r.add(r.ctx, "odd"); !fault.Is(err, fault.Invalid) {
		t.Errorf("err = %v, want a refusal: it would be left out", err)
	}
	if got := r.daemon.runs(); got != "lamp one\n" {
		t.Errorf("the daemon runs on %q", got)
	}
}

func TestABadStateCanBeRepaired(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	// As an upgrade or a restore would leave it.
	if _, err := r.pool.Exec(r.ctx, `begin; select set_config('gateway.change_id', (select id::text from changes limit 1), true);
		insert into lamps (id, word) values (gen_random_uuid(), 'bad'), (gen_random_uuid(), 'bad too'); commit`); err != nil {
		t.Fatal(err)
	}
	came, err := r.add(r.ctx, "two")
	if err != nil || came.Apply != intent.Failed {
		t.Errorf("came %+v, %v; want stored and failed", came, err)
	}
	if got := r.daemon.runs(); got != "lamp one\n" {
		t.Errorf("the daemon runs on %q, want what it had", got)
	}
	if s := r.engine.States()[0]; s.Stage != FailedIt || s.Error != "lampd refuses a line" {
		t.Errorf("state %+v, want failed with the reason", s)
	}
	err = r.run.Run(r.ctx, change.Change{Component: "lamp", Action: "lamp.delete"}, func(tx change.Tx) error {
		_, err := tx.Exec(r.ctx, `delete from lamps where word like 'bad%'`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r.runs("lamp one\nlamp two\n")
}

func TestAReloadThatFailsGoesBack(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	r.daemon.stuck = errors.New("jammed")
	came, err := r.add(r.ctx, "jam")
	if err != nil || came.Apply != intent.Failed {
		t.Errorf("came %+v, %v; want failed", came, err)
	}
	if got := r.daemon.runs(); got != "lamp one\n" {
		t.Errorf("the daemon runs on %q, want what it had", got)
	}
	if data, _, _ := r.engine.Tree.Read(lampFile); string(data) != "lamp one\n" {
		t.Errorf("the file is %q, want the old one", data)
	}
}

// As HAProxy does that somebody restarts at the same moment.
func TestADaemonThatBreaksOffIsToldAgain(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	jammed := func(err error) {
		r.daemon.mu.Lock()
		defer r.daemon.mu.Unlock()
		r.daemon.stuck = err
	}
	jammed(fmt.Errorf("tell lampd: %w", io.EOF))
	if came, err := r.add(r.ctx, "jam"); err != nil || came.Apply == intent.Live {
		t.Errorf("came %+v, %v; want not live", came, err)
	}
	jammed(nil)
	r.runs("lamp jam\nlamp one\n")
	r.eventually("the engine is at rest", func() bool { return r.engine.States()[0].Stage == LiveStage })
}

func TestEditedFilesArePutBack(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	path := filepath.Join(r.root, lampFile)
	for _, damage := range []func() error{
		func() error { return os.WriteFile(path, []byte("by hand\n"), 0o600) },
		func() error { return os.Truncate(path, 5) },
		func() error { return os.Remove(path) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		r.eventually("the file is back", func() bool {
			data, d, err := r.engine.Tree.Read(lampFile)
			return err == nil && d == files.Whole && string(data) == "lamp one\n"
		})
	}
	if s := r.engine.States()[0]; len(s.Drift) != 1 {
		t.Errorf("drift %v, want the file", s.Drift)
	}
}

// keepEdits sets whether hand edits are left alone.
func (r *rig) keepEdits(on bool) {
	r.t.Helper()
	c := change.Change{Component: "change", Action: "system.component_update"}
	if err := r.run.Run(r.ctx, c, func(tx change.Tx) error { return change.KeepEdits(r.ctx, tx, "lamp", on) }); err != nil {
		r.t.Fatal(err)
	}
	if _, err := r.engine.Sync(r.ctx, "lamp"); err != nil {
		r.t.Fatal(err)
	}
}

func TestEditsCanBeKept(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	r.keepEdits(true)
	path := filepath.Join(r.root, lampFile)
	if err := os.WriteFile(path, []byte("by hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if came := r.mustAdd("two"); came.Apply != intent.Pending || came.Why.Text != whyKept.Text {
		t.Errorf("came %+v, want pending for the edit", came)
	}
	r.again()
	r.eventually("the edit is reported", func() bool { s := r.engine.States()[0]; return s.Stage == Held && len(s.Drift) == 1 && s.KeepEdits })
	if data, err := os.ReadFile(path); string(data) != "by hand\n" || err != nil {
		t.Errorf("the file is %q, %v", data, err)
	}
	r.keepEdits(false)
	r.runs("lamp one\nlamp two\n")
}

func TestWithoutDatabaseTheLastGoodFilesAreKept(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	r.up.Store(false)
	if err := os.Remove(filepath.Join(r.root, lampFile)); err != nil {
		t.Fatal(err)
	}
	r.again()
	if data, _, err := r.engine.Tree.Read(lampFile); string(data) != "lamp one\n" || err != nil {
		t.Errorf("after boot the file is %q, %v", data, err)
	}
	r.up.Store(true)
	r.mustAdd("two")
	r.runs("lamp one\nlamp two\n")
}

func TestADaemonThatRestartedReadsTheFileAndIsNotReloaded(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	before := r.daemon.count()
	r.daemon.restart()
	r.again()
	r.eventually("the engine has looked", func() bool { return r.engine.States()[0].Stage == LiveStage })
	if got := r.daemon.count(); got != before {
		t.Errorf("reloaded %d times, want none", got-before)
	}
}

func TestManyChangesAtOnceShareAnApply(t *testing.T) {
	r := newRig(t)
	r.mustAdd("first")
	before := r.daemon.count()
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if came, err := r.add(r.ctx, "w"+strings.Repeat("x", i)); err != nil || came.Apply != intent.Live {
				t.Errorf("came %+v, %v", came, err)
			}
		})
	}
	wg.Wait()
	if got := r.daemon.count() - before; got > 3 {
		t.Errorf("%d applies for 40 changes, want 3 at most", got)
	}
}
