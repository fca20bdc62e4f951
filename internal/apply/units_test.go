package apply

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gateway/internal/intent"
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
