package change

import (
	"context"
	"fmt"
	"time"

	"gateway/internal/db"
	"gateway/internal/fault"
)

// Record is one change of the history.
type Record struct {
	ID             string    `json:"id" doc:"Id of the change, as in the header Gateway-Change"`
	CreatedAt      time.Time `json:"created_at" doc:"When it was made, in UTC"`
	Component      string    `json:"component" doc:"Component whose configuration it changed"`
	Action         string    `json:"action" example:"dns.record.create" doc:"What was done, as component.noun.verb"`
	Subject        string    `json:"subject" doc:"Name of the object it changed; of a batch, those of the first three"`
	Actor          string    `json:"actor" doc:"E-mail of the account, or local, setup, scheduler"`
	Reason         string    `json:"reason" doc:"Value of Gateway-Reason"`
	Reverts        *string   `json:"reverts" doc:"The change that this one reverted"`
	ConfirmState   *string   `json:"confirm_state" doc:"waiting, confirmed or reverted; what could not be applied is reverted at once"`
	ConfirmSeconds *int      `json:"confirm_seconds" doc:"Seconds within which it had to be confirmed; null if none was asked for"`
	Rows           int       `json:"rows" doc:"How many rows it wrote"`
	Objects        []Objects `json:"objects" doc:"What these rows are, by table and operation"`
	RevertedBy     *string   `json:"reverted_by" doc:"The change that reverted this one"`
	Apply          *string   `json:"apply" doc:"live, pending or failed; null when no daemon is affected"`
}

// Objects are rows of one table to which a change did the same.
type Objects struct {
	Table     string `json:"table" example:"firewall_rules" doc:"Database table"`
	Operation string `json:"operation" enum:"INSERT,UPDATE,DELETE" doc:"What happened to the rows"`
	Count     int    `json:"count" doc:"How many rows"`
}

// recordQuery names a batch by its objects: how many operations it had tells two of them apart no better than their time. An import has a name of its own.
const recordQuery = `select c.id::text, c.created_at, c.component, c.action,
	case when c.action = 'batch' and c.subject ~ '^[0-9]+ operations?$' then coalesce((select string_agg(n.name, ', ' order by n.first) filter (where n.place <= 3) || case when max(n.place) > 3 then ', …' else '' end
		from (select name, min(number) as first, row_number() over (order by min(number)) as place
			from (select r.number, coalesce(i ->> 'fqdn', i ->> 'name', i -> 'names' ->> 0, i ->> 'path_prefix', i ->> 'address', i ->> 'email') as name
				from change_rows r, lateral (select coalesce(r.new_row, r.old_row)) as x (i) where r.change_id = c.id order by r.number limit 20) f
			where name <> '' group by name) n), c.subject) else c.subject end, c.actor, c.reason, c.reverts::text,
	c.confirm_state, c.confirm_seconds,
	(select count(*)::int from change_rows r where r.change_id = c.id),
	(select coalesce(jsonb_agg(jsonb_build_object('table', o.table_name, 'operation', o.operation, 'count', o.n) order by o.n desc, o.table_name, o.operation), '[]')
		from (select r.table_name, r.operation, count(*) n from change_rows r where r.change_id = c.id group by 1, 2) o),
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
	Component string // that was changed, or had to follow
	Waiting   bool   // for a confirmation
	Actor     string
	Table     string // of which rows were written
	Text      string // part of subject, reason, action, or the name of a row, in any case
	Since     time.Time
	Until     time.Time // not itself
}

// A batch is of no component, and names no object: what it wrote and where it was applied tells.
const listWhere = `where ($1 = '' or c.component = $1 or exists (select from change_applies a where a.change_id = c.id and a.component = $1))
	and (not $2 or c.confirm_state = 'waiting') and ($3 = '' or c.actor = $3)
	and ($4::timestamptz is null or c.created_at >= $4) and ($5::timestamptz is null or c.created_at < $5)
	and (c.confirm_state = 'waiting' and $6 = '' or exists (select from change_rows r where r.change_id = c.id and ($6 = '' or r.table_name = $6)))
	and ($7 = '' or strpos(lower(concat_ws(' ', c.subject, c.reason, c.action)), lower($7)) > 0
		or exists (select from change_rows r, lateral (values (r.new_row), (r.old_row)) images (image) where r.change_id = c.id
			and strpos(lower(concat_ws(' ', image->>'name', image->>'fqdn', image->>'address', image->>'email')), lower($7)) > 0)) `

func (f Filter) args() []any {
	return []any{f.Component, f.Waiting, f.Actor, orNull(f.Since), orNull(f.Until), f.Table, f.Text}
}

func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// List are the changes that wrote something, newest first, and how many there are. One that
// waits is among them in any case: it keeps others out, so somebody must be able to find it.
func List(ctx context.Context, q db.DB, f Filter, limit, offset int) (page []Record, total int64, err error) {
	var ids []string
	if err := q.QueryRow(ctx, foundQuery, append(f.args(), limit, offset)...).Scan(&total, &ids); err != nil {
		return nil, 0, fmt.Errorf("find changes: %w", err)
	}
	page, err = db.List[Record](ctx, q, recordQuery+`where c.id = any($1::uuid[]) order by c.created_at desc, c.id desc`, ids)
	if err != nil {
		return nil, 0, fmt.Errorf("list changes: %w", err)
	}
	return page, total, nil
}

// foundQuery goes through the history once, for the number and the page: a search reads every
// row that was ever written.
const foundQuery = `with found as materialized (select c.id, c.created_at from changes c ` + listWhere + `)
	select (select count(*) from found), (select coalesce(array_agg(p.id::text), '{}')
		from (select id from found order by created_at desc, id desc limit $8 offset $9) p)`

// Actors are those who made a change, by name.
func Actors(ctx context.Context, q db.DB) (names []string, err error) {
	err = q.QueryRow(ctx, `select coalesce(array_agg(distinct actor order by actor), '{}') from changes`).Scan(&names)
	if err != nil {
		return nil, fmt.Errorf("list who made changes: %w", err)
	}
	return names, nil
}
