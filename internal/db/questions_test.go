package db_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
)

// Whoever asks can tell a question that nobody took, and that can be put again, from one that takes too long.
func TestAQuestionThatNobodyTookIsKnown(t *testing.T) {
	pool := dbtest.New(t, change.Schema())
	q := db.Questions{Pool: pool}
	ask := func(within time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), within)
		defer cancel()
		var out string
		return q.Ask(ctx, "test_question", "anybody?", &out)
	}
	if err := ask(time.Minute); !errors.Is(err, db.ErrUntaken) || !errors.Is(err, db.ErrUnanswered) {
		t.Errorf("nobody listens: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended, hears := make(chan error, 1), make(chan struct{}, 10)
	log := slog.New(slog.DiscardHandler)
	answer := q.Handler(func(ctx context.Context, _ json.RawMessage) (any, error) { <-ctx.Done(); return "", nil }, log)
	go func() {
		ended <- (&db.Listener{Pool: pool, Ready: func() bool { return true }, Log: log, Handlers: map[string]func(context.Context, string){
			"test_question": func(ctx context.Context, payload string) { hears <- struct{}{}; answer(ctx, payload) },
		}}).Run(ctx)
	}()
	<-hears // that it listens
	if err := ask(3 * time.Second); !errors.Is(err, db.ErrUnanswered) || errors.Is(err, db.ErrUntaken) {
		t.Errorf("somebody is at it: %v", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// At boot gateway-scheduler listens some time after the API asks. It is asked until it hears, and does what it is asked once.
func TestAQuestionWaitsForSomebodyToTakeIt(t *testing.T) {
	pool := dbtest.New(t, change.Schema())
	q := db.Questions{Pool: pool}
	log := slog.New(slog.DiscardHandler)
	var done atomic.Int32
	answer := q.Handler(func(context.Context, json.RawMessage) (any, error) { return done.Add(1), nil }, log)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	began := time.Now()
	go func() {
		ready := func() bool { return time.Since(began) > time.Second }
		twice := func(ctx context.Context, payload string) { answer(ctx, payload); answer(ctx, payload) }
		ended <- (&db.Listener{Pool: pool, Ready: ready, Log: log, Handlers: map[string]func(context.Context, string){"test_question": twice}}).Run(ctx)
	}()
	for want := range 2 {
		var out int
		if err := q.Ask(t.Context(), "test_question", "anybody?", &out); err != nil || out != want+1 {
			t.Errorf("answer %d, %v, want %d", out, err, want+1)
		}
	}
	if took := time.Since(began); took < time.Second {
		t.Errorf("answered after %v, before anybody listened", took)
	}
	cancel()
	if err := <-ended; err != nil || done.Load() != 2 {
		t.Errorf("done %d times for 2 questions, %v", done.Load(), err)
	}
}
