package apply

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"gateway/internal/daemon"
)

func TestTheSameFailureIsLoggedOnceAMinute(t *testing.T) {
	var out strings.Builder
	now := time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)
	e := NewEngine(EngineOptions{
		Clock: Clock{Now: func() time.Time { return now }}, Log: slog.New(slog.NewTextHandler(&out, nil)), Daemons: []daemon.Daemon{{Config: daemon.Config{Name: "lamp"}}},
	})
	masked, full := errors.New("masked"), errors.New("disk full")
	for i, tc := range []struct {
		after time.Duration
		err   error
		want  int // lines so far
	}{{0, masked, 1}, {time.Second, masked, 1}, {time.Second, full, 2}, {time.Second, masked, 3}, {59 * time.Second, masked, 3}, {time.Second, masked, 4}} {
		now = now.Add(tc.after)
		e.workers[0].logFailure(tc.err)
		if got := strings.Count(out.String(), "\n"); got != tc.want {
			t.Errorf("step %d: %d lines, want %d", i, got, tc.want)
		}
	}
}
