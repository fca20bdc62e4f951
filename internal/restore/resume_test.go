package restore_test

import (
	"slices"
	"strings"
	"testing"

	"gateway/internal/restore"
)

// Whoever was told that the restore stays, just before a boot, can rely on it.
func TestAnAnswerFromBeforeABootCounts(t *testing.T) {
	r := newRig(t)
	r.run(begin)
	waiting := slices.Index(r.points, "phase waiting")
	for _, tc := range []struct {
		answer       restore.Answer
		side, result string
		why          string
	}{
		{restore.Confirm, "new", restore.Confirmed, ""},
		{restore.Undo, "old", restore.Undone, ""},
		{restore.NoAnswer, "old", restore.Undone, "the node was restarted"},
	} {
		if side := r.killed(tc.answer, waiting, -1, true, string(tc.answer)); side != tc.side || r.state.Result != tc.result {
			t.Errorf("%q: the state is %s, the result %q", tc.answer, side, r.state.Result)
		}
		if got := r.state.Error; (got == nil) != (tc.why == "") || got != nil && !strings.Contains(got.Message, tc.why) {
			t.Errorf("%q: error %v, want %q", tc.answer, got, tc.why)
		}
	}
}
