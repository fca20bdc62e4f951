package unbound

import (
	"sync"
	"time"
)

// Counted are the counters, with what became of the last queries: both gateway-api and
// gateway-ctl are told the same of them.
type Counted struct {
	Stats
	Lately Lately `json:"lately"`
}

// Lately is how many of the last queries failed.
type Lately struct {
	Queries int64 `json:"queries"`
	Failed  int64 `json:"failed"`
}

// Bad reports whether at least half of them failed. Some always do: names whose servers are broken.
func (l Lately) Bad() bool { return l.Failed > 0 && l.Failed*2 >= l.Queries }

const (
	// failuresOver is how long ago the last queries may be, FewQueries what says too little.
	failuresOver = 30 * time.Second
	FewQueries   = 5
)

// failures remembers the counters of the last half minute: what failed last year is over.
type failures struct {
	now func() time.Time

	mu   sync.Mutex
	seen []counted
	said Lately // of the last look
}

type counted struct {
	at              time.Time
	failed, queries int64
	up              int64 // seconds that unbound has run
}

// lately is what became of the last few queries, as far back as it takes to have a few.
func (f *failures) lately(s Stats) (out Lately) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := counted{f.now(), s.Failed, s.Queries, s.Uptime}
	if n := len(f.seen); n > 0 && f.seen[n-1].queries > now.queries && f.seen[n-1].up <= now.up+1 && f.seen[n-1].up > 0 {
		return f.said // somebody who asked later was faster
	}
	if n := len(f.seen); n > 0 && (f.seen[n-1].queries > now.queries || f.seen[n-1].at.After(now.at)) {
		f.seen = nil // it was restarted, or the clock was set
	}
	f.seen = append(f.seen, now)
	for len(f.seen) > 2 && now.at.Sub(f.seen[1].at) >= failuresOver {
		f.seen = f.seen[1:]
	}
	for i := len(f.seen) - 2; i >= 0 && out.Queries < FewQueries; i-- {
		if now.at.Sub(f.seen[i].at) > 4*failuresOver {
			break // nobody looked for a while
		}
		out = Lately{Queries: now.queries - f.seen[i].queries, Failed: now.failed - f.seen[i].failed}
	}
	f.said = out
	return out
}
