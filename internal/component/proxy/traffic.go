package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/haproxy"
	"gateway/internal/resource"
)

const (
	trafficStep = 5 * time.Minute
	trafficKept = 24 * time.Hour
)

// Traffic is what was asked of a site.
type Traffic struct {
	DomainID     string `json:"domain_id"`
	Requests     int64  `json:"requests" doc:"Above 500 requests a second an estimate from one of sixteen"`
	Errors       int64  `json:"errors" doc:"Answers with a status of 500 or above"`
	ClientErrors int64  `json:"client_errors" doc:"Answers with a status from 400 to 499"`
	Milliseconds int64  `json:"milliseconds" doc:"To the answers, all together"`
}

// Counted is what was asked of all of them.
type Counted struct {
	Sites []Traffic `json:"sites"`
}

// Moment is what was asked of a site in five minutes.
type Moment struct {
	At           time.Time `json:"at" doc:"When they ended"`
	Requests     int64     `json:"requests"`
	Errors       int64     `json:"errors"`
	ClientErrors int64     `json:"client_errors"`
	Milliseconds int64     `json:"milliseconds"`
}

func (p *part) trafficRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "proxy-traffic", Method: http.MethodGet, Path: "/proxy/traffic", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "Count what is asked of each site",
		Description: "Since the proxy was last reloaded. The difference between two calls gives requests a second, and so on; a figure that became smaller began anew.",
	}, func(ctx context.Context, _ *struct{}) (*api.Body[Counted], error) {
		all, err := p.askTraffic(ctx)
		if err != nil {
			return nil, err
		}
		return api.OK(all), nil
	})
	api.Handle(r, api.Op{
		ID: "proxy-traffic-history", Method: http.MethodGet, Path: "/domains/{id}/traffic", Access: api.Viewer,
		Summary: "Count what was asked of a site during the last day", Description: "In steps of five minutes, without those in which nothing was asked.",
	}, p.history)
}

func (p *part) askTraffic(ctx context.Context) (Counted, error) {
	all := Counted{Sites: []Traffic{}}
	err := p.Applier.Ask(ctx, "proxy", "traffic", nil, &all)
	return all, err
}

func (p *part) history(ctx context.Context, in *struct {
	ID string `path:"id" doc:"Id of the domain"`
},
) (*api.Body[[]Moment], error) {
	if !db.ValidID(in.ID) {
		return nil, fault.New(fault.NotFound, "there is no such domain")
	}
	if err := resource.Exists("proxy_domains", "domain")(ctx, p.DB, in.ID); err != nil {
		return nil, err
	}
	all, err := db.List[Moment](ctx, p.DB, `select at, requests, errors, client_errors, milliseconds from proxy_traffic where domain_id = $1 order by at`, in.ID)
	if err != nil {
		return nil, fmt.Errorf("read the traffic of domain %s: %w", in.ID, err)
	}
	if all == nil {
		all = []Moment{}
	}
	return api.OK(all), nil
}

// traffic is the verb behind GET /proxy/traffic.
func (p *part) traffic(ctx context.Context, _ json.RawMessage) (any, error) {
	sums := map[string]Traffic{}
	for table, weight := range map[string]int64{"gateway_sites": 1, "gateway_sampled": 16} {
		entries, err := p.HAProxy.Runtime.Table(ctx, table)
		if errors.Is(err, haproxy.ErrDown) {
			return nil, fault.New(fault.Unavailable, "the statistics socket of HAProxy cannot be reached; see whether it runs").WithCode("proxy_unavailable")
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

// diary keeps what was counted when it was last looked at.
type diary struct {
	mu   sync.Mutex
	last map[string]Traffic
}

// since is what came since the last look. A count that became smaller began anew.
func (d *diary) since(all []Traffic) []Traffic {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []Traffic
	now := make(map[string]Traffic, len(all))
	for _, t := range all {
		now[t.DomainID] = t
		was, known := d.last[t.DomainID]
		if !known || t.Requests < was.Requests {
			was = Traffic{}
		}
		t.Requests, t.Errors, t.ClientErrors, t.Milliseconds = t.Requests-was.Requests, t.Errors-was.Errors, t.ClientErrors-was.ClientErrors, t.Milliseconds-was.Milliseconds
		if t.Requests > 0 && d.last != nil {
			out = append(out, t)
		}
	}
	d.last = now
	return out
}

// keepTraffic writes the diary, and forgets what is older than a day.
func (p *part) keepTraffic(ctx context.Context) error {
	all, err := p.askTraffic(ctx)
	if err != nil {
		return err
	}
	at := time.Now().Truncate(time.Second)
	var b pgx.Batch
	for _, t := range p.diary.since(all.Sites) {
		b.Queue(`insert into proxy_traffic (domain_id, at, requests, errors, client_errors, milliseconds) values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
			t.DomainID, at, t.Requests, t.Errors, t.ClientErrors, t.Milliseconds)
	}
	b.Queue(`delete from proxy_traffic where at < $1`, at.Add(-trafficKept))
	if err := p.DB.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("keep the traffic of sites: %w", err)
	}
	return nil
}
