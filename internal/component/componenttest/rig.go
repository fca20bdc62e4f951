// Package componenttest runs a component as a node does: its operations behind the real edge,
// a real database, the real change runner, and the real engine that installs files, below a
// folder of the test. Only systemd is made up. What a daemon does with its files is left to
// the component's own tests. It is imported by tests only.
package componenttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/api/apitest"
	"gateway/internal/apply"
	"gateway/internal/audit"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/secret"
)

// Setup is what a rig is made of.
type Setup struct {
	// Component makes what the API offers; nil for nothing. It is called twice: first without
	// a database, for its tables.
	Component func(r *Rig) component.Component
	// Daemon makes what is applied; nil for nothing. It may set another Root.
	Daemon func(r *Rig) daemon.Daemon
	// Schemas are those of other components that are needed too.
	Schemas []db.Schema
	// Folders are those that packaging makes for files that a fresh installation does not have.
	Folders []string
	// Live has each change judged before it is stored, and answered when the engine has
	// applied it, as on a node. Otherwise a change is stored, and that is all.
	Live bool
	// Parse reads files back as their reader does, where that is a program of ours; nil where
	// Check asks the daemon.
	Parse func(daemon.Rendering) error
	// OwnApply has Contract run the daemon's own Apply, for one that does no more than ask Units. Otherwise
	// every unit that is to be up is restarted in its place.
	OwnApply bool
	// Now is the clock of changes; nil for the machine's.
	Now func() time.Time
}

// Rig is a component under test, with what surrounds it.
type Rig struct {
	*apitest.Caller
	Pool   *pgxpool.Pool
	Box    *secret.Box
	Run    *change.Runner
	Units  *Units
	Daemon daemon.Daemon
	// Root is the folder that stands for the machine's root.
	Root string
	// Installed is what the daemon was last found to run on, and Checked how often the engine
	// asked for its verdict.
	Installed daemon.Rendering
	Checked   int

	now     func() time.Time
	folders []string
	objects []component.Object
	engine  *apply.Engine // since the first round
	round   sync.Mutex
	stop    func() // ends the round
	steps   []string
	killAt  int
	socket  string // of the engine, while one change is traced
}

// Object is what a request carries.
type Object = apitest.Object

// New makes a rig. The engine has not applied anything yet.
func New(t testing.TB, s Setup) *Rig {
	t.Helper()
	r := &Rig{Caller: &apitest.Caller{T: t}, Units: &Units{}, now: s.Now, folders: s.Folders, stop: func() {}}
	if r.now == nil {
		r.now = time.Now
	}
	var err error
	if r.Box, err = secret.NewBox(bytes.Repeat([]byte{7}, 32)); err != nil {
		t.Fatal(err)
	}
	if r.Root, err = os.MkdirTemp("/tmp", "rig"); err != nil { // where a program of Debian's sees it, and short enough for sockets
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(r.Root) })
	schemas := append([]db.Schema{change.Schema(), audit.Schema()}, s.Schemas...)
	if s.Component != nil {
		schemas = append(schemas, s.Component(r).Schema())
	}
	r.Pool = dbtest.New(t, schemas...)
	if s.Daemon != nil {
		r.Daemon = s.Daemon(r)
	}
	r.Run = r.runner(nil, nil)
	if s.Live {
		r.Run = r.runner(r.set(), func(string) change.Applied { return r.Sync() })
	}
	if s.Component != nil {
		c := s.Component(r)
		r.objects, r.Caller = c.Objects, apitest.New(t, c.Name, c.Routes)
	}
	return r
}

func (r *Rig) set() daemon.Set {
	return daemon.Set{Configs: []daemon.Config{r.Daemon.Config}, Unseal: r.Box.Unseal}
}

func (r *Rig) runner(daemons change.Daemons, sync func(string) change.Applied) *change.Runner {
	return change.NewRunner(r.Pool, audit.NewLog("node-1", r.now), r.now, daemons, sync)
}

// Rendered is what the daemon makes of what is stored.
func (r *Rig) Rendered() daemon.Rendering {
	r.T.Helper()
	out, err := r.Daemon.Render(r.T.Context(), r.Pool, r.Box.Unseal)
	if err != nil {
		r.T.Fatal(err)
	}
	return out
}

// Text is a file as it would be now.
func (r *Rig) Text(path string) string { r.T.Helper(); return string(r.Rendered().File(path)) }

// Ask is the way to gateway-apply, without the way.
func (r *Rig) Ask(ctx context.Context, name, verb string, in, out any) error {
	do := r.Daemon.Verbs[verb]
	if name != r.Daemon.Name || do == nil {
		return fmt.Errorf("asked %s for %s", name, verb)
	}
	line, err := json.Marshal(in)
	if err != nil {
		return err
	}
	answer, err := do(ctx, line)
	if err != nil || out == nil {
		return err
	}
	if line, err = json.Marshal(answer); err != nil {
		return err
	}
	return json.Unmarshal(line, out)
}

// States are those of the engine, where a test has one.
func (r *Rig) States(context.Context) ([]apply.State, error) {
	if r.engine == nil {
		return nil, nil
	}
	return r.engine.States(), nil
}

// Edit replaces some fields of an object, or of settings.
func (r *Rig) Edit(path string, changes ...Object) apitest.Answer {
	r.T.Helper()
	var now Object
	r.Do("GET", path, nil).Want(200).Into(&now)
	answered := []string{"id", "revision", "created_at", "updated_at", "warning"}
	for _, o := range r.objects {
		if path == o.Path || strings.HasPrefix(path, o.Path+"/") {
			answered = append(answered, o.Derived...)
		}
	}
	for _, field := range answered {
		delete(now, field)
	}
	return r.Do("PUT", path, apitest.With(now, changes...))
}

// Restore writes past the API, the way a restore or a replication would.
func (r *Rig) Restore(sql string, args ...any) {
	r.T.Helper()
	r.Tx(func(tx pgx.Tx) error { _, err := tx.Exec(r.T.Context(), sql, args...); return err })
}

// ErrUndo is what the function that Tx is given answers, for nothing to be stored.
var ErrUndo = errors.New("undone")

// Tx is Restore for more than a statement.
func (r *Rig) Tx(fn func(tx pgx.Tx) error) {
	r.T.Helper()
	ctx := r.T.Context()
	err := pgx.BeginFunc(ctx, r.Pool, func(tx pgx.Tx) error {
		id := db.NewID()
		var b pgx.Batch
		b.Queue(`insert into changes (id, component, action, subject, actor, created_at) values ($1, 'test', 'test', '', 'test', now())`, id)
		b.Queue(`select set_config('gateway.change_id', $1, true)`, id)
		if err := tx.SendBatch(ctx, &b).Close(); err != nil {
			return err
		}
		return fn(tx)
	})
	if err != nil && !errors.Is(err, ErrUndo) {
		r.T.Fatal(err)
	}
}

// Actions is the audit log as "action subject", oldest first.
func (r *Rig) Actions() []string {
	r.T.Helper()
	entries, err := audit.Recent(r.T.Context(), r.Pool, 100)
	if err != nil {
		r.T.Fatal(err)
	}
	var out []string
	for _, e := range slices.Backward(entries) {
		out = append(out, e.Action+" "+e.Subject)
	}
	return out
}

// log has what the engine says among what the test says.
func (r *Rig) log() *slog.Logger { return slog.New(slog.NewTextHandler(r.T.Output(), nil)) }

// makeFolders makes those that packaging makes on a node.
func (r *Rig) makeFolders() {
	r.T.Helper()
	folders := slices.Concat([]string{"/run", "/state"}, r.folders, r.Daemon.Folders)
	for _, f := range r.Rendered().Files {
		folders = append(folders, filepath.Dir(f.Path))
	}
	for _, f := range folders {
		if err := os.MkdirAll(filepath.Join(r.Root, f), 0o755); err != nil {
			r.T.Fatal(err)
		}
	}
}
