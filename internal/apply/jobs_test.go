package apply

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"gateway/internal/fault"
	"gateway/internal/sys"
)

// leaving is a unit that is on its way down until a moment.
type leaving struct{ until time.Time }

func (l leaving) States(_ context.Context, names []string) ([]sys.UnitState, error) {
	s := sys.UnitState{Name: names[0], ActiveState: "inactive"}
	if time.Now().Before(l.until) {
		s.ActiveState = "deactivating"
	}
	return []sys.UnitState{s}, nil
}

// A verification tells its result in the row before its process ends. Whoever asks for another one at that moment gets one.
func TestAJobWaitsForTheEndOfTheOneBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := ended(t.Context(), leaving{began.Add(3 * time.Second)}, "gateway-verify@x.service"); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took < 3*time.Second || took > 4*time.Second {
			t.Errorf("it waited %s for a unit that took 3s to end", took)
		}
		if err := ended(t.Context(), leaving{time.Now().Add(time.Hour)}, "gateway-verify@x.service"); !fault.Is(err, fault.Conflict) {
			t.Errorf("one that goes on is answered %v", err)
		}
	})
}
