package logs

import (
	"context"
	"fmt"

	"gateway/internal/component/logs/journald"
	"gateway/internal/fault"
	"gateway/internal/logship"
	"gateway/internal/problem"
)

var (
	notShipping = problem.Kind{
		Code: "logs.not_shipping", Severity: problem.Error, Alert: "component.degraded",
		Message: "The log shipper does not report: log entries are not sent",
		Remedy:  "Its log says why (journalctl -u gateway-logship); switch sending off and on under Logs, Settings.",
	}
	receiverAway = problem.Kind{
		Code: "logs.receiver_away", Severity: problem.Error,
		Message: "Log entries do not arrive at the receiver: {why}",
		Remedy:  "Check the receiver, its certificate and the way there; they are sent as soon as it takes them, as far as the journal reaches back.",
	}
	linesLost = problem.Kind{
		Code: "logs.lines_lost", Severity: problem.Warning,
		Message: "Log entries were removed here before they were sent to the receiver: up to {count}",
		Remedy:  "Keep more of the log under Logs, Settings, or find out why the receiver was away for so long. This is shown for a day.",
	}
)

// why has a sentence for each trouble.
var why = map[logship.Trouble]fault.Sentence{
	logship.NoTrouble:    fault.Said("it takes them too slowly"),
	logship.Unconfigured: fault.Said("no receiver is configured"),
	logship.NotResolved:  fault.Said("its name cannot be resolved"),
	logship.LocalAddress: fault.Said("its address is local or link-local"),
	logship.NotReached:   fault.Said("it cannot be reached"),
	logship.NotTrusted:   fault.Said("its certificate is not trusted or is for another name"),
	logship.NoTLS:        fault.Said("it does not speak TLS 1.2 or later"),
	logship.Closed:       fault.Said("it closed the connection"),
	logship.Stalled:      fault.Said("it stopped taking them"),
	logship.NoJournal:    fault.Said("the journal of this node could not be read"),
}

// journalNames are the streams as operators know them.
var journalNames = map[string]string{"system": "Logs", "access": "Access log"}

func (h *handlers) problems() problem.Source {
	return problem.Source{Kinds: []problem.Kind{notShipping, receiverAway, linesLost}, Find: h.findProblems}
}

func (h *handlers) findProblems(ctx context.Context) (r problem.Report, err error) {
	s, err := h.shipping(ctx)
	if err != nil || !s.Enabled {
		return r, err
	}
	const link = "/logs?tab=settings"
	starts, err := h.starts(ctx)
	if err != nil {
		return r, err
	}
	if !s.Running && !starts {
		r.Add(notShipping.On(problem.Subject{Kind: "service", ID: journald.Service, Name: "Log shipper"}, link, nil))
	}
	for _, one := range s.Streams {
		subject := problem.Subject{Kind: "journal", ID: one.Journal, Name: journalNames[one.Journal]}
		if one.State == "away" {
			r.Add(receiverAway.On(subject, link, problem.Params{"why": why[logship.Trouble(one.Error)]}))
		}
		if one.LostAt != nil && h.now().Sub(*one.LostAt) < lossShown {
			r.Add(linesLost.On(subject, link, problem.Params{"count": one.Lost}).SinceAt(one.LostAt))
		}
	}
	return r, nil
}

// startTime is how long the shipper may take to report after the settings were changed, by which it is started.
const startTime = `interval '15 seconds'`

func (h *handlers) starts(ctx context.Context) (starts bool, err error) {
	if err := h.db.QueryRow(ctx, `select updated_at > now() - `+startTime+` from logs_settings`).Scan(&starts); err != nil {
		return false, fmt.Errorf("read when the log settings were changed: %w", err)
	}
	return starts, nil
}
