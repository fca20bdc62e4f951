package app

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"gateway/internal/component"
	"gateway/internal/db"
)

// shows PROC-03
func TestAJobRunsAtItsTicksWhileTheDatabaseAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		up, runs := false, 0
		c := &core{log: slog.New(slog.DiscardHandler)}
		ctx, cancel := context.WithCancel(t.Context())
		job := component.Job{Name: "test", Every: time.Hour, Run: func(context.Context) error { runs++; return db.Down() }}
		done := make(chan error, 1)
		go func() { done <- c.every(ctx, func() bool { return up }, job) }()
		passes := func(hours time.Duration, want int) {
			t.Helper()
			<-time.After(hours * time.Hour) // the bubble's clock, which costs no time
			synctest.Wait()
			if runs != want {
				t.Errorf("ran %d times, want %d", runs, want)
			}
		}
		passes(3, 0) // not while the database is away
		up = true
		passes(1, 1)
		passes(2, 3) // a failed run does not end the job
		cancel()
		if err := <-done; err != nil {
			t.Errorf("ended with %v", err)
		}
	})
}
