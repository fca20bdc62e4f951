package apply

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/sys"
)

// unitRun is one unit of a daemon as it was found. Without a process it is down.
type unitRun struct {
	Name    string     `json:"name"`
	PID     int        `json:"pid"`
	Started *time.Time `json:"started"`
}

func (u unitRun) same(other unitRun) bool {
	if u.Name != other.Name || u.PID != other.PID {
		return false
	}
	return u.PID == 0 || u.Started != nil && other.Started != nil && u.Started.Equal(*other.Started)
}

// unitsOf are the units of the daemon, and whether each is to run on r: those that r says
// nothing about are to.
func (w *worker) unitsOf(r daemon.Rendering) []daemon.Unit {
	units := slices.Clone(r.Units)
	for _, name := range w.daemon.Units {
		if !slices.ContainsFunc(units, func(u daemon.Unit) bool { return u.Name == name }) {
			units = append(units, daemon.Unit{Name: name, Up: true})
		}
	}
	return units
}

// unitRuns looks at every unit, and is an error where one is not as r wants it.
func (w *worker) unitRuns(ctx context.Context, r daemon.Rendering) ([]unitRun, error) {
	units := w.unitsOf(r)
	states, err := w.states(ctx, units)
	if err != nil {
		return nil, err
	}
	runs := make([]unitRun, len(units))
	for i, u := range units {
		s := states[i]
		switch {
		case u.Up && !up(s):
			return nil, fault.New(fault.Unavailable, "%s is %s after loading the new configuration; see the log of %s", w.daemon.Name, s.ActiveState, s.Name)
		case !u.Up && up(s):
			return nil, fault.New(fault.Unavailable, "%s is running although it is switched off; see the log of %s", w.daemon.Name, s.Name)
		case w.misplaced(r, u, s):
			return nil, fault.New(fault.Unavailable, "%s would be in another state after the next boot: systemd reports that %s is %s", w.daemon.Name, s.Name, s.UnitFileState)
		}
		runs[i] = unitRun{Name: u.Name, PID: s.MainPID, Started: s.StartedAt}
	}
	return runs, nil
}

// misplaced reports whether the next boot would bring a unit up, or leave it down, against
// the operator's word. What the operator has no word in is left to packaging.
func (w *worker) misplaced(r daemon.Rendering, u daemon.Unit, s sys.UnitState) bool {
	if !slices.Contains(r.Units, u) {
		return false
	}
	return u.Up && s.UnitFileState == "disabled" || !u.Up && s.UnitFileState == "enabled"
}

func (w *worker) states(ctx context.Context, units []daemon.Unit) ([]sys.UnitState, error) {
	names := make([]string, len(units))
	for i, u := range units {
		names[i] = u.Name
	}
	states, err := w.Units.States(ctx, names)
	if err == nil && len(states) != len(names) {
		err = fmt.Errorf("%d answers for %d units", len(states), len(names))
	}
	if err != nil {
		return nil, fmt.Errorf("look at the units of %s: %w", w.daemon.Name, err)
	}
	return states, nil
}

// switchUnits stops and disables what is to be down, and enables what is to be up; starting
// that is Apply's, which knows what has to be there before. A unit that is not installed is
// down already.
func (w *worker) switchUnits(ctx context.Context, r daemon.Rendering) error {
	if len(r.Units) == 0 {
		return nil
	}
	states, err := w.states(ctx, r.Units)
	if err != nil {
		return err
	}
	for i, u := range r.Units {
		s := states[i]
		var steps []func(context.Context, string) error
		if !u.Up && s.ActiveState != "inactive" && s.Installed() {
			steps = append(steps, w.Units.Stop)
		}
		if w.misplaced(r, u, s) {
			steps = append(steps, map[bool]func(context.Context, string) error{true: w.Units.Enable, false: w.Units.Disable}[u.Up])
		}
		for _, step := range steps {
			if err := step(ctx, u.Name); err != nil {
				return fmt.Errorf("switch %s: %w", u.Name, err)
			}
		}
	}
	return nil
}

// staysUp reports whether something of the daemon runs before and after, so that what it runs
// on says what has to be done. A daemon without units always does.
func (w *worker) staysUp(running, r daemon.Rendering) bool {
	was, is := w.unitsOf(running), w.unitsOf(r)
	return len(is) == 0 || slices.ContainsFunc(is, func(u daemon.Unit) bool { return u.Up && slices.Contains(was, u) })
}

// startNew starts what is to be up from now on, where Apply found in running that nothing had
// to be done. A process that starts reads its files; those that stayed up are not bothered.
func (w *worker) startNew(ctx context.Context, running, r daemon.Rendering) error {
	if running.None() {
		return nil // Apply knew that nothing was known
	}
	was := w.unitsOf(running)
	fresh := slices.DeleteFunc(w.unitsOf(r), func(u daemon.Unit) bool { return !u.Up || slices.Contains(was, u) })
	if len(fresh) == 0 {
		return nil
	}
	states, err := w.states(ctx, fresh)
	if err != nil {
		return err
	}
	for i, u := range fresh {
		if up(states[i]) {
			continue
		}
		if err := w.Units.Start(ctx, u.Name); err != nil {
			return fmt.Errorf("start %s: %w", u.Name, err)
		}
	}
	return nil
}

// followUnits has the units follow the operator's word while the files are somebody's who
// edits them by hand.
func (w *worker) followUnits(ctx context.Context, units []daemon.Unit) error {
	w.setUnits(units)
	r := w.installed
	if _, err := w.unitRuns(ctx, r); err == nil {
		return nil
	}
	if err := w.switchUnits(ctx, r); err != nil {
		return err
	}
	for _, u := range r.Units {
		if u.Up {
			if err := w.Units.Start(ctx, u.Name); err != nil {
				return fmt.Errorf("start %s: %w", u.Name, err)
			}
		}
	}
	return nil
}

// setUnits makes the units those of what is installed, and leaves its files.
func (w *worker) setUnits(units []daemon.Unit) {
	r := w.installed
	if slices.Equal(r.Units, units) {
		return
	}
	r.Units = units
	r = r.Rehashed()
	w.setInstalled(r)
	w.keep(r)
}

// putBack has the daemon run on what is installed while the rows of an undone change are
// still there: after a boot its units may be as the change had left them.
func (w *worker) putBack(ctx context.Context) {
	a, _ := w.waiting.current()
	if a == nil || !a.Undone || w.installed.None() || w.retryAt.After(w.Clock.Now()) || w.observe(ctx) == w.installed.Hash() {
		return
	}
	var err error
	if w.kept() {
		err = w.followUnits(ctx, w.installed.Units)
	} else {
		err = w.reload(ctx, daemon.Rendering{}, w.installed)
	}
	if err != nil {
		w.retryAt = w.Clock.Now().Add(retryMax)
		w.Log.Error("apply", "component", w.daemon.Name, "err", err)
	}
}

// switchedOff are the units that are to be down, and whether no other is to be up.
func switchedOff(r daemon.Rendering) (off []string, all bool) {
	off = []string{}
	for _, u := range r.Units {
		if !u.Up {
			off = append(off, u.Name)
		}
	}
	return off, r.Off()
}

// off reports whether a unit is down by the operator's word. One that was switched on and
// cannot start is not, although what is installed still has it down.
func (e *Engine) off(unit string) bool {
	return slices.ContainsFunc(e.workers, func(w *worker) bool { return slices.Contains(w.current().Off, unit) })
}

func up(unit sys.UnitState) bool {
	return unit.ActiveState == "active" || unit.ActiveState == "reloading"
}
