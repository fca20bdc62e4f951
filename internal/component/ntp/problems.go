package ntp

import (
	"context"
	"fmt"

	"gateway/internal/component/ntp/chrony"
	"gateway/internal/fault"
	"gateway/internal/problem"
)

var (
	notAnswering = problem.Kind{
		Code: "ntp.not_answering", Severity: problem.Error, Alert: "component.degraded",
		Message: "The NTP daemon does not answer",
		Remedy:  "Restart it under System, Services; its log says why (journalctl -u chrony).",
	}
	noSources = problem.Kind{
		Code: "ntp.no_sources", Severity: problem.Warning,
		Message: "No time source is configured: the clock will drift",
		Remedy:  "Add a time server or a pool.",
	}
	notSynchronised = problem.Kind{
		Code: "ntp.not_synchronised", Severity: problem.Warning, Alert: "ntp.unsync",
		Message: "The clock is not synchronised",
		Remedy:  "Check that this node reaches its time sources (UDP port 123); their states are under Time, Sources.",
	}
)

// clockSubject is the service as the list of services names it.
var clockSubject = problem.Subject{Kind: "service", ID: chrony.Name, Name: "Clock"}

func (h *handlers) problems() problem.Source {
	return problem.Source{
		Kinds:   []problem.Kind{notAnswering, noSources, notSynchronised},
		Objects: []string{"clock"},
		Find:    h.findProblems,
	}
}

func (h *handlers) findProblems(ctx context.Context) (problem.Report, error) {
	r := problem.Report{States: map[string]problem.States{"clock": {}}}
	add := func(k problem.Kind, state string) {
		r.Add(k.On(clockSubject, "/ntp", nil))
		r.States["clock"][chrony.Name] = k.Because(state, nil)
	}
	var on bool
	var sources int
	err := h.DB.QueryRow(ctx, `select enabled, (select count(*) from ntp_pools) from ntp_settings`).Scan(&on, &sources)
	if err != nil {
		return r, fmt.Errorf("read whether NTP is enabled: %w", err)
	}
	if !on {
		r.States["clock"][chrony.Name] = problem.Chosen("off")
		return r, nil
	}
	var s Status
	err = h.monitor(ctx, func(m *monitor) (err error) {
		s, err = m.status()
		return err
	})
	switch _, worded := fault.Of(err); {
	case worded:
		add(notAnswering, "failed")
	case err != nil:
		return r, err
	case !s.Synchronised && sources == 0:
		add(noSources, "degraded")
	case !s.Synchronised:
		add(notSynchronised, "degraded")
	}
	return r, nil
}
