package restore

import (
	"cmp"
	"context"
	"errors"
	"time"

	"gateway/internal/process"
)

// How often it is tried to do what a full disk does not let it, at first and after a while.
const (
	retryEvery  = 5 * time.Second
	retrySeldom = time.Minute
)

// next saves the phase that follows. That a restore is kept has to be in the journal before the old state goes; until there is
// room for it, all runs as it is to stay.
func (j *Job) next(ctx context.Context) error {
	err := j.save(ctx)
	if err == nil || j.entry.Phase != keeping {
		return err
	}
	j.settled()
	return j.persist(ctx, err, j.save)
}

// persist tries again what cannot be done, ever more seldom, until it can or ctx ends. A new process could do no more, and would stop and start
// services on its way to here.
func (j *Job) persist(ctx context.Context, err error, do func(context.Context) error) error {
	j.Log.Error("the restore waits until it can go on", "err", err)
	for pause := cmp.Or(j.Retry, retryEvery); err != nil; pause = min(2*pause, retrySeldom) {
		if !process.Pause(ctx, pause) {
			return err
		}
		err = do(ctx)
	}
	return nil
}

// clear removes what the restore made, once nothing uses it. Until that is possible all runs, and operators are told: once, and as soon
// as they can be, for what is in the way may be a full disk, which that is written to as well.
func (j *Job) clear(ctx context.Context) error {
	told := false
	remove := func(ctx context.Context) error {
		err := errors.Join(j.Databases.Drop(ctx, Restored), j.Files.Clean(ctx, j.entry.Plan))
		if err != nil && !told {
			j.entry.Blocked = true
			told = j.tell(ctx, j.entry.state(j.Clock))
		}
		return err
	}
	err := remove(ctx)
	if err != nil {
		err = j.persist(ctx, err, remove)
	}
	j.entry.Blocked = false
	return err
}
