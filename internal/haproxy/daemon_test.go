package haproxy_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"gateway/internal/haproxy"
	"gateway/lab/haproxytest"
)

// starter starts what the test has.
type starter struct {
	started []string
	start   func()
}

func (s *starter) Start(_ context.Context, unit string) error {
	s.started = append(s.started, unit)
	if s.start != nil {
		s.start()
	}
	return nil
}

// Two at once, straight at the master, and one of them is not answered.
func TestReloadsTakeTurns(t *testing.T) {
	r := newRig(t, "")
	d := &haproxy.Daemon{Runtime: r.Runtime, Master: r.Master, Units: &starter{}}
	var g sync.WaitGroup
	for range 6 {
		g.Go(func() {
			if err := d.Reload(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	g.Wait()
}

// An applier that was killed may have asked for a reload that is still under way.
func TestTwoAppliersReloadAtOnce(t *testing.T) {
	r := newRig(t, "")
	for range 5 {
		var g sync.WaitGroup
		for range 2 {
			d := &haproxy.Daemon{Runtime: r.Runtime, Master: r.Master, Units: &starter{}}
			g.Go(func() {
				if err := d.Reload(short(t)); err != nil {
					t.Error(err)
				}
			})
		}
		g.Wait()
	}
}

func TestOneThatIsDownIsStarted(t *testing.T) {
	h := haproxytest.New(t)
	s := &starter{start: func() { h.Start("defaults\n\ttimeout client 1s\n") }}
	d := &haproxy.Daemon{Runtime: h.Runtime, Master: h.Master, Units: s}
	if err := d.Reload(t.Context()); err != nil || len(s.started) != 1 || s.started[0] != haproxy.Unit {
		t.Errorf("started %v, %v", s.started, err)
	}
}

// What was told to a process that is on its way out is told again, or read from the files.
func TestAReloadMeanwhileIsNoticed(t *testing.T) {
	r := newRig(t, "")
	d := &haproxy.Daemon{Runtime: r.Runtime, Master: r.Master, Units: &starter{}}
	if err := d.Tell(t.Context(), func() error { return nil }); err != nil {
		t.Errorf("undisturbed: %v", err)
	}
	err := d.Tell(t.Context(), func() error { return r.Master.Reload(t.Context()) })
	if !errors.Is(err, haproxy.ErrReloaded) {
		t.Errorf("reloaded meanwhile: %v", err)
	}
}
