package unbound

import (
	"context"
	"encoding/json"
	"errors"

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
	Queries          int64   `json:"queries" doc:"Queries of clients"`
	CacheHits        int64   `json:"cache_hits" doc:"Answered from the cache or from own records"`
	CacheMisses      int64   `json:"cache_misses" doc:"Others had to be asked"`
	HitRate          float64 `json:"hit_rate" doc:"Hits of all queries, 0 to 1"`
	RecursiveReplies int64   `json:"recursive_replies" doc:"Answers for which others were asked"`
	Prefetch         int64   `json:"prefetch" doc:"Answers fetched anew before they ran out"`
	RateLimited      int64   `json:"rate_limited" doc:"Queries dropped because their sender sent too many"`
	Unwanted         int64   `json:"unwanted" doc:"Queries of those who may not ask, and replies nobody asked for"`
	CacheMemory      int64   `json:"cache_memory" doc:"Bytes that the cache takes"`
	Uptime           int64   `json:"uptime" doc:"Seconds since it started"`
}

// stats is the verb behind GET /dns/stats.
func (r *resolver) stats(ctx context.Context, _ json.RawMessage) (any, error) {
	all, err := r.control.Stats(ctx)
	if err != nil {
		return nil, down(err)
	}
	return newStats(all), nil
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
		return fault.New(fault.Unavailable, "the DNS resolver is not running (unbound)").WithCode("resolver_unavailable")
	}
	return err
}
