package restore

import (
	"context"

	"gateway/internal/fault"
)

// Resume goes on where a killed process was. Nothing happens when there is no restore under way.
func (j *Job) Resume(ctx context.Context) error {
	found, err := j.Journal.Read()
	if err != nil || found == nil {
		return err
	}
	j.entry = found
	booted := found.Boot != j.Clock.Boot
	found.Boot = j.Clock.Boot
	switch found.Phase {
	case loading:
		j.give(errInterrupted())
		return j.enter(ctx, undoing)
	case switching:
		names, err := j.names(ctx)
		if err != nil {
			return err
		}
		switch {
		case !names.Before || booted:
			j.give(errInterrupted())
			return j.enter(ctx, undoing)
		case j.Clock.Uptime() >= found.Until: // it never came as far as to be confirmed
			j.give(fault.Say("the services did not start with the restored state, and apply it, in time"))
			return j.enter(ctx, undoing)
		}
	case waiting:
		if done, err := j.stale(ctx, booted); err != nil || done {
			return err
		}
		if !booted {
			break
		}
		// An answer that was taken before counts.
		j.mark(ctx, "confirm", Running)
		if next := j.answered(ctx); next != "" {
			return j.enter(ctx, next)
		}
		j.mark(ctx, "confirm", Failed)
		// Whoever was to confirm may have been the one who pulled the plug.
		j.give(fault.Say("the node was restarted before the restore was confirmed"))
		return j.enter(ctx, undoing)
	}
	return j.drive(ctx)
}

// stale is for a journal that waits though its restore was on its way back, which it could not be told (see save). What
// goes back first is the database: once it has, the files follow; before, all is still the new state, without its services.
func (j *Job) stale(ctx context.Context, booted bool) (done bool, err error) {
	names, err := j.names(ctx)
	if err != nil {
		return false, err
	}
	answer, err := j.Console.Answer(ctx, j.entry.Plan.ID)
	if err != nil {
		j.Log.Error("read the answer", "err", err)
	}
	if !names.Before { // it is dropped only after the journal says that it is kept
		j.entry.Undone = true
		if j.entry.Asked = answer == Undo; !j.entry.Asked {
			j.give(errInterrupted())
		}
		return true, j.enter(ctx, undoing)
	}
	switch {
	case booted, answer == NoAnswer && j.Clock.Uptime() < j.entry.Until:
		return false, nil // it had no reason to go back
	case answer == Confirm: // by somebody who knows which services do not come up with it
		if err := j.Services.StartDown(ctx); err != nil {
			j.Log.Error("start the services of the restored state", "err", err)
		}
		return false, nil
	}
	// It goes back, and stops the services first: nobody has to start them for that, and some may not be able to.
	if j.entry.Asked = answer == Undo; !j.entry.Asked {
		j.give(errLate())
	}
	j.mark(ctx, "confirm", Running) // a step that ends has begun
	j.mark(ctx, "confirm", Failed)
	return true, j.enter(ctx, undoing)
}

func errInterrupted() error { return fault.Say("the restore was interrupted") }

func errLate() error { return fault.Say("the restore was not confirmed in time") }
