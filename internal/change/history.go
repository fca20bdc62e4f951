package change

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/intent"
)

// Record is one change of the history.
type Record struct {
	ID             string    `json:"id" doc:"Id of the change, as in the header Gateway-Change"`
	CreatedAt      time.Time `json:"created_at" doc:"When it was made, in UTC"`
	Component      string    `json:"component" doc:"Component whose configuration it changed"`
	Action         string    `json:"action" example:"dns.record.create" doc:"What was done, as component.noun.verb"`
	Subject        string    `json:"subject" doc:"Name of the object it changed"`
	Actor          string    `json:"actor" doc:"E-mail of the account, or local, setup, scheduler"`
	Reason         string    `json:"reason" doc:"Value of Gateway-Reason"`
	Reverts        *string   `json:"reverts" doc:"The change that this one reverted"`
	ConfirmState   *string   `json:"confirm_state" doc:"waiting, confirmed, reverted, or failed (never installed)"`
	ConfirmSeconds *int      `json:"confirm_seconds" doc:"Seconds within which it had to be confirmed; null if none was asked for"`
	Rows           int       `json:"rows" doc:"How many rows it wrote"`
	RevertedBy     *string   `json:"reverted_by" doc:"The change that reverted this one"`
	Apply          *string   `json:"apply" doc:"live, pending or failed; null when no daemon is affected"`
}

const recordQuery = `select c.id::text, c.created_at, c.component, c.action, c.subject, c.actor, c.reason, c.reverts::text,
	c.confirm_state, c.confirm_seconds,
	(select count(*)::int from change_rows r where r.change_id = c.id),
	(select r.id::text from changes r where r.reverts = c.id order by r.created_at desc limit 1),
	(select case when bool_or(a.state = 'failed') then 'failed' when bool_or(a.state = 'pending') then 'pending' else max(a.state) end
		from change_applies a where a.change_id = c.id)
	from changes c `

// Get finds one change.
func Get(ctx context.Context, q db.DB, id string) (Record, error) {
	if db.ValidID(id) {
		found, err := db.List[Record](ctx, q, recordQuery+`where c.id = $1`, id)
		if err != nil {
			return Record{}, fmt.Errorf("read change %s: %w", id, err)
		}
		if len(found) == 1 {
			return found[0], nil
		}
	}
	return Record{}, noSuchChange()
}

func noSuchChange() error { return fault.New(fault.NotFound, "there is no such change") }

// Filter narrows a list of changes; empty fields do not.
type Filter struct {
	Component string
	Waiting   bool // for a confirmation
}

// List are the changes that wrote something, newest first, and how many there are.
func List(ctx context.Context, q db.DB, f Filter, limit, offset int) (page []Record, total int64, err error) {
	where := `where ($1 = '' or c.component = $1) and (not $2 or c.confirm_state = 'waiting')
		and exists (select from change_rows r where r.change_id = c.id) `
	page, err = db.List[Record](ctx, q, recordQuery+where+`order by c.created_at desc, c.id desc limit $3 offset $4`, f.Component, f.Waiting, limit, offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list changes: %w", err)
	}
	if err := q.QueryRow(ctx, `select count(*) from changes c `+where, f.Component, f.Waiting).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count changes: %w", err)
	}
	return page, total, nil
}

// Round is one round of the applier.
type Round struct {
	ID         string        `json:"id" doc:"Id of this apply"`
	Component  string        `json:"component" doc:"Component that was applied"`
	Node       string        `json:"node" doc:"Machine id of the node"`
	State      string        `json:"state" enum:"live,failed" doc:"Whether the daemon runs the new files or rejected them"`
	Error      string        `json:"error" doc:"Why it failed; empty if live"`
	Files      []intent.File `json:"files" doc:"Files that changed, with their diffs"`
	StartedAt  time.Time     `json:"started_at" doc:"When the apply began"`
	FinishedAt time.Time     `json:"finished_at" doc:"When the daemon confirmed it, or it failed"`
	Changes    []string      `json:"changes" doc:"The changes it applied; concurrent changes share a round"`
}

// Rounds are those that brought a change, or failed to.
func Rounds(ctx context.Context, q db.DB, id string) ([]Round, error) {
	return db.List[Round](ctx, q, `select p.id::text, p.component, p.node_id, p.state, p.error, p.files, p.started_at, p.finished_at,
		(select array_agg(b.change_id::text order by b.change_id) from change_applies b where b.apply_id = p.id)
		from applies p join change_applies a on a.apply_id = p.id where a.change_id = $1 order by p.component`, id)
}

// Due is a change whose rows are committed and not live yet.
type Due struct {
	ID             string
	ConfirmSeconds *int // when it waits for a confirmation
}

// DueFor are those of a component.
func DueFor(ctx context.Context, q db.DB, component string) ([]Due, error) {
	return db.List[Due](ctx, q, `select c.id::text, case when c.confirm_state = 'waiting' then c.confirm_seconds end
		from change_applies a join changes c on c.id = a.change_id where a.component = $1 and a.state <> 'live' order by c.id`, component)
}

// PendingIn are those of the components that some of the changes have yet to reach.
func PendingIn(ctx context.Context, q db.DB, due []Due, components []string) (names []string, err error) {
	ids := make([]string, len(due))
	for i, d := range due {
		ids[i] = d.ID
	}
	err = q.QueryRow(ctx, `select coalesce(array_agg(distinct component), '{}') from change_applies
		where change_id = any($1::uuid[]) and component = any($2) and state = 'pending'`, ids, components).Scan(&names)
	if err != nil {
		return nil, fmt.Errorf("ask which components are still to follow: %w", err)
	}
	return names, nil
}

// Mark records a round and the changes it carried.
func (r Round) Mark(ctx context.Context, q db.DB) error {
	var b pgx.Batch
	b.Queue(`insert into applies (id, component, node_id, state, error, files, started_at, finished_at) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
		r.ID, r.Component, r.Node, r.State, r.Error, r.Files, r.StartedAt, r.FinishedAt)
	b.Queue(`update change_applies set state = $3, apply_id = $4 where component = $1 and change_id = any($2)`, r.Component, r.Changes, r.State, r.ID)
	if err := q.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("mark a round of %s: %w", r.Component, err)
	}
	return nil
}

// KeepsEdits reports whether hand edits of a component's files are to be left alone.
func KeepsEdits(ctx context.Context, q db.DB, component string) (keep bool, err error) {
	err = q.QueryRow(ctx, `select coalesce(bool_or(keep_edits), false) from apply_settings where component = $1`, component).Scan(&keep)
	return keep, err
}

// KeepEdits sets that.
func KeepEdits(ctx context.Context, q db.DB, component string, keep bool) error {
	_, err := q.Exec(ctx, `insert into apply_settings (id, component, keep_edits) values ($1, $2, $3)
		on conflict (component) do update set keep_edits = $3, revision = apply_settings.revision + 1, updated_at = now()`, db.NewID(), component, keep)
	if err != nil {
		return fmt.Errorf("set how %s is applied: %w", component, err)
	}
	return nil
}
