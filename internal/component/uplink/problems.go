package uplink

import (
	"context"
	"strings"

	"gateway/internal/component/uplink/health"
	"gateway/internal/component/uplink/multiwan"
	"gateway/internal/problem"
	"gateway/internal/rtnl/reconcile"
)

// page is where uplinks are.
const page = "/uplinks"

var (
	noCarrier = problem.Kind{
		Code: "uplink.no_carrier", Severity: problem.Error,
		Message: "The uplink {name} has no carrier on {interface}",
		Remedy:  "Check the cable and the modem.",
	}
	silent = problem.Kind{
		Code: "uplink.down", Severity: problem.Error,
		Message: "No answer through the uplink {name}",
		Remedy:  "Check the modem and the provider; it is used again once it has answered for the hold time.",
	}
	lossy = problem.Kind{
		Code: "uplink.loss", Severity: problem.Error,
		Message: "The uplink {name} loses {loss} % of the packets and is not used",
		Remedy:  "Check the line and the provider; it is used again once it has worked for the hold time.",
	}
	slow = problem.Kind{
		Code: "uplink.slow", Severity: problem.Error,
		Message: "The uplink {name} takes {rtt} ms to answer and is not used",
		Remedy:  "Check the line and the provider, or raise the limit.",
	}
	noneUp = problem.Kind{
		Code: "uplink.none_up", Severity: problem.Critical,
		Message: "No uplink of the group {name} works",
		Remedy:  "Check the cables, modems and providers.",
	}
	missing = problem.Kind{
		Code: "uplink.missing", Severity: problem.Error,
		Message: "{what} is not applied: {why}",
		Remedy:  "Plug the interface in, correct its name, or enter the gateway; it is applied as soon as that is there.",
	}
	refused = problem.Kind{
		Code: "uplink.refused", Severity: problem.Error,
		Message: "{what} is refused by the kernel: {why}",
		Remedy:  "Correct the uplink.",
	}
)

func (u *uplinks) problems() problem.Source {
	return problem.Source{Kinds: []problem.Kind{noCarrier, silent, lossy, slow, noneUp, missing, refused}, Find: u.findProblems}
}

// failures are the states in which an uplink is not used.
func failures() map[health.State]problem.Kind {
	return map[health.State]problem.Kind{health.NoCarrier: noCarrier, health.Down: silent, health.Loss: lossy, health.Slow: slow}
}

// findProblems asks gateway-apply, which knows without the database.
func (u *uplinks) findProblems(ctx context.Context) (r problem.Report, err error) {
	var now multiwan.Report
	if err := u.ask(ctx, multiwan.StatusVerb, nil, &now); err != nil {
		return r, err
	}
	ids, absent := map[string]string{}, map[string]bool{}
	for _, w := range now.Wrong {
		absent[w.Subject] = w.Kind == reconcile.Missing
	}
	for _, s := range now.Uplinks {
		ids[s.Name] = s.ID
		if kind, is := failures()[s.State]; is && !absent["uplink "+s.Name] { // one whose interface is missing is told below
			params := problem.Params{"name": s.Name, "interface": s.Interface, "loss": max(s.Loss, 0), "rtt": s.RTT.Milliseconds()}
			since := s.Since
			r.Add(kind.On(problem.Subject{Kind: "uplink", ID: s.ID, Name: s.Name}, page, params).SinceAt(&since))
		}
	}
	for _, g := range now.Groups {
		if !g.Usable && !g.Empty {
			r.Add(noneUp.On(problem.Subject{Kind: "uplink_group", ID: g.ID, Name: g.Name}, page, problem.Params{"name": g.Name}))
		}
	}
	for _, w := range now.Wrong {
		kind := refused
		if w.Kind == reconcile.Missing {
			kind = missing
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(w.Subject, "uplink "), ":")
		subject := problem.Subject{Kind: "uplink", ID: w.Subject, Name: name}
		if id, known := ids[name]; known {
			subject.ID = id
		}
		r.Add(kind.On(subject, page, problem.Params{"what": w.Subject, "why": w.Why.Message, "why_words": w.Why.Beside()}))
	}
	return r, nil
}
