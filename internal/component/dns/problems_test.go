package dns

import (
	"testing"
	"time"

	"gateway/internal/component/dns/unbound"
)

func TestOnlyLateFailuresCount(t *testing.T) {
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	f := &failures{now: func() time.Time { return now }}
	for i, step := range []struct {
		after           time.Duration
		failed, queries int64 // as unbound counts
		want            [2]int64
	}{
		{0, 900, 1000, [2]int64{0, 0}}, // of long ago
		{5 * time.Second, 908, 1010, [2]int64{8, 10}},
		{40 * time.Second, 908, 1020, [2]int64{0, 10}},
		{5 * time.Second, 1, 2, [2]int64{0, 0}}, // restarted
		{time.Hour, 100, 102, [2]int64{0, 0}},   // nobody looked
	} {
		now = now.Add(step.after)
		failed, queries := f.recent(unbound.Stats{Failed: step.failed, CacheMisses: step.queries})
		if got := [2]int64{failed, queries}; got != step.want {
			t.Errorf("step %d: %v, want %v", i, got, step.want)
		}
	}
}
