package chrony

import (
	"context"
	"encoding/json"
	"errors"

	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/sys"
)

// apply restarts the daemon: it reads its file only then. That is as good as a reload,
// since it takes its measurements along (dumpdir, and -r in the drop-in of the unit): it is
// away for some milliseconds, and as synchronised after as before.
func (c *chronyd) apply(ctx context.Context, old, now daemon.Rendering) error {
	if len(old.Files) > 0 && old.Hash() == now.Hash() {
		return inWords(c.units.Start(ctx, Unit), fault.Said("the NTP daemon did not start; see the log of %s", Unit))
	}
	return inWords(c.units.Restart(ctx, Unit), fault.Said("the NTP daemon did not restart; see the log of %s", Unit))
}

// inWords puts what the operator can look into as a fault, and leaves the rest to the log.
func inWords(err error, words fault.Sentence) error {
	var job *sys.JobError
	if !errors.As(err, &job) {
		return err
	}
	return errors.Join(fault.With(fault.Unavailable, words).WithCode("ntp_unavailable"), err)
}

// ForceSync is the verb that makes the daemon ask its sources now.
const ForceSync = "force-sync"

// syncUnit does it, as the daemon's own user: nobody else reaches its command socket.
const syncUnit = "gateway-ntp-sync.service"

// forceSync returns when the sources have had their time to answer.
func (c *chronyd) forceSync(ctx context.Context, _ json.RawMessage) (any, error) {
	err := c.units.Start(ctx, syncUnit)
	var job *sys.JobError
	if errors.As(err, &job) {
		err = errors.Join(fault.New(fault.Unavailable, "the NTP daemon is not running or has no time source; see the log of %s", syncUnit).WithCode("ntp_unavailable"), err)
	}
	return struct{}{}, err
}
