package graphs

import (
	"context"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"gateway/internal/component"
)

// metrics tells Prometheus what is measured, read when it asks.
type metrics struct{ *handlers }

func describe(v component.Value) *prometheus.Desc {
	var labels []string
	if v.Label != "" {
		labels = []string{v.Label}
	}
	return prometheus.NewDesc(v.Metric, v.Help, labels, nil)
}

// Describe is for prometheus.Collector.
func (m metrics) Describe(out chan<- *prometheus.Desc) {
	for _, v := range m.kinds() {
		out <- describe(v)
	}
}

// Collect is for prometheus.Collector. What cannot be read is missing: a 0 would be a lie.
func (m metrics) Collect(out chan<- prometheus.Metric) {
	for _, l := range m.look(context.Background()) {
		for _, r := range l.readings {
			kind := prometheus.GaugeValue
			if r.Counter {
				kind = prometheus.CounterValue
			}
			var labels []string
			if r.Label != "" {
				labels = []string{strings.ToValidUTF8(r.Of, "?")}
			}
			one, err := prometheus.NewConstMetric(describe(r.Value), kind, r.Is, labels...)
			if err != nil {
				one = prometheus.NewInvalidMetric(describe(r.Value), err)
			}
			out <- one
		}
	}
}
