package unbound

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"gateway/internal/component/dns/control"
	"gateway/internal/fault"
)

// The verbs, by name.
const (
	StatsVerb = "stats"
	FlushVerb = "flush"
)

// Stats count since unbound started.
type Stats struct {
	Queries          int64   `json:"queries" doc:"Client queries"`
	CacheHits        int64   `json:"cache_hits" doc:"Answered from the cache or from local records"`
	CacheMisses      int64   `json:"cache_misses" doc:"Resolved by other servers"`
	HitRate          float64 `json:"hit_rate" doc:"Share of cache hits, 0 to 1"`
	RecursiveReplies int64   `json:"recursive_replies" doc:"Answers resolved by other servers"`
	Prefetch         int64   `json:"prefetch" doc:"Answers refreshed before they expired"`
	RateLimited      int64   `json:"rate_limited" doc:"Queries dropped by the rate limit"`
	Failed           int64   `json:"failed" doc:"Queries answered with SERVFAIL: they could not be resolved"`
	Unwanted         int64   `json:"unwanted" doc:"Queries from clients that are not allowed, and unsolicited replies"`
	CacheMemory      int64   `json:"cache_memory" doc:"Cache memory in bytes"`
	Uptime           int64   `json:"uptime" doc:"Seconds since it started"`
}

// Unavailable is the code of a resolver that does not run or does not answer.
const Unavailable = "resolver_unavailable"

// countTime is how long it may take to count: one that hangs answers nobody else either.
const countTime = time.Second

// stats is the verb behind GET /dns/stats.
func (r *resolver) stats(ctx context.Context, _ json.RawMessage) (any, error) {
	limited, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	all, err := r.control.Stats(limited)
	if limited.Err() != nil && ctx.Err() == nil {
		return nil, fault.New(fault.Unavailable, "the DNS resolver does not answer (unbound)").WithCode(Unavailable)
	}
	if err != nil {
		return nil, down(err)
	}
	s := newStats(all)
	return Counted{s, r.failures.lately(s)}, nil
}

func newStats(all map[string]float64) Stats {
	n := func(names ...string) (sum int64) {
		for _, name := range names {
			sum += int64(all[name])
		}
		return sum
	}
	s := Stats{
		Queries:          n("total.num.queries"),
		CacheHits:        n("total.num.cachehits"),
		CacheMisses:      n("total.num.cachemiss"),
		RecursiveReplies: n("total.num.recursivereplies"),
		Prefetch:         n("total.num.prefetch"),
		RateLimited:      n("total.num.queries_ip_ratelimited", "num.query.ratelimited"),
		Unwanted:         n("unwanted.queries", "unwanted.replies"),
		Failed:           n("num.answer.rcode.SERVFAIL"),
		CacheMemory:      n("mem.cache.rrset", "mem.cache.message"),
		Uptime:           n("time.up"),
	}
	if s.Queries > 0 {
		s.HitRate = float64(s.CacheHits) / float64(s.Queries)
	}
	return s
}

// flush is the verb behind POST /dns/flush-cache.
func (r *resolver) flush(ctx context.Context, _ json.RawMessage) (any, error) {
	if err := r.control.FlushZone(ctx, "."); err != nil {
		return nil, down(err)
	}
	return nil, down(r.control.FlushInfra(ctx))
}

// down words what the operator can mend.
func down(err error) error {
	if errors.Is(err, control.ErrDown) {
		return fault.New(fault.Unavailable, "the DNS resolver is not running (unbound)").WithCode(Unavailable)
	}
	return err
}
