package apply

import (
	"context"
	"errors"
	"fmt"

	"gateway/internal/fault"
	"gateway/internal/sys"
)

type units interface {
	unitSwitches
	Restart(ctx context.Context, unit string) error
	Reload(ctx context.Context, unit string) error
}

type unitSwitches interface {
	unitStates
	Start(ctx context.Context, unit string) error
	Stop(ctx context.Context, unit string) error
	Enable(ctx context.Context, unit string) error
	Disable(ctx context.Context, unit string) error
}

type unitStates interface {
	States(ctx context.Context, names []string) ([]sys.UnitState, error)
}

// act does what was permitted, step by step.
func (s *Server) act(ctx context.Context, a Action, e entry) error {
	if err := usable(ctx, s.units, e); err != nil {
		return err
	}
	if a == Restart && s.engine != nil && s.engine.off(e.unit) {
		return fault.New(fault.Conflict, "%s is switched off; switch it on in its settings", e.name).WithCode("switched_off")
	}
	steps := map[Action][]func(context.Context, string) error{
		Restart: {s.restart},
		On:      {s.units.Enable, s.units.Start},
		Off:     {s.units.Stop, s.units.Disable},
	}[a]
	for _, step := range steps {
		if err := step(ctx, e.unit); err != nil {
			return inWords(err, e)
		}
	}
	return nil
}

// restart gives the service fresh processes. HAProxy does that by a reload, which
// replaces its workers and cuts nobody off, not even the request that asked for
// this; it is stopped and started only when the reload does not work.
func (s *Server) restart(ctx context.Context, unit string) error {
	if unit == ReverseProxy.Unit() && s.units.Reload(ctx, unit) == nil {
		return nil
	}
	return s.units.Restart(ctx, unit)
}

// usable asks first, since systemd's own refusal differs from verb to verb: it
// "disables" a unit that does not exist without a word.
func usable(ctx context.Context, u unitStates, e entry) error {
	states, err := u.States(ctx, []string{e.unit})
	if err != nil {
		return err
	}
	if len(states) != 1 {
		return fmt.Errorf("read the state of %s: %d answers", e.unit, len(states))
	}
	switch {
	case !states[0].Installed():
		return fault.New(fault.NotFound, "%s is not installed on this node", e.name)
	case states[0].LoadState == "masked":
		return fault.New(fault.Conflict, "%s is masked on this node; unmask %s first", e.name, e.unit)
	default:
		return nil
	}
}

// inWords puts what the operator can look into as a fault, and leaves the rest to the log.
func inWords(err error, e entry) error {
	var job *sys.JobError
	switch {
	case errors.As(err, &job):
		return fault.New(fault.Unavailable, "%s did not change state: systemd reports %q; see the log of %s", e.name, job.Result, e.unit)
	case errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.Unavailable, "%s did not change state in time; see the log of %s", e.name, e.unit)
	default:
		return err
	}
}
