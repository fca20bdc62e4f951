// Package graphs keeps how busy this node was, for a year, and shows it: processor, memory,
// disk, connections and the traffic of each interface. gateway-scheduler takes the samples, with
// a database or without; gateway-api reads the files (package series).
package graphs

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"gateway/internal/api"
	"gateway/internal/component"
	"gateway/internal/series"
	"gateway/internal/sys"
)

// Options are what the component needs.
type Options struct {
	Dir  string // of the files
	Host *sys.Host
	Now  func() time.Time
	Log  *slog.Logger
}

type handlers struct{ Options }

// New returns the component.
func New(o Options) component.Component {
	h := &handlers{o}
	return component.Component{Name: "graphs", Routes: h.routes, Background: h.sample, Problems: h.problems()}
}

func (h *handlers) routes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "list-graph-series", Method: http.MethodGet, Path: "/graphs/series", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "The values of this node that are kept over time",
		Description: "A series stays in the list after its interface is gone: what was measured can still be read.",
	}, h.list)
	api.Handle(r, api.Op{
		ID: "read-graphs", Method: http.MethodGet, Path: "/graphs", Access: api.Viewer, WithoutDatabase: true, AtOnce: 2,
		Summary: "Values of this node over time",
		Description: "Samples are taken every 10 seconds and kept so for a day, by the minute for a week, and by 10 minutes for a year. " +
			"The answer has the finest of them that fits into the number of points: the least, the mean and the greatest value of each step, " +
			"null for a time of which nothing is known.",
	}, h.read)
}

// Series is a value over time.
type Series struct {
	Name string    `json:"name" example:"interface.eth0.received" doc:"Its name in the parameter series"`
	Unit string    `json:"unit" enum:"percent,bytes,bytes_per_second,packets_per_second,count" doc:"What it is counted in"`
	Last time.Time `json:"last_at" doc:"When it was last written, to within an hour"`
}

func (h *handlers) list(context.Context, *struct{}) (*api.Body[[]Series], error) {
	names, err := series.Names(h.Dir)
	if err != nil {
		return nil, err
	}
	out := make([]Series, 0, len(names))
	for _, name := range sorted(names) {
		out = append(out, Series{Name: name, Unit: unitOf(name), Last: names[name]})
	}
	return api.OK(out), nil
}
