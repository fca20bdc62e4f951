package apply

import (
	"context"
	"fmt"
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
	jammed  error // what a stop fails with
	checks  int
	after   func() // called when it has read its file, if set

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

func (d *lampd) Stop(_ context.Context, unit string) error {
	d.mu.Lock()
	jammed := d.jammed
	d.mu.Unlock()
	if jammed != nil {
		return jammed
	}
	return d.set(&d.stopped, unit, true)
}

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
	if d.after != nil {
		d.after()
	}
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
	if slices.Contains(words, "bare") { // off, and nothing to read
		r.Units = []daemon.Unit{{Name: lampUnit}, {Name: bulbUnit}}
		return r, nil
	}
	var b strings.Builder
	mode := fs.FileMode(0o644)
	for _, word := range words {
		if word == "private" {
			mode = 0o600
			continue
		}
		if word == "odd" {
			r.Problems = append(r.Problems, daemon.Problem{Subject: word, Sentence: fault.Said("is odd")})
			continue
		}
		b.WriteString("lamp " + word + "\n")
	}
	r.Files = []daemon.File{{Path: lampFile, Mode: mode, Data: []byte(b.String())}}
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
	all    []daemon.Daemon // the lamp before all
	engine *Engine
	run    *change.Runner
	up     atomic.Bool
	uptime atomic.Int64
	boot   string
	root   string
	log    logBuffer
	ctx    context.Context
	stop   func()
}

// newRig starts an engine over a database and a daemon of its own, beside others.
func newRig(t *testing.T, others ...daemon.Daemon) *rig {
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
	r.all = append([]daemon.Daemon{lamp}, others...)
	r.run = r.runner(func(name string) change.Applied {
		came, err := r.engine.Sync(context.Background(), name)
		if err != nil {
			t.Error(err)
		}
		return came
	})
	r.start()
	return r
}

func (r *rig) runner(sync func(string) change.Applied) *change.Runner {
	run := change.NewRunner(r.pool, audit.NewLog("node-1", time.Now), time.Now, daemon.Set{Configs: daemon.Configs(r.all)}, sync)
	for _, d := range r.all {
		run.Declare(d.Name, d.Tables)
	}
	return run
}

// load makes an engine that has booted and does not run.
func (r *rig) load() {
	r.engine = NewEngine(EngineOptions{
		Daemons: r.all, Pool: r.pool, Up: r.up.Load, Units: r.daemon, Tree: files.Tree{Root: r.root},
		StateDir: "/state", RunDir: filepath.Join(r.root, "run"), Node: "node-1",
		Clock: Clock{Now: time.Now, Boot: r.boot, Uptime: func() time.Duration { return time.Duration(r.uptime.Load()) }},
		Log:   slog.New(slog.NewTextHandler(&r.log, nil)),
		Undo:  r.runner(nil).Undo,
	})
	if err := r.engine.Boot(r.ctx); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) start() {
	r.load()
	ctx, cancel := context.WithCancel(r.ctx)
	done := make(chan struct{})
	go func() { defer close(done); _ = r.engine.Run(ctx) }()
	r.stop = sync.OnceFunc(func() { cancel(); <-done })
	r.t.Cleanup(r.stop)
}

// again stops the engine, as a kill would, and starts another.
func (r *rig) again() {
	r.stop()
	r.start()
}

// worker is that of a component.
func (r *rig) worker(name string) *worker {
	r.t.Helper()
	i := slices.IndexFunc(r.engine.workers, func(w *worker) bool { return w.daemon.Name == name })
	if i < 0 {
		r.t.Fatalf("there is no %s", name)
	}
	return r.engine.workers[i]
}

// neighbour is another component whose files depend on the lamps.
func neighbour(name string, apply func(ctx context.Context, old, now daemon.Rendering) error, after ...string) daemon.Daemon {
	return daemon.Daemon{
		Config: daemon.Config{Name: name, Reads: []string{"lamps"}, Source: daemon.Steps[[]string]{
			Load: loadLamps,
			Render: func(words []string) (daemon.Rendering, error) {
				return daemon.Rendering{Files: []daemon.File{{Path: "/etc/" + name, Mode: 0o644, Data: []byte(strings.Join(words, " ") + "\n")}}}, nil
			},
		}},
		Units: []string{name + ".service"}, After: after, Apply: apply,
	}
}

func follows(context.Context, daemon.Rendering, daemon.Rendering) error { return nil }

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
