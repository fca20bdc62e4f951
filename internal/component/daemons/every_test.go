package daemons_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway/internal/component/componenttest"
	"gateway/internal/component/daemons"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/sys"
)

// newRig has one daemon on the database of a fresh installation, with the programs of Debian
// 13 for its verdict. How it tells what runs is made up: that is for its own tests.
func newRig(t *testing.T, name string) *componenttest.Rig {
	t.Helper()
	schemas := []db.Schema{interfaces().Schema()}
	for _, other := range slices.Sorted(maps.Keys(examples)) {
		if other != name {
			schemas = append(schemas, examples[other].api(&componenttest.Rig{}).Schema())
		}
	}
	return componenttest.New(t, componenttest.Setup{
		Component: examples[name].api, Schemas: schemas, Folders: []string{"/etc/gateway/haproxy/certs"},
		Daemon: func(r *componenttest.Rig) daemon.Daemon {
			all := daemons.New(daemons.Deps{Exec: exec(t), Log: slog.New(slog.DiscardHandler)}).All
			d := all[slices.IndexFunc(all, func(d daemon.Daemon) bool { return d.Name == name })]
			d.Background, d.Apply = nil, func(ctx context.Context, _, _ daemon.Rendering) error {
				for _, unit := range d.Units {
					if err := r.Units.Restart(ctx, unit); err != nil {
						return err
					}
				}
				return nil
			}
			if d.Observe != nil {
				d.Observe = func(context.Context) (string, error) { return "as it was", nil }
			}
			return d
		},
	})
}

// exec runs programs the quick way, but for HAProxy, which looks for its user.
func exec(t *testing.T) sys.Runner {
	quick, inRoot := componenttest.Exec(t), componenttest.ExecInRoot(t)
	return func(ctx context.Context, c sys.Command) (sys.Result, error) {
		if c.Path == "/usr/sbin/haproxy" {
			return inRoot(ctx, c)
		}
		return quick(ctx, c)
	}
}

func TestEveryDaemon(t *testing.T) {
	for _, d := range daemons.New(daemons.Deps{}).All {
		if examples[d.Name].fill == nil {
			t.Errorf("%s has no example", d.Name)
			continue
		}
		for what, test := range map[string]func(*testing.T, *componenttest.Rig){
			"is applied on a fresh installation":        isApplied,
			"renders the same rows to the same files":   rendersTheSame,
			"is switched off and on":                    isSwitched,
			"is woken by every table":                   isWoken,
			"takes hostile rows, and none as a line":    takesHostileRows,
			"has old or new files whenever it is ended": outlivesKills,
		} {
			t.Run(d.Name+" "+what, func(t *testing.T) { test(t, newRig(t, d.Name)) })
		}
	}
}

func isApplied(t *testing.T, r *componenttest.Rig) {
	r.MustSync()
	if len(r.Installed.Files) == 0 || r.Checked != 1 {
		t.Errorf("%d files, checked %d times", len(r.Installed.Files), r.Checked)
	}
	for _, f := range r.Installed.Files {
		if string(r.OnDisk(f.Path)) != string(f.Data) {
			t.Errorf("%s is not on disk", f.Path)
		}
	}
	steps := len(r.Steps())
	if r.MustSync(); r.Checked != 1 || len(r.Steps()) >= steps {
		t.Errorf("with nothing to do, the steps are %v", r.Steps())
	}
}

func rendersTheSame(t *testing.T, r *componenttest.Rig) {
	fresh := r.Rendered().Hash()
	examples[r.Daemon.Name].fill(r)
	was := r.Rendered()
	for _, d := range daemons.New(daemons.Deps{Log: slog.New(slog.DiscardHandler)}).All {
		if d.Name != r.Daemon.Name {
			continue
		}
		now, err := d.Render(t.Context(), r.Pool, r.Box.Unseal)
		if err != nil || now.Hash() != was.Hash() || now.Hash() == fresh {
			t.Errorf("another one, or the rows of before, render the same: %t, %t, %v", now.Hash() == was.Hash(), now.Hash() == fresh, err)
		}
	}
}

func isSwitched(t *testing.T, r *componenttest.Rig) {
	var table string
	err := r.Pool.QueryRow(t.Context(), `select table_name from information_schema.columns where table_name = $1 and column_name = 'enabled'`,
		r.Daemon.Name+"_settings").Scan(&table)
	if errors.Is(err, pgx.ErrNoRows) {
		t.Skip("it has no switch")
	}
	for _, on := range []bool{true, false, true} {
		r.Restore(`update `+table+` set enabled = $1`, on)
		r.MustSync()
		states, err := r.Units.States(t.Context(), r.Daemon.Units)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range states {
			if up, boot := s.ActiveState == "active", s.UnitFileState == "enabled"; up != on || boot != on {
				t.Errorf("switched %t, %s is up: %t, after a boot: %t", on, s.Name, up, boot)
			}
		}
	}
}

// isWoken also by rows that replication brings, hence triggers that are always enabled.
func isWoken(t *testing.T, r *componenttest.Rig) {
	names := slices.Clone(r.Daemon.Reads)
	for _, table := range r.Daemon.Tables {
		if table.Configuration() {
			names = append(names, table.Name)
		}
	}
	for _, name := range append(names, r.Daemon.Needs.Tables...) {
		var always bool
		err := r.Pool.QueryRow(t.Context(), `select tgenabled = 'A' from pg_trigger where tgrelid = $1::text::regclass and tgname = 'gateway_rows_changed'`, name).Scan(&always)
		if err != nil || !always {
			t.Errorf("%s does not tell of its rows: %v", name, err)
		}
	}
}

// takesHostileRows writes into each text, past the API, what would be a line of its own. What
// is rendered of it the daemon takes, so that nothing else is lost with it; hence what is plain
// passes its check, too.
func takesHostileRows(t *testing.T, r *componenttest.Rig) {
	examples[r.Daemon.Name].fill(r)
	good, ctx, tried := r.Rendered(), t.Context(), 0
	if r.Daemon.Plain != nil && !r.Daemon.Plain(good, good) {
		t.Error("no change at all is not plain")
	}
	for _, update := range hostileUpdates(t, r) {
		r.Tx(func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, update, "\ncanary 1\n"); err != nil {
				return componenttest.ErrUndo // the table does not take it
			}
			tried++
			out, err := r.Daemon.Render(ctx, tx, r.Box.Unseal)
			if err == nil {
				err = componenttest.Check(t, r.Daemon.Config, out)
			}
			if err != nil {
				t.Errorf("%s: %v", update, err)
			}
			for _, f := range out.Files {
				if strings.Contains(strings.ReplaceAll("\n"+string(f.Data), "\t", ""), "\ncanary") {
					t.Errorf("%s: it is a line of %s", update, f.Path)
				}
			}
			return componenttest.ErrUndo
		})
	}
	if t.Logf("%d hostile values", tried); tried == 0 {
		t.Error("no table took one, so this shows nothing")
	}
}

// hostileUpdates has one statement for every column of text.
func hostileUpdates(t *testing.T, r *componenttest.Rig) (all []string) {
	t.Helper()
	for _, table := range r.Daemon.Tables {
		rows, err := r.Pool.Query(t.Context(), `select format('update %I set %I = ', table_name, column_name) ||
				case data_type when 'text' then format('%I || $1::text', column_name) else 'array[''10.0.0.0/8'' || $1::text]' end
			from information_schema.columns where table_name = $1 and (data_type = 'text' or udt_name = '_text')`, table.Name)
		if err != nil {
			t.Fatal(err)
		}
		updates, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, updates...)
	}
	return all
}

// outlivesKills ends the engine where each kind of step comes first and last in a round.
func outlivesKills(t *testing.T, r *componenttest.Rig) {
	r.MustSync()
	was, before := r.Installed, r.Root
	examples[r.Daemon.Name].fill(r)
	from := func() {
		t.Helper()
		r.Root = t.TempDir()
		if err := os.CopyFS(r.Root, os.DirFS(before)); err != nil {
			t.Fatal(err)
		}
		r.Restart()
	}
	from()
	r.MustSync()
	now, steps := r.Installed, r.Steps()
	for i, step := range steps {
		if slices.Contains(steps[:i], step) && slices.Contains(steps[i+1:], step) {
			continue
		}
		from()
		r.KillAt(i + 1)
		r.Sync()
		for _, f := range slices.Concat(was.Files, now.Files) {
			if data := string(r.OnDisk(f.Path)); data != string(was.File(f.Path)) && data != string(now.File(f.Path)) {
				t.Errorf("ended at %s, %s is neither old nor new", step, f.Path)
			}
		}
		r.Restart()
		r.MustSync()
		for _, f := range now.Files {
			if string(r.OnDisk(f.Path)) != string(f.Data) {
				t.Errorf("ended at %s and started again, %s is not new", step, f.Path)
			}
		}
		nothingLeft(t, r.Root, step)
	}
}

func nothingLeft(t *testing.T, root, step string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".gateway-new") || strings.Contains(path, "run/stage-") {
			t.Errorf("ended at %s and started again, %s is left", step, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
