package cert

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gateway/internal/db"
	"gateway/internal/problem"
)

var (
	expired = problem.Kind{
		Code: "cert.expired", Severity: problem.Error,
		Message: "The certificate for {name} expired on {at}",
		Remedy:  "Renew it, or upload a new one.",
	}
	expiring = problem.Kind{
		Code: "cert.expiring", Severity: problem.Warning,
		Message: "The certificate for {name} expires on {at}",
		Remedy:  "Renew it, or upload a new one.",
	}
)

// failedKinds are one kind for each reason why a certificate could not be issued or renewed.
var failedKinds = func() map[string]problem.Kind {
	kinds := make(map[string]problem.Kind, len(remedies))
	for code, remedy := range remedies {
		kinds[code] = problem.Kind{
			Code: "cert." + code, Severity: problem.Error,
			Message: "The certificate for {name} could not be issued or renewed: {reason}", Remedy: remedy,
		}
	}
	return kinds
}()

func (s *service) problems() problem.Source {
	kinds := []problem.Kind{expired, expiring}
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
}

// findProblems tells of those that need somebody. What is pending is on its way.
func (s *service) findProblems(ctx context.Context) (problem.Report, error) {
	all, err := db.List[judged](ctx, s.DB, `select id, names[1] as name, `+statusOf+` as status, source, not_after, `+
		ofStatus("last_error")+` as last_error, `+ofStatus("last_error_message")+` as last_error_text
		from certificates where `+statusOf+` <> 'valid' order by names`)
	if err != nil {
		return problem.Report{}, fmt.Errorf("list certificates: %w", err)
	}
	r := problem.Report{States: map[string]problem.States{"certificate": {}}}
	for _, c := range all {
		k, params, ok := c.judge()
		if !ok {
			r.States["certificate"][c.ID] = problem.Chosen(c.Status)
			continue
		}
		r.States["certificate"][c.ID] = k.Because(c.Status, params)
		p := k.On(problem.Subject{Kind: "certificate", ID: c.ID, Name: c.Name}, "/certificates/"+c.ID, params)
		switch {
		case c.Status == "expired":
			p = p.SinceAt(c.NotAfter).As(problem.Error)
		case c.NotAfter != nil: // the previous one is still served
			p = p.As(problem.Warning)
		}
		r.Add(p)
	}
	return r, nil
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
