package apply

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/apply/files"
	"gateway/internal/change"
	"gateway/internal/intent"
)

// behind writes as a restore does: past the API, and without a change.
func (r *rig) behind(sql string, args ...any) {
	r.t.Helper()
	err := pgx.BeginFunc(r.ctx, r.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(r.ctx, `set local session_replication_role = replica`); err != nil {
			return err
		}
		_, err := tx.Exec(r.ctx, sql, args...)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// restored is the database of before the change.
func (r *rig) restored(id, word string) {
	r.t.Helper()
	for _, table := range []string{"change_rows", "change_applies", "change_secrets"} {
		r.behind(`delete from `+table+` where change_id = $1`, id)
	}
	r.behind(`delete from changes where id = $1`, id)
	r.behind(`delete from lamps where word = $1`, word)
}

func TestARestoreEndsTheWaitOfAChangeThatItDoesNotHave(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	came := r.addWaiting("two")
	r.restored(came.Change, "two")
	r.eventually("the wait is over", r.disarmed)
	r.runs("lamp one\n")
	r.mustAdd("three")
	r.runs("lamp one\nlamp three\n")
}

func TestARestoreEndsTheWaitAlsoWhenTheFilesWentBackBefore(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	came := r.addWaiting("two")
	r.up.Store(false)
	r.pass(11 * time.Second)
	r.runs("lamp one\n")
	r.restored(came.Change, "two")
	r.again()
	r.up.Store(true)
	r.eventually("the wait is over", r.disarmed)
	r.mustAdd("three")
	r.runs("lamp one\nlamp three\n")
}

func TestAChangeWithoutRowsEndsItsWait(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	came := r.addWaiting("two")
	r.behind(`delete from change_rows where change_id = $1`, came.Change)
	r.pass(11 * time.Second)
	r.eventually("the wait is over", func() bool { return r.confirmState(came.Change) == change.Reverted && r.disarmed() })
	r.mustAdd("three")
	r.runs("lamp one\nlamp three\nlamp two\n") // there was nothing to take its row back by
}

func TestWhoeverIsHeldIsToldWhichChangeToConfirm(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	came := r.addWaiting("two")
	r.behind(`delete from lamps where word = 'two'`) // so that its row cannot be taken back
	r.pass(11 * time.Second)
	r.eventually("the state names the change", func() bool {
		s := r.engine.States()[0]
		return s.ErrorWords != nil && strings.Contains(s.Error, came.Change)
	})
	held, err := r.engine.Sync(r.ctx, "lamp")
	if err != nil || held.State != intent.Pending || !strings.Contains(held.Why.Message, came.Change) {
		t.Errorf("held %+v, %v; want the change named", held, err)
	}
	if err := change.Confirm(r.ctx, r.pool, came.Change); err != nil {
		t.Fatal(err)
	}
	r.eventually("the wait is over", r.disarmed)
}

// Without it nobody knows what to go back to, nor when: then it is now, and the rows say what.
func TestAWaitingChangeThatIsNotArmedIsUndone(t *testing.T) {
	for _, tc := range []struct {
		name, log string
		lose      func(path string) error
	}{
		{"the file is missing", "", os.Remove},
		{"the file is damaged", "is damaged", func(path string) error { return os.Truncate(path, 20) }},
		{"the file is sealed nonsense", "is damaged", func(path string) error { return os.WriteFile(path, files.Seal([]byte("nonsense\n")), 0o600) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t)
			r.mustAdd("one")
			came := r.addWaiting("two")
			r.stop()
			if err := tc.lose(filepath.Join(r.root, "state/confirm")); err != nil {
				t.Fatal(err)
			}
			r.up.Store(false)
			r.start()
			if all := strings.Join(r.log.lines(), ""); tc.log != "" && !strings.Contains(all, tc.log) {
				t.Errorf("the log does not say %q: %s", tc.log, all)
			}
			r.up.Store(true)
			r.eventually("the rows are back", func() bool { return r.confirmState(came.Change) == change.Reverted && r.disarmed() })
			r.runs("lamp one\n")
			r.mustAdd("three")
			r.runs("lamp one\nlamp three\n")
		})
	}
}

// A component that has yet to follow must not arm it anew: what is installed elsewhere is
// already that of the change.
func TestAChangeThatIsLiveSomewhereIsNotArmedAnew(t *testing.T) {
	r := newRig(t, neighbour("shade", follows))
	r.mustAdd("one")
	came := r.addWaiting("two")
	r.runs("lamp one\nlamp two\n")
	r.stop()
	if err := os.Remove(filepath.Join(r.root, "state/confirm")); err != nil {
		t.Fatal(err)
	}
	r.behind(`update change_applies set state = 'pending', apply_id = null where change_id = $1 and component = 'shade'`, came.Change)
	r.load()
	w, seconds := r.worker("shade"), 10
	if err := w.arm(r.ctx, []change.Due{{ID: came.Change, ConfirmSeconds: &seconds}}); !errors.Is(err, errHeld) {
		t.Errorf("arming: %v, want to be held", err)
	}
	if a, undoing := r.engine.waiting.current(); !undoing || len(a.Before) != 0 {
		t.Errorf("armed %+v, want to undo its rows", a)
	}
	r.start()
	r.eventually("the rows are back", func() bool { return r.confirmState(came.Change) == change.Reverted && r.disarmed() })
	r.runs("lamp one\n")
}
