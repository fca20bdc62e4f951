package alert

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/problem"
)

// mostTests is how many tests a channel gets within testTime: its receiver belongs to somebody who may not have asked
// for them, and may shut us out.
const (
	mostTests = 5
	testTime  = time.Minute
)

func (a *Alerts) test(ctx context.Context, _ *struct{}) (*api.Body[Event], error) {
	id := ""
	err := a.Run.Act(ctx, change.Change{Component: name, Action: "alert.test", Subject: "all channels"}, func(ctx context.Context) (err error) {
		id, err = a.raiseTest(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	e, err := a.event(ctx, id)
	if err != nil {
		return nil, err
	}
	return api.OK(e), nil
}

// raiseTest tells every active channel that has not had its tests of this minute. The count and what is added to it are
// one: many at once are no way around it.
func (a *Alerts) raiseTest(ctx context.Context) (id string, err error) {
	p := testAlert.On(problem.Subject{Kind: "node", ID: db.NewID()}, "/alerts", problem.Params{"node": a.node()})
	err = pgx.BeginFunc(ctx, a.DB, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(7294, hashtext($1))`, "alert "+p.Alert); err != nil {
			return err
		}
		all, err := receivers(ctx, tx)
		if err != nil {
			return err
		}
		now := a.Now()
		had, err := db.List[struct{ ID string }](ctx, tx, `select d.channel_id::text from alert_deliveries d join alert_events e on e.id = d.event_id
			where e.kind = $1 and d.created_at > $2 and d.created_at <= $3 group by d.channel_id having count(d.id) >= $4`, p.Alert, now.Add(-testTime), now, mostTests)
		if err != nil {
			return fmt.Errorf("count tests: %w", err)
		}
		rest := slices.DeleteFunc(slices.Clone(all), func(r receiver) bool {
			return slices.ContainsFunc(had, func(h struct{ ID string }) bool { return h.ID == r.ID })
		})
		if len(all) > 0 && len(rest) == 0 {
			return fault.New(fault.TooMany, "every channel has had %d test alerts within a minute; try again in a minute", mostTests).WithRetry(testTime)
		}
		id = db.NewID()
		return a.store(ctx, tx, stored{id: id, first: id, state: notice, Problem: p}, rest)
	})
	if err != nil {
		return "", fmt.Errorf("send a test: %w", err)
	}
	a.wakeUp()
	return id, nil
}
