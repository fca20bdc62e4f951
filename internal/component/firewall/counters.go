package firewall

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"gateway/internal/api"
	"gateway/internal/netfilter"
)

const countersVerb = "counters"

// lookEvery is how exactly it is known when a rule was last used.
const lookEvery = 10 * time.Second

// Counter is what a rule has seen so far.
type Counter struct {
	RuleID  string     `json:"rule_id" doc:"Id of the rule or NAT rule"`
	NAT     bool       `json:"nat" doc:"Whether it is a NAT rule"`
	Packets uint64     `json:"packets" doc:"The first one of each connection"`
	Bytes   uint64     `json:"bytes"`
	LastHit *time.Time `json:"last_hit" doc:"When it was last seen to count, give or take ten seconds; null if not since the applier started"`
}

func (p *part) counterRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "list-firewall-counters", Method: http.MethodGet, Path: "/firewall/counters", Access: api.Viewer, WithoutDatabase: true,
		Summary: "List how often each rule was used", Description: "They count since the rule was put into the kernel, and go on counting when others change.",
	}, func(ctx context.Context, _ *struct{}) (*api.Body[[]Counter], error) {
		list, err := p.askCounters(ctx)
		if err != nil {
			return nil, err
		}
		return api.OK(list), nil
	})
}

// counted is what the verb answers.
type counted struct {
	Counters []Counter `json:"counters"`
}

func (p *part) askCounters(ctx context.Context) ([]Counter, error) {
	out := counted{Counters: []Counter{}}
	err := p.Applier.Ask(ctx, Name, countersVerb, nil, &out)
	return out.Counters, err
}

// counters is the verb behind GET /firewall/counters.
func (p *part) counters(_ context.Context, _ json.RawMessage) (any, error) {
	list, err := p.counts()
	return counted{list}, err
}

// counts reads the counters, and notes which of them rose.
func (p *part) counts() ([]Counter, error) {
	now, err := p.table.Counters()
	if err != nil {
		return nil, err
	}
	return p.hits.note(now, time.Now()), nil
}

// hits knows when counters last rose.
type hits struct {
	mu   sync.Mutex
	seen map[string]netfilter.Count
	last map[string]time.Time
}

// note compares what counters have with what they had the last time. What was there when we
// began may have been counted at any time.
func (h *hits) note(now map[string]netfilter.Count, at time.Time) []Counter {
	h.mu.Lock()
	defer h.mu.Unlock()
	last, list := map[string]time.Time{}, make([]Counter, 0, len(now))
	for _, name := range slices.Sorted(maps.Keys(now)) {
		kind, id, _ := strings.Cut(name, "_")
		if kind != "r" && kind != "n" {
			continue
		}
		n := now[name]
		when, known := h.last[name]
		if was, had := h.seen[name]; n.Packets > 0 && h.seen != nil && (!had || was != n) {
			when, known = at, true
		}
		c := Counter{RuleID: id, NAT: kind == "n", Packets: n.Packets, Bytes: n.Bytes}
		if known {
			last[name], c.LastHit = when, &when
		}
		list = append(list, c)
	}
	h.seen, h.last = now, last
	return list
}
