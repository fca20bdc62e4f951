package app

import (
	"context"
	"fmt"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"
	"golang.org/x/sync/errgroup"

	"gateway/internal/component"
	"gateway/internal/db"
)

// RunScheduler is gateway-scheduler: every component's jobs, each on its own clock, what it does all the time, and its
// answers, until ctx ends.
func RunScheduler(ctx context.Context, cfg Config) error {
	c, err := newCore(cfg)
	if err != nil {
		return err
	}
	defer c.close()
	jobs := &runs{now: time.Now}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return c.watch.Run(ctx) })
	g.Go(func() error { return c.answer(ctx) })
	for _, comp := range c.components {
		if comp.Background != nil {
			g.Go(func() error { return comp.Background(ctx) })
		}
		for _, job := range comp.Jobs {
			g.Go(func() error { return c.every(ctx, c.watch.Up, jobs.timed(job)) })
		}
	}
	if _, err := systemd.SdNotify(false, systemd.SdNotifyReady); err != nil {
		c.log.Warn("notify systemd", "err", err)
	}
	g.Go(func() error { return jobs.watched(ctx, c.log) })
	return g.Wait()
}

// answer gives the components' answers to what gateway-api asks.
func (c *core) answer(ctx context.Context) error {
	handlers := map[string]func(context.Context, string){}
	for _, comp := range c.components {
		for channel, answer := range comp.Answers {
			handlers[channel] = db.Questions{Pool: c.pool}.Handler(answer, c.log)
		}
	}
	return (&db.Listener{Pool: c.pool, Ready: c.watch.Up, Handlers: handlers, Log: c.log}).Run(ctx)
}

// RunJob runs one job now.
func (c *core) RunJob(ctx context.Context, name string) error {
	for _, comp := range c.components {
		for _, job := range comp.Jobs {
			if job.Name == name {
				return job.Run(ctx)
			}
		}
	}
	return fmt.Errorf("there is no job %s", name)
}

// upEvery is how often a job that is to run at the start looks for the database.
const upEvery = time.Second

// every runs one job at its ticks. A failed run is logged and the next one tries
// again; a run that would overlap the one before it is left out.
func (c *core) every(ctx context.Context, up func() bool, job component.Job) error {
	tick := time.NewTicker(job.Every)
	defer tick.Stop()
	first := (<-chan time.Time)(nil)
	if job.AtStart {
		often := time.NewTicker(min(job.Every, upEvery))
		defer often.Stop()
		first = often.C
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-first:
		case <-tick.C:
		}
		if !up() {
			continue
		}
		first = nil
		if err := job.Run(ctx); err != nil && ctx.Err() == nil {
			c.log.Error("job", "job", job.Name, "err", err)
		}
	}
}
