package network

import (
	"context"
	"fmt"
	"strings"

	"gateway/internal/component/network/netstate"
	"gateway/internal/db"
	"gateway/internal/problem"
)

var (
	missing = problem.Kind{
		Code: "network.missing", Severity: problem.Error,
		Message: "{what} is not applied: {why}",
		Remedy:  "Plug the interface in or correct its name; it is applied as soon as the interface appears.",
	}
	conflict = problem.Kind{
		Code: "network.conflict", Severity: problem.Warning,
		Message: "{what} conflicts with another program: {why}",
		Remedy:  "Remove it from the other program's configuration, or from this one.",
	}
	refused = problem.Kind{
		Code: "network.refused", Severity: problem.Error,
		Message: "{what} is refused by the kernel: {why}",
		Remedy:  "Correct it under Network.",
	}
)

func (p *part) problems() problem.Source {
	return problem.Source{Kinds: []problem.Kind{missing, conflict, refused}, Find: p.findProblems}
}

// findProblems asks gateway-apply what is wanted and not there.
func (p *part) findProblems(ctx context.Context) (problem.Report, error) {
	var r problem.Report
	var wrong []netstate.Trouble
	if err := p.Applier.Ask(ctx, netstate.Name, netstate.StatusVerb, nil, &wrong); err != nil {
		return r, fmt.Errorf("ask for the state of the network: %w", err)
	}
	if len(wrong) == 0 {
		return r, nil
	}
	names, err := db.List[struct{ ID, Name string }](ctx, p.DB, `select id, name from network_interfaces`)
	if err != nil {
		return r, fmt.Errorf("list interfaces: %w", err)
	}
	ids := map[string]string{}
	for _, n := range names {
		ids[n.Name] = n.ID
	}
	for _, t := range wrong {
		k := map[string]problem.Kind{netstate.Missing: missing, netstate.Conflict: conflict, netstate.Refused: refused}[t.Kind]
		subject, link := subjectOf(t.Subject, ids)
		r.Add(k.On(subject, link, problem.Params{"what": t.Subject, "why": t.Why.Message, "why_words": t.Why.Beside()}))
	}
	return r, nil
}

// subjectOf is what an item of the kernel is to the operator, and the page that has it.
func subjectOf(what string, ids map[string]string) (problem.Subject, string) {
	words := strings.Fields(what)
	if words[0] == "route" {
		return problem.Subject{Kind: "route", ID: what, Name: words[1]}, "/routes"
	}
	name := words[len(words)-1] // "address 192.0.2.1/24 on eth0"
	if words[0] == "interface" {
		name = strings.TrimSuffix(words[1], ":") // "interface bond0: primary"
	}
	id, known := ids[name]
	switch {
	case !known:
		return problem.Subject{Kind: "interface", ID: what, Name: name}, "/interfaces"
	case words[0] == "address":
		return problem.Subject{Kind: "interface", ID: what, Name: name}, "/interfaces/" + id + "?tab=addresses"
	case len(words) == 2:
		return problem.Subject{Kind: "interface", ID: id, Name: name}, "/interfaces/" + id
	}
	return problem.Subject{Kind: "interface", ID: what, Name: name}, "/interfaces/" + id
}
