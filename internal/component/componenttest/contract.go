package componenttest

import (
	"context"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway/internal/daemon"
)

// contract is what holds for every daemon.
type contract struct {
	setup Setup
	fill  func(r *Rig)
}

// Contract holds a daemon to what holds for all of them. fill stores some of all that its
// files are made of. Its verdict is that of s.Daemon; what it runs on, and how it tells, is
// made up: that is for its own tests.
func Contract(t *testing.T, s Setup, fill func(r *Rig)) {
	t.Helper()
	c := contract{s, fill}
	for what, test := range map[string]func(*testing.T, *Rig){
		"is applied on a fresh installation":        c.isApplied,
		"renders the same rows to the same files":   c.rendersTheSame,
		"is switched off and on":                    c.isSwitched,
		"is woken by every table":                   c.isWoken,
		"takes hostile rows, and none as a line":    c.takesHostileRows,
		"has old or new files whenever it is ended": c.outlivesKills,
	} {
		t.Run(what, func(t *testing.T) { test(t, c.rig(t)) })
	}
}

func (c contract) rig(t *testing.T) *Rig {
	t.Helper()
	s := c.setup
	s.Daemon = func(r *Rig) daemon.Daemon {
		d := c.setup.Daemon(r)
		d.Background, d.Apply = nil, func(ctx context.Context, _, now daemon.Rendering) error {
			for _, unit := range d.Units {
				if err := r.Units.Restart(ctx, unit); err != nil && !now.Off() {
					return err
				}
			}
			return nil
		}
		if d.Observe != nil {
			d.Observe = func(context.Context) (string, error) { return "as it was", nil }
		}
		return d
	}
	return New(t, s)
}

func (c contract) isApplied(t *testing.T, r *Rig) {
	r.MustSync()
	checks := 0
	if r.Daemon.Check != nil {
		checks = 1
	}
	if len(r.Installed.Files) == 0 || r.Checked != checks {
		t.Errorf("%d files, checked %d times", len(r.Installed.Files), r.Checked)
	}
	for _, f := range r.Installed.Files {
		if string(r.OnDisk(f.Path)) != string(f.Data) {
			t.Errorf("%s is not on disk", f.Path)
		}
	}
	steps := len(r.Steps())
	if r.MustSync(); r.Checked != checks || len(r.Steps()) >= steps {
		t.Errorf("with nothing to do, the steps are %v", r.Steps())
	}
}

func (c contract) rendersTheSame(t *testing.T, r *Rig) {
	fresh := r.Rendered().Hash()
	c.fill(r)
	was := r.Rendered()
	now, err := c.setup.Daemon(r).Render(t.Context(), r.Pool, r.Box.Unseal)
	if err != nil || now.Hash() != was.Hash() || now.Hash() == fresh {
		t.Errorf("another one, or the rows of before, render the same: %t, %t, %v", now.Hash() == was.Hash(), now.Hash() == fresh, err)
	}
}

func (c contract) isSwitched(t *testing.T, r *Rig) {
	if !slices.ContainsFunc(r.Daemon.Services, func(s daemon.Service) bool { return s.Setting != "" }) {
		t.Skip("it has no switch")
	}
	var names []string
	for _, table := range r.Daemon.Tables {
		names = append(names, table.Name)
	}
	var table string
	err := r.Pool.QueryRow(t.Context(), `select table_name from information_schema.columns
		where table_name = any($1) and table_name like '%settings' and column_name = 'enabled'`, names).Scan(&table)
	if err != nil {
		t.Fatalf("no table of settings has a column enabled: %v", err)
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
func (c contract) isWoken(t *testing.T, r *Rig) {
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
func (c contract) takesHostileRows(t *testing.T, r *Rig) {
	c.fill(r)
	good, ctx, tried := r.Rendered(), t.Context(), 0
	if r.Daemon.Plain != nil && !r.Daemon.Plain(good, good) {
		t.Error("no change at all is not plain")
	}
	for _, update := range hostileUpdates(t, r) {
		r.Tx(func(tx pgx.Tx) error {
			tag, err := tx.Exec(ctx, update, "\ncanary 1\n")
			if err != nil || tag.RowsAffected() == 0 {
				return ErrUndo // the table does not take it, or has no row to write it into
			}
			tried++
			out, err := r.Daemon.Render(ctx, tx, r.Box.Unseal)
			if err == nil && r.Daemon.Check != nil {
				err = Check(t, r.Daemon.Config, out)
			}
			if err != nil {
				t.Errorf("%s: %v", update, err)
			}
			for _, f := range out.Files {
				if strings.Contains(strings.ReplaceAll("\n"+string(f.Data), "\t", ""), "\ncanary") {
					t.Errorf("%s: it is a line of %s", update, f.Path)
				}
			}
			return ErrUndo
		})
	}
	if t.Logf("%d hostile values", tried); tried == 0 {
		t.Error("no table took one, so this shows nothing")
	}
}

// hostileUpdates has one statement for every column of text.
func hostileUpdates(t *testing.T, r *Rig) (all []string) {
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
func (c contract) outlivesKills(t *testing.T, r *Rig) {
	r.MustSync()
	was, before := r.Installed, r.Root
	c.fill(r)
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
