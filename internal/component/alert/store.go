package alert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
	"gateway/internal/problem"
)

// dedupe is how long the same alert is not told again.
const dedupe = 12 * time.Hour

// receiver is a channel as far as an event needs to know it.
type receiver struct {
	ID, Name, MinSeverity, QuietHours string
	Kinds                             []string
}

// wants reports whether it is told of a problem. That a channel fails is told to the others: at itself it would not
// arrive, and would fail it once more.
func (r receiver) wants(p problem.Problem) bool {
	own := p.Subject.Kind == channelObject && p.Subject.ID == r.ID
	return !own && p.Severity.Compare(problem.Severity(r.MinSeverity)) <= 0 && (len(r.Kinds) == 0 || slices.Contains(r.Kinds, p.Alert))
}

func receivers(ctx context.Context, q db.DB) ([]receiver, error) {
	all, err := db.List[receiver](ctx, q, `select id::text, name, min_severity, quiet_hours, kinds from alert_channels where active order by id`)
	if err != nil {
		return nil, fmt.Errorf("list active channels: %w", err)
	}
	return all, nil
}

// raise tells of something that happened and is no state. The same within 12 hours is told once.
func (a *Alerts) raise(ctx context.Context, p problem.Problem) (id string, err error) {
	err = pgx.BeginFunc(ctx, a.DB, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(7294, hashtext($1))`, "alert "+p.Alert+p.Key()); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, `select id::text from alert_events where kind = $1 and subject_kind = $2 and subject_id = $3 and message = $4 and fired_at > $5 and fired_at < $6
			order by fired_at desc limit 1`, p.Alert, p.Subject.Kind, p.Subject.ID, p.Message, a.Now().Add(-dedupe), a.Now().Add(clockSlack)).Scan(&id)
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		all, err := receivers(ctx, tx)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(r receiver) bool { return !r.wants(p) })
		id = db.NewID()
		return a.store(ctx, tx, stored{id: id, first: id, state: notice, Problem: p}, all)
	})
	if err != nil {
		return "", fmt.Errorf("tell of %s: %w", p.Alert, err)
	}
	a.wakeUp()
	return id, nil
}

// stored is an event on its way to the table.
type stored struct {
	problem.Problem
	id, first, state string
}

// store adds an event and its place in the outbox of each receiver.
func (a *Alerts) store(ctx context.Context, tx pgx.Tx, e stored, to []receiver) error {
	params, err := json.Marshal(e.Params)
	if err != nil {
		return fmt.Errorf("encode the parameters of %s: %w", e.Code, err)
	}
	subject := e.Subject.Name
	if subject == "" {
		subject = a.node()
	}
	now := a.Now()
	var b pgx.Batch
	b.Queue(`insert into alert_events (id, state, first_id, kind, severity, subject_kind, subject_id, subject, code, params, message, remedy, link, fired_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		e.id, e.state, e.first, e.Alert, e.Severity, e.Subject.Kind, e.Subject.ID, subject, e.Code, string(params), e.Message, e.Remedy, e.Link, now)
	for _, r := range to {
		a.makeWay(&b, e, r)
		due := now
		if e.Severity != problem.Critical && e.Alert != testAlert.Alert {
			hours, err := quietTime(r.QuietHours)
			if err == nil {
				due = hours.end(now.In(time.Local)) //nolint:gosmopolitan // quiet hours are those of the people around the node
			}
		}
		b.Queue(`insert into alert_deliveries (id, event_id, channel_id, channel, subject, next_attempt_at, quiet, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
			db.NewID(), e.id, r.ID, r.Name, subjectKey(e.Problem), due, due.After(now), now)
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("store the event: %w", err)
	}
	return nil
}

// makeWay lets an event be sent at once: what is critical does not wait behind what waits for the end of quiet hours,
// and a test shows whether a channel works that was just mended.
func (a *Alerts) makeWay(b *pgx.Batch, e stored, r receiver) {
	if e.Severity == problem.Critical {
		b.Queue(`update alert_deliveries set state = 'dropped', finished_at = $3 where channel_id = $1 and subject = $2 and state = 'pending' and quiet and attempts = 0
			and (claimed_until is null or claimed_until <= $3)`, r.ID, subjectKey(e.Problem), a.Now())
	}
	if e.Alert == testAlert.Alert {
		b.Queue(`update alert_channel_status set paused_until = null where channel_id = $1`, r.ID)
	}
}

// subjectKey is what is told in order.
func subjectKey(p problem.Problem) string {
	return strings.Join([]string{p.Alert, p.Subject.Kind, p.Subject.ID}, "\n")
}

// resolve tells the end to those that were told the beginning. Who would have been told after quiet hours
// need not know of either.
func (a *Alerts) resolve(ctx context.Context, tx pgx.Tx, first string) error {
	rows, err := db.List[resolvedEvent](ctx, tx, `select kind, severity, subject_kind, subject_id, subject, code, params, message, link from alert_events
		where first_id = $1 and state = 'firing' order by fired_at desc limit 1`, first)
	if err != nil || len(rows) == 0 { // it was removed by its age
		return err
	}
	_, err = tx.Exec(ctx, `update alert_deliveries d set state = 'dropped', finished_at = $2 from alert_events e
		where e.id = d.event_id and e.first_id = $1 and d.state = 'pending' and d.quiet and d.attempts = 0
			and (d.claimed_until is null or d.claimed_until <= $2)`, first, a.Now())
	if err != nil {
		return fmt.Errorf("drop what is over: %w", err)
	}
	told, err := db.List[receiver](ctx, tx, `select c.id::text, c.name, c.min_severity, c.quiet_hours, c.kinds from alert_channels c
		where c.active and exists (select from alert_deliveries d join alert_events e on e.id = d.event_id
			where e.first_id = $1 and d.channel_id = c.id and d.state in ('pending', 'ok')) order by c.id`, first)
	if err != nil {
		return fmt.Errorf("list who was told: %w", err)
	}
	return a.store(ctx, tx, stored{id: db.NewID(), first: first, state: resolved, Problem: rows[0].problem()}, told)
}

type resolvedEvent struct {
	Kind, Severity, SubjectKind, SubjectID, Subject, Code string
	Params                                                problem.Params
	Message, Link                                         string
}

func (e resolvedEvent) problem() problem.Problem {
	return problem.Problem{
		Alert: e.Kind, Severity: problem.Severity(e.Severity), Subject: problem.Subject{Kind: e.SubjectKind, ID: e.SubjectID, Name: e.Subject},
		Code: e.Code, Params: e.Params, Message: e.Message, Link: e.Link,
	}
}

func (a *Alerts) wakeUp() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// The bounds of what is kept.
const (
	keepDays   = 90
	keepEvents = keepDays * 24 * time.Hour
	mostKept   = 20_000
)

// events are the tables of what happened, the one with a row for each event first.
var events = []string{"alert_events", "alert_deliveries"}

// prune removes old events, with their deliveries, and what is left of channels that are gone.
func (a *Alerts) prune(ctx context.Context) error {
	var b pgx.Batch
	// What lasts keeps its event, which says whether somebody acknowledged it; and what waits is not old, but the clock was set.
	b.Queue(`delete from alert_events e where fired_at < $1 and not exists (select from alert_states s where s.event_id = e.first_id)
		and not exists (select from alert_deliveries d where d.event_id = e.id and d.state = 'pending')`, a.Now().Add(-keepEvents))
	b.Queue(`delete from alert_events e where not exists (select from alert_deliveries d where d.event_id = e.id and d.state = 'pending')
		and not exists (select from alert_states s where s.event_id = e.first_id) and (fired_at, id) < (select fired_at, id from alert_events order by fired_at desc, id desc offset $1 limit 1)`, mostKept)
	b.Queue(`delete from alert_channel_status s where not exists (select from alert_channels c where c.id = s.channel_id)`)
	b.Queue(`delete from alert_states where event_id is null and gone_at < $1`, a.Now().Add(-flapTime))
	if err := a.DB.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("remove old alerts: %w", err)
	}
	return nil
}
