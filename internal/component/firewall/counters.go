package firewall

import (
	"context"
	"net/http"

	"gateway/internal/api"
	"gateway/internal/component/firewall/filter"
	"gateway/internal/component/firewall/live"
)

// Counter is package live's. It is a type of its own here, as others are, because the API's
// document names a type after its package.
type Counter live.Counter

func (f *firewall) counterRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "list-firewall-counters", Method: http.MethodGet, Path: "/firewall/counters", Access: api.Viewer, AtOnce: 2, WithoutDatabase: true,
		Summary: "List the hit counters of the rules", Description: "Counted since the rule was loaded into the kernel; changes of other rules do not reset them.",
	}, func(ctx context.Context, _ *struct{}) (*api.Body[[]Counter], error) {
		list, err := f.askCounters(ctx)
		if err != nil {
			return nil, err
		}
		return api.OK(list), nil
	})
}

func (f *firewall) askCounters(ctx context.Context) ([]Counter, error) {
	out := struct { // live.Counted
		Counters []Counter `json:"counters"`
	}{Counters: []Counter{}}
	err := f.Applier.Ask(ctx, filter.Name, live.CountersVerb, nil, &out)
	return out.Counters, err
}
