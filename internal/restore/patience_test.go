package restore_test

import (
	"context"
	"slices"
	"testing"

	"gateway/internal/restore"
)

// A disk that is full when a restore is confirmed has it wait: nothing is dropped, and no service is restarted meanwhile.
func TestAConfirmedRestoreWaitsForRoom(t *testing.T) {
	r := newRig(t)
	r.answer = restore.Confirm
	r.run(begin)
	waiting := slices.Index(r.points, "phase waiting")
	for _, tc := range []struct {
		name        string
		dies, boots bool
		starts      int
	}{
		{name: "in the same process", starts: 1},
		{name: "after a kill", dies: true},
		{name: "after a boot", dies: true, boots: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r.t = t
			r.fresh()
			r.answer, r.fullAt, r.unkept = restore.Confirm, "phase waiting", 3
			if tc.dies {
				r.dieAt = waiting
				if !r.run(begin) {
					t.Fatal("it was not killed")
				}
				r.dieAt, r.starts = -1, 0
				if tc.boots {
					r.boot, r.uptime = "second", 0
				}
				r.run(resume)
			} else {
				r.run(begin)
			}
			if side := r.check(tc.name); side != "new" || r.starts != tc.starts || r.unkept != 0 || !r.settled {
				t.Errorf("the state is %s, the services were started %d times, %d tries are left, settled %v", side, r.starts, r.unkept, r.settled)
			}
		})
	}
}

// An end that nobody could be told of is told later: else it would be taken for a restore that goes on, for ever. No service is
// restarted for that, also where the way back is in no journal.
func TestTheEndIsToldUntilItIs(t *testing.T) {
	r := newRig(t)
	for answer, want := range map[restore.Answer]struct {
		side   string
		starts int
	}{restore.Confirm: {"new", 1}, restore.Undo: {"old", 2}} {
		r.fresh()
		r.answer, r.untold, r.state = answer, 3, restore.State{}
		if answer == restore.Undo {
			r.fullAt = "phase waiting"
		}
		r.run(begin)
		if side := r.check(string(answer)); side != want.side || r.starts != want.starts || r.state.Finished == nil {
			t.Errorf("%s: the state is %s, the services were started %d times, told is %+v", answer, side, r.starts, r.state)
		}
	}
}

// A job that is told to stop while it waits to tell leaves the rest to the next one.
func TestTheEndIsToldByTheNextJob(t *testing.T) {
	r := newRig(t)
	r.answer, r.untold = restore.Confirm, 1_000_000
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	j := r.job()
	j.At = func(point string) {
		if point == "clean_up done" {
			stop()
		}
	}
	if err := j.Run(ctx, restore.Plan{ID: "0198c0de-0000-7000-8000-000000000001", Actor: "ann@example.com", Within: 600}); err == nil {
		t.Error("it ended although nobody could be told")
	}
	r.untold = 0
	r.run(resume)
	if r.check("told later"); r.state.Result != restore.Confirmed || r.state.Finished == nil {
		t.Errorf("told is %+v", r.state)
	}
}
