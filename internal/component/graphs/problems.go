package graphs

import (
	"context"
	"time"

	"gateway/internal/problem"
	"gateway/internal/series"
)

var notSampled = problem.Kind{
	Code: "graphs.not_sampled", Severity: problem.Warning,
	Message: "No values for the graphs have been stored for more than two hours",
	Remedy:  "Check free disk space and gateway-scheduler (systemctl status gateway-scheduler); its log says why.",
}

// silence is after how long without a sample that is told: some more than the hour to which the
// time of the last one is kept.
const silence = 2 * time.Hour

func (h *handlers) problems() problem.Source {
	return problem.Source{Kinds: []problem.Kind{notSampled}, Find: h.find}
}

func (h *handlers) find(context.Context) (problem.Report, error) {
	var r problem.Report
	names, err := series.Names(h.Dir)
	var last time.Time
	for _, at := range names {
		if at.After(last) {
			last = at
		}
	}
	if !last.IsZero() && h.Now().Sub(last) > silence {
		subject := problem.Subject{Kind: "service", ID: "scheduler", Name: "gateway-scheduler"}
		r.Add(notSampled.On(subject, "/graphs", nil).SinceAt(&last))
	}
	return r, err
}
