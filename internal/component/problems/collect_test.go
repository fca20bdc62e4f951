package problems

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gateway/internal/fault"
	"gateway/internal/problem"
)

var (
	mild = problem.Kind{Code: "toy.mild", Severity: problem.Warning, Message: "{what} squeaks"}
	bad  = problem.Kind{Code: "toy.bad", Severity: problem.Error, Message: "{what} is broken"}
	unit = problem.Kind{Code: "system.service_failed", Severity: problem.Error, Message: "it has failed"}
)

func on(k problem.Kind, kind, id string) problem.Problem {
	return k.On(problem.Subject{Kind: kind, ID: id}, "/toys", problem.Params{"what": id})
}

// rig is a collector of sources that say what a test wants.
type rig struct {
	*collector
	clock atomic.Int64
	asked atomic.Int64
}

func newRig(sources ...problem.Source) *rig {
	r := &rig{}
	r.clock.Store(time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC).Unix())
	r.collector = &collector{now: func() time.Time { return time.Unix(r.clock.Load(), 0).UTC() }, log: slog.New(slog.DiscardHandler)}
	for _, s := range sources {
		find := s.Find
		s.Find = func(ctx context.Context) (problem.Report, error) {
			r.asked.Add(1)
			return find(ctx)
		}
		r.sources = append(r.sources, Named{"toy", s, new(atomic.Bool)})
	}
	return r
}

func (r *rig) look(t *testing.T) *snapshot {
	t.Helper()
	s, err := r.get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func codes(s *snapshot) (out []string) {
	for _, p := range s.problems {
		out = append(out, p.Code+" "+p.Subject.ID)
	}
	return out
}

func said(report problem.Report, err error) problem.Source {
	return problem.Source{Objects: []string{"toy"}, Find: func(context.Context) (problem.Report, error) { return report, err }}
}

func TestTheWorstComesFirst(t *testing.T) {
	r := newRig(said(problem.Report{Problems: []problem.Problem{on(mild, "toy", "a"), on(bad, "toy", "c"), on(bad, "toy", "b")}}, nil))
	if d := cmp.Diff(codes(r.look(t)), []string{"toy.bad b", "toy.bad c", "toy.mild a"}); d != "" {
		t.Error(d)
	}
}

func TestSinceIsRememberedWhileItLasts(t *testing.T) {
	var found atomic.Pointer[problem.Report]
	r := newRig(problem.Source{Find: func(context.Context) (problem.Report, error) { return *found.Load(), nil }})
	begin := r.now()
	broken, well := &problem.Report{Problems: []problem.Problem{on(bad, "toy", "a")}}, &problem.Report{}
	for i, step := range []struct {
		report *problem.Report
		since  time.Duration // after begin
	}{{broken, 0}, {broken, 0}, {well, -1}, {broken, 30 * time.Second}} {
		found.Store(step.report)
		s := r.look(t)
		switch {
		case step.since < 0 && len(s.problems) != 0:
			t.Errorf("step %d: %v", i, codes(s))
		case step.since >= 0 && !s.problems[0].Since.Equal(begin.Add(step.since)):
			t.Errorf("step %d: since %v", i, s.problems[0].Since)
		}
		r.clock.Add(10)
	}
}

func TestOneThatFailsIsUnknownAndHidesNobody(t *testing.T) {
	r := newRig(
		said(problem.Report{Problems: []problem.Problem{on(bad, "toy", "a")}}, fault.New(fault.Unavailable, "the toy sleeps")),
		problem.Source{Objects: []string{"other"}, Find: func(context.Context) (problem.Report, error) {
			return problem.Report{States: map[string]problem.States{"other": {"x": problem.Chosen("off")}}}, nil
		}},
		said(problem.Report{}, errors.New("secret path")),
	)
	s := r.look(t)
	if _, known := s.states["toy"]; known || s.states["other"]["x"].State != "off" {
		t.Errorf("states = %v", s.states)
	}
	want := []Unknown{{"toy", fault.Said("the toy sleeps")}, {"toy", fault.Said("internal error; see the log of gateway-api")}}
	if d := cmp.Diff(s.unknown, want); d != "" || len(s.problems) != 1 {
		t.Errorf("unknown: %s, problems %v", d, codes(s))
	}
}

func TestManyWhoAskGetOneAnswer(t *testing.T) {
	r := newRig(said(problem.Report{}, nil))
	for range 5 {
		r.look(t)
	}
	if n := r.asked.Load(); n != 1 {
		t.Errorf("asked %d times within a second, want once", n)
	}
	r.forget()
	r.look(t)
	if n := r.asked.Load(); n != 2 {
		t.Errorf("asked %d times after a change, want once more", n)
	}
}

func TestOneServiceIsOneProblem(t *testing.T) {
	silent := on(problem.Kind{Code: "dns.not_answering", Severity: problem.Error}, "service", "dns").Affecting([]problem.Subject{{Kind: "zone"}})
	worst := on(problem.Kind{Code: "proxy.not_running", Severity: problem.Critical}, "service", "haproxy")
	got := merge([]problem.Problem{silent, on(unit, "service", "haproxy"), on(unit, "service", "dns"), worst, on(bad, "toy", "a"), on(bad, "toy", "a")})
	var text []string
	for _, p := range got {
		text = append(text, p.Code)
	}
	if d := cmp.Diff(text, []string{"system.service_failed", "proxy.not_running", "toy.bad", "toy.bad"}); d != "" {
		t.Error(d)
	}
	if got[0].AffectsTotal != 1 {
		t.Error("what the dropped one affects is lost")
	}
}

func TestTheVersionFollowsWhatIsShown(t *testing.T) {
	one := problem.Report{Problems: []problem.Problem{on(bad, "toy", "a")}, States: map[string]problem.States{"toy": {"a": problem.Chosen("off")}}}
	two := problem.Report{Problems: one.Problems, States: map[string]problem.States{"toy": {"a": problem.Chosen("on")}}}
	first, again, other := newRig(said(one, nil)).look(t), newRig(said(one, nil)).look(t), newRig(said(two, nil)).look(t)
	if first.version != again.version || first.version == other.version {
		t.Errorf("versions %s %s %s", first.version, again.version, other.version)
	}
}

func TestOneThatPanicsEndsNobody(t *testing.T) {
	r := newRig(
		problem.Source{Find: func(context.Context) (problem.Report, error) { panic("toy") }},
		said(problem.Report{Problems: []problem.Problem{on(bad, "toy", "a")}}, nil),
	)
	if s := r.look(t); len(s.unknown) != 1 || len(s.problems) != 1 {
		t.Errorf("unknown %v, problems %v", s.unknown, codes(s))
	}
}

func TestOneThatHeedsNoDeadlineIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stuck atomic.Int64
		free := make(chan struct{})
		r := newRig(
			problem.Source{Find: func(context.Context) (problem.Report, error) {
				stuck.Add(1)
				<-free
				return problem.Report{}, nil
			}},
			said(problem.Report{Problems: []problem.Problem{on(bad, "toy", "a")}}, nil),
		)
		for range 3 {
			if s := r.look(t); len(s.unknown) != 1 || len(s.problems) != 1 {
				t.Errorf("unknown %v, problems %v", s.unknown, codes(s))
			}
			r.forget()
		}
		if n := stuck.Load(); n != 1 {
			t.Errorf("%d wait in it, want one", n)
		}
		close(free)
		synctest.Wait()
	})
}
