package restore_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"gateway/internal/restore"
)

// start starts the services, unless the state that is live now breaks them.
func (r *rig) start(ctx context.Context) error {
	r.starts++
	if r.broken {
		if names, err := r.cluster.Names(ctx); err != nil || names.Before {
			return errors.Join(err, errors.New(`the job ended with "failed"`))
		}
	}
	r.up = true
	return nil
}

func (s services) StartDown(ctx context.Context) error {
	if s.r.up {
		return s.r.fail("start down")
	}
	return s.r.start(ctx)
}

// A restored service that breaks while somebody is to confirm the restore is a reason to go back, and no hindrance: also for a
// job that was killed meanwhile.
func TestServicesThatDoNotStartHoldNoResume(t *testing.T) {
	r := newRig(t)
	r.run(begin)
	waiting := slices.Index(r.points, "phase waiting")
	for _, tc := range []struct {
		name         string
		answer       restore.Answer
		up           bool
		side, result string
		starts       int
	}{
		{"it is to be undone", restore.Undo, true, "old", restore.Undone, 1},
		{"its time is over", restore.NoAnswer, true, "old", restore.Undone, 1},
		{"it was on its way back", restore.Undo, false, "old", restore.Undone, 1},
		{"it was confirmed nevertheless", restore.Confirm, true, "new", restore.Confirmed, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r.t = t
			r.fresh()
			r.answer, r.dieAt = tc.answer, waiting
			if !r.run(begin) {
				t.Fatal("it was not killed")
			}
			r.uptime += time.Hour
			r.points, r.dieAt, r.up = nil, -1, tc.up
			r.hooks, r.fails = hooks{broken: true}, "start down"
			r.run(resume)
			if side := r.check(tc.name); side != tc.side || r.state.Result != tc.result || r.starts != tc.starts {
				t.Errorf("the state is %s, the result %q (%v), the services were started %d times", side, r.state.Result, r.state.Error, r.starts)
			}
			if late := tc.answer == restore.NoAnswer; (r.state.Error != nil) != late {
				t.Errorf("error %v", r.state.Error)
			}
		})
	}
}
