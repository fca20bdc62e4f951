package restore_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"syscall"
	"testing"

	"gateway/internal/restore"
	"gateway/internal/secret/privatefile"
	"gateway/tools/bar"
)

// save is the disk that the journal is on.
func (r *rig) save(path string, data []byte, mode fs.FileMode) error {
	if r.full {
		if bytes.Contains(data, []byte(`"phase":"keeping"`)) {
			r.unkept--
			r.full = r.unkept > 0
		}
		return syscall.ENOSPC
	}
	return privatefile.Replace(path, data, mode)
}

// A disk that is full from the exchange of the databases on must not hold the node there: it goes back, without its journal.
func TestAFullDiskDoesNotHoldTheWayBack(t *testing.T) {
	r := newRig(t)
	for _, tc := range []struct {
		from   string
		answer restore.Answer
	}{
		{"phase loading", restore.Confirm},
		{"swapped", restore.Confirm}, // it cannot be confirmed: that it waits is written nowhere
		{"phase waiting", restore.Undo},
		{"phase waiting", restore.NoAnswer},
		{"carried back", restore.Undo},
	} {
		r.fresh()
		r.answer, r.fullAt = tc.answer, tc.from
		if tc.from == "phase loading" { // it ends, and the next one begins on its way back
			if err := begin(r.job()); err == nil {
				t.Error("it went on without its journal")
			}
			r.run(resume)
		} else {
			r.run(begin)
		}
		if side := r.check("full from " + tc.from); side != "old" || !r.full {
			t.Errorf("full from %s: the state is %s", tc.from, side)
		}
	}
}

// Killed on that way, with a journal that knows nothing of it, it comes to one state nevertheless: also after a boot, with
// room again or not, and when somebody confirms it meanwhile, since nobody could be told either.
func TestAJournalThatIsBehindLeadsToOneState(t *testing.T) {
	r := newRig(t)
	for _, from := range []string{"swapped", "phase waiting"} {
		r.fresh()
		r.answer, r.fullAt = restore.Undo, from
		r.run(begin)
		points := slices.Clone(r.points)
		for i := slices.Index(points, from) + 1; i < len(points); i++ {
			for kind := range 8 {
				if size := bar.GateSize(1, 2, 3); size == 1 && (i%2 > 0 || kind != i/2*3%8) || size == 2 && kind != i*3%8 {
					continue
				}
				boots, room, confirmed := kind&1 > 0, kind&2 > 0, kind&4 > 0
				when := fmt.Sprintf("full from %s, killed at %s (%d), boots %v, room %v, confirmed %v", from, points[i], i, boots, room, confirmed)
				r.fresh()
				r.answer, r.fullAt, r.dieAt = restore.Undo, from, i
				if !r.run(begin) {
					t.Fatalf("%s: it was not killed", when)
				}
				if boots {
					r.boot, r.uptime, r.up = "second", 0, true
				}
				if confirmed {
					r.answer = restore.Confirm
				}
				r.dieAt, r.full, r.fullAt = -1, !room, ""
				r.unkept = 2 // it is kept once there is room
				r.run(resume)
				if r.state.Result == restore.Refused { // whether the databases were ever exchanged, only the journal could have told
					r.state.Result = restore.Undone
				}
				r.check(when)
			}
		}
	}
}
