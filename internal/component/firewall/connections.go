package firewall

import (
	"context"
	"net/http"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component/firewall/filter"
	"gateway/internal/component/firewall/live"
)

// What package live takes and answers.
type (
	ConnectionFilter live.ConnectionFilter
	Connection       live.Connection
	Cut              live.Cut
)

// Connections are live.Connections.
type Connections struct {
	Total       int          `json:"total" doc:"How many match"`
	Connections []Connection `json:"connections" doc:"Matching connections, at most limit"`
}

func (f *firewall) connectionRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "firewall-connections", Method: http.MethodGet, Path: "/firewall/connections", Access: api.Viewer, AtOnce: 2,
		Summary:     "Connections that the kernel tracks",
		Description: "From the connection tracking table, filtered; total counts all that match.",
	}, func(ctx context.Context, in *live.ConnectionsRequest) (*api.Body[Connections], error) {
		var out Connections
		if _, err := in.Filter(); err != nil {
			return nil, err
		}
		if err := f.Applier.Ask(ctx, filter.Name, live.ConnectionsVerb, in, &out); err != nil {
			return nil, err
		}
		return api.OK(out), nil
	})
	api.Handle(r, api.Op{
		ID: "firewall-cut-connections", Method: http.MethodPost, Path: "/firewall/connections/cut",
		Summary:     "Terminate connections",
		Description: "Further packets are matched against the rules again. Without any field all connections are terminated.",
	}, f.cutConnections)
}

func (f *firewall) cutConnections(ctx context.Context, in *struct{ Body ConnectionFilter }) (*api.Body[Cut], error) {
	if _, err := live.ConnectionFilter(in.Body).Filter(); err != nil {
		return nil, err
	}
	var out Cut
	c := change.Change{Component: filter.Name, Action: "firewall.connections.cut", Subject: in.Body.String()}
	err := f.Run.Act(ctx, c, func(ctx context.Context) error { return f.Applier.Ask(ctx, filter.Name, live.CutVerb, in.Body, &out) })
	if err != nil {
		return nil, err
	}
	return api.OK(out), nil
}

// String is the filter for the audit log.
func (f ConnectionFilter) String() string {
	words := "connections"
	for _, field := range []struct{ name, value string }{{" of ", f.Protocol}, {" from ", f.Source}, {" to ", f.Destination}} {
		if field.value != "" {
			words += field.name + field.value
		}
	}
	return words
}
