// Package graphs keeps how busy this node was, for a year, and shows it: what it measures of the node
// itself, and what other components measure in their areas (component.Values). gateway-scheduler takes
// the samples, with a database or without; gateway-api reads the files (package series), and tells
// Prometheus the same values.
package graphs

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway/internal/api"
	"gateway/internal/component"
	"gateway/internal/series"
	"gateway/internal/sys"
)

// Options are what the component needs.
type Options struct {
	Dir  string // of the files
	Host *sys.Host
	// Metrics is where Prometheus finds the values too; nil for nowhere.
	Metrics prometheus.Registerer
	Now     func() time.Time
	Log     *slog.Logger
}

type handlers struct {
	Options
	sources []*source
}

// New returns the component, which keeps what the others measure.
func New(o Options, others []component.Component) component.Component {
	h := &handlers{Options: o}
	c := component.Component{
		Name: "graphs", Routes: h.routes, Background: h.sample, Problems: h.problems(), Values: h.node(), Kept: []component.Kept{h.kept()},
		Support: []component.Support{{File: "last-hour.json", Read: lastHour}},
	}
	h.sources = sourcesOf(append([]component.Component{c}, others...))
	if o.Metrics != nil {
		o.Metrics.MustRegister(metrics{h})
	}
	return c
}

// kept are the files, which never grow.
func (h *handlers) kept() component.Kept {
	return component.Kept{
		Name: "samples", Bound: component.Always(component.Bound{Days: 365, Bytes: series.Size()}),
		Amount: func(context.Context) (a component.Amount, err error) {
			a.Bytes, err = series.Used(h.Dir)
			return a, err
		},
	}
}

// kinds are all values that there can be.
func (h *handlers) kinds() (out []component.Value) {
	for _, s := range h.sources {
		out = append(out, s.Kinds...)
	}
	return out
}

func (h *handlers) routes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "list-graph-series", Method: http.MethodGet, Path: "/graphs/series", Access: api.Viewer, WithoutDatabase: true,
		Summary:     "The values of this node that are kept over time",
		Description: "A series stays in the list after what it is of is gone: what was measured can still be read.",
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
	Unit string    `json:"unit" enum:"percent,bytes,bytes_per_second,packets_per_second,per_second,seconds,count" doc:"What it is counted in"`
	Last time.Time `json:"last_at" doc:"When it was last written, to within an hour"`
}

func (h *handlers) list(context.Context, *struct{}) (*api.Body[[]Series], error) {
	names, err := series.Names(h.Dir)
	if err != nil {
		return nil, err
	}
	out := make([]Series, 0, len(names))
	for _, name := range sorted(names) {
		out = append(out, Series{Name: name, Unit: h.unitOf(name), Last: names[name]})
	}
	return api.OK(out), nil
}
