package dns

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component/dns/control" //nolint:depguard // our own folder, not another component
	"gateway/internal/fault"
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

func (p *part) statusRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "dns-stats", Method: http.MethodGet, Path: "/dns/stats", Access: api.Viewer, WithoutDatabase: true,
		Summary: "Get the counters of the DNS resolver", Description: "They count since the resolver started.",
	}, func(ctx context.Context, _ *struct{}) (*api.Body[Stats], error) {
		var s Stats
		if err := p.Applier.Ask(ctx, "dns", "stats", nil, &s); err != nil {
			return nil, err
		}
		return api.OK(s), nil
	})
	api.Handle(r, api.Op{
		ID: "dns-flush-cache", Method: http.MethodPost, Path: "/dns/flush-cache",
		Summary: "Empty the cache of the DNS resolver", Description: "Also forgets which servers were slow or gone.",
	}, func(ctx context.Context, _ *struct{}) (*api.Body[*api.None], error) {
		c := change.Change{Component: "dns", Action: "dns.cache.flush", Subject: "cache"}
		err := p.Run.Act(ctx, c, func(ctx context.Context) error { return p.Applier.Ask(ctx, "dns", "flush", nil, nil) })
		if err != nil {
			return nil, err
		}
		return api.Done(), nil
	})
}

// stats is the verb behind GET /dns/stats.
func (p *part) stats(ctx context.Context, _ json.RawMessage) (any, error) {
	all, err := p.unbound.Stats(ctx)
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
func (p *part) flush(ctx context.Context, _ json.RawMessage) (any, error) {
	if err := p.unbound.FlushZone(ctx, "."); err != nil {
		return nil, down(err)
	}
	return nil, down(p.unbound.FlushInfra(ctx))
}

// down words what the operator can mend.
func down(err error) error {
	if errors.Is(err, control.ErrDown) {
		return fault.New(fault.Unavailable, "the DNS resolver is not running (unbound)").WithCode("resolver_unavailable")
	}
	return err
}
