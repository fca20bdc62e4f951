package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/fault"
	"gateway/internal/haproxy"
)

// Stats is what HAProxy counts.
type Stats struct {
	Backends  []BackendStat  `json:"backends" doc:"Each server of each backend, and a line for the backend as a whole, whose server is BACKEND"`
	Frontends []FrontendStat `json:"frontends"`
	Error     *string        `json:"error" doc:"Why there are no figures; null when there are"`
}

// BackendStat is a server, or a backend as a whole.
type BackendStat struct {
	Name         string `json:"name" doc:"The backend as the proxy calls it"`
	BackendID    string `json:"backend_id"`
	Server       string `json:"server" doc:"The server as the proxy calls it; BACKEND for all of them"`
	Status       string `json:"status" enum:"UP,DOWN,DEGRADED"`
	Mode         string `json:"mode" enum:"ready,drain,maint" doc:"What the operator wants of the server"`
	CheckStatus  string `json:"check_status" doc:"What the last health check came to: L7OK, L4CON, L4TOUT, L7STS, …; empty without one"`
	Sessions     int64  `json:"sessions"`
	BytesIn      int64  `json:"bytes_in"`
	BytesOut     int64  `json:"bytes_out"`
	LastChange   int64  `json:"last_change" doc:"Seconds since its status changed"`
	ReqTot       int64  `json:"req_tot" doc:"Requests since HAProxy was last reloaded"`
	ReqRate      int64  `json:"req_rate" doc:"Requests of the last second"`
	Errors       int64  `json:"errors" doc:"Answers with a status of 500 or above"`
	ResponseTime int64  `json:"response_time" doc:"Milliseconds to an answer, on average over the last 1,024"`
	Weight       int64  `json:"weight"`
}

// FrontendStat is a port that the world talks to.
type FrontendStat struct {
	Name        string `json:"name"`
	Sessions    int64  `json:"sessions"`
	MaxSessions int64  `json:"max_sessions" doc:"The most at one time"`
	BytesIn     int64  `json:"bytes_in"`
	BytesOut    int64  `json:"bytes_out"`
	ReqTot      int64  `json:"req_tot"`
	ReqRate     int64  `json:"req_rate"`
}

func (p *part) statusRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "proxy-stats", Method: http.MethodGet, Path: "/proxy/stats", Access: api.Viewer, WithoutDatabase: true,
		Summary: "Get the counters of the reverse proxy",
	}, p.getStats)
	api.Handle(r, api.Op{
		ID: "proxy-reload", Method: http.MethodPost, Path: "/system/proxy-reload",
		Summary: "Have the reverse proxy read its files again", Description: "Connections are kept. A change does this by itself where it is needed.",
	}, func(ctx context.Context, _ *struct{}) (*api.Body[*api.None], error) {
		c := change.Change{Component: "proxy", Action: "proxy.reload", Subject: "haproxy"}
		if err := p.Run.Act(ctx, c, func(ctx context.Context) error { return p.Applier.Ask(ctx, "proxy", "reload", nil, nil) }); err != nil {
			return nil, err
		}
		return api.Done(), nil
	})
}

// getStats answers also when there is nothing to count: a page shows why.
func (p *part) getStats(ctx context.Context, _ *struct{}) (*api.Body[Stats], error) {
	s := Stats{Backends: []BackendStat{}, Frontends: []FrontendStat{}}
	err := p.Applier.Ask(ctx, "proxy", "stats", nil, &s)
	if f, ok := fault.Of(err); ok {
		why := f.Error()
		return api.OK(Stats{Backends: []BackendStat{}, Frontends: []FrontendStat{}, Error: &why}), nil
	}
	if err != nil {
		return nil, err
	}
	return api.OK(s), nil
}

// stats is the verb behind GET /proxy/stats.
func (p *part) stats(ctx context.Context, _ json.RawMessage) (any, error) {
	all, err := p.HAProxy.Runtime.Stats(ctx)
	if errors.Is(err, haproxy.ErrDown) {
		return nil, fault.New(fault.Unavailable, "the statistics socket of HAProxy cannot be reached; see whether it runs")
	}
	if err != nil {
		return nil, err
	}
	return newStats(all), nil
}

func (p *part) reloadVerb(ctx context.Context, _ json.RawMessage) (any, error) {
	return nil, p.reload(ctx)
}

// newStats leaves out what is the appliance's own: the management service and the tables
// that rates are counted in.
func newStats(all []haproxy.Stat) Stats {
	out := Stats{Backends: []BackendStat{}, Frontends: []FrontendStat{}}
	for _, s := range all {
		id, pool := strings.CutPrefix(s.Proxy, "gateway_backend_")
		switch {
		case s.Kind == haproxy.FrontendStat:
			out.Frontends = append(out.Frontends, FrontendStat{
				Name: s.Proxy, Sessions: s.Sessions, MaxSessions: s.SessionsMax, BytesIn: s.BytesIn, BytesOut: s.BytesOut,
				ReqTot: s.Requests, ReqRate: s.Rate,
			})
		case pool && (s.Kind == haproxy.ServerStat || s.Kind == haproxy.BackendStat):
			status, mode := health(s.Status)
			if s.Kind == haproxy.ServerStat && s.Weight == 0 && mode == "ready" {
				mode = "drain" // is rendered as a weight of 0
			}
			out.Backends = append(out.Backends, BackendStat{
				Name: s.Proxy, BackendID: id, Server: s.Name, Status: status, Mode: mode, CheckStatus: s.CheckStatus,
				Sessions: s.Sessions, BytesIn: s.BytesIn, BytesOut: s.BytesOut, LastChange: int64(s.LastChange.Seconds()),
				ReqTot: s.Requests, ReqRate: s.Rate, Errors: s.Responses5xx, ResponseTime: s.ResponseTime.Milliseconds(), Weight: s.Weight,
			})
		}
	}
	degrade(out.Backends)
	return out
}

// health puts HAProxy's many words into three. "UP 1/3" is on its way down.
func health(status string) (health, mode string) {
	word, rest, _ := strings.Cut(status, " ")
	switch {
	case word == "DRAIN":
		return "UP", "drain"
	case status == "MAINT (resolution)": // its name leads nowhere, which nobody wants
		return "DOWN", "ready"
	case word == "MAINT":
		return "DOWN", "maint"
	case word == "UP" && rest != "":
		return "DEGRADED", "ready"
	case word == "UP" || word == "OPEN" || status == "no check":
		return "UP", "ready"
	}
	return "DOWN", "ready"
}

// degrade marks a backend that still works while a server of its is down.
func degrade(rows []BackendStat) {
	down := map[string]bool{}
	for _, r := range rows {
		if r.Server != "BACKEND" && r.Status != "UP" && r.Mode == "ready" {
			down[r.Name] = true
		}
	}
	for i := range rows {
		if r := &rows[i]; r.Server == "BACKEND" && r.Status == "UP" && down[r.Name] {
			r.Status = "DEGRADED"
		}
	}
}
