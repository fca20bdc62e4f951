package cert

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gateway/internal/change"
	"gateway/internal/component/cert/pemfiles"
	"gateway/internal/db"
	"gateway/internal/problem"
)

var (
	expired = problem.Kind{
		Code: "cert.expired", Severity: problem.Error, Alert: "cert.expiring",
		Message: "The certificate for {name} expired on {at}",
		Remedy:  "Renew it, or upload a new one.",
	}
	expiring = problem.Kind{
		Code: "cert.expiring", Severity: problem.Warning, Alert: "cert.expiring",
		Message: "The certificate for {name} expires on {at}",
		Remedy:  "Renew it, or upload a new one.",
	}
	notApplied = problem.Kind{
		Code: "cert.not_applied", Severity: problem.Error,
		Message: "The certificate for {name} is saved but not applied: HAProxy does not serve it",
		Remedy:  "See why under System, Configuration. Correct the change, or revert it in the history.",
	}
)

// failedKinds are one kind for each reason why a certificate could not be issued or renewed.
var failedKinds = func() map[string]problem.Kind {
	kinds := make(map[string]problem.Kind, len(remedies))
	for code, remedy := range remedies {
		kinds[code] = problem.Kind{
			Code: "cert." + code, Severity: problem.Error, Alert: "cert.renew_failed",
			Message: "The certificate for {name} could not be issued or renewed: {reason}", Remedy: remedy,
		}
	}
	return kinds
}()

func (s *service) problems() problem.Source {
	kinds := []problem.Kind{expired, expiring, notApplied}
	for _, k := range failedKinds {
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b problem.Kind) int { return strings.Compare(a.Code, b.Code) })
	return problem.Source{Kinds: kinds, Objects: []string{"certificate"}, Find: s.findProblems}
}

type judged struct {
	ID, Name, Status, Source string
	NotAfter                 *time.Time
	LastError, LastErrorText *string
	Unlive, Soon             bool // Soon: it expires soon, or has expired
}

// lastDays is when a certificate that nobody renewed is no longer a warning.
const lastDays = 3 * 24 * time.Hour

// findProblems tells of those that need somebody. What is pending is on its way.
func (s *service) findProblems(ctx context.Context) (problem.Report, error) {
	left, unknown := s.leftOut(ctx) // without it states are unknown, and the dates still hold
	unlive, err := change.Unlive(ctx, s.DB, pemfiles.Name, map[string][]string{"certificates": {"id"}})
	if err != nil {
		return problem.Report{}, err
	}
	all, err := db.List[judged](ctx, s.DB, `select id, names[1] as name, `+statusOf+` as status, source, not_after, `+
		ofStatus("last_error")+` as last_error, `+ofStatus("last_error_message")+` as last_error_text,
		id::text = any($1) or names[1] = any($2) as unlive, coalesce(`+expiresSoon+`, false) as soon
		from certificates where `+statusOf+` <> 'valid' or id::text = any($1) or names[1] = any($2) order by names`,
		slices.AppendSeq([]string{}, maps.Keys(unlive)), append([]string{}, left...)) // null would make null of it all
	if err != nil {
		return problem.Report{}, fmt.Errorf("list certificates: %w", err)
	}
	r := problem.Report{States: map[string]problem.States{"certificate": {}}}
	for _, c := range all {
		c.add(&r, s.Now())
	}
	return r, unknown
}

// leftOut are the first names of those that could not be rendered. That itself is a problem of
// the component's configuration.
func (s *service) leftOut(ctx context.Context) ([]string, error) {
	states, err := s.Applier.States(ctx)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, state := range states {
		if state.Component != pemfiles.Name {
			continue
		}
		for _, p := range state.Problems {
			names = append(names, strings.TrimPrefix(p.Subject, "certificate "))
		}
	}
	return names, nil
}

func (c judged) add(r *problem.Report, now time.Time) {
	k, params, ok := c.judge()
	switch {
	case c.Unlive && c.Status != "expired" && c.Status != "error":
		r.States["certificate"][c.ID] = notApplied.Because("not_applied", problem.Params{"name": c.Name})
	case ok:
		r.States["certificate"][c.ID] = k.Because(c.Status, params)
	default:
		r.States["certificate"][c.ID] = problem.Chosen(c.Status)
	}
	if !ok {
		return
	}
	r.Add(c.problem(k, params, now))
}

func (c judged) problem(k problem.Kind, params problem.Params, now time.Time) problem.Problem {
	on := func(k problem.Kind) problem.Problem {
		p := k.On(problem.Subject{Kind: "certificate", ID: c.ID, Name: c.Name}, "/certificates/"+c.ID, params)
		switch {
		case c.Status == "expired":
			return p.SinceAt(c.NotAfter).As(problem.Error)
		case c.NotAfter != nil && c.NotAfter.Sub(now) >= lastDays: // the previous one is still served
			return p.As(problem.Warning)
		}
		return p.As(problem.Error)
	}
	p := on(k)
	if c.Soon && c.LastError != nil { // the list has one line for a certificate; alerts are told both
		p.Also = []problem.Problem{on(expiring)}
	}
	return p
}

// judge prefers the reason of a failed renewal, which has the remedy.
func (c judged) judge() (problem.Kind, problem.Params, bool) {
	params := problem.Params{"name": c.Name}
	if c.NotAfter != nil {
		params["at"] = c.NotAfter.UTC()
	}
	if c.LastError != nil {
		k, known := failedKinds[*c.LastError]
		if !known {
			k = failedKinds[internalTrouble]
		}
		params["reason"] = *c.LastError
		if c.LastErrorText != nil {
			params["reason"] = *c.LastErrorText
		}
		return k, params, true
	}
	switch c.Status {
	case "expired":
		return expired, params, true
	case "expiring":
		return expiring, params, true
	}
	return problem.Kind{}, nil, false
}
