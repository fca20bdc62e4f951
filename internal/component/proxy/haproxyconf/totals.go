package haproxyconf

import (
	"context"
	"encoding/json"
	"strings"

	"gateway/internal/haproxy"
)

// Totals are what all sites and services have together. All but the connections count since HAProxy
// was last reloaded.
type Totals struct {
	Connections int64 `json:"connections"` // now
	Requests    int64 `json:"requests"`
	Errors      int64 `json:"errors"` // answers with a status of 500 or above
	BytesIn     int64 `json:"bytes_in"`
	BytesOut    int64 `json:"bytes_out"`
}

// totals is asked every few seconds, so it reads the frontends alone.
func (a *adapter) totals(ctx context.Context, _ json.RawMessage) (any, error) {
	var all []haproxy.Stat
	err := inTime(ctx, answerTime, func(ctx context.Context) (err error) {
		all, err = a.HAProxy.Runtime.Frontends(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return newTotals(all), nil
}

// newTotals leaves out what is the appliance's own: the management service.
func newTotals(all []haproxy.Stat) (t Totals) {
	for _, s := range all {
		if s.Kind == haproxy.FrontendStat && strings.HasPrefix(s.Proxy, "gateway_") {
			t.Connections += s.Sessions
			t.Requests += s.Requests
			t.Errors += s.Responses5xx
			t.BytesIn += s.BytesIn
			t.BytesOut += s.BytesOut
		}
	}
	return t
}
