package audit

import (
	"context"
	"fmt"
	"time"

	"gateway/internal/problem"
)

// underAttack is a problem of the accounts; this log is what knows of it.
var underAttack = problem.Kind{
	Code: "audit.sign_in_attack", Severity: problem.Warning, Alert: "auth.attack",
	Message: "{failed} sign-ins have failed within {minutes} minutes",
	Remedy:  "See in the audit log where they come from. Block the source in the firewall, or allow the management from known networks only.",
}

const (
	// attackTime is how far back failed sign-ins are counted, and attackCount from how many on they
	// are no typing errors any more.
	attackTime  = 10 * time.Minute
	attackCount = 20
)

func (h *handlers) problems() problem.Source {
	return problem.Source{Kinds: []problem.Kind{underAttack}, Find: h.findProblems}
}

func (h *handlers) findProblems(ctx context.Context) (r problem.Report, err error) {
	var count int
	err = h.pool.QueryRow(ctx, `select count(seq) from audit_entries where action = 'auth.login.failed' and created_at > $1`, h.now().Add(-attackTime)).Scan(&count)
	if err != nil {
		return r, fmt.Errorf("count failed sign-ins: %w", err)
	}
	if count >= attackCount {
		subject := problem.Subject{Kind: "node", ID: "sign-in"}
		r.Add(underAttack.On(subject, "/audit?action=auth.login.failed", problem.Params{"failed": count, "minutes": int(attackTime.Minutes())}))
	}
	return r, nil
}
