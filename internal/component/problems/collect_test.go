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

	"gateway/internal/component"
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
	down  atomic.Bool
	clock atomic.Int64
	asked atomic.Int64
}

// Up is the database.
func (r *rig) Up() bool { return !r.down.Load() }

func newRig(sources ...problem.Source) *rig {
	r := &rig{}
	r.clock.Store(time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC).Unix())
	r.collector = &collector{database: r, now: func() time.Time { return time.Unix(r.clock.Load(), 0).UTC() }, log: slog.New(slog.DiscardHandler), news: component.NewBroadcast()}
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

// HAProxy counts from its last reload, and its servers are down since before.
func TestSinceIsNoLaterThanWhenItWasFirstSeen(t *testing.T) {
	var reported atomic.Pointer[time.Time]
	r := newRig(problem.Source{Find: func(context.Context) (problem.Report, error) {
		return problem.Report{Problems: []problem.Problem{on(bad, "toy", "a").SinceAt(reported.Load())}}, nil
	}})
	begin := r.now()
	for i, step := range []struct{ at, want time.Duration }{
		{-time.Minute, -time.Minute},
		{5 * time.Second, -time.Minute},
		{-time.Hour, -time.Hour},
		{2 * time.Minute, 2 * time.Minute}, // nobody looked for so long that it may be another one
	} {
		since, want := begin.Add(step.at), step.want
		reported.Store(&since)
		if i == 3 {
			r.clock.Add(120)
		}
		if s := r.look(t); !s.problems[0].Since.Equal(begin.Add(want)) {
			t.Errorf("look %d: since %v, want %v", i, s.problems[0].Since, begin.Add(want))
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

// That rules match nothing at an interface follows from its absence.
func TestOneMissingInterfaceIsOneProblem(t *testing.T) {
	zone := func(id string) problem.Problem {
		return on(problem.Kind{Code: "firewall.interface_missing", Severity: problem.Error}, "interface", id).Affecting([]problem.Subject{{Kind: "zone", ID: "lan"}})
	}
	absent := on(problem.Kind{Code: "network.missing", Severity: problem.Error}, "interface", "a").Affecting([]problem.Subject{{Kind: "route", ID: "r"}})
	got := merge([]problem.Problem{zone("a"), zone("b"), absent})
	if len(got) != 2 || got[0].Code != "firewall.interface_missing" || got[0].Subject.ID != "b" || got[1].Code != "network.missing" {
		t.Fatalf("%+v are told, want that of the other interface, and the cause", got)
	}
	if d := cmp.Diff(got[1].Affects, []problem.Subject{{Kind: "zone", ID: "lan"}, {Kind: "route", ID: "r"}}); d != "" || got[1].AffectsTotal != 2 {
		t.Errorf("it affects %d: %s", got[1].AffectsTotal, d)
	}
}

func TestAServiceThatWorksMayHaveSeveralProblems(t *testing.T) {
	away := on(problem.Kind{Code: "forwardproxy.parent_away", Severity: problem.Error}, "service", "forward-proxy")
	nobody := on(problem.Kind{Code: "forwardproxy.nobody_allowed", Severity: problem.Warning}, "service", "forward-proxy")
	if got := merge([]problem.Problem{away, nobody, away}); len(got) != 2 {
		t.Errorf("%d are told, want both", len(got))
	}
	if got := merge([]problem.Problem{away, nobody, on(unit, "service", "forward-proxy")}); len(got) != 1 || got[0].Code != "system.service_failed" {
		t.Errorf("of a service that failed %v is told, want that", got)
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

// Who needs the database hangs with it; what else is known must not wait for them as long.
func TestALostDatabaseIsNotWaitedFor(t *testing.T) {
	for _, tc := range []struct {
		name   string
		before bool          // it is away already
		within time.Duration // the answer is there
	}{
		{"it is lost while somebody waits for it", false, 1500 * time.Millisecond},
		{"it is known to be away", true, 700 * time.Millisecond},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(
					problem.Source{Find: func(ctx context.Context) (problem.Report, error) {
						<-ctx.Done()
						return problem.Report{}, ctx.Err()
					}},
					said(problem.Report{Problems: []problem.Problem{on(bad, "toy", "a")}}, nil),
				)
				r.down.Store(tc.before)
				time.AfterFunc(500*time.Millisecond, func() { r.down.Store(true) })
				begin := time.Now()
				s := r.look(t)
				if took := time.Since(begin); took > tc.within {
					t.Errorf("took %v, want at most %v", took, tc.within)
				}
				want := []Unknown{{"toy", fault.Said("the database does not answer")}}
				if d := cmp.Diff(s.unknown, want); d != "" || len(s.problems) != 1 {
					t.Errorf("unknown: %s, problems %v", d, codes(s))
				}
			})
		})
	}
}

// What a stream says of the database is what is true within a second.
func TestAStreamFollowsTheDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r *rig
		r = newRig(problem.Source{Find: func(context.Context) (problem.Report, error) {
			if r.Up() {
				return problem.Report{}, nil
			}
			return problem.Report{Problems: []problem.Problem{on(bad, "service", "database")}}, nil
		}})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		h := &handlers{collector: r.collector, updates: component.NewBroadcast()}
		told := make(chan List, 8)
		go func() {
			_ = h.stream(ctx, func(v any) error {
				told <- v.(List) //nolint:forcetypeassert // that is what it sends
				return nil
			})
		}()
		for _, down := range []bool{false, true, false} {
			r.down.Store(down)
			begin := time.Now()
			if l := <-told; (len(l.Problems) == 1) != down || time.Since(begin) > lookTime {
				t.Errorf("down %v: told %d problems after %v", down, len(l.Problems), time.Since(begin))
			}
		}
		cancel()
		synctest.Wait()
	})
}

// A page and the indicator beside it must not contradict what somebody else was told just now.
func TestAStreamTellsWhatSomebodyElseFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Bool
		r := newRig(problem.Source{Find: func(context.Context) (problem.Report, error) {
			if broken.Load() {
				return problem.Report{Problems: []problem.Problem{on(bad, "toy", "a")}}, nil
			}
			return problem.Report{}, nil
		}})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		h := &handlers{collector: r.collector, updates: component.NewBroadcast()}
		told := make(chan List, 8)
		go func() {
			_ = h.stream(ctx, func(v any) error {
				told <- v.(List) //nolint:forcetypeassert // that is what it sends
				return nil
			})
		}()
		<-told
		for _, now := range []bool{true, false} {
			synctest.Wait()
			broken.Store(now)
			r.clock.Add(2)
			begin := time.Now()
			r.look(t)
			if l := <-told; (len(l.Problems) == 1) != now || time.Since(begin) > 0 {
				t.Errorf("broken %v: told %d problems after %v", now, len(l.Problems), time.Since(begin))
			}
		}
		cancel()
		synctest.Wait()
	})
}
