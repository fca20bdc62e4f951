package live

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"gateway/internal/netfilter"
)

// CountersVerb answers Counted.
const CountersVerb = "counters"

// countEvery is how exactly it is known when a rule was last used.
const countEvery = 10 * time.Second

// Counter is what a rule has seen so far.
type Counter struct {
	RuleID  string     `json:"rule_id" doc:"Id of the rule or NAT rule"`
	NAT     bool       `json:"nat" doc:"Whether it is a NAT rule"`
	Packets uint64     `json:"packets" doc:"First packets of connections"`
	Bytes   uint64     `json:"bytes" doc:"Bytes of those packets"`
	LastHit *time.Time `json:"last_hit" doc:"Last hit, to within ten seconds; null if none since the applier started"`
}

// Counted are the counters of all rules.
type Counted struct {
	Counters []Counter `json:"counters"`
}

// counters is the verb behind GET /firewall/counters.
func (o *Observer) counters(_ context.Context, _ json.RawMessage) (any, error) {
	list, err := o.counts()
	return Counted{list}, err
}

// counts reads the counters, and notes which of them rose.
func (o *Observer) counts() ([]Counter, error) {
	now, err := o.table.Counters()
	if err != nil {
		return nil, err
	}
	return o.hits.note(now, time.Now()), nil
}

// watchCounters looks which rules are used until ctx ends.
func (o *Observer) watchCounters(ctx context.Context) error {
	look := time.NewTicker(countEvery)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
			if _, err := o.counts(); err != nil {
				o.log.Error("count packets", "err", err)
			}
		}
	}
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
