package alert

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/problem"
)

// The states of an event.
const (
	firing   = "firing"
	resolved = "resolved"
	notice   = "notice"
)

// mostEvents is how many a list has, unless more are asked for.
const mostEvents = 200

// Event is something that was told.
type Event struct {
	ID             string           `json:"id" db:"id" doc:"Opaque; also in the payload of a generic webhook"`
	State          string           `json:"state" db:"state" enum:"firing,resolved,notice" doc:"firing: it is wrong; resolved: it no longer is; notice: something that happened"`
	FirstID        string           `json:"first_id" db:"first_id" doc:"The first event about the same occurrence: its reminders, higher severities and its end have this id too"`
	Kind           string           `json:"kind" db:"kind" doc:"Kind of the alert" example:"backend.down"`
	Severity       problem.Severity `json:"severity" db:"severity" enum:"info,warning,error,critical" doc:"How serious it is, or was"`
	Subject        string           `json:"subject" db:"subject" doc:"Name of the affected object" example:"shop"`
	SubjectKind    string           `json:"subject_kind" db:"subject_kind" doc:"Kind of that object" example:"backend"`
	SubjectID      string           `json:"subject_id" db:"subject_id" doc:"Its id; for what has none, its name in the API"`
	Code           string           `json:"code" db:"code" doc:"Code of the problem, for translations" example:"proxy.backend_down"`
	Params         problem.Params   `json:"params" db:"params" doc:"Values for the message, by name"`
	Message        string           `json:"message" db:"message" doc:"What is wrong, in English"`
	Remedy         string           `json:"remedy" db:"remedy" doc:"What to do about it, in English"`
	Link           string           `json:"link" db:"link" doc:"Page of the UI where it can be fixed" example:"/proxy/pools/0190"`
	FiredAt        time.Time        `json:"fired_at" db:"fired_at" doc:"When it was told"`
	AcknowledgedAt *time.Time       `json:"acknowledged_at" db:"acknowledged_at" doc:"When someone took note; null for not yet. There are no reminders then"`
	AcknowledgedBy *string          `json:"acknowledged_by" db:"acknowledged_by" doc:"Who"`
	Over           bool             `json:"over" db:"over" doc:"Whether it is resolved by now"`
	SentTo         []Sent           `json:"sent_to" db:"sent_to" doc:"Result for each channel that it was for"`
}

// Sent is the result of one delivery.
type Sent struct {
	ChannelID string          `json:"channel_id" doc:"Id of the channel, which may have been deleted since"`
	Channel   string          `json:"channel" doc:"Its name at that time"`
	Result    string          `json:"result" enum:"pending,ok,error,dropped" doc:"pending: not tried yet; ok: delivered; error: the last attempt failed; dropped: no longer necessary"`
	Error     *fault.Sentence `json:"error,omitempty" doc:"Why the last attempt failed; missing when it did not"`
	Attempts  int             `json:"attempts" doc:"Number of attempts"`
	RetryAt   *time.Time      `json:"retry_at" doc:"When the next attempt is due; null if there are no more"`
	At        *time.Time      `json:"at" doc:"When it was delivered or given up; null while pending"`
}

const selectEvents = `select e.id::text, e.state, e.first_id::text, e.kind, e.severity, e.subject, e.subject_kind, e.subject_id, e.code, e.params, e.message, e.remedy, e.link, e.fired_at, e.acknowledged_at, e.acknowledged_by,
	e.state = 'firing' and exists (select from alert_events o where o.first_id = e.first_id and o.state = 'resolved') as over,
	coalesce((select jsonb_agg(jsonb_build_object('channel_id', d.channel_id, 'channel', d.channel,
		'result', case when d.state = 'pending' and d.error is not null then 'error' else d.state end,
		'error', d.error, 'attempts', d.attempts, 'at', d.finished_at,
		'retry_at', case when d.state = 'pending' then d.next_attempt_at end) order by d.seq) from alert_deliveries d where d.event_id = e.id), '[]') as sent_to
	from alert_events e`

func (a *Alerts) eventRoutes(r api.Router) {
	api.Handle(r, api.Op{
		ID: "list-alert-events", Method: http.MethodGet, Path: "/alerts/events", Access: api.Viewer,
		Summary: "List the latest alerts",
		Description: "The latest 200, the newest first, with the result for each channel; with since and until, the latest of that time. " +
			"They are kept for 90 days.",
	}, a.listEvents)
	api.Handle(r, api.Op{
		ID: "alert-test", Method: http.MethodPost, Path: "/alerts/test",
		Summary: "Send a test alert to every active channel",
		Description: "Severities, kinds and quiet hours of the channels do not matter. Returns the event; the results are in GET /alerts/events a moment later. " +
			"A channel gets at most 5 tests a minute: one that had them is left out, and if that leaves none, the answer is 429.",
	}, a.test)
	api.Handle(r, api.Op{
		ID: "alert-acknowledge", Method: http.MethodPost, Path: "/alerts/events/{id}/acknowledge",
		Summary:     "Acknowledge an alert",
		Description: "No reminders are sent until it is resolved. Its end is sent all the same.",
	}, a.acknowledge)
}

type eventsInput struct {
	Limit int       `query:"limit" default:"200" minimum:"1" maximum:"1000" doc:"At most so many"`
	Since time.Time `query:"since" doc:"Not before this time"`
	Until time.Time `query:"until" doc:"Before this time"`
}

// never is later than any event.
var never = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)

func (a *Alerts) listEvents(ctx context.Context, in *eventsInput) (*api.Body[[]Event], error) {
	if in.Until.IsZero() {
		in.Until = never
	}
	all, err := db.List[Event](ctx, a.DB, selectEvents+` where e.fired_at >= $1 and e.fired_at < $2 order by e.fired_at desc, e.id desc limit $3`,
		in.Since, in.Until, in.Limit)
	if err != nil {
		return nil, fmt.Errorf("list alerts: %w", err)
	}
	return api.OK(all), nil
}

// event reads one.
func (a *Alerts) event(ctx context.Context, id string) (Event, error) {
	gone := fault.New(fault.NotFound, "no such alert")
	if !db.ValidID(id) {
		return Event{}, gone
	}
	all, err := db.List[Event](ctx, a.DB, selectEvents+` where e.id = $1`, id)
	if err != nil {
		return Event{}, fmt.Errorf("read alert %s: %w", id, err)
	}
	if len(all) == 0 {
		return Event{}, gone
	}
	return all[0], nil
}

func (a *Alerts) acknowledge(ctx context.Context, in *struct {
	ID string `path:"id" maxLength:"64" doc:"Id of the event"`
},
) (*api.Body[Event], error) {
	e, err := a.event(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	c := change.Change{Component: name, Action: "alert.acknowledge", Subject: e.Kind + " " + e.Subject}
	err = a.Run.Act(ctx, c, func(ctx context.Context) error {
		_, err := a.DB.Exec(ctx, `update alert_events set acknowledged_at = $2, acknowledged_by = $3 where first_id = $1 and acknowledged_at is null`,
			e.FirstID, a.Now(), identity.From(ctx).Actor())
		if err != nil {
			return fmt.Errorf("acknowledge %s: %w", e.ID, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if e, err = a.event(ctx, in.ID); err != nil {
		return nil, err
	}
	return api.OK(e), nil
}
