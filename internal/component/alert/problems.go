package alert

import (
	"context"
	"fmt"
	"time"

	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/problem"
)

var (
	channelFails = problem.Kind{
		Code: "alert.channel_fails", Severity: problem.Warning,
		Message: "Alerts do not arrive at {channel}: {reason}",
		Remedy:  "Check the channel under Alerts, Channels. What is due is sent again automatically for 24 hours.",
	}
	undone = problem.Kind{
		Code: "alert.change_undone", Severity: problem.Warning, Alert: "change.undone",
		Message: "A change by {actor} was not confirmed in time and has been reverted: {change}",
		Remedy:  "Make the change again, and confirm it while you can still reach the gateway.",
	}
	cycleFailed = problem.Kind{
		Code: "alert.renewals_aborted", Severity: problem.Error, Alert: "cert.renewer.run_failed",
		Message: "A cycle of certificate renewals was aborted",
		Remedy:  "The log of gateway-scheduler says why (journalctl -u gateway-scheduler). It is tried again automatically.",
	}
	testAlert = problem.Kind{
		Code: "alert.test", Severity: problem.Info, Alert: "test",
		Message: "This is a test alert of {node}",
		Remedy:  "Nothing is to be done.",
	}
)

// channelObject is the kind of object that a channel is.
const channelObject = "alert_channel"

// notices are the kinds of what happens and is no state.
func notices() []problem.Kind { return []problem.Kind{undone, cycleFailed, testAlert} }

func (a *Alerts) problems() problem.Source {
	return problem.Source{
		Kinds:   append(notices(), channelFails),
		Objects: []string{channelObject},
		Find:    a.findProblems,
	}
}

// failsAfter is how long a channel may fail before it is a problem: a receiver may be restarted.
const failsAfter = 2 * time.Minute

func (a *Alerts) findProblems(ctx context.Context) (problem.Report, error) {
	r := problem.Report{States: map[string]problem.States{channelObject: {}}}
	all, err := db.List[struct {
		ID, Name string
		Active   bool
		Since    *time.Time
		Error    *fault.Sentence
	}](ctx, a.DB, `select c.id::text, c.name, c.active, s.failing_since, s.last_error
		from alert_channels c left join alert_channel_status s on s.channel_id = c.id where not c.active or s.failing_since is not null order by c.name`)
	if err != nil {
		return r, fmt.Errorf("list channels: %w", err)
	}
	for _, c := range all {
		if !c.Active {
			r.States[channelObject][c.ID] = problem.Chosen("disabled")
			continue
		}
		if c.Error == nil || a.Now().Sub(*c.Since) < failsAfter {
			continue
		}
		params := problem.Params{"channel": c.Name, "reason": *c.Error}
		r.Add(channelFails.On(problem.Subject{Kind: channelObject, ID: c.ID, Name: c.Name}, "/alerts?tab=channels", params).SinceAt(c.Since))
		r.States[channelObject][c.ID] = channelFails.Because("failed", params)
	}
	return r, nil
}
