package alert

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/outbound"
)

// usualPace has a receiver tried again for a day.
func usualPace() Pace {
	return Pace{Every: time.Second, Claim: 45 * time.Second, First: 5 * time.Second, Longest: 30 * time.Minute, GiveUp: 24 * time.Hour}
}

// send delivers what is due, until ctx ends. Each channel has one delivery under way at a time: a receiver that
// hangs delays nobody else, and one that is killed in the middle is repeated once.
func (a *Alerts) send(ctx context.Context) error {
	tick := time.NewTicker(a.Outside.Pace.Every)
	defer tick.Stop()
	var busy channelSet
	var workers sync.WaitGroup
	defer workers.Wait()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-a.wake:
		}
		if !a.Database.Up() {
			continue
		}
		due, err := a.due(ctx)
		if err != nil {
			if ctx.Err() == nil && !db.Unavailable(err) {
				a.Log.Error("alert", "err", err)
			}
			continue
		}
		for _, channel := range due {
			if !busy.take(channel) {
				continue
			}
			workers.Go(func() {
				defer busy.leave(channel)
				if err := a.drain(ctx, channel); err != nil && ctx.Err() == nil && !db.Unavailable(err) {
					a.Log.Error("alert", "channel", channel, "err", err)
				}
			})
		}
	}
}

// channelSet are the channels that somebody works on.
type channelSet struct {
	mu  sync.Mutex
	all map[string]bool
}

func (c *channelSet) take(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all[id] {
		return false
	}
	if c.all == nil {
		c.all = map[string]bool{}
	}
	c.all[id] = true
	return true
}

func (c *channelSet) leave(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.all, id)
}

// isDue is a delivery d that can be made at $1: nobody is at it, and nothing older about the same subject waits before it.
const isDue = `d.state = 'pending' and d.next_attempt_at <= $1 and (d.claimed_until is null or d.claimed_until <= $1)
	and not exists (select from alert_deliveries o where o.channel_id = d.channel_id and o.state = 'pending' and o.subject = d.subject and o.seq < d.seq)`

// due are the channels that something is to be sent to.
func (a *Alerts) due(ctx context.Context) ([]string, error) {
	if err := a.heedJump(ctx); err != nil {
		return nil, err
	}
	rows, err := db.List[struct{ ID string }](ctx, a.DB, `select distinct d.channel_id::text from alert_deliveries d
		left join alert_channel_status s on s.channel_id = d.channel_id
		where `+isDue+` and (s.paused_until is null or s.paused_until <= $1)`, a.Now())
	if err != nil {
		return nil, fmt.Errorf("list channels with something to send: %w", err)
	}
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r.ID
	}
	return out, nil
}

// drain sends what is due to one channel, one after the other, up to the first failure.
func (a *Alerts) drain(ctx context.Context, channel string) error {
	for ctx.Err() == nil {
		d, err := a.claim(ctx, channel)
		if err != nil || d == nil {
			return err
		}
		failed, err := a.deliver(ctx, *d)
		if err != nil || failed {
			return err
		}
	}
	return nil
}

// delivery is one event for one channel.
type delivery struct {
	ID, EventID, FirstID, State, Kind, Severity, Subject, Message, Remedy, Link string
	FiredAt                                                                     time.Time
	Attempts                                                                    int  // with the one that it was claimed for
	Interrupted                                                                 bool // whoever made the one before did not live to tell
	CreatedAt                                                                   time.Time
	Told                                                                        bool // the channel was told the beginning
	// The channel as it is now; without a kind it is gone, or inactive.
	ChannelID           string
	ChannelKind, Target *string
	Settings            *PlainSettings
	Secrets             []byte
}

// claim takes the next delivery of a channel, the one that is due for longest: so one that failed comes after those
// that were not tried yet. The attempt counts from here on, and so does the pause after it: one that kills this process
// is not made anew at each start. Nil is none.
func (a *Alerts) claim(ctx context.Context, channel string) (*delivery, error) {
	if err := a.heedJump(ctx); err != nil {
		return nil, err
	}
	now := a.Now()
	rows, err := db.List[delivery](ctx, a.DB, `with next as (
			select d.id, d.claimed_until is not null as interrupted from alert_deliveries d
			where d.channel_id = $2 and `+isDue+`
			order by d.next_attempt_at, d.seq limit 1 for update skip locked),
		taken as (update alert_deliveries d set claimed_until = $3, attempts = d.attempts + 1,
				next_attempt_at = greatest($3, $1::timestamptz + least($5::interval, $4::interval * power(2, least(d.attempts, 10))))
			from next where d.id = next.id returning d.id, d.event_id, d.channel_id, d.attempts, next.interrupted, d.created_at)
		select t.id::text, e.id::text, e.first_id::text, e.state, e.kind, e.severity, e.subject, e.message, e.remedy, e.link, e.fired_at, t.attempts, t.interrupted, t.created_at,
			exists (select from alert_deliveries o join alert_events oe on oe.id = o.event_id where oe.first_id = e.first_id and oe.state = 'firing' and o.channel_id = t.channel_id and o.state = 'ok'),
			t.channel_id::text, c.kind, c.target, c.settings, c.secrets
		from taken t join alert_events e on e.id = t.event_id left join alert_channels c on c.id = t.channel_id and c.active`, now, channel, now.Add(a.Outside.Pace.Claim),
		a.Outside.Pace.First, a.Outside.Pace.Longest)
	if err != nil {
		return nil, fmt.Errorf("take the next delivery: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

// deliver makes one attempt, and keeps what came of it.
func (a *Alerts) deliver(ctx context.Context, d delivery) (failed bool, err error) {
	if d.ChannelKind == nil || d.State == resolved && !d.Told {
		return false, a.finish(ctx, d, "dropped", nil)
	}
	late := a.Now().Sub(d.CreatedAt) >= a.Outside.Pace.GiveUp
	if late && d.Interrupted {
		why := fault.Said("the last attempt was interrupted")
		return false, a.finish(ctx, d, "abandoned", &why)
	}
	bounded, cancel := context.WithTimeout(ctx, a.Outside.Deadline)
	defer cancel()
	err = a.attempt(bounded, d)
	if err == nil {
		return false, a.finish(ctx, d, "ok", nil)
	}
	if ctx.Err() != nil {
		return true, a.release(ctx, d) // we are being stopped, which is not its doing
	}
	why := reason(err)
	a.Log.Info("alert not delivered", "channel", d.ChannelID, "event", d.EventID, "attempt", d.Attempts, "err", err)
	if late {
		return true, a.finish(ctx, d, "error", &why)
	}
	return true, a.retry(ctx, d, why)
}

func (a *Alerts) attempt(ctx context.Context, d delivery) error {
	secrets, err := a.open(d.ChannelID, d.Secrets)
	if err != nil {
		return errors.Join(fault.Say("the secrets of the channel cannot be decrypted; enter them again"), err)
	}
	m := message{delivery: d, node: a.node(), settings: *d.Settings, target: *d.Target, secrets: secrets}
	if *d.ChannelKind == email {
		return a.mail(ctx, m)
	}
	return a.post(ctx, m)
}

// reason is what an operator may read of a failed attempt. What a receiver answers is not repeated: it may be any
// server's.
func reason(err error) fault.Sentence {
	var said *fault.Sentence
	var refused outbound.Refused
	var lookup *net.DNSError
	var timeout net.Error
	switch {
	case errors.As(err, &said):
		return *said
	case errors.As(err, &refused):
		return fault.Said("the receiver has a local or link-local address (%s), which nothing is sent to", refused.Addr)
	case errors.As(err, &lookup):
		return fault.Said("the name of the receiver cannot be resolved")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fault.Said("the receiver did not answer in time")
	case isTLS(err):
		return fault.Said("no TLS connection to the receiver: its certificate is not trusted, or it does not offer TLS")
	}
	return fault.Said("the receiver cannot be reached")
}

// finish ends a delivery. That it is done and that the channel works is one statement: both or none are known
// after a kill.
func (a *Alerts) finish(ctx context.Context, d delivery, state string, why *fault.Sentence) error {
	// What was received is to be known, whoever stops us meanwhile.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	now := a.Now()
	stored, attempts := state, d.Attempts
	switch state {
	case "dropped":
		attempts-- // none was made
	case "abandoned": // none was made either, and nothing is known against the channel
		stored, attempts = "error", attempts-1
	}
	var b pgx.Batch
	b.Queue(`update alert_deliveries set state = $2, attempts = $3, error = $4, finished_at = $5, claimed_until = null where id = $1`, d.ID, stored, attempts, why, now)
	switch state {
	case "ok":
		b.Queue(`insert into alert_channel_status (channel_id, last_ok_at) values ($1, $2)
			on conflict (channel_id) do update set failures = 0, failing_since = null, paused_until = null, last_ok_at = $2, last_error = null, last_error_at = null`, d.ChannelID, now)
	case "error":
		a.queueFailure(&b, d, *why, now)
	}
	if err := a.DB.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("keep what came of delivery %s: %w", d.ID, err)
	}
	return nil
}

// retry keeps why an attempt failed. This delivery and the channel are left alone for a while each: so one that
// a receiver never takes does not hold up the others.
func (a *Alerts) retry(ctx context.Context, d delivery, why fault.Sentence) error {
	now := a.Now()
	var b pgx.Batch
	b.Queue(`update alert_deliveries set error = $2, next_attempt_at = $3, claimed_until = null where id = $1`,
		d.ID, why, now.Add(a.Outside.Pace.pause(d.Attempts-1)))
	a.queueFailure(&b, d, why, now)
	if err := a.DB.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("keep why delivery %s failed: %w", d.ID, err)
	}
	return nil
}

func (a *Alerts) queueFailure(b *pgx.Batch, d delivery, why fault.Sentence, now time.Time) {
	b.Queue(`insert into alert_channel_status (channel_id, failures, failing_since, paused_until, last_error, last_error_at) values ($1, 1, $2, $2::timestamptz + $4::interval, $3, $2)
		on conflict (channel_id) do update set failures = alert_channel_status.failures + 1, failing_since = coalesce(alert_channel_status.failing_since, $2),
			paused_until = $2::timestamptz + least($5::interval, $4::interval * power(2, least(alert_channel_status.failures, 10))), last_error = $3, last_error_at = $2`,
		d.ChannelID, now, why, a.Outside.Pace.First, a.Outside.Pace.Longest)
}

// release gives a delivery back that was neither made nor failed.
func (a *Alerts) release(ctx context.Context, d delivery) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if _, err := a.DB.Exec(ctx, `update alert_deliveries set attempts = attempts - 1, next_attempt_at = $2, claimed_until = null where id = $1`, d.ID, a.Now()); err != nil {
		return fmt.Errorf("give delivery %s back: %w", d.ID, err)
	}
	return nil
}

// pause doubles with every attempt.
func (p Pace) pause(attempts int) time.Duration { return min(p.Longest, p.First<<min(attempts, 10)) }

// message is what is said to a receiver.
type message struct {
	delivery
	node     string
	target   string
	settings PlainSettings
	secrets  map[string]string
}

// over reports whether it tells the end.
func (m message) over() bool { return m.State == resolved }

// title is the message in one line: what a subject of a mail or a notification has.
func (m message) title() string {
	word := m.Severity
	if m.over() {
		word = resolved
	}
	return fmt.Sprintf("[%s] %s: %s", m.node, word, m.Message)
}

// text is all of it.
func (m message) text() string {
	if m.over() || m.Remedy == "" {
		return m.title()
	}
	return m.title() + "\n" + m.Remedy
}
