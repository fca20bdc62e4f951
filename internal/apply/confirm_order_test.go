package apply

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway/internal/change"
	"gateway/internal/daemon"
)

// applied keeps which component ran on what, in the order in which they were done.
type applied struct {
	mu    sync.Mutex
	lines []string
	jam   string // what a component does not go back to
}

// of is the Apply of a component. One that is to wait gives a later one the time to be first.
func (a *applied) of(name string, wait time.Duration) func(context.Context, daemon.Rendering, daemon.Rendering) error {
	return func(_ context.Context, _, now daemon.Rendering) error {
		line := name + " " + strings.TrimSpace(string(now.File("/etc/"+name)))
		<-time.After(wait)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.lines = append(a.lines, line)
		if line == a.jam {
			return errors.New("jammed")
		}
		return nil
	}
}

func (a *applied) count(line string) (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range a.lines {
		if l == line {
			n++
		}
	}
	return n
}

func (r *rig) allLive() {
	r.t.Helper()
	r.eventually("all are live", func() bool {
		return !slices.ContainsFunc(r.engine.States(), func(s State) bool { return s.Stage != LiveStage || s.Observed != s.Wanted })
	})
}

func TestWhoIsBackIsLeftAloneWhileAnotherIsNot(t *testing.T) {
	var seen applied
	r := newRig(t, neighbour("blind", seen.of("blind", 0)), neighbour("shade", seen.of("shade", 0)))
	r.mustAdd("one")
	r.allLive()
	came := r.addWaiting("two")
	r.allLive()
	seen.mu.Lock()
	seen.jam = "blind one"
	seen.mu.Unlock()
	back, reloads := seen.count("shade one"), r.daemon.count()
	tries := seen.count("blind one")
	r.pass(11 * time.Second)
	for range 3 {
		r.eventually("it is tried again", func() bool { r.pass(filesEvery); return seen.count("blind one") > tries })
		tries = seen.count("blind one")
	}
	if got := seen.count("shade one") - back; got != 1 {
		t.Errorf("shade was reloaded %d times, want once", got)
	}
	if got := r.daemon.count() - reloads; got != 1 {
		t.Errorf("lamp was reloaded %d times, want once", got)
	}
	seen.mu.Lock()
	seen.jam = ""
	seen.mu.Unlock()
	r.eventually("the rows are back", func() bool { r.pass(filesEvery); return r.confirmState(came.Change) == change.Reverted && r.disarmed() })
}

func TestAnUndoGoesInOrder(t *testing.T) {
	var seen applied
	r := newRig(t, neighbour("third", seen.of("third", 0), "first", "second"), neighbour("second", seen.of("second", 50*time.Millisecond), "first"),
		neighbour("first", seen.of("first", 100*time.Millisecond)))
	r.mustAdd("one")
	r.allLive()
	r.addWaiting("two")
	r.allLive()
	seen.mu.Lock()
	seen.lines = nil
	seen.mu.Unlock()
	r.pass(11 * time.Second)
	r.eventually("the wait is over", r.disarmed)
	seen.mu.Lock()
	defer seen.mu.Unlock()
	if want := []string{"first one", "second one", "third one"}; !slices.Equal(seen.lines, want) {
		t.Errorf("undone in the order %v, want %v", seen.lines, want)
	}
}
