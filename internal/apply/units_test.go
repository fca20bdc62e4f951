package apply

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gateway/internal/change"
	"gateway/internal/intent"
	"gateway/internal/sys"
)

const (
	lampOn  = "lampd.service up true boot true; lampd-bulb.service up true boot true; "
	lampOff = "lampd.service up false boot false; lampd-bulb.service up false boot false; "
)

func (r *rig) wantUnits(want string) {
	r.t.Helper()
	r.eventually("the units are "+want, func() bool { return r.daemon.units() == want })
}

func TestOffIsAStateLikeAnyOther(t *testing.T) {
	r := newRig(t)
	r.mustAdd("switched")
	r.wantUnits(lampOn)
	off, err := r.add(r.ctx, "off")
	if err != nil || off.Apply != intent.Live {
		t.Fatalf("switching it off came to %+v, %v", off, err)
	}
	r.wantUnits(lampOff)
	if s := r.engine.States()[0]; s.Stage != LiveStage || s.Observed != s.Wanted {
		t.Errorf("a unit that should be down is not well: %+v", s)
	}
	// Somebody starts it by hand.
	if err := r.daemon.set(&r.daemon.stopped, bulbUnit, false); err != nil {
		t.Fatal(err)
	}
	r.wantUnits(lampOff)
	// As after a death, or an upgrade.
	r.again()
	r.wantUnits(lampOff)
	if _, err := r.run.Revert(r.ctx, off.Change); err != nil {
		t.Fatal(err)
	}
	r.wantUnits(lampOn)
	r.runs("lamp switched\n")
}

func TestAnUnconfirmedOffIsUndone(t *testing.T) {
	r := newRig(t)
	r.mustAdd("switched")
	ctx := intent.With(r.ctx, intent.Ask{ConfirmWithin: time.Minute})
	if _, err := r.add(ctx, "off"); err != nil {
		t.Fatal(err)
	}
	r.wantUnits(lampOff)
	r.uptime.Store(int64(2 * time.Minute))
	r.wantUnits(lampOn)
	r.runs("lamp switched\n")
}

func TestAUnitThatDisabledItselfIsEnabledAgain(t *testing.T) {
	r := newRig(t)
	r.mustAdd("switched")
	if err := r.daemon.Disable(context.Background(), lampUnit); err != nil {
		t.Fatal(err)
	}
	r.wantUnits(lampOn)
}

// A boot brings units up as they were left; nobody confirmed that, so it does not stay, also
// while the database is away.
func TestAnUnconfirmedOffDoesNotSurviveABoot(t *testing.T) {
	r := newRig(t)
	r.mustAdd("switched")
	ctx := intent.With(r.ctx, intent.Ask{ConfirmWithin: time.Minute})
	if _, err := r.add(ctx, "off"); err != nil {
		t.Fatal(err)
	}
	r.wantUnits(lampOff)
	r.boot = "second"
	r.up.Store(false)
	r.again()
	r.wantUnits(lampOn)
	r.up.Store(true)
	r.runs("lamp switched\n")
	r.wantUnits(lampOn)
}

func TestUnitsFollowWhileAnEditIsKept(t *testing.T) {
	r := newRig(t)
	r.mustAdd("switched")
	r.keepEdits(true)
	path := filepath.Join(r.root, lampFile)
	if err := os.WriteFile(path, []byte("lamp by hand\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.mustAdd("off")
	r.wantUnits(lampOff)
	if err := r.daemon.Start(r.ctx, lampUnit); err != nil {
		t.Fatal(err)
	}
	r.wantUnits(lampOff)
	if data, err := os.ReadFile(path); err != nil || string(data) != "lamp by hand\n" {
		t.Errorf("the edited file is %q, %v", data, err)
	}
}

// What is good last is what was undone to, not what was undone.
func TestAnUndoneOffStaysUndoneAfterABootWithoutDatabase(t *testing.T) {
	for _, way := range []string{"in time", "at boot"} {
		t.Run(way, func(t *testing.T) {
			r := newRig(t)
			r.mustAdd("switched")
			off := r.addWaiting("off")
			r.wantUnits(lampOff)
			if way == "at boot" {
				r.boot = "second"
				r.again()
			} else {
				r.pass(11 * time.Second)
			}
			r.eventually("the rows are back", func() bool { return r.confirmState(off.Change) == change.Reverted && r.disarmed() })
			r.wantUnits(lampOn)
			r.boot = "third"
			r.up.Store(false)
			r.again()
			r.eventually("the engine has looked", func() bool { return r.engine.States()[0].Stage == LiveStage })
			if got := r.daemon.units(); got != lampOn {
				t.Errorf("the units are %s, want %s", got, lampOn)
			}
		})
	}
}

// edited is a rig whose one file somebody edits by hand and wants kept.
func edited(t *testing.T, words ...string) (r *rig, kept func()) {
	t.Helper()
	r = newRig(t)
	for _, word := range words {
		r.mustAdd(word)
	}
	r.keepEdits(true)
	path := filepath.Join(r.root, lampFile)
	if err := os.WriteFile(path, []byte("lamp by hand\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return r, func() {
		t.Helper()
		if data, err := os.ReadFile(path); err != nil || string(data) != "lamp by hand\n" {
			t.Errorf("the edited file is %q, %v", data, err)
		}
	}
}

func TestAnUnconfirmedOffIsUndoneBesideAKeptEdit(t *testing.T) {
	r, kept := edited(t, "switched")
	off := r.addWaiting("off")
	r.wantUnits(lampOff)
	r.pass(11 * time.Second)
	r.wantUnits(lampOn)
	r.eventually("the rows are back", func() bool { return r.confirmState(off.Change) == change.Reverted && r.disarmed() })
	kept()
	if came := r.mustAdd("one"); came.Why.Text != whyKept.Text {
		t.Errorf("came %+v, want pending for the edit alone", came)
	}
	kept()
}

// What concerns a component whose edits are kept is not installed, and still waits.
func TestAChangeOfAKeptComponentEndsItsWait(t *testing.T) {
	r, kept := edited(t, "one")
	came := r.addWaiting("two")
	r.pass(11 * time.Second)
	r.eventually("the rows are back", func() bool { return r.confirmState(came.Change) == change.Reverted && r.disarmed() })
	kept()
}

// The edit came after the change, and is kept all the same.
func TestAnUndoLeavesALaterEditAlone(t *testing.T) {
	r := newRig(t)
	r.mustAdd("one")
	r.keepEdits(true)
	came := r.addWaiting("two")
	path := filepath.Join(r.root, lampFile)
	if err := os.WriteFile(path, []byte("lamp by hand\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.pass(11 * time.Second)
	r.eventually("the rows are back", func() bool { return r.confirmState(came.Change) == change.Reverted && r.disarmed() })
	if data, err := os.ReadFile(path); err != nil || string(data) != "lamp by hand\n" {
		t.Errorf("the edited file is %q, %v", data, err)
	}
	r.keepEdits(false)
	r.runs("lamp one\n")
}

func TestABootUndoesAnOffBesideAKeptEdit(t *testing.T) {
	r, kept := edited(t, "switched")
	off := r.addWaiting("off")
	r.wantUnits(lampOff)
	r.boot = "second"
	r.up.Store(false)
	r.again()
	kept()
	r.wantUnits(lampOn)
	kept()
	r.up.Store(true)
	r.eventually("the rows are back", func() bool { return r.confirmState(off.Change) == change.Reverted && r.disarmed() })
	r.wantUnits(lampOn)
	kept()
}

func TestAFailedStopBesideAKeptEditIsTold(t *testing.T) {
	r, kept := edited(t, "switched")
	r.daemon.mu.Lock()
	r.daemon.jammed = &sys.JobError{Verb: "stop", Unit: lampUnit, Result: "timeout"}
	r.daemon.mu.Unlock()
	if came := r.mustAdd("off"); came.Why.Text != whyKept.Text {
		t.Errorf("came %+v, want pending for the edit", came)
	}
	if s := r.engine.States()[0]; s.Stage != Held || !strings.Contains(s.Error, "could not be stopped") {
		t.Errorf("state %+v, want held with the reason", s)
	}
	if all := strings.Join(r.log.lines(), ""); !strings.Contains(all, "switch "+lampUnit) {
		t.Errorf("the log has no line about the failed stop: %s", all)
	}
	kept()
}

func TestOffNeedsNoFiles(t *testing.T) {
	r := newRig(t)
	r.mustAdd("switched")
	r.wantUnits(lampOn)
	off := r.mustAdd("bare")
	if off.Apply != intent.Live {
		t.Errorf("switching it off came to %+v", off)
	}
	r.wantUnits(lampOff)
	if s := r.engine.States()[0]; s.Stage != LiveStage || s.Observed != s.Wanted || s.Wanted == "" || len(s.Off) != 2 || !s.AllOff {
		t.Errorf("a unit that should be down is not well: %+v", s)
	}
	if _, err := os.Stat(filepath.Join(r.root, lampFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is still there (%v)", err)
	}
	if err := r.daemon.Start(r.ctx, bulbUnit); err != nil { // somebody, by hand
		t.Fatal(err)
	}
	r.wantUnits(lampOff)
	r.up.Store(false)
	r.again()
	if err := r.daemon.Start(r.ctx, bulbUnit); err != nil {
		t.Fatal(err)
	}
	r.wantUnits(lampOff)
	r.up.Store(true)
	if _, err := r.run.Revert(r.ctx, off.Change); err != nil {
		t.Fatal(err)
	}
	r.wantUnits(lampOn)
	r.runs("lamp switched\n")
	r.addWaiting("bare")
	r.wantUnits(lampOff)
	r.pass(11 * time.Second)
	r.wantUnits(lampOn)
	r.runs("lamp switched\n")
}
