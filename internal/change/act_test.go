package change_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gateway/internal/change"
)

// What was begun goes on when whoever asked hangs up, as far as it has time: the log must not say that it failed.
func TestAnActGoesOnWhenItsCallerHangsUp(t *testing.T) {
	pool, run, ctx := setup(t)
	for _, tc := range []struct {
		name    string
		request bool // with a deadline, as every request of the API has one
		hangUp  bool
		want    string
	}{
		{"answered", true, false, "backup.create"},
		{"hung up", true, true, "backup.create"},
		{"no request: a process that ends", false, true, "backup.create backup.create.failed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			caller, hangUp := context.WithCancel(ctx)
			defer hangUp()
			if tc.request {
				bounded, cancel := context.WithTimeout(caller, time.Minute)
				defer cancel()
				caller = bounded
			}
			err := run.Act(caller, change.Change{Component: "backup", Action: "backup.create", Subject: tc.name}, func(ctx context.Context) error {
				if tc.hangUp {
					hangUp()
				}
				if _, bounded := ctx.Deadline(); bounded != tc.request {
					t.Errorf("it has a deadline: %t, want %t", bounded, tc.request)
				}
				return ctx.Err()
			})
			if errors.Is(err, context.Canceled) != strings.HasSuffix(tc.want, ".failed") {
				t.Errorf("it ended with %v", err)
			}
			var got string
			if err := pool.QueryRow(ctx, `select string_agg(action, ' ' order by seq) from audit_entries where subject = $1`, tc.name).Scan(&got); err != nil || got != tc.want {
				t.Errorf("the log has %q (%v), want %q", got, err, tc.want)
			}
		})
	}
}

// A process that ends says of what it has to break off that it does not know how it ended.
func TestAnActEndsWithItsProcess(t *testing.T) {
	pool, run, ctx := setup(t)
	process, end := context.WithCancel(ctx)
	defer end()
	request, cancel := context.WithTimeout(change.OfProcess(process), time.Minute)
	defer cancel()
	for name, takes := range map[string]time.Duration{"soon over": time.Millisecond, "not over": time.Minute} {
		t.Run(name, func(t *testing.T) {
			_ = run.Act(request, change.Change{Component: "backup", Action: "backup.create", Subject: name}, func(ctx context.Context) error {
				end()
				select {
				case <-time.After(takes):
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
			var got string
			err := pool.QueryRow(ctx, `select string_agg(action || coalesce(detail ->> 'why', ''), ' ' order by seq) from audit_entries where subject = $1`, name).Scan(&got)
			if err != nil || strings.Contains(got, ".failedgateway-api was stopped meanwhile") != (takes == time.Minute) {
				t.Errorf("the log has %q (%v)", got, err)
			}
		})
	}
}
