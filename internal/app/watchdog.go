package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"

	"gateway/internal/component"
)

// runs are the jobs under way. systemd takes a process for running as long as it is there; this
// one tells it that its jobs end, and is started anew when it no longer does.
type runs struct {
	now   func() time.Time
	mu    sync.Mutex
	until map[string]time.Time // by when each has to be done
}

// usualTime is how long a run of a job may take that says nothing else.
const usualTime = time.Hour

// timed is the job, noted while it runs.
func (r *runs) timed(job component.Job) component.Job {
	run, within := job.Run, job.Within
	if within == 0 {
		within = usualTime
	}
	job.Run = func(ctx context.Context) error {
		r.mu.Lock()
		if r.until == nil {
			r.until = map[string]time.Time{}
		}
		r.until[job.Name] = r.now().Add(within)
		r.mu.Unlock()
		defer func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			delete(r.until, job.Name)
		}()
		return run(ctx)
	}
	return job
}

// hung is a job that should have ended; empty without one.
func (r *runs) hung(now time.Time) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, until := range r.until {
		if now.After(until) {
			return name
		}
	}
	return ""
}

// signEvery is far more often than the watchdog needs it: by the last sign of life the services list shows within
// seconds that this process hangs.
const signEvery = time.Second

// watched tells systemd's watchdog, where it waits for that, until ctx ends.
func (r *runs) watched(ctx context.Context, log *slog.Logger) error {
	within, err := systemd.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("ask for systemd's watchdog", "err", err)
	}
	if err != nil || within == 0 {
		return nil
	}
	tick := time.NewTicker(min(within/3, signEvery))
	defer tick.Stop()
	r.keepAlive(ctx, tick.C, log)
	return nil
}

// keepAlive gives a sign of life at each tick at which no job hangs. Without one for long enough
// systemd ends the process, with the stacks of all that it did in the log, and starts another.
func (r *runs) keepAlive(ctx context.Context, ticks <-chan time.Time, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticks:
			if job := r.hung(now); job != "" {
				log.Error("a job hangs", "job", job)
			} else if _, err := systemd.SdNotify(false, systemd.SdNotifyWatchdog); err != nil {
				log.Warn("notify systemd", "err", err)
			}
		}
	}
}
