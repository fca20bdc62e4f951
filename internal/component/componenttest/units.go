package componenttest

import (
	"context"
	"slices"
	"sync"
	"time"

	"gateway/internal/sys"
)

// Units is a systemd of the test's own. A unit that nobody named yet is up and enabled.
type Units struct {
	// Act is what else happens when a unit is started, restarted or stopped; nil for nothing.
	Act func(ctx context.Context, verb, unit string) error

	mu    sync.Mutex
	asked []string
	units map[string]*sys.UnitState
}

func (u *Units) find(name string) *sys.UnitState {
	if u.units == nil {
		u.units = map[string]*sys.UnitState{}
	}
	if u.units[name] == nil {
		began := time.Now()
		u.units[name] = &sys.UnitState{Name: name, LoadState: "loaded", ActiveState: "active", UnitFileState: "enabled", MainPID: 1, StartedAt: &began}
	}
	return u.units[name]
}

// States are the units as they are.
func (u *Units) States(_ context.Context, names []string) ([]sys.UnitState, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	out := make([]sys.UnitState, len(names))
	for i, name := range names {
		out[i] = *u.find(name)
	}
	return out, nil
}

func (u *Units) do(ctx context.Context, verb, name string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.asked = append(u.asked, verb+" "+name)
	if u.Act != nil {
		if err := u.Act(ctx, verb, name); err != nil {
			return err
		}
	}
	s := u.find(name)
	switch {
	case verb == "enable" || verb == "disable":
		s.UnitFileState = verb + "d"
	case verb == "stop":
		s.ActiveState, s.MainPID, s.StartedAt = "inactive", 0, nil
	case verb == "restart" || s.ActiveState != "active":
		began := time.Now()
		s.ActiveState, s.MainPID, s.StartedAt = "active", len(u.asked)+1, &began
	}
	return nil
}

// Start starts a unit that is down.
func (u *Units) Start(ctx context.Context, unit string) error { return u.do(ctx, "start", unit) }

// Restart gives a unit a new process.
func (u *Units) Restart(ctx context.Context, unit string) error { return u.do(ctx, "restart", unit) }

// Stop stops a unit.
func (u *Units) Stop(ctx context.Context, unit string) error { return u.do(ctx, "stop", unit) }

// Enable has a unit start at the next boot.
func (u *Units) Enable(ctx context.Context, unit string) error { return u.do(ctx, "enable", unit) }

// Disable keeps a unit from starting at the next boot.
func (u *Units) Disable(ctx context.Context, unit string) error { return u.do(ctx, "disable", unit) }

// Asked is what systemd was asked for since the last time, as "verb unit".
func (u *Units) Asked() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	asked := u.asked
	u.asked = nil
	return slices.Clone(asked)
}
