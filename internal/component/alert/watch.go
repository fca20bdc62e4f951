package alert

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
	"gateway/internal/problem"
)

const (
	// watchEvery is how often it is checked what is wrong.
	watchEvery = 10 * time.Second
	// usualFor is how long a problem must be there before it is told, and usualHold how long it must be gone
	// before its end is: what comes and goes is one alert.
	usualFor  = 15 * time.Second
	usualHold = time.Minute
	// What comes back within flapTime of its end must be gone for longer the next time, up to longestHold.
	flapTime    = time.Hour
	longestHold = 30 * time.Minute
)

// fors are the kinds that are told later, or at once. A clock is not synchronised after each boot, and a tunnel
// is down when its last handshake was five minutes ago.
var fors = map[string]time.Duration{
	"ntp.unsync":     10 * time.Minute,
	"wg.tunnel.down": 5 * time.Minute,
	"cert.expiring":  0,
}

func forOf(kind string) time.Duration {
	if d, special := fors[kind]; special {
		return d
	}
	return usualFor
}

// watch holds what is wrong now against what was told.
func (a *Alerts) watch(ctx context.Context) error {
	if err := a.amend(ctx); err != nil {
		return err
	}
	if err := a.watchChanges(ctx); err != nil {
		return err
	}
	found, unknown, err := a.look(ctx)
	if err != nil {
		return fmt.Errorf("look for problems: %w", err)
	}
	own, err := a.findProblems(ctx) // which look has not: it is made before there is this component
	if err != nil {
		return err
	}
	found = append(found, own.Problems...)
	return a.observe(ctx, told(found), unknown)
}

// told are the problems as alerts: those beside too, and one of each kind and subject, the worst.
func told(found []problem.Problem) map[string]problem.Problem {
	out := map[string]problem.Problem{}
	add := func(p problem.Problem) {
		key := subjectKey(p)
		if was, there := out[key]; !there || p.Severity.Compare(was.Severity) < 0 {
			out[key] = p
		}
	}
	for _, p := range found {
		add(p)
		for _, also := range p.Also {
			add(also)
		}
	}
	return out
}

// state is what is known of one kind and subject.
type state struct {
	Kind, SubjectKind, SubjectID, Component string
	SeenAt                                  time.Time
	GoneAt                                  *time.Time
	EventID                                 *string
	ToldAt                                  *time.Time
	ToldSeverity                            *string
	ResolvedAt                              *time.Time
	Flaps                                   int
	Acknowledged                            bool
}

func (st state) key() string {
	return strings.Join([]string{st.Kind, st.SubjectKind, st.SubjectID}, "\n")
}

// hold is how long it must be gone.
func (st state) hold() time.Duration {
	return min(longestHold, usualHold<<min(st.Flaps, 5))
}

// observe brings the states up to date, each in a transaction with what is told of it.
func (a *Alerts) observe(ctx context.Context, now map[string]problem.Problem, unknown []string) error {
	all, err := db.List[state](ctx, a.DB, `select kind, subject_kind, subject_id, component, seen_at, gone_at, event_id::text, told_at, told_severity, resolved_at, flaps,
		exists (select from alert_events e where e.first_id = s.event_id and e.acknowledged_at is not null) from alert_states s`)
	if err != nil {
		return fmt.Errorf("list what was told: %w", err)
	}
	known := make(map[string]bool, len(all))
	for _, st := range all {
		known[st.key()] = true
		p, there := now[st.key()]
		switch {
		case there:
			err = a.present(ctx, st, p)
		case !slices.Contains(unknown, st.Component): // of who cannot be asked nothing is over
			err = a.absent(ctx, st)
		}
		if err != nil {
			return err
		}
	}
	for key, p := range now {
		if !known[key] {
			if err := a.present(ctx, state{Kind: p.Alert, SubjectKind: p.Subject.Kind, SubjectID: p.Subject.ID}, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// present is one that is there now.
func (a *Alerts) present(ctx context.Context, st state, p problem.Problem) error {
	now := a.Now()
	before := st
	st.Component, _, _ = strings.Cut(p.Code, ".")
	if st.SeenAt.IsZero() || st.EventID == nil && st.GoneAt != nil {
		st.SeenAt = began(p, st.GoneAt, now)
	}
	st.GoneAt = nil
	switch {
	case st.EventID == nil && now.Sub(st.SeenAt) >= forOf(st.Kind):
		if st.Flaps++; st.ResolvedAt == nil || now.Sub(*st.ResolvedAt) > flapTime {
			st.Flaps = 0
		}
		return a.tell(ctx, st, p)
	case st.EventID != nil && a.tellsOnceMore(st, p):
		return a.tell(ctx, st, p)
	case st.same(before):
		return nil
	}
	return save(ctx, a.DB, st)
}

// began is since when a problem is there: as far as that is known since before we saw it, and not while it was gone.
func began(p problem.Problem, gone *time.Time, now time.Time) time.Time {
	if p.Since.IsZero() || p.Since.After(now) || gone != nil && p.Since.Before(*gone) {
		return now
	}
	return p.Since
}

// tellsOnceMore reports whether what was told is told once more: it is worse now, or nobody has taken note for long.
func (a *Alerts) tellsOnceMore(st state, p problem.Problem) bool {
	worse := st.ToldSeverity != nil && p.Severity.Compare(problem.Severity(*st.ToldSeverity)) < 0
	return worse || !st.Acknowledged && st.ToldAt != nil && a.Now().Sub(*st.ToldAt) >= dedupe
}

// absent is one that is not there now.
func (a *Alerts) absent(ctx context.Context, st state) error {
	now := a.Now()
	if st.GoneAt == nil {
		st.GoneAt = &now
		return save(ctx, a.DB, st)
	}
	if st.EventID == nil || now.Sub(*st.GoneAt) < st.hold() {
		return nil
	}
	first := *st.EventID
	st.EventID, st.ToldAt, st.ToldSeverity, st.ResolvedAt = nil, nil, nil, &now
	return a.inOne(ctx, func(tx pgx.Tx) error {
		if err := a.resolve(ctx, tx, first); err != nil {
			return err
		}
		return save(ctx, tx, st)
	})
}

// tell stores an event, and its state with it.
func (a *Alerts) tell(ctx context.Context, st state, p problem.Problem) error {
	now, severity, id := a.Now(), string(p.Severity), db.NewID()
	if st.EventID == nil {
		st.EventID = &id
	}
	st.ToldAt, st.ToldSeverity = &now, &severity
	return a.inOne(ctx, func(tx pgx.Tx) error {
		all, err := receivers(ctx, tx)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(r receiver) bool { return !r.wants(p) })
		if err := a.store(ctx, tx, stored{id: id, first: *st.EventID, state: firing, Problem: p}, all); err != nil {
			return err
		}
		return save(ctx, tx, st)
	})
}

func (a *Alerts) inOne(ctx context.Context, fn func(tx pgx.Tx) error) error {
	if err := pgx.BeginFunc(ctx, a.DB, fn); err != nil {
		return fmt.Errorf("store an alert: %w", err)
	}
	a.wakeUp()
	return nil
}

// same reports whether nothing is to be stored.
func (st state) same(before state) bool {
	return st.Component == before.Component && st.SeenAt.Equal(before.SeenAt) && before.GoneAt == nil
}

func save(ctx context.Context, q db.DB, st state) error {
	_, err := q.Exec(ctx, `insert into alert_states (kind, subject_kind, subject_id, component, seen_at, gone_at, event_id, told_at, told_severity, resolved_at, flaps)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		on conflict (kind, subject_kind, subject_id) do update set component = $4, seen_at = $5, gone_at = $6, event_id = $7, told_at = $8, told_severity = $9, resolved_at = $10, flaps = $11`,
		st.Kind, st.SubjectKind, st.SubjectID, st.Component, st.SeenAt, st.GoneAt, st.EventID, st.ToldAt, st.ToldSeverity, st.ResolvedAt, st.Flaps)
	if err != nil {
		return fmt.Errorf("keep the state of %s: %w", st.Kind, err)
	}
	return nil
}

// watchChanges tells of changes that were reverted since nobody confirmed them. One that was told of is
// among the events, which are kept for longer than this looks back.
func (a *Alerts) watchChanges(ctx context.Context) error {
	all, err := db.List[struct{ ID, Actor, Subject, Action string }](ctx, a.DB, `select c.id::text, c.actor, c.subject, c.action
		from changes r join changes c on c.id = r.reverts
		where r.actor = 'confirm-timeout' and r.created_at > $1 and not exists (select from alert_events e where e.kind = $2 and e.subject_id = c.id::text)
		order by r.created_at`, a.Now().Add(-24*time.Hour), undone.Alert)
	if err != nil {
		return fmt.Errorf("list changes that were reverted: %w", err)
	}
	for _, c := range all {
		subject := problem.Subject{Kind: "change", ID: c.ID, Name: c.Subject}
		p := undone.On(subject, "/changes/"+c.ID, problem.Params{"actor": c.Actor, "change": strings.TrimSpace(c.Action + " " + c.Subject)})
		if _, err := a.raise(ctx, p); err != nil {
			return err
		}
	}
	return nil
}
