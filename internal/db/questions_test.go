package db_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
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
