package audit

import (
	"log/slog"
	"testing"
	"time"

	"gateway/internal/audit"
	"gateway/internal/db/dbtest"
)

func TestManyFailedSignInsAreAProblem(t *testing.T) {
	pool := dbtest.New(t, audit.Schema())
	ahead := time.Duration(0)
	now := func() time.Time { return time.Now().Add(ahead) }
	log := audit.NewLog("node-1", now)
	h := &handlers{pool: pool, log: log, now: now, err: slog.New(slog.DiscardHandler)}
	look := func() int {
		r, err := h.findProblems(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(r.Problems)
	}
	for i := range attackCount {
		if look() != 0 {
			t.Fatalf("%d failed sign-ins are a problem, want some typing errors to be none", i)
		}
		if err := log.Record(t.Context(), pool, audit.Entry{Actor: "ann@example.com", Action: "auth.login.failed", Subject: "ann@example.com"}); err != nil {
			t.Fatal(err)
		}
	}
	if look() != 1 {
		t.Error("they are no problem")
	}
	ahead = attackTime + time.Second
	if look() != 0 {
		t.Error("what is long ago still is a problem")
	}
}
