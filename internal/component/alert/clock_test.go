package alert

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"gateway/internal/problem"
)

// A clock that was ahead and is set back leaves nothing to wait for a time that is far away.
func TestAClockThatWasAheadSilencesNothing(t *testing.T) {
	const ahead = 400 * 24 * time.Hour
	for _, tc := range []struct {
		name  string
		wrong func(r *rig, h *hooks) // while the clock is ahead
		right func(r *rig)           // once it is right again
		want  int                    // that arrive then
	}{
		{
			"a pause after a failure", func(r *rig, h *hooks) {
				h.answer = failsOnce()
				r.last(down("shop"))
				r.deliver()
			}, func(r *rig) {
				r.see(down("shop"))
				r.pass(usualPace().Longest)
			}, 2,
		},
		{
			"the claim of a process that was killed", func(r *rig, _ *hooks) {
				r.last(down("shop"))
				for _, channel := range r.channels() {
					if _, err := r.a.claim(r.T.Context(), channel); err != nil {
						r.T.Fatal(err)
					}
				}
			}, func(r *rig) {
				r.see(down("shop"))
				r.pass(usualPace().Longest)
			}, 1,
		},
		{
			"a reminder", func(r *rig, _ *hooks) {
				r.last(down("shop"))
				r.deliver()
			}, func(r *rig) {
				r.see(down("shop"))
				r.pass(dedupe)
				r.see(down("shop"))
			}, 2,
		},
		{
			"one that was seen and not told yet", func(r *rig, _ *hooks) {
				r.see(down("shop"))
			}, func(r *rig) {
				r.last(down("shop"))
			}, 1,
		},
		{
			"an end", func(r *rig, _ *hooks) {
				r.last(down("shop"))
				r.deliver()
				r.see()
			}, func(r *rig) {
				r.end()
			}, 2,
		},
		{
			"an event that happened then too", func(r *rig, _ *hooks) {
				r.a.RenewalsAborted(r.T.Context())
				r.deliver()
			}, func(r *rig) {
				r.a.RenewalsAborted(r.T.Context())
			}, 2,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t)
			h := newHooks(t)
			r.hook(h)
			r.pass(ahead)
			tc.wrong(r, h)
			r.pass(-ahead)
			tc.right(r)
			r.deliver()
			if got := len(h.got()); got != tc.want {
				t.Errorf("%d arrived, want %d", got, tc.want)
			}
		})
	}
}

// Quiet hours that were those of a wrong clock are not waited for; those of the right one are.
func TestQuietHoursAreThoseOfTheRightClock(t *testing.T) {
	const ahead = 36 * time.Hour // it is another time of the day, too
	r := newRig(t)
	now := r.now().In(time.Local) //nolint:gosmopolitan // as the node does
	span := func(from, until time.Duration) string {
		return now.Add(from).Format("15:04") + "-" + now.Add(until).Format("15:04")
	}
	loud, quiet := newHooks(t), newHooks(t)
	r.hook(loud, body{"quiet_hours": span(11*time.Hour, 13*time.Hour)})
	r.hook(quiet, body{"quiet_hours": span(-time.Hour, 13*time.Hour)})
	r.pass(ahead)
	r.last(down("shop"))
	r.deliver()
	if len(loud.got())+len(quiet.got()) != 0 {
		t.Fatalf("%d and %d arrived in quiet hours", len(loud.got()), len(quiet.got()))
	}
	r.pass(-ahead)
	r.see(down("shop"))
	r.deliver()
	if len(loud.got()) != 1 || len(quiet.got()) != 0 {
		t.Errorf("%d and %d arrived, want what is not quiet now", len(loud.got()), len(quiet.got()))
	}
	r.pass(13 * time.Hour)
	r.deliver()
	if len(quiet.got()) != 1 {
		t.Errorf("%d arrived after the quiet hours, want one", len(quiet.got()))
	}
}

// That a channel fails is known by the time since when it does.
func TestAChannelThatFailedWhileTheClockWasAhead(t *testing.T) {
	r := newRig(t)
	h := newHooks(t)
	h.answer = func(int) int { return http.StatusBadGateway }
	r.hook(h)
	r.pass(48 * time.Hour)
	r.last(down("shop"))
	r.deliver()
	r.pass(-48 * time.Hour)
	r.see(down("shop"))
	r.pass(failsAfter)
	report, err := r.a.findProblems(t.Context())
	if err != nil || len(report.Problems) != 1 || report.Problems[0].Severity != problem.Warning {
		t.Errorf("found %+v, %v, want that it fails", report.Problems, err)
	}
}

// A clock that is set ahead makes nothing older that waits: it is tried for as long as ever.
func TestAClockThatIsSetAheadGivesNothingUp(t *testing.T) {
	for name, jump := range map[string]time.Duration{"by a day": 25 * time.Hour, "by a year": 400 * 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			h := newHooks(t)
			var works atomic.Bool
			h.answer = func(int) int {
				if works.Load() {
					return http.StatusOK
				}
				return http.StatusBadGateway
			}
			r.hook(h)
			r.last(down("shop"))
			r.deliver()
			r.set(jump)
			r.deliver() // it is due, and fails
			r.pass(usualPace().GiveUp / 2)
			r.deliver()
			works.Store(true)
			r.pass(usualPace().Longest)
			before := len(h.got())
			r.deliver()
			if n := len(h.got()); n != before+1 || r.state() != "ok" {
				t.Errorf("after it works %d more arrived, and the delivery is %s", n-before, r.state())
			}

			// It is given up after its time all the same.
			works.Store(false)
			r.a.RenewalsAborted(t.Context())
			r.deliver()
			r.set(jump)
			r.deliver()
			if err := r.a.prune(t.Context()); err != nil {
				t.Fatal(err)
			}
			r.pass(usualPace().GiveUp)
			r.deliver()
			if r.state() != "error" {
				t.Errorf("after a day the delivery is %s", r.state())
			}
		})
	}
}

// state is that of the latest delivery.
func (r *rig) state() (state string) {
	r.T.Helper()
	if err := r.Pool.QueryRow(r.T.Context(), `select coalesce((select state from alert_deliveries order by seq desc limit 1), 'gone')`).Scan(&state); err != nil {
		r.T.Fatal(err)
	}
	return state
}

func failsOnce() func(int) int {
	var calls atomic.Int32
	return func(int) int {
		if calls.Add(1) == 1 {
			return http.StatusBadGateway
		}
		return http.StatusOK
	}
}

func (r *rig) channels() (ids []string) {
	r.T.Helper()
	due, err := r.a.due(r.T.Context())
	if err != nil {
		r.T.Fatal(err)
	}
	return due
}
