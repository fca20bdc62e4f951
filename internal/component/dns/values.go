package dns

import (
	"context"

	"gateway/internal/apply"
	"gateway/internal/component"
	"gateway/internal/component/dns/unbound"
)

var (
	queries = component.Value{
		Name: "dns.queries", Unit: component.PerSecond, Counter: true,
		Metric: "gateway_dns_queries_total", Help: "Queries of clients since the DNS resolver started.",
	}
	hits = component.Value{
		Name: "dns.hits", Unit: component.PerSecond, Counter: true,
		Metric: "gateway_dns_cache_hits_total", Help: "Queries answered from the cache or from local records since the DNS resolver started.",
	}
	failures = component.Value{
		Name: "dns.failures", Unit: component.PerSecond, Counter: true,
		Metric: "gateway_dns_failures_total", Help: "Queries answered with SERVFAIL since the DNS resolver started.",
	}
)

func (h *handlers) values() component.Values {
	return component.Values{Kinds: []component.Value{queries, hits, failures}, Read: h.readValues}
}

func (h *handlers) readValues(ctx context.Context) ([]component.Reading, error) {
	var s Stats
	if err := apply.AskSoon(ctx, h.Applier, unbound.Name, unbound.StatsVerb, nil, &s); err != nil {
		return nil, err
	}
	return []component.Reading{queries.Is(float64(s.Queries)), hits.Is(float64(s.CacheHits)), failures.Is(float64(s.Failed))}, nil
}
