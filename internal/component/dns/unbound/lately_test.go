package unbound

import (
	"testing"
	"time"
)

func TestOnlyTheLastQueriesCount(t *testing.T) {
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	f := &failures{now: func() time.Time { return now }}
	for i, step := range []struct {
		after           time.Duration
		failed, queries int64 // as unbound counts
		want            Lately
	}{
		{0, 900, 1000, Lately{}}, // of long ago
		{5 * time.Second, 908, 1010, Lately{Queries: 10, Failed: 8}},
		{time.Second, 908, 1012, Lately{Queries: 12, Failed: 8}}, // two say too little
		{time.Second, 908, 1016, Lately{Queries: 6, Failed: 0}},  // it is over
		{40 * time.Second, 908, 1017, Lately{Queries: 1, Failed: 0}},
		{5 * time.Second, 1, 2, Lately{}}, // restarted
		{time.Hour, 100, 102, Lately{}},   // nobody looked
	} {
		now = now.Add(step.after)
		if got := f.lately(Stats{Failed: step.failed, Queries: step.queries}); got != step.want {
			t.Errorf("step %d: %+v, want %+v", i, got, step.want)
		}
	}
}
