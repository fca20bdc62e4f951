package system

import (
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// newMetrics joins what the product registered with the figures of this component.
func (h *handlers) newMetrics() http.Handler {
	own := prometheus.NewRegistry()
	own.MustRegister(
		gauge("gateway_info", "Always 1; the label has the running version.", prometheus.Labels{"version": h.Version}, func() bool { return true }),
		gauge("gateway_database_up", "Whether the database answers.", nil, h.Database.Up),
		gauge("gateway_setup_complete", "Whether the node is set up.", nil, h.setupComplete),
	)
	return promhttp.HandlerFor(prometheus.Gatherers{own, h.Metrics}, promhttp.HandlerOpts{
		// One broken collector must not hide what the others have to say.
		ErrorHandling: promhttp.ContinueOnError,
		ErrorLog:      slog.NewLogLogger(h.Log.Handler(), slog.LevelWarn),
	})
}

func gauge(name, help string, labels prometheus.Labels, is func() bool) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 {
		if is() {
			return 1
		}
		return 0
	})
}

func (h *handlers) serveMetrics(w http.ResponseWriter, r *http.Request) error {
	h.metrics.ServeHTTP(w, r)
	return nil
}
