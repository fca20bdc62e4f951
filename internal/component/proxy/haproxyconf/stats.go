package haproxyconf

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"gateway/internal/fault"
	"gateway/internal/haproxy"
)

// Stats is what HAProxy counts. What the fields mean is said where the API offers them.
type Stats struct {
	Backends  []BackendStat  `json:"backends"`
	Frontends []FrontendStat `json:"frontends"`
	// NoAccessLog is for whoever looks for problems.
	NoAccessLog bool `json:"no_access_log,omitempty"`
}

// BackendStat is a server, or a backend as a whole.
type BackendStat struct {
	Name         string `json:"name"`
	BackendID    string `json:"backend_id"`
	Server       string `json:"server"`
	Status       string `json:"status"`
	Mode         string `json:"mode"`
	CheckStatus  string `json:"check_status"`
	Sessions     int64  `json:"sessions"`
	BytesIn      int64  `json:"bytes_in"`
	BytesOut     int64  `json:"bytes_out"`
	LastChange   int64  `json:"last_change"`
	ReqTot       int64  `json:"req_tot"`
	ReqRate      int64  `json:"req_rate"`
	Errors       int64  `json:"errors"`
	ResponseTime int64  `json:"response_time"`
	Weight       int64  `json:"weight"`
}

// FrontendStat is a port that the world talks to.
type FrontendStat struct {
	Name        string `json:"name"`
	Sessions    int64  `json:"sessions"`
	MaxSessions int64  `json:"max_sessions"`
	BytesIn     int64  `json:"bytes_in"`
	BytesOut    int64  `json:"bytes_out"`
	ReqTot      int64  `json:"req_tot"`
	ReqRate     int64  `json:"req_rate"`
}

// Unavailable is the code of a proxy that does not run or does not answer.
const Unavailable = "haproxy_unavailable"

const (
	// answerTime is how long it may take to answer at all. Whoever looks for problems waits for two
	// seconds, and has to hear that it hangs by then.
	answerTime = time.Second
	// countTime is how long it may take to count ten thousand servers on a busy machine.
	countTime = 2 * time.Second
)

// stats is the verb behind GET /proxy/stats.
func (a *adapter) stats(ctx context.Context, _ json.RawMessage) (any, error) {
	runtime, all := a.HAProxy.Runtime, []haproxy.Stat{}
	err := inTime(ctx, answerTime, runtime.Answers)
	if err == nil {
		err = inTime(ctx, countTime, func(ctx context.Context) (err error) {
			all, err = runtime.Stats(ctx)
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	out := newStats(all)
	out.NoAccessLog = a.Log.off()
	return out, nil
}

// inTime asks HAProxy, and words that it does not run or does not answer in time.
func inTime(ctx context.Context, limit time.Duration, ask func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := ask(limited)
	switch {
	case errors.Is(err, haproxy.ErrDown):
		return fault.New(fault.Unavailable, "HAProxy's statistics socket is not reachable; check that HAProxy is running").WithCode(Unavailable)
	case err != nil && limited.Err() != nil && ctx.Err() == nil:
		return fault.New(fault.Unavailable, "HAProxy does not answer on its statistics socket").WithCode(Unavailable)
	}
	return err
}

func (a *adapter) reloadVerb(ctx context.Context, _ json.RawMessage) (any, error) {
	return nil, a.reload(ctx)
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
