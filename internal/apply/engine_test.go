package apply

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"gateway/internal/apply/files"
	"gateway/internal/change"
	"gateway/internal/fault"
	"gateway/internal/intent"
)

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

// The daemon runs on the change and only the database could not be told: nothing else would ever tell it.
func TestAMarkThatFailsIsMadeLater(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	tx, err := r.pool.Begin(r.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(r.ctx, `lock table applies in share mode`); err != nil {
		t.Fatal(err)
	}
	came := r.mustAdd("two")
	r.runs("lamp one\nlamp two\n")
	if rounds, err := change.Rounds(r.ctx, r.pool, came.Change); err != nil || len(rounds) != 0 {
		t.Fatalf("rounds = %+v, %v; want none while the table is locked", rounds, err)
	}
	if err := tx.Rollback(r.ctx); err != nil {
		t.Fatal(err)
	}
	r.eventually("the change is marked", func() bool {
		rounds, err := change.Rounds(r.ctx, r.pool, came.Change)
		return err == nil && len(rounds) == 1
	})
}

// The database is slow for a moment, and is taken for away when the round ends: the next look sees neither that nor anything to do.
func TestAMarkIsMadeLaterWhenTheDatabaseSeemedAway(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	r.daemon.mu.Lock()
	r.daemon.after = func() { r.up.Store(false) }
	r.daemon.mu.Unlock()
	came := r.mustAdd("two")
	r.up.Store(true)
	r.runs("lamp one\nlamp two\n")
	r.eventually("the change is marked", func() bool {
		rounds, err := change.Rounds(r.ctx, r.pool, came.Change)
		return err == nil && len(rounds) == 1
	})
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
	if _, err := r.pool.Exec(r.ctx, `begin;
		insert into changes (id, component, action, subject, actor, created_at) values ('00000000-0000-7000-8000-0000000000ff', 'lamp', 'test', '', 'test', now());
		select set_config('gateway.change_id', '00000000-0000-7000-8000-0000000000ff', true);
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

func TestModeAndOwnerArePutBack(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	path := filepath.Join(r.root, lampFile)
	owner := func() (uid, gid uint32) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		st := info.Sys().(*syscall.Stat_t)
		return st.Uid, st.Gid
	}
	uid, gid := owner()
	for name, alter := range map[string]func() error{
		"chmod": func() error { return os.Chmod(path, 0o666) },
		"chown": func() error { return os.Chown(path, nobody, -1) },
		"chgrp": func() error { return os.Chown(path, -1, nobody) },
	} {
		if name != "chmod" && os.Getuid() != 0 {
			continue
		}
		if err := alter(); err != nil {
			t.Fatal(err)
		}
		r.eventually("put right after "+name, func() bool {
			u, g := owner()
			return r.mode() == 0o644 && u == uid && g == gid
		})
	}
	// Also where nobody was there to see it, before the daemons start.
	r.stop()
	if err := os.Chmod(path, 0o604); err != nil {
		t.Fatal(err)
	}
	r.load()
	if got := r.mode(); got != 0o644 {
		t.Errorf("after a boot the mode is %v", got)
	}
}
