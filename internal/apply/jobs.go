package apply

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"gateway/internal/fault"
)

const (
	endWait = 10 * time.Second       // for a job that told its result and goes
	endPoll = 100 * time.Millisecond // how often it is looked for
)

// The jobs, by the name that the socket knows them by.
const (
	JobRestore = "restore"
	JobVerify  = "verify"
)

// jobUnits are fixed; the id is the only part that a caller chooses.
var jobUnits = map[string]string{
	JobRestore: "gateway-restore@",
	JobVerify:  "gateway-verify@",
}

var jobID = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// jobUnit is the unit of a job, for an id that is a UUID and no other text.
func jobUnit(job, id string) (string, error) {
	prefix, ok := jobUnits[job]
	if !ok {
		return "", fault.New(fault.Invalid, "there is no job %q", job)
	}
	if !jobID.MatchString(id) {
		return "", fault.New(fault.Invalid, "the id of the archive must be a UUID")
	}
	return prefix + id + ".service", nil
}

// ended waits for the job that did the same before: it tells its result first and ends then, and systemd starts nothing
// while a unit of that name is up, without a word about it.
func ended(ctx context.Context, u unitStates, unit string) error {
	ctx, cancel := context.WithTimeout(ctx, endWait)
	defer cancel()
	for {
		states, err := u.States(ctx, []string{unit})
		if err == nil && len(states) != 1 {
			err = fmt.Errorf("read the state of %s: %d answers", unit, len(states))
		}
		if err != nil {
			return err
		}
		if !slices.Contains([]string{"active", "reloading", "activating", "deactivating"}, states[0].ActiveState) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fault.New(fault.Conflict, "this is being done already; see the log of %s", unit)
		case <-time.After(endPoll):
		}
	}
}
