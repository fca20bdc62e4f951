package change

import (
	"context"
	"strings"

	"gateway/internal/apply"
	"gateway/internal/fault"
	"gateway/internal/problem"
)

var (
	notApplied = problem.Kind{
		Code: "change.not_applied", Severity: problem.Error, Alert: "component.degraded",
		Message: "The configuration of {component} is saved but not applied: {reason}",
		Remedy:  "Remove the cause, correct the change, or revert it in the history; it is tried again automatically.",
	}
	leftOut = problem.Kind{
		Code: "change.left_out", Severity: problem.Error, Alert: "component.degraded",
		Message: "{object} is left out of the configuration of {component}: {reason}",
		Remedy:  "Correct or delete it; everything else is applied.",
	}
	editsKept = problem.Kind{
		Code: "change.edits_kept", Severity: problem.Warning, Alert: "drift",
		Message: "The configuration of {component} was edited manually ({files}); changes are not applied",
		Remedy:  "Stop keeping manual edits under System, Configuration, to have the stored configuration installed.",
	}
	held = problem.Kind{
		Code: "change.held", Severity: problem.Warning, Alert: "component.degraded",
		Message: "The configuration of {component} is not being applied: {reason}",
		Remedy:  "Bring the database back; the rest follows automatically. If the rows of the change cannot be reverted, confirm it to keep it.",
	}
)

const componentsPage = "/system?tab=components"

func (h *handlers) problems() problem.Source {
	return problem.Source{
		Kinds:   []problem.Kind{notApplied, leftOut, editsKept, held},
		Objects: []string{"component"},
		Find:    h.find,
	}
}

func (h *handlers) find(ctx context.Context) (problem.Report, error) {
	r := problem.Report{States: map[string]problem.States{"component": {}}}
	states, err := h.Applier.States(ctx)
	for _, s := range states {
		judge(&r, s)
	}
	return r, err
}

// judge says what keeps a component from running on what is stored.
func judge(r *problem.Report, s apply.State) {
	subject := problem.Subject{Kind: "component", ID: s.Component, Name: s.Component}
	params := problem.Params{"component": s.Component, "reason": s.Error, "reason_words": s.ErrorWords, "files": strings.Join(s.Drift, ", ")}
	add := func(k problem.Kind, state string) {
		r.Add(k.On(subject, componentsPage, params)) // since when it fails it says not: each try is a new stage
		r.States["component"][s.Component] = k.Because(state, params)
	}
	if s.Stage == apply.Held && s.Error == "" { // nothing failed: it waits
		params["reason"] = fault.Said("an unconfirmed change is being reverted, and the database does not answer")
		delete(params, "reason_words")
	}
	switch {
	case s.Stage == apply.Held && s.KeepEdits && len(s.Drift) > 0:
		add(editsKept, "held")
	case s.Stage == apply.Held:
		add(held, "held")
	case s.Error != "": // also while it is tried again
		add(notApplied, "failed")
	}
	for _, left := range s.Problems {
		what := problem.Subject{Kind: "left_out", ID: s.Component + " " + left.Subject, Name: left.Subject}
		r.Add(leftOut.On(what, componentsPage, problem.Params{"component": s.Component, "object": fault.Named(left.Subject), "reason": left.Sentence}))
	}
}
