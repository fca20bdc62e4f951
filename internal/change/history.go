package change

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
	"gateway/internal/intent"
)

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

// Deleted are the values of a column in the rows of a table that were deleted since then.
func Deleted(ctx context.Context, q db.DB, table, column string, since time.Time) ([]string, error) {
	var all []string
	err := q.QueryRow(ctx, `select coalesce(array_agg(distinct r.old_row ->> $2), '{}') from change_rows r join changes c on c.id = r.change_id
		where r.table_name = $1 and r.operation = 'DELETE' and c.created_at > $3 and r.old_row ->> $2 is not null`, table, column, since).Scan(&all)
	if err != nil {
		return nil, fmt.Errorf("list deleted rows of %s: %w", table, err)
	}
	return all, nil
}

// NotLive is what follows "from" to find the rows (r) of the changes that a component ($1) does
// not run on: one that failed, or one that is still not live after some seconds. Until the next
// round succeeds, its daemon does what the images before it say.
const NotLive = `change_applies a join changes c on c.id = a.change_id join change_rows r on r.change_id = a.change_id
	and a.component = $1 and (a.state = 'failed' or a.state <> 'live' and c.created_at < now() - interval '10 seconds')`

// Unlive are the values of columns in the rows that a component does not run on, before and after
// the change. With id and the columns of owners, by table, these are the ids of all that is stored
// otherwise than it runs: what was deleted from an owner is still there, what moved concerns both.
func Unlive(ctx context.Context, q db.DB, component string, columns map[string][]string) (map[string]bool, error) {
	var all []string
	err := q.QueryRow(ctx, `select coalesce(array_agg(distinct image ->> name), '{}') from `+NotLive+`,
		lateral (values (r.new_row), (r.old_row)) images (image), lateral jsonb_array_elements_text($2::jsonb -> r.table_name) name
		where image ->> name is not null`, component, columns).Scan(&all)
	if err != nil {
		return nil, fmt.Errorf("list changes of %s that are not live: %w", component, err)
	}
	ids := make(map[string]bool, len(all))
	for _, id := range all {
		ids[id] = true
	}
	return ids, nil
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
