package haproxyconf

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/haproxy"
)

// Traffic is what was asked of a site since HAProxy was last reloaded.
type Traffic struct {
	DomainID     string `json:"domain_id"`
	Requests     int64  `json:"requests"`
	Errors       int64  `json:"errors"`
	ClientErrors int64  `json:"client_errors"`
	Milliseconds int64  `json:"milliseconds"`
}

// Counted is what was asked of all of them.
type Counted struct {
	Sites []Traffic `json:"sites"`
}

// traffic is the verb behind GET /proxy/traffic.
func (a *adapter) traffic(ctx context.Context, _ json.RawMessage) (any, error) {
	sums := map[string]Traffic{}
	for table, weight := range map[string]int64{"gateway_sites": 1, "gateway_sampled": 16} {
		entries, err := a.HAProxy.Runtime.Table(ctx, table)
		if errors.Is(err, haproxy.ErrDown) {
			return nil, fault.New(fault.Unavailable, "HAProxy's statistics socket is not reachable; check that HAProxy is running").WithCode("proxy_unavailable")
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			sums[e.Key] = sums[e.Key].plus(e, weight)
		}
	}
	all := Counted{Sites: make([]Traffic, 0, len(sums))}
	for _, id := range slices.Sorted(maps.Keys(sums)) {
		if t := sums[id]; db.ValidID(id) {
			t.DomainID = id
			all.Sites = append(all.Sites, t)
		}
	}
	return all, nil
}

func (t Traffic) plus(e haproxy.TableEntry, weight int64) Traffic {
	t.Requests += weight * e.Counts["http_req_cnt"]
	t.Errors += weight * e.Counts["http_fail_cnt"]
	t.ClientErrors += weight * e.Counts["http_err_cnt"]
	t.Milliseconds += weight * e.Counts["gpc0"]
	return t
}
