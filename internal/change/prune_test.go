package change_test

import (
	"testing"
	"time"

	"gateway/internal/change"
)

// What is beyond the bounds goes, the oldest first, with its images and rounds; what somebody waits for
// stays, and so does what is younger than a day.
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
		{"first", "30 days", "live", nil},
		{"second", "20 days", "live", nil},
		{"today", "1 hour", "live", nil},
	} {
		exec(`with c as (insert into changes (id, component, action, subject, actor, created_at, confirm_state)
				values (gen_random_uuid(), 'ntp', 'test', $1, 'ann', now() - $2::interval, $4) returning id),
			p as (insert into applies (id, component, node_id, state, started_at, finished_at) values (gen_random_uuid(), 'ntp', 'n', 'live', now(), now() - $2::interval) returning id),
			r as (insert into change_rows (change_id, table_name, operation) select id, 'pools', 'INSERT' from c)
			insert into change_applies (change_id, component, state, apply_id) select c.id, 'ntp', $3, p.id from c, p`, c.name, c.age, c.state, c.wait)
	}
	left := func(most int, want string) {
		t.Helper()
		if err := change.PruneTo(ctx, pool, time.Now(), most); err != nil {
			t.Fatal(err)
		}
		var got string
		var rows, rounds int
		err := pool.QueryRow(ctx, `select string_agg(subject, ' ' order by created_at, subject), (select count(*) from change_rows), (select count(*) from applies) from changes`).Scan(&got, &rows, &rounds)
		if err != nil || got != want || rows != rounds || rows == 0 {
			t.Errorf("left are %s with %d images and %d rounds (%v), want %s", got, rows, rounds, err, want)
		}
	}
	left(change.KeptMost, "failed waiting first second today")
	left(2, "failed waiting second today")
	left(0, "failed waiting today")
	if _, err := pool.Exec(ctx, `select gateway_history_prune(now(), 0, 10)`); err == nil {
		t.Error("changes of the last day can be removed")
	}
}

func pointer(s string) *string { return &s }
