package proxy

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/component/proxy/haproxyconf"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
)

const (
	trafficStep = 5 * time.Minute
	trafficKept = 24 * time.Hour
)

// Traffic is what was asked of a site.
type Traffic struct {
	DomainID     string `json:"domain_id" doc:"Id of the domain"`
	Requests     int64  `json:"requests" doc:"Above 500 requests per second, estimated from a sample of 1 in 16"`
	Errors       int64  `json:"errors" doc:"Answers with a status of 500 or above"`
	ClientErrors int64  `json:"client_errors" doc:"Answers with a status from 400 to 499"`
	Milliseconds int64  `json:"milliseconds" doc:"Total response time"`
}

// Counted is what was asked of all of them.
type Counted struct {
	Sites []Traffic `json:"sites" doc:"Counters of each domain that had requests"`
}

// Moment is what was asked of a site in five minutes.
type Moment struct {
	At           time.Time `json:"at" doc:"End of the interval"`
	Requests     int64     `json:"requests" doc:"Requests in the interval"`
	Errors       int64     `json:"errors" doc:"Answers with a status of 500 or above"`
	ClientErrors int64     `json:"client_errors" doc:"Answers with a status from 400 to 499"`
	Milliseconds int64     `json:"milliseconds" doc:"Total response time of the interval"`
}

func (s *service) trafficRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "proxy-traffic", Method: http.MethodGet, Path: "/proxy/traffic", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "Get the traffic counters of each domain",
		Description: "Counted since the proxy was last reloaded. Compute rates from the difference of two calls; a counter that decreased was reset.",
	}, func(ctx context.Context, _ *struct{}) (*api.Body[Counted], error) {
		all, err := s.askTraffic(ctx)
		if err != nil {
			return nil, err
		}
		return api.OK(all), nil
	})
	api.Handle(r, api.Op{
		ID: "proxy-traffic-history", Method: http.MethodGet, Path: "/domains/{id}/traffic", Access: api.Viewer,
		Summary: "Get the traffic of a domain during the last day", Description: "In 5-minute intervals, without empty ones.",
	}, s.history)
}

func (s *service) askTraffic(ctx context.Context) (Counted, error) {
	var counted haproxyconf.Counted
	if err := s.Applier.Ask(ctx, haproxyconf.Name, haproxyconf.VerbTraffic, nil, &counted); err != nil {
		return Counted{}, err
	}
	all := Counted{Sites: make([]Traffic, len(counted.Sites))}
	for i, t := range counted.Sites {
		all.Sites[i] = Traffic(t)
	}
	return all, nil
}

func (s *service) history(ctx context.Context, in *struct {
	ID string `path:"id" doc:"Id of the domain"`
},
) (*api.Body[[]Moment], error) {
	if !db.ValidID(in.ID) {
		return nil, fault.New(fault.NotFound, "there is no such domain")
	}
	if err := resource.Exists("proxy_domains", "domain")(ctx, s.DB, in.ID); err != nil {
		return nil, err
	}
	all, err := db.List[Moment](ctx, s.DB, `select at, requests, errors, client_errors, milliseconds from proxy_traffic where domain_id = $1 order by at`, in.ID)
	if err != nil {
		return nil, fmt.Errorf("read the traffic of domain %s: %w", in.ID, err)
	}
	if all == nil {
		all = []Moment{}
	}
	return api.OK(all), nil
}

// counts are those of the last look.
type counts struct {
	mu   sync.Mutex
	last map[string]Traffic
}

// since is what came since the last look. A count that became smaller began anew.
func (c *counts) since(all []Traffic) []Traffic {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []Traffic
	now := make(map[string]Traffic, len(all))
	for _, t := range all {
		now[t.DomainID] = t
		was, known := c.last[t.DomainID]
		if !known || t.Requests < was.Requests {
			was = Traffic{}
		}
		t.Requests, t.Errors, t.ClientErrors, t.Milliseconds = t.Requests-was.Requests, t.Errors-was.Errors, t.ClientErrors-was.ClientErrors, t.Milliseconds-was.Milliseconds
		if t.Requests > 0 && c.last != nil {
			out = append(out, t)
		}
	}
	c.last = now
	return out
}

// keepTraffic writes what came since the last time, and forgets what is older than a day.
func (s *service) keepTraffic(ctx context.Context) error {
	all, err := s.askTraffic(ctx)
	if err != nil {
		return err
	}
	at := time.Now().Truncate(time.Second)
	var b pgx.Batch
	for _, t := range s.counts.since(all.Sites) {
		b.Queue(`insert into proxy_traffic (domain_id, at, requests, errors, client_errors, milliseconds) values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
			t.DomainID, at, t.Requests, t.Errors, t.ClientErrors, t.Milliseconds)
	}
	b.Queue(`delete from proxy_traffic where at < $1`, at.Add(-trafficKept))
	if err := s.DB.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("keep the traffic of sites: %w", err)
	}
	return nil
}
