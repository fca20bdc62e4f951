package health_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"gateway/internal/component/uplink/health"
)

const (
	interval = 100 * time.Millisecond
	timeout  = 300 * time.Millisecond
)

func usual() health.Config {
	return health.Config{Monitor: true, Window: 2 * time.Second, LossDown: 15, RTTDown: timeout, Hold: 10 * time.Second}
}

// line is an uplink on a clock of its own, probed as package probe does it: every interval,
// and four times as often after a bad probe.
type line struct {
	*testing.T
	*health.Machine
	now, start, next time.Time
	cause            func(at time.Duration) (rtt time.Duration, lost bool)
	seq              uint64
	open             []health.Probe
	timeout          time.Duration // of a probe
	bad              time.Time
	flips            []time.Duration
	random           *rand.Rand
}

func newLine(t *testing.T, cfg health.Config) *line {
	t.Helper()
	start := time.Unix(1_800_000_000, 0)
	l := &line{T: t, Machine: health.New(cfg, start), now: start, start: start, next: start, timeout: timeout, random: rand.New(rand.NewPCG(1, 2))}
	l.cause = func(time.Duration) (time.Duration, bool) { return 5 * time.Millisecond, false }
	return l
}

func (l *line) at() time.Duration { return l.now.Sub(l.start) }

// run lets time pass in steps of five milliseconds.
func (l *line) run(d time.Duration) {
	l.Helper()
	for end := l.now.Add(d); l.now.Before(end); l.now = l.now.Add(5 * time.Millisecond) {
		if !l.now.Before(l.next) {
			l.send()
		}
		l.collect()
		if l.Tick(l.now) {
			l.flips = append(l.flips, l.at())
		}
	}
}

func (l *line) send() {
	l.seq++
	rtt, lost := l.cause(l.at())
	at := l.now.Add(time.Microsecond) // no probe is sent at the very moment of a tick
	l.open = append(l.open, health.Probe{Seq: l.seq, At: at, RTT: rtt, Lost: lost})
	every := interval
	if l.now.Sub(l.bad) < 2*time.Second && l.State().Usable() {
		every = interval / 4
	}
	l.next = l.now.Add(every)
}

// collect reports what was answered, and what was not in time.
func (l *line) collect() {
	left := l.open[:0]
	for _, p := range l.open {
		age := l.now.Sub(p.At)
		switch {
		case !p.Lost && age >= p.RTT:
			if p.RTT >= l.timeout {
				l.bad = l.now
			}
			l.Report(l.now, p)
		case age >= l.timeout && age < l.timeout+5*time.Millisecond:
			l.bad = l.now
			l.Report(l.now, health.Probe{Seq: p.Seq, At: p.At, Lost: true})
			if !p.Lost {
				left = append(left, p) // answered late
			}
		case age < l.timeout || !p.Lost:
			left = append(left, p)
		}
	}
	l.open = left
}

func (l *line) loses(percent int) func(time.Duration) (time.Duration, bool) {
	return func(time.Duration) (time.Duration, bool) {
		return 5 * time.Millisecond, l.random.IntN(100) < percent
	}
}

// within wants one flip since the cause began, at most so long after it.
func (l *line) within(cause time.Duration, most time.Duration, state health.State) time.Duration {
	l.Helper()
	if len(l.flips) != 1 || l.flips[0]-cause > most || l.State() != state {
		l.Fatalf("flips %v after a cause at %s, state %s; want one within %s, and %s", l.flips, cause, l.State(), most, state)
	}
	took := l.flips[0] - cause
	l.flips = nil
	return took
}

func TestTroubleIsNoticedAndItsEndToo(t *testing.T) {
	for _, tc := range []struct {
		name  string
		cause func(l *line) func(time.Duration) (time.Duration, bool)
		state health.State
	}{
		{"nothing is answered", func(l *line) func(time.Duration) (time.Duration, bool) { return l.loses(100) }, health.Down},
		{"a third is lost", func(l *line) func(time.Duration) (time.Duration, bool) { return l.loses(30) }, health.Loss},
		{"answers take 400 ms more", func(*line) func(time.Duration) (time.Duration, bool) {
			return func(time.Duration) (time.Duration, bool) { return 405 * time.Millisecond, false }
		}, health.Slow},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLine(t, usual())
			well := l.cause
			var worst time.Duration
			for range 20 {
				l.run(3 * time.Second)
				if l.State() != health.Up {
					t.Fatalf("state = %s", l.State())
				}
				from := l.at()
				l.cause = tc.cause(l)
				l.run(8 * time.Second)
				worst = max(worst, l.within(from, 3*time.Second, tc.state))
				from = l.at()
				l.cause = well
				l.run(15 * time.Second)
				l.within(from, 15*time.Second, health.Up)
			}
			t.Logf("at the latest after %s", worst)
		})
	}
}

// A window as short as the time that trouble must last, or as the wait for an answer, still ends in a verdict.
func TestAShortWindowNoticesTroubleToo(t *testing.T) {
	for _, tc := range []struct {
		name    string
		rttDown time.Duration
		loses   int
		state   health.State
	}{
		{"nothing is answered", timeout, 100, health.Down},
		{"every other probe is lost", timeout, 50, health.Loss},
		{"nothing is answered, and answers may take as long as they like", 0, 100, health.Down},
		{"nothing is answered, and answers may take longer than the window", 1500 * time.Millisecond, 100, health.Down},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg := usual()
			cfg.Window, cfg.Hold, cfg.RTTDown = time.Second, time.Second, tc.rttDown
			l := newLine(t, cfg)
			l.timeout = cfg.Timeout()
			well := l.cause
			for range 5 {
				l.run(5 * time.Second)
				from := l.at()
				l.cause = l.loses(tc.loses)
				l.run(4 * time.Second)
				l.within(from, 3500*time.Millisecond, tc.state)
				from = l.at()
				l.cause = well
				l.run(6 * time.Second)
				l.within(from, 5*time.Second, health.Up)
			}
		})
	}
}

func TestNothingFlapsWhileTheCauseDoes(t *testing.T) {
	l := newLine(t, usual())
	l.run(5 * time.Second)
	begin := l.at()
	l.cause = func(at time.Duration) (time.Duration, bool) {
		return 5 * time.Millisecond, (at-begin)/(5*time.Second)%2 == 0
	}
	l.run(2 * time.Minute)
	l.within(begin, 3*time.Second, l.State())
	if l.State().Usable() {
		t.Errorf("state = %s", l.State())
	}
}

func TestAHiccupMovesNobody(t *testing.T) {
	for _, window := range []time.Duration{time.Second, 2 * time.Second} {
		for _, long := range []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 300 * time.Millisecond} {
			cfg := usual()
			cfg.Window = window
			l := newLine(t, cfg)
			l.run(5 * time.Second)
			begin := l.at()
			l.cause = func(at time.Duration) (time.Duration, bool) { return 5 * time.Millisecond, at-begin < long }
			l.run(20 * time.Second)
			if len(l.flips) > 0 {
				t.Errorf("window %s, silence of %s: flips %v", window, long, l.flips)
			}
		}
	}
}

func TestAFewLostPacketsAreNoTrouble(t *testing.T) {
	l := newLine(t, usual())
	l.cause = l.loses(2)
	l.run(10 * time.Minute)
	if len(l.flips) > 0 {
		t.Errorf("flips at %v", l.flips)
	}
}

func TestTheCarrierCountsAtOnceAndComesBackWithTheHold(t *testing.T) {
	for _, monitor := range []bool{true, false} {
		cfg := usual()
		cfg.Monitor = monitor
		l := newLine(t, cfg)
		l.run(5 * time.Second)
		l.Carrier(false, l.now)
		if l.State() != health.NoCarrier {
			t.Fatalf("monitor %v: state = %s", monitor, l.State())
		}
		l.run(3 * time.Second)
		for range 5 { // a loose plug
			l.Carrier(true, l.now)
			l.run(2 * time.Second)
			l.Carrier(false, l.now)
			l.run(2 * time.Second)
		}
		if len(l.flips) > 0 {
			t.Fatalf("monitor %v: flips %v", monitor, l.flips)
		}
		from := l.at()
		l.Carrier(true, l.now)
		l.run(14 * time.Second)
		want := health.Up
		if !monitor {
			want = health.Unmonitored
		}
		l.within(from, 13*time.Second, want)
	}
}

func TestASilentMonitorChangesNothing(t *testing.T) {
	l := newLine(t, usual())
	l.run(5 * time.Second)
	l.next = l.now.Add(time.Hour) // no more probes
	l.run(20 * time.Second)
	if l.State() != health.Unknown || len(l.flips) > 0 {
		t.Errorf("state %s, flips %v; want the verdict to be out of date, and nobody moved", l.State(), l.flips)
	}
}

func TestWhatWasKnownOutlivesARestart(t *testing.T) {
	l := newLine(t, usual())
	l.cause = l.loses(100)
	l.run(5 * time.Second)
	again := newLine(t, usual())
	again.Restore(l.Status())
	if again.State() != health.Down || len(again.Status().History) != 1 {
		t.Errorf("after a restart: %+v", again.Status())
	}
}

func TestTheHistoryIsBounded(t *testing.T) {
	cfg := usual()
	cfg.Monitor, cfg.Hold = false, 0
	l := newLine(t, cfg)
	for i := range 200 {
		l.Carrier(i%2 == 1, l.now)
		l.run(10 * time.Millisecond)
	}
	if n := len(l.Status().History); n != 50 {
		t.Errorf("the history has %d entries", n)
	}
}
