package alert

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
)

// clockSlack is what a clock that is being put right may be ahead of itself.
const clockSlack = time.Minute

// amend is for a clock that was ahead and was set back: what was stored meanwhile lies in the future, and whatever
// waits for such a time would be silent until then. No time is left farther ahead than one that is stored now could be.
func (a *Alerts) amend(ctx context.Context) error {
	if err := a.amendQuiet(ctx); err != nil {
		return err
	}
	now, pace := a.Now(), a.Outside.Pace
	late := now.Add(clockSlack)
	var b pgx.Batch
	b.Queue(`update alert_deliveries set `+notAfter("$1", "created_at")+`, `+notAfter("$3", "claimed_until")+`,
			next_attempt_at = least(next_attempt_at, case when quiet and attempts = 0 then $1::timestamptz + interval '1 day' else $4 end)
		where state = 'pending' and (created_at > $2 or claimed_until > $3::timestamptz + $5::interval
			or next_attempt_at > $4::timestamptz + $5::interval and not (quiet and attempts = 0) or next_attempt_at > $2::timestamptz + interval '1 day')`,
		now, late, now.Add(pace.Claim), now.Add(max(pace.Claim, pace.Longest)), clockSlack)
	b.Queue(`update alert_channel_status set `+notAfter("$1", "failing_since", "last_ok_at", "last_error_at")+`, `+notAfter("$3", "paused_until")+`
		where failing_since > $2 or paused_until > $3::timestamptz + $4::interval or last_ok_at > $2 or last_error_at > $2`, now, late, now.Add(pace.Longest), clockSlack)
	b.Queue(`update alert_states set `+notAfter("$1", "seen_at", "gone_at", "told_at", "resolved_at")+`
		where seen_at > $2 or gone_at > $2 or told_at > $2 or resolved_at > $2`, now, late)
	if err := a.DB.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("amend times of a clock that was ahead: %w", err)
	}
	return nil
}

// steady is how the clock was when it was last looked at, and the time that nobody can set.
type steady struct {
	mu     sync.Mutex
	clock  time.Time
	uptime time.Duration
}

// heedJump is for a clock that is set ahead, as at the first synchronisation after a start: what waits is no older for that,
// and would be given up at its next failure.
func (a *Alerts) heedJump(ctx context.Context) error {
	a.last.mu.Lock()
	defer a.last.mu.Unlock()
	now, uptime := a.Now().Round(0), a.Uptime()
	unset := a.last.clock.Add(uptime - a.last.uptime) // what the clock would be
	if jump := now.Sub(unset); !a.last.clock.IsZero() && jump > clockSlack {
		if _, err := a.DB.Exec(ctx, `update alert_deliveries set created_at = created_at + $1::interval where state = 'pending' and created_at <= $2`, jump, unset); err != nil {
			return fmt.Errorf("amend times of a clock that was behind: %w", err)
		}
	}
	a.last.clock, a.last.uptime = now, uptime
	return nil
}

// notAfter bounds columns by a parameter. It is no least(), which takes the parameter for what is null.
func notAfter(bound string, columns ...string) string {
	set := make([]string, len(columns))
	for i, c := range columns {
		set[i] = fmt.Sprintf("%[1]s = case when %[1]s > %[2]s::timestamptz then %[2]s::timestamptz else %[1]s end", c, bound)
	}
	return strings.Join(set, ", ")
}

// amendQuiet has what was stored in quiet hours that are not now wait for those that are.
func (a *Alerts) amendQuiet(ctx context.Context) error {
	now := a.Now()
	all, err := db.List[struct{ ID, Hours string }](ctx, a.DB, `select d.id::text, coalesce(c.quiet_hours, '') from alert_deliveries d left join alert_channels c on c.id = d.channel_id
		where d.state = 'pending' and d.quiet and d.attempts = 0 and d.created_at > $1`, now.Add(clockSlack))
	if err != nil {
		return fmt.Errorf("list what waits for quiet hours of another time: %w", err)
	}
	for _, d := range all {
		due := now
		if hours, err := quietTime(d.Hours); err == nil {
			due = hours.end(now.In(time.Local)) //nolint:gosmopolitan // quiet hours are those of the people around the node
		}
		if _, err := a.DB.Exec(ctx, `update alert_deliveries set next_attempt_at = $2, quiet = $3 where id = $1`, d.ID, due, due.After(now)); err != nil {
			return fmt.Errorf("amend delivery %s: %w", d.ID, err)
		}
	}
	return nil
}
