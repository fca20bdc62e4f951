package apply

import (
	"context"
	"errors"
	"fmt"

	"gateway/internal/daemon"
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
func (s *Server) act(ctx context.Context, a Action, svc daemon.Service) error {
	if err := usable(ctx, s.units, svc); err != nil {
		return err
	}
	if a == Restart && s.engine != nil && s.engine.off(svc.Unit) {
		return fault.New(fault.Conflict, "%s is switched off; switch it on in its settings", svc.Phrase).WithCode("switched_off")
	}
	restart := s.units.Restart
	if svc.Gentle {
		restart = s.restartGently
	}
	steps := map[Action][]func(context.Context, string) error{
		Restart: {restart},
		On:      {s.units.Enable, s.units.Start},
		Off:     {s.units.Stop, s.units.Disable},
	}[a]
	for _, step := range steps {
		if err := step(ctx, svc.Unit); err != nil {
			return inWords(err, svc)
		}
	}
	return nil
}

// restartGently gives the service fresh processes by a reload, which cuts nobody off, not
// even the request that asked for this; it is stopped and started only when the reload does
// not work.
func (s *Server) restartGently(ctx context.Context, unit string) error {
	if s.units.Reload(ctx, unit) == nil {
		return nil
	}
	return s.units.Restart(ctx, unit)
}

// usable asks first, since systemd's own refusal differs from verb to verb: it
// "disables" a unit that does not exist without a word.
func usable(ctx context.Context, u unitStates, svc daemon.Service) error {
	states, err := u.States(ctx, []string{svc.Unit})
	if err != nil {
		return err
	}
	if len(states) != 1 {
		return fmt.Errorf("read the state of %s: %d answers", svc.Unit, len(states))
	}
	switch {
	case !states[0].Installed():
		return fault.New(fault.NotFound, "%s is not installed on this node", svc.Phrase)
	case states[0].LoadState == "masked":
		return fault.New(fault.Conflict, "%s is masked on this node; unmask %s first", svc.Phrase, svc.Unit)
	default:
		return nil
	}
}

// inWords puts what the operator can look into as a fault, and leaves the rest to the log.
func inWords(err error, svc daemon.Service) error {
	var job *sys.JobError
	switch {
	case errors.As(err, &job):
		return fault.New(fault.Unavailable, "%s did not change state: systemd reports %q; see the log of %s", svc.Phrase, job.Result, svc.Unit)
	case errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.Unavailable, "%s did not change state in time; see the log of %s", svc.Phrase, svc.Unit)
	default:
		return err
	}
}
