package ntp

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
func (p *part) apply(ctx context.Context, old, now daemon.Rendering) error {
	if len(old.Files) > 0 && old.Hash() == now.Hash() {
		return inWords(p.Units.Start(ctx, unit), "start")
	}
	return inWords(p.Units.Restart(ctx, unit), "restart")
}

// inWords puts what the operator can look into as a fault, and leaves the rest to the log.
func inWords(err error, verb string) error {
	var job *sys.JobError
	if !errors.As(err, &job) {
		return err
	}
	return errors.Join(fault.New(fault.Unavailable, "the NTP daemon did not %s; the log of %s says why", verb, unit).WithCode("ntp_unavailable"), err)
}

const (
	// forceSync is the verb that makes the daemon ask its sources now.
	forceSync = "force-sync"
	// syncUnit does it, as the daemon's own user: nobody else reaches its command socket.
	syncUnit = "gateway-ntp-sync.service"
)

// forceSync runs in gateway-apply. It returns when the sources have had their time to answer.
func (p *part) forceSync(ctx context.Context, _ json.RawMessage) (any, error) {
	err := p.Units.Start(ctx, syncUnit)
	var job *sys.JobError
	if errors.As(err, &job) {
		err = errors.Join(fault.New(fault.Unavailable, "the NTP daemon is not running or has no time source; the log of %s says more", syncUnit).WithCode("ntp_unavailable"), err)
	}
	return struct{}{}, err
}
