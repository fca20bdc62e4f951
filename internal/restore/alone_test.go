package restore_test

import (
	"context"
	"errors"
	"testing"

	"gateway/internal/restore"
)

// While an archive is loaded nothing is verified, and the other way round: each would count the same room on the disk.
func TestARestoreLoadsAlone(t *testing.T) {
	r := newRig(t)
	r.answer = restore.Confirm
	held, loaded := false, 0
	r.run(func(j *restore.Job) error {
		j.Alone = func(context.Context) (func(), error) {
			held = true
			return func() { held = false }, nil
		}
		j.At = func(point string) {
			during := point == "load" || point == "load done" || point == "render"
			if during {
				loaded++
			}
			if during != held && (during || point == "phase switching" || point == "check") {
				t.Errorf("%s: alone %v", point, held)
			}
		}
		return begin(j)
	})
	if side := r.check("alone"); side != "new" || held || loaded != 3 {
		t.Errorf("the state is %s, held %v, %d points", side, held, loaded)
	}

	r.fresh()
	r.run(func(j *restore.Job) error {
		j.Alone = func(context.Context) (func(), error) { return nil, errors.New("a verification goes on") }
		return begin(j)
	})
	if side := r.check("occupied"); side != "old" || r.state.Result != restore.Refused {
		t.Errorf("the state is %s, the result %q", side, r.state.Result)
	}
}
