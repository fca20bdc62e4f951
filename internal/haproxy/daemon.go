package haproxy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"gateway/internal/process"
)

// Unit is Debian's HAProxy.
const Unit = "haproxy.service"

// maxOld bounds the processes that a reload leaves behind while they have connections:
// each holds as much memory as the current one.
const maxOld = 8

// retireTime is how long ending them may take.
const retireTime = 3 * time.Second

// Daemon is the HAProxy of this machine. Those who have files that it reads share one:
// HAProxy takes a second reload while the first is under way, but answers only one of them.
type Daemon struct {
	Runtime Runtime
	Master  Master
	Units   units // *sys.Units
	// At is told each step of a change of the running HAProxy; tests end the process there.
	At func(step string)

	reloading sync.Mutex
}

type units interface {
	Start(ctx context.Context, unit string) error
}

// NewDaemon is Debian's.
func NewDaemon(u units) *Daemon {
	return &Daemon{Runtime: Runtime{Path: RuntimeSocket}, Master: Master{Path: MasterSocket}, Units: u}
}

// ErrReloaded says that somebody reloaded HAProxy while it was told something: the process
// that was told is on its way out, and the new one may have read the files before.
var ErrReloaded = errors.New("HAProxy was reloaded meanwhile")

// Tell has fn change the running HAProxy, in turn with reloads.
func (d *Daemon) Tell(ctx context.Context, fn func() error) error {
	d.reloading.Lock()
	defer d.reloading.Unlock()
	before, err := d.current(ctx)
	if err != nil {
		return err
	}
	if err := fn(); err != nil {
		return err
	}
	// A master that reads its files for a reload answers when it has.
	after, err := d.current(ctx)
	if err == nil && after != before {
		err = ErrReloaded
	}
	return err
}

func (d *Daemon) current(ctx context.Context) (int, error) {
	workers, err := d.Master.Workers(ctx)
	if err != nil {
		return 0, err
	}
	for _, w := range workers {
		if !w.Old {
			return w.PID, nil
		}
	}
	return 0, ErrDown
}

// Told is called after each thing that the running HAProxy was told.
func (d *Daemon) Told() {
	if d.At != nil {
		d.At("told")
	}
}

// Reload has HAProxy read its files, without closing a connection; it starts one that is
// down. Where it does not take the files, it goes on with those before.
func (d *Daemon) Reload(ctx context.Context) error {
	d.reloading.Lock()
	defer d.reloading.Unlock()
	err := d.Master.Reload(ctx)
	if errors.Is(err, ErrDown) {
		// Not a restart: somebody may be starting it at this moment, perhaps on the files
		// before. Hence once more; of what was down that costs nobody anything.
		if err := d.Units.Start(ctx, Unit); err != nil {
			return fmt.Errorf("start HAProxy: %w", err)
		}
		// One that is reloading has no socket for a moment, and is not down.
		for try := 0; try < 10 && errors.Is(err, ErrDown); try++ {
			process.Pause(ctx, time.Duration(try)*20*time.Millisecond)
			err = d.Master.Reload(ctx)
		}
	}
	if err != nil {
		return fmt.Errorf("reload HAProxy: %w", err)
	}
	return d.retire(ctx)
}

// retire ends the oldest processes that still serve connections from before a reload, when
// they become too many. The new one serves already, so one that does not end in time is left
// to the next reload.
func (d *Daemon) retire(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, retireTime)
	defer cancel()
	err := d.retireOldest(short)
	if short.Err() != nil {
		return ctx.Err()
	}
	return err
}

func (d *Daemon) retireOldest(ctx context.Context) error {
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
