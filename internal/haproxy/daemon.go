package haproxy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Unit is Debian's HAProxy.
const Unit = "haproxy.service"

// maxOld bounds the processes that a reload leaves behind while they have connections:
// each holds as much memory as the current one.
const maxOld = 8

// Daemon is the HAProxy of this machine. Those who have files that it reads share one:
// HAProxy takes a second reload while the first is under way, but answers only one of them.
type Daemon struct {
	Runtime Runtime
	Master  Master
	Units   units // *sys.Units

	turn sync.Mutex
}

type units interface {
	Start(ctx context.Context, unit string) error
}

// NewDaemon is Debian's.
func NewDaemon(u units) *Daemon {
	return &Daemon{Runtime: Runtime{Path: RuntimeSocket}, Master: Master{Path: MasterSocket}, Units: u}
}

// Reload has HAProxy read its files, without closing a connection; it starts one that is
// down. Where it does not take the files, it goes on with those before.
func (d *Daemon) Reload(ctx context.Context) error {
	d.turn.Lock()
	defer d.turn.Unlock()
	err := d.Master.Reload(ctx)
	if errors.Is(err, ErrDown) {
		// Not a restart: somebody may be starting it at this moment, perhaps on the files
		// before. Hence once more; of what was down that costs nobody anything.
		if err := d.Units.Start(ctx, Unit); err != nil {
			return fmt.Errorf("start HAProxy: %w", err)
		}
		err = d.Master.Reload(ctx)
	}
	if err != nil {
		return fmt.Errorf("reload HAProxy: %w", err)
	}
	return d.retire(ctx)
}

// retire ends the oldest processes that still serve connections from before a reload, when
// they become too many.
func (d *Daemon) retire(ctx context.Context) error {
	workers, err := d.Master.Workers(ctx)
	if err != nil {
		return err
	}
	old := slices.DeleteFunc(workers, func(w Worker) bool { return !w.Old })
	slices.SortFunc(old, func(a, b Worker) int { return b.Reloads - a.Reloads })
	for len(old) > maxOld {
		if err := d.Master.Retire(ctx, old[0].PID); err != nil {
			return err
		}
		old = old[1:]
	}
	return nil
}
