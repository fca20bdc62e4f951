package change_test

import (
	"testing"
	"time"

	"gateway/internal/change"
)

// What is beyond the bounds goes, the oldest first, with its images and rounds; what somebody waits for
// stays, and what was stored later than it says. Nobody who calls can have less kept.
func TestOldChangesLeave(t *testing.T) {
	pool, _, ctx := setup(t)
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := pool.Exec(ctx, sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name  string
		age   string
		state string
		wait  *string
	}{
		{"old", "400 days", "live", nil},
		{"failed", "400 days", "failed", nil},
		{"waiting", "400 days", "live", pointer("waiting")},
		{"settled", "400 days", "live", pointer("confirmed")},
		{"first", "300 days", "live", nil},
		{"second", "20 days", "live", nil},
		{"today", "1 hour", "live", nil},
	} {
		exec(`with c as (insert into changes (id, component, action, subject, actor, created_at, confirm_state)
				values (gen_random_uuid(), 'ntp', 'test', $1, 'ann', now() - $2::interval, $4) returning id),
			p as (insert into applies (id, component, node_id, state, started_at, finished_at) values (gen_random_uuid(), 'ntp', 'n', 'live', now(), now() - $2::interval) returning id),
			r as (insert into change_rows (change_id, table_name, operation) select id, 'pools', 'INSERT' from c)
			insert into change_applies (change_id, component, state, apply_id) select c.id, 'ntp', $3, p.id from c, p`, c.name, c.age, c.state, c.wait)
	}
	exec(`update changes set stored_at = created_at`)
	exec(`with c as (insert into changes (id, component, action, subject, actor, created_at) values (gen_random_uuid(), 'ntp', 'test', 'backdated', 'eve', now() - interval '500 days') returning id),
			p as (insert into applies (id, component, node_id, state, started_at, finished_at) values (gen_random_uuid(), 'ntp', 'n', 'live', now(), now()) returning id),
			r as (insert into change_rows (change_id, table_name, operation) select id, 'pools', 'INSERT' from c)
			insert into change_applies (change_id, component, state, apply_id) select c.id, 'ntp', 'live', p.id from c, p`)
	left := func(bulk int, want string) {
		t.Helper()
		if err := change.Prune(ctx, pool, time.Now()); err != nil {
			t.Fatal(err)
		}
		var got string
		var others, rows, rounds int
		err := pool.QueryRow(ctx, `select string_agg(subject, ' ' order by created_at, subject) filter (where subject <> 'bulk'), count(*) filter (where subject = 'bulk'),
			(select count(*) from change_rows), (select count(*) from applies) from changes`).Scan(&got, &others, &rows, &rounds)
		if err != nil || got != want || others != bulk || rows != rounds || rows == 0 {
			t.Errorf("left are %s and %d more with %d images and %d rounds (%v), want %s and %d", got, others, rows, rounds, err, want, bulk)
		}
	}
	left(0, "backdated failed waiting first second today")
	exec(`insert into changes (id, component, action, subject, actor, created_at)
		select gen_random_uuid(), 'ntp', 'test', 'bulk', 'ann', now() - interval '25 days' from generate_series(1, $1::int)`, change.KeptMost)
	left(change.KeptMost, "backdated failed waiting second today") // of the last 30 days there may be more
	for _, bounds := range []string{
		`now(), 100000`, `now() - interval '300 days', 100000`, `null, 100000`, `now() - interval '400 days', 0`, `now() - interval '400 days', 99999`, `now() - interval '400 days', null`,
	} {
		if _, err := pool.Exec(ctx, `select gateway_history_prune(`+bounds+`, 10)`); err == nil {
			t.Errorf("the bounds %s were taken", bounds)
		}
	}
}

func pointer(s string) *string { return &s }
