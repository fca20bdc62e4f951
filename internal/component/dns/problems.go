package dns

import (
	"context"
	"fmt"

	"gateway/internal/component/dns/unbound"
	"gateway/internal/fault"
	"gateway/internal/problem"
)

var (
	notAnswering = problem.Kind{
		Code: "dns.not_answering", Severity: problem.Error, Alert: "component.degraded",
		Message: "The DNS resolver does not answer",
		Remedy:  "Restart it under System, Services; its log says why (journalctl -u unbound).",
	}
	resolvingFails = problem.Kind{
		Code: "dns.resolving_fails", Severity: problem.Warning,
		Message: "The DNS resolver could not resolve {failed} of the last {queries} queries",
		Remedy:  "Check that this node reaches the internet or its forwarders, and that the forwarders answer.",
	}
)

// resolverSubject is the service as the list of services names it.
var resolverSubject = problem.Subject{Kind: "service", ID: unbound.Name, Name: "DNS resolver"}

func (h *handlers) problems() problem.Source {
	return problem.Source{
		Kinds:   []problem.Kind{notAnswering, resolvingFails, forwarderSilent, forwarderFails, forwardersUnknown, zoneNotApplied},
		Objects: []string{"dns_zone", "resolver"},
		Find:    h.findProblems,
	}
}

func (h *handlers) findProblems(ctx context.Context) (problem.Report, error) {
	r := problem.Report{States: map[string]problem.States{"dns_zone": {}, "resolver": {}}}
	add := func(k problem.Kind, state string, params problem.Params) {
		r.Add(k.On(resolverSubject, "/dns", params))
		r.States["resolver"][unbound.Name] = k.Because(state, params)
	}
	var on bool
	if err := h.DB.QueryRow(ctx, `select enabled from dns_settings`).Scan(&on); err != nil {
		return r, fmt.Errorf("read whether the resolver is enabled: %w", err)
	}
	if !on {
		h.failing.Store(nil)
		r.States["resolver"][unbound.Name] = problem.Chosen("off")
		return r, h.setAll(ctx, &r, problem.Chosen("off"))
	}
	var s unbound.Counted
	err := h.Applier.Ask(ctx, unbound.Name, unbound.StatsVerb, nil, &s)
	switch f, ok := fault.Of(err); {
	case ok && f.Code == unbound.Unavailable:
		add(notAnswering, "failed", nil)
		return r, h.setAll(ctx, &r, notAnswering.Because("down", nil))
	case err != nil:
		return r, err
	}
	zones, err := listZones(ctx, h.DB)
	if err != nil {
		return r, err
	}
	told := h.failing.Load()
	if s.Lately.Failed < s.Lately.Queries {
		told = nil // what was asked since is more to go by
	}
	found, known, err := h.askForwarders(ctx, zones, s.Lately.Bad() || told != nil)
	if err != nil {
		return r, err
	}
	late := s.Lately
	switch {
	case found.Tried.Queries >= unbound.FewQueries:
		late = found.Tried
	case late.Queries < unbound.FewQueries && told != nil: // nobody asks, as after a restart of the resolver
		late = *told
	}
	if late.Queries >= unbound.FewQueries && late.Bad() {
		add(resolvingFails, "degraded", problem.Params{"failed": late.Failed, "queries": late.Queries})
		h.failing.Store(&late)
	} else {
		h.failing.Store(nil)
	}
	return r, h.judgeZones(ctx, &r, zones, found, known)
}
