package apply

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/intent"
)

// addWaiting makes a change that asks to be confirmed within ten seconds.
func (r *rig) addWaiting(word string) intent.Outcome {
	r.t.Helper()
	came, err := r.add(intent.With(r.ctx, intent.Ask{ConfirmWithin: 10 * time.Second}), word)
	if err != nil {
		r.t.Fatal(err)
	}
	return came
}

func (r *rig) pass(d time.Duration) { r.uptime.Add(int64(d)) }

func (r *rig) confirmState(id string) string {
	r.t.Helper()
	c, err := change.Get(r.ctx, r.pool, id)
	if err != nil {
		r.t.Fatal(err)
	}
	if c.ConfirmState == nil {
		return ""
	}
	return *c.ConfirmState
}

func (r *rig) disarmed() bool {
	a, _ := r.engine.waiting.current()
	return a == nil
}

func TestWhatIsNotConfirmedGoesBack(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	came := r.addWaiting("two")
	if came.Apply != intent.Live {
		t.Errorf("came %+v, want live while it waits", came)
	}
	r.runs("lamp one\nlamp two\n")
	r.pass(11 * time.Second)
	r.runs("lamp one\n")
	r.eventually("the rows are back", func() bool { return r.confirmState(came.Change) == change.Reverted && r.disarmed() })
	r.mustAdd("three")
	r.runs("lamp one\nlamp three\n")
}

func TestWhatIsConfirmedStays(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	came := r.addWaiting("two")
	if err := change.Confirm(r.ctx, r.pool, came.Change); err != nil {
		t.Fatal(err)
	}
	r.pass(11 * time.Second)
	r.eventually("the wait is over", r.disarmed)
	r.mustAdd("three")
	r.runs("lamp one\nlamp three\nlamp two\n")
	if err := change.Confirm(r.ctx, r.pool, came.Change); err != nil {
		t.Errorf("confirming twice: %v", err)
	}
}

func TestAnUnconfirmedChangeKeepsOthersOut(t *testing.T) {
	r := newRig(t)
	came := r.addWaiting("one")
	_, err := r.add(r.ctx, "two")
	if f, ok := fault.Of(err); !ok || f.Code != "confirm_pending" {
		t.Errorf("err = %v, want confirm_pending", err)
	}
	if _, err := r.run.Revert(r.ctx, came.Change); err != nil {
		t.Fatalf("undo now: %v", err)
	}
	r.runs("")
	r.mustAdd("two")
	r.runs("lamp two\n")
}

func TestTheClockRunsOnThroughADeathOfTheApplier(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	came := r.addWaiting("two")
	r.stop()
	r.pass(11 * time.Second)
	r.again()
	r.runs("lamp one\n")
	r.eventually("the rows are back", func() bool { return r.confirmState(came.Change) == change.Reverted })
}

func TestFilesGoBackWhileTheDatabaseIsAwayAndRowsFollow(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	came := r.addWaiting("two")
	r.up.Store(false)
	r.pass(11 * time.Second)
	r.runs("lamp one\n")
	r.again()
	r.up.Store(true)
	r.eventually("the rows are back", func() bool { return r.confirmState(came.Change) == change.Reverted && r.disarmed() })
	r.runs("lamp one\n")
}

func TestABootEndsTheWait(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	came := r.addWaiting("two")
	r.stop()
	r.boot = "second"
	r.again()
	if data, _, err := r.engine.Tree.Read(lampFile); string(data) != "lamp one\n" || err != nil {
		t.Errorf("right after boot the file is %q, %v", data, err)
	}
	r.runs("lamp one\n")
	r.eventually("the rows are back", func() bool { return r.confirmState(came.Change) == change.Reverted })
}

// What asked to go back unless confirmed must not come by itself when a later round gets through.
func TestAFailedApplyGoesBackAtOnce(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	r.daemon.stuck = errors.New("jammed")
	came := r.addWaiting("jam")
	if came.Apply != intent.Failed {
		t.Errorf("came %+v, want failed", came)
	}
	r.eventually("the rows are back", func() bool { return r.confirmState(came.Change) == change.Reverted && r.disarmed() })
	r.runs("lamp one\n")
}

// Two components bring the same change at once: the one that comes second must not take what
// the first has installed for what was there before.
func TestAChangeIsArmedOnce(t *testing.T) {
	r := newRig(t, neighbour("shade", follows))
	r.mustAdd("one")
	r.eventually("both run on it", func() bool { return r.engine.States()[0].Stage == LiveStage && r.engine.States()[1].Stage == LiveStage })
	r.stop()
	before := r.worker("lamp").installedNow().Hash()
	came := r.addUnapplied("two")
	seconds := 10
	due := []change.Due{{ID: came, ConfirmSeconds: &seconds}}
	r.load()
	if err := r.worker("lamp").arm(r.ctx, due); err != nil {
		t.Fatal(err)
	}
	r.worker("lamp").setInstalled(books(1, 1))
	for _, again := range []func() error{
		func() error { return r.worker("shade").arm(r.ctx, due) },
		func() error { return r.worker("shade").armWithin(r.ctx, came, time.Second) },
	} {
		if err := again(); err != nil {
			t.Fatal(err)
		}
		a, _ := r.engine.waiting.current()
		if got := a.Before["lamp"].Hash(); got != before || a.Deadline != 10*time.Second {
			t.Errorf("before is %s until %s, want %s until 10s", got, a.Deadline, before)
		}
	}
}

// addUnapplied stores a change that waits, with no engine to bring it.
func (r *rig) addUnapplied(word string) string {
	r.t.Helper()
	ctx := intent.With(r.ctx, intent.Ask{ConfirmWithin: 10 * time.Second})
	err := r.runner(nil).Run(ctx, change.Change{Component: "lamp", Action: "lamp.create", Subject: word}, func(tx change.Tx) error {
		_, err := tx.Exec(ctx, `insert into lamps (id, word) values ($1, $2)`, db.NewID(), word)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return intent.Came(ctx).Change
}

func (r *rig) mode() os.FileMode {
	r.t.Helper()
	info, err := os.Stat(filepath.Join(r.root, lampFile))
	if err != nil {
		r.t.Fatal(err)
	}
	return info.Mode()
}

func TestAModeThatIsNotConfirmedGoesBack(t *testing.T) {
	for _, way := range []string{"in time", "at boot"} {
		t.Run(way, func(t *testing.T) {
			r := newRig(t)
			r.mustAdd("one")
			r.addWaiting("private")
			if got := r.mode(); got != 0o600 {
				t.Fatalf("mode %v, want the change to be live", got)
			}
			if way == "at boot" {
				r.boot = "second"
				r.stop()
				r.load()
				if got := r.mode(); got != 0o644 {
					t.Errorf("right after the boot the mode is %v, want that of before", got)
				}
				return
			}
			r.pass(11 * time.Second)
			r.eventually("the wait is over", r.disarmed)
			if got := r.mode(); got != 0o644 {
				t.Errorf("mode %v, want that of before", got)
			}
		})
	}
}
