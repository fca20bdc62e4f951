package app

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gateway/internal/component"
	"gateway/internal/db"
)

func TestAJobRunsAtItsTicksWhileTheDatabaseAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		var runs atomic.Int32
		c := &core{log: slog.New(slog.DiscardHandler)}
		ctx, cancel := context.WithCancel(t.Context())
		job := component.Job{Name: "test", Every: time.Hour, Run: func(context.Context) error { runs.Add(1); return db.Down() }}
		done := make(chan error, 1)
		go func() { done <- c.every(ctx, up.Load, job) }()
		passes := func(hours time.Duration, want int32) {
			t.Helper()
			<-time.After(hours * time.Hour) // the bubble's clock, which costs no time
			synctest.Wait()
			if got := runs.Load(); got != want {
				t.Errorf("ran %d times, want %d", got, want)
			}
		}
		passes(3, 0) // not while the database is away
		up.Store(true)
		passes(1, 1)
		passes(2, 3) // a failed run does not end the job
		cancel()
		if err := <-done; err != nil {
			t.Errorf("ended with %v", err)
		}
	})
}

func TestAJobOfTheStartRunsOnceTheDatabaseAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		var runs atomic.Int32
		c := &core{log: slog.New(slog.DiscardHandler)}
		ctx, cancel := context.WithCancel(t.Context())
		job := component.Job{Name: "test", Every: time.Hour, AtStart: true, Run: func(context.Context) error { runs.Add(1); return nil }}
		done := make(chan error, 1)
		go func() { done <- c.every(ctx, up.Load, job) }()
		passes := func(d time.Duration, want int32) {
			t.Helper()
			<-time.After(d)
			synctest.Wait()
			if got := runs.Load(); got != want {
				t.Errorf("ran %d times, want %d", got, want)
			}
		}
		passes(10*time.Second+time.Millisecond, 0)
		up.Store(true)
		passes(time.Second, 1)
		passes(10*time.Minute, 1)
		passes(time.Hour, 2)
		cancel()
		if err := <-done; err != nil {
			t.Errorf("ended with %v", err)
		}
	})
}
