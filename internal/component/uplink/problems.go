package uplink

import (
	"context"
	"strings"

	"gateway/internal/component/uplink/health"
	"gateway/internal/component/uplink/multiwan"
	"gateway/internal/fault"
	"gateway/internal/problem"
	"gateway/internal/rtnl/reconcile"
)

// listPage is where uplinks are, groupsPage where their groups are, and membersPage where those of the group are whose id follows.
const (
	listPage    = "/uplinks"
	groupsPage  = "/uplinks?tab=groups"
	membersPage = "/uplinks?tab=members&filter=group_id:"
)

// pageOf is where an uplink is; a group has no page of its own.
func pageOf(id string) string { return listPage + "/" + id }

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
	notApplied = problem.Kind{
		Code: "uplink.not_applied", Severity: problem.Error,
		Message: "{name} is saved but not applied: packets are sent as before",
		Remedy:  "See why under System, Configuration. Correct the change, or revert it in the history.",
	}
	unmonitored = problem.Kind{
		Code: "uplink.unmonitored", Severity: problem.Info,
		Message: "The uplink {name} is judged by its carrier alone",
		Remedy:  "Switch its monitor on, and enter a monitor address where it has no gateway.",
	}
	applying = problem.Kind{
		Code: "uplink.applying", Severity: problem.Info,
		Message: "{name} is being applied",
		Remedy:  "Wait some seconds.",
	}
	unjudged = problem.Kind{
		Code: "uplink.unjudged", Severity: problem.Info,
		Message: "It is not known whether the uplink {name} works; it is used",
		Remedy:  "Check the scheduler, which sends the echo requests, under System, Services.",
	}
	groupUnjudged = problem.Kind{
		Code: "uplink.group_unjudged", Severity: problem.Info,
		Message: "It is not known whether an uplink of the group {name} works",
		Remedy:  "Check the scheduler, which sends the echo requests, under System, Services.",
	}
	groupDegraded = problem.Kind{
		Code: "uplink.group_degraded", Severity: problem.Warning,
		Message: "{failed} of {total} uplinks of the group {name} do not work: {uplinks}",
		Remedy:  "Check the cables, modems and providers of these uplinks.",
	}
)

func (u *uplinks) problems() problem.Source {
	return problem.Source{
		Kinds: []problem.Kind{
			noCarrier, silent, lossy, slow, noneUp, missing, refused, notApplied, unmonitored, applying, unjudged, groupUnjudged, groupDegraded,
		},
		Objects: []string{uplinkKind, groupKind},
		Find:    u.findProblems,
	}
}

// The kinds of objects.
const (
	uplinkKind = "uplink"
	groupKind  = "uplink_group"
)

// failures are the states in which an uplink is not used.
func failures() map[health.State]problem.Kind {
	return map[health.State]problem.Kind{health.NoCarrier: noCarrier, health.Down: silent, health.Loss: lossy, health.Slow: slow}
}

// paramsOf are what the sentences about an uplink name.
func paramsOf(s multiwan.UplinkStatus) problem.Params {
	return problem.Params{"name": s.Name, "interface": s.Interface, "loss": max(s.Loss, 0), "rtt": s.RTT.Milliseconds()}
}

// subjectOf is the uplink or group that a trouble is about, and its page: "uplink NAME", "uplink
// NAME: network 192.0.2.0/24" or "uplink group NAME". A name may have a colon too, so the longest
// one counts.
func subjectOf(text string, now multiwan.Report) (found problem.Subject, page string) {
	found, page = problem.Subject{Kind: uplinkKind, ID: text, Name: text}, listPage
	longest := ""
	try := func(what, at string, s problem.Subject) {
		if (text == what || strings.HasPrefix(text, what+": ")) && len(what) > len(longest) {
			found, page, longest = s, at, what
		}
	}
	for _, g := range now.Groups {
		try("uplink group "+g.Name, groupsPage, problem.Subject{Kind: groupKind, ID: g.ID, Name: g.Name})
	}
	for _, s := range now.Uplinks {
		try("uplink "+s.Name, pageOf(s.ID), problem.Subject{Kind: uplinkKind, ID: s.ID, Name: s.Name})
	}
	return found, page
}

// findProblems asks gateway-apply, which knows without the database; states need that too.
func (u *uplinks) findProblems(ctx context.Context) (r problem.Report, err error) {
	var now multiwan.Report
	if err := u.ask(ctx, multiwan.StatusVerb, nil, &now); err != nil {
		return r, err
	}
	absent := map[string]bool{}
	for _, w := range now.Wrong {
		absent[w.Subject] = w.Kind == reconcile.Missing
	}
	for _, s := range now.Uplinks {
		if kind, is := failures()[s.State]; is && !absent["uplink "+s.Name] { // one whose interface is missing is told below
			since := s.Since
			r.Add(kind.On(problem.Subject{Kind: uplinkKind, ID: s.ID, Name: s.Name}, pageOf(s.ID), paramsOf(s)).SinceAt(&since))
		}
	}
	for _, g := range now.Groups {
		if !g.Usable && !g.Empty {
			r.Add(noneUp.On(problem.Subject{Kind: groupKind, ID: g.ID, Name: g.Name}, groupsPage, problem.Params{"name": g.Name}))
		}
	}
	wrong := map[string]problem.State{}
	for _, w := range now.Wrong {
		kind := refused
		if w.Kind == reconcile.Missing {
			kind = missing
		}
		subject, page := subjectOf(w.Subject, now)
		params := problem.Params{"what": fault.Named(w.Subject), "why": w.Why}
		r.Add(kind.On(subject, page, params))
		wrong[subject.ID] = kind.Because("not_applied", params)
	}
	r.States, err = u.states(ctx, now, wrong)
	return r, err
}
