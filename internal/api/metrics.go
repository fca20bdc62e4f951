package api

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics count requests per operation. Labels are resolved once per operation,
// not per request.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gateway_http_requests_total", Help: "Requests by operation and class of status.",
		}, []string{"operation", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "gateway_http_request_seconds", Help: "Time to answer, by operation.",
			Buckets: []float64{.001, .005, .025, .1, .5, 2, 10},
		}, []string{"operation"}),
	}
	reg.MustRegister(m.requests, m.seconds)
	return m
}

// counted is one operation's share.
type counted struct {
	classes [6]prometheus.Counter // by status / 100
	seconds prometheus.Observer
}

func (m *metrics) of(op string) counted {
	c := counted{seconds: m.seconds.WithLabelValues(op)}
	for i, class := range []string{"other", "1xx", "2xx", "3xx", "4xx", "5xx"} {
		c.classes[i] = m.requests.WithLabelValues(op, class)
	}
	return c
}

func (c counted) observe(status int, took time.Duration) {
	class := status / 100
	if class < 1 || class > 5 {
		class = 0
	}
	c.classes[class].Inc()
	c.seconds.Observe(took.Seconds())
}
