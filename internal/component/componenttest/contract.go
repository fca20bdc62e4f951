package componenttest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway/internal/daemon"
	"gateway/internal/db"
)

// contract is what holds for every daemon.
type contract struct {
	setup Setup
	fill  func(r *Rig)
}

// Contract holds a daemon to what holds for all of them. fill stores some of all that its
// files are made of. Its verdict is that of s.Daemon; what it runs on, and how it tells, is
// made up: that is for its own tests, but for an Apply that s.OwnApply has run.
func Contract(t *testing.T, s Setup, fill func(r *Rig)) {
	t.Helper()
	c := contract{s, fill}
	for what, test := range map[string]func(testing.TB, *Rig){
		"is applied on a fresh installation":        c.isApplied,
		"renders the same rows to the same files":   c.rendersTheSame,
		"is switched off and on":                    c.isSwitched,
		"is woken by every table":                   c.isWoken,
		"reads no table that it does not name":      c.readsWhatItNames,
		"takes hostile rows, and none as a line":    c.takesHostileRows,
		"has old or new files whenever it is ended": c.outlivesKills,
	} {
		t.Run(what, func(t *testing.T) { test(t, c.rig(t)) })
	}
}

func (c contract) rig(t testing.TB) *Rig {
	t.Helper()
	s := c.setup
	s.Daemon = func(r *Rig) daemon.Daemon {
		d := c.setup.Daemon(r)
		d.Background = nil
		if !s.OwnApply {
			d.Apply = restart(r, d.Units)
		}
		if d.Observe != nil {
			d.Observe = func(context.Context) (string, error) { return "as it was", nil }
		}
		return d
	}
	return New(t, s)
}

// restart is an Apply that restarts the units that are to be up.
func restart(r *Rig, units []string) func(ctx context.Context, _, now daemon.Rendering) error {
	return func(ctx context.Context, _, now daemon.Rendering) error {
		for _, unit := range units {
			if slices.Contains(now.Units, daemon.Unit{Name: unit}) {
				continue // it is to be down
			}
			if err := r.Units.Restart(ctx, unit); err != nil {
				return err
			}
		}
		return nil
	}
}

func (c contract) isApplied(t testing.TB, r *Rig) {
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

func (c contract) rendersTheSame(t testing.TB, r *Rig) {
	fresh := r.Rendered().Hash()
	c.fill(r)
	was := r.Rendered()
	now, err := c.setup.Daemon(r).Render(t.Context(), r.Pool, r.Box.Unseal)
	if err != nil || now.Hash() != was.Hash() || now.Hash() == fresh {
		t.Errorf("another one, or the rows of before, render the same: %t, %t, %v", now.Hash() == was.Hash(), now.Hash() == fresh, err)
	}
}

// isSwitched has each setting switch the units of its services, and no others.
func (c contract) isSwitched(t testing.TB, r *Rig) {
	settings := switches(r.Daemon.Services)
	if len(settings) == 0 {
		t.Skip("it has no switch")
	}
	for _, s := range settings {
		r.Restore(s.update(), true)
	}
	r.MustSync()
	for i, s := range settings {
		for _, on := range []bool{true, false, true} {
			r.Restore(s.update(), on)
			r.MustSync()
			s.stand(t, r, on)
			for j, other := range settings {
				if j != i {
					other.stand(t, r, true)
				}
			}
		}
	}
}

// toggle is a setting, and the units that it switches.
type toggle struct {
	table, column string
	units         []string
}

func switches(services []daemon.Service) (all []toggle) {
	for _, s := range services {
		if s.Setting == "" {
			continue
		}
		i := slices.IndexFunc(all, func(o toggle) bool { return o.table == s.Setting && o.column == s.SettingColumn() })
		if i < 0 {
			i, all = len(all), append(all, toggle{table: s.Setting, column: s.SettingColumn()})
		}
		all[i].units = append(all[i].units, s.Unit)
	}
	return all
}

func (s toggle) update() string {
	return "update " + pgx.Identifier{s.table}.Sanitize() + " set " + pgx.Identifier{s.column}.Sanitize() + " = $1"
}

// stand complains about units that are not as they were switched, now and at the next boot.
func (s toggle) stand(t testing.TB, r *Rig, on bool) {
	t.Helper()
	states, err := r.Units.States(t.Context(), s.units)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range states {
		if up, boot := u.ActiveState == "active", u.UnitFileState == "enabled"; up != on || boot != on {
			t.Errorf("%s.%s is %t, and %s is up: %t, after a boot: %t", s.table, s.column, on, u.Name, up, boot)
		}
	}
}

// isWoken also by rows that replication brings, hence triggers that are always enabled.
func (c contract) isWoken(t testing.TB, r *Rig) {
	names := slices.Concat(r.Daemon.Reads, r.Daemon.Follows)
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

// readsWhatItNames loads as somebody who may read nothing else: rows of a table that is not
// named wake nobody.
func (c contract) readsWhatItNames(t testing.TB, r *Rig) {
	c.fill(r)
	as := func(tables []string, read func(tx pgx.Tx) error) error {
		var err error
		r.Tx(func(tx pgx.Tx) error {
			if err = confine(t.Context(), tx, tables); err == nil {
				err = read(tx)
			}
			return ErrUndo
		})
		return err
	}
	names := slices.Concat(r.Daemon.Reads, r.Daemon.Follows)
	for _, table := range r.Daemon.Tables {
		names = append(names, table.Name)
	}
	// A new one, which keeps nothing of what this one has read.
	fresh := c.setup.Daemon(r)
	if err := as(names, func(tx pgx.Tx) error { _, err := fresh.Render(t.Context(), tx, r.Box.Unseal); return err }); err != nil {
		t.Errorf("with its Tables, Reads and Follows alone it cannot load: %v", err)
	}
	_, needs := daemon.NeedsOf([]daemon.Daemon{fresh})
	if err := as(fresh.Needs.Tables, func(tx pgx.Tx) error { _, err := needs(t.Context(), tx); return err }); err != nil {
		t.Errorf("with the Tables of its Needs alone they cannot be read: %v", err)
	}
}

// confine has a transaction go on as a role that may read these tables and nothing else.
func confine(ctx context.Context, tx pgx.Tx, tables []string) error {
	role := "reader_" + strings.ReplaceAll(db.NewID(), "-", "") // roles are of all databases, and tests run side by side
	statements := []string{"create role " + role, "grant usage on schema public to " + role}
	for _, table := range tables {
		statements = append(statements, "grant select on "+pgx.Identifier{table}.Sanitize()+" to "+role)
	}
	for _, s := range append(statements, "set local role "+role) {
		if _, err := tx.Exec(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// hostileTexts would be a line of their own, end a quoted text and a block, or keep the end
// from being one.
var hostileTexts = []string{"\ncanary 1\n", `"'; } canary 1 { "'`, `\`}

// takesHostileRows writes such texts into each column of text, past the API. What is rendered
// of it the daemon takes, so that nothing else is lost with it; hence what is plain passes its
// check, too.
func (c contract) takesHostileRows(t testing.TB, r *Rig) {
	c.fill(r)
	good, tried := r.Rendered(), 0
	if r.Daemon.Plain != nil && !r.Daemon.Plain(good, good) {
		t.Error("no change at all is not plain")
	}
	taken := map[string]bool{good.Hash(): true} // a checker may be slow
	for _, update := range hostileUpdates(t, r) {
		for _, text := range hostileTexts {
			r.Tx(func(tx pgx.Tx) error {
				tag, err := tx.Exec(t.Context(), update, text)
				if err != nil || tag.RowsAffected() == 0 {
					return ErrUndo // the table does not take it, or has no row to write it into
				}
				tried++
				out, err := r.Daemon.Render(t.Context(), tx, r.Box.Unseal)
				if err == nil && !taken[out.Hash()] {
					err = c.reads(t, r, out)
					taken[out.Hash()] = err == nil
				}
				if err != nil {
					t.Errorf("%s, with %q: %v", update, text, err)
				}
				return ErrUndo
			})
		}
	}
	if t.Logf("%d hostile values", tried); tried == 0 {
		t.Error("no table took one, so this shows nothing")
	}
}

// reads has everybody judge files who reads them.
func (c contract) reads(t testing.TB, r *Rig, out daemon.Rendering) error {
	t.Helper()
	for _, f := range out.Files {
		if strings.Contains(strings.ReplaceAll("\n"+string(f.Data), "\t", ""), "\ncanary") {
			return fmt.Errorf("it is a line of %s", f.Path)
		}
	}
	if c.setup.Parse != nil {
		if err := c.setup.Parse(out); err != nil {
			return fmt.Errorf("it cannot be read back: %w", err)
		}
	}
	if r.Daemon.Check == nil {
		return nil
	}
	return Check(t, r.Daemon.Config, out)
}

// hostileUpdates has one statement for every column of text.
func hostileUpdates(t testing.TB, r *Rig) (all []string) {
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
func (c contract) outlivesKills(t testing.TB, r *Rig) {
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

func nothingLeft(t testing.TB, root, step string) {
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
