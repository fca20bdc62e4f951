package proxy

import (
	"context"
	"net/http"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component/proxy/haproxyconf"
	"gateway/internal/fault"
)

// Stats is what HAProxy counts.
type Stats struct {
	Backends   []BackendStat  `json:"backends" doc:"Each server of each backend, and one entry for the backend as a whole, whose server is BACKEND"`
	Frontends  []FrontendStat `json:"frontends" doc:"Listening sides of the proxy"`
	Error      *string        `json:"error" doc:"Why there are no statistics; null if there are"`
	ErrorWords *fault.Words   `json:"error_words,omitempty" doc:"The error for translations"`
}

// BackendStat is a server, or a backend as a whole.
type BackendStat struct {
	Name         string `json:"name" doc:"HAProxy's name of the backend"`
	BackendID    string `json:"backend_id" doc:"Id of the backend"`
	Server       string `json:"server" doc:"HAProxy's name of the server; BACKEND for the whole backend"`
	Status       string `json:"status" enum:"UP,DOWN,DEGRADED" doc:"DEGRADED: the backend serves with some of its servers down"`
	Mode         string `json:"mode" enum:"ready,drain,maint" doc:"Configured mode of the server"`
	CheckStatus  string `json:"check_status" doc:"Result of the last health check: L7OK, L4CON, L4TOUT, L7STS, …; empty without one"`
	Sessions     int64  `json:"sessions" doc:"Current sessions"`
	BytesIn      int64  `json:"bytes_in" doc:"Bytes of requests since HAProxy was last reloaded"`
	BytesOut     int64  `json:"bytes_out" doc:"Bytes of responses since HAProxy was last reloaded"`
	LastChange   int64  `json:"last_change" doc:"Seconds since its status changed"`
	ReqTot       int64  `json:"req_tot" doc:"Requests since HAProxy was last reloaded"`
	ReqRate      int64  `json:"req_rate" doc:"Requests per second"`
	Errors       int64  `json:"errors" doc:"Answers with a status of 500 or above"`
	ResponseTime int64  `json:"response_time" doc:"Response time in milliseconds, average of the last 1,024"`
	Weight       int64  `json:"weight" doc:"Share of requests relative to the other servers; for the backend, the sum"`
}

// FrontendStat is a port that the world talks to.
type FrontendStat struct {
	Name        string `json:"name" doc:"HAProxy's name of the frontend"`
	Sessions    int64  `json:"sessions" doc:"Current sessions"`
	MaxSessions int64  `json:"max_sessions" doc:"Maximum concurrent sessions"`
	BytesIn     int64  `json:"bytes_in" doc:"Bytes received from clients since HAProxy was last reloaded"`
	BytesOut    int64  `json:"bytes_out" doc:"Bytes sent to clients since HAProxy was last reloaded"`
	ReqTot      int64  `json:"req_tot" doc:"Requests since HAProxy was last reloaded"`
	ReqRate     int64  `json:"req_rate" doc:"Requests per second"`
}

func (s *service) statusRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "proxy-stats", Method: http.MethodGet, Path: "/proxy/stats", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "Get the counters of the reverse proxy",
		Description: "Status, sessions and traffic of every backend, server and frontend, from HAProxy.",
	}, s.getStats)
	api.Handle(r, api.Op{
		ID: "proxy-reload", Method: http.MethodPost, Path: "/system/proxy-reload",
		Summary: "Reload the reverse proxy", Description: "Connections are kept. Changes reload automatically where needed.",
	}, func(ctx context.Context, _ *struct{}) (*api.Body[*api.None], error) {
		c := change.Change{Component: "proxy", Action: "proxy.reload", Subject: "haproxy"}
		if err := s.Run.Act(ctx, c, func(ctx context.Context) error {
			return s.Applier.Ask(ctx, haproxyconf.Name, haproxyconf.VerbReload, nil, nil)
		}); err != nil {
			return nil, err
		}
		return api.Done(), nil
	})
}

// getStats answers also when there is nothing to count: a page shows why.
func (s *service) getStats(ctx context.Context, _ *struct{}) (*api.Body[Stats], error) {
	var counted haproxyconf.Stats
	err := s.Applier.Ask(ctx, haproxyconf.Name, haproxyconf.VerbStats, nil, &counted)
	if f, ok := fault.Of(err); ok {
		why := fault.SentenceOf(f)
		return api.OK(Stats{Backends: []BackendStat{}, Frontends: []FrontendStat{}, Error: &why.Message, ErrorWords: why.Beside()}), nil
	}
	if err != nil {
		return nil, err
	}
	return api.OK(newStats(counted)), nil
}

func newStats(counted haproxyconf.Stats) Stats {
	s := Stats{Backends: make([]BackendStat, len(counted.Backends)), Frontends: make([]FrontendStat, len(counted.Frontends))}
	for i, b := range counted.Backends {
		s.Backends[i] = BackendStat(b)
	}
	for i, f := range counted.Frontends {
		s.Frontends[i] = FrontendStat(f)
	}
	return s
}
