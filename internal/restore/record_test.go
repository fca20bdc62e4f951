package restore_test

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/audit"
	"gateway/internal/db/dbtest"
	"gateway/internal/fault"
	"gateway/internal/restore"
)

// The row of a backup tells what was found out about its archive, and nothing when it was not looked into.
func TestARowTellsWhatWasFoundOut(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), dbtest.DSN(t, audit.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	const id = "0198c0de-0000-7000-8000-000000000001"
	for _, tc := range []struct {
		name     string
		found    error
		status   string
		says, at bool
	}{
		{name: "it is as it was written", status: "done", at: true},
		{name: "it is damaged", found: fault.Say("a table lacks rows"), status: "failed", says: true},
		{name: "it did not come to its turn", found: restore.Occupied(time.Minute), status: "none"},
		{name: "it did not come to its turn, and more", found: errors.Join(restore.Occupied(time.Minute), errors.New("more")), status: "none"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := conn.Exec(t.Context(), `drop table if exists backups;
				create table backups (id uuid, verify_status text, verify_error jsonb, verified_at timestamptz);
				insert into backups values ('`+id+`', 'running')`, pgx.QueryExecModeSimpleProtocol)
			if err != nil {
				t.Fatal(err)
			}
			if err := restore.Record(t.Context(), conn, id, time.Now(), tc.found); err != nil {
				t.Fatal(err)
			}
			var status string
			var says, at bool
			if err := conn.QueryRow(t.Context(), `select verify_status, verify_error is not null, verified_at is not null from backups`).Scan(&status, &says, &at); err != nil {
				t.Fatal(err)
			}
			if status != tc.status || says != tc.says || at != tc.at {
				t.Errorf("the row tells %s, why %v, when %v", status, says, at)
			}
		})
	}
	if said := fault.SentenceOf(restore.Occupied(10 * time.Minute)); said.Text == "" || len(said.Params) != 1 {
		t.Errorf("it has no words: %+v", said)
	}
}

// A verification that was ended for a restore leaves no trace, unless it had come to its end.
func TestAVerificationThatWasEndedLeavesNoTrace(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), dbtest.DSN(t, audit.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	const one, other = "0198c0de-0000-7000-8000-000000000001", "0198c0de-0000-7000-8000-000000000002"
	_, err = conn.Exec(t.Context(), `create table backups (id uuid, verify_status text, verify_error jsonb);
		insert into backups values ('`+one+`', 'running'), ('`+other+`', 'done')`, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{one, other} {
		if err := restore.Unverified(t.Context(), conn, id); err != nil {
			t.Fatal(err)
		}
	}
	var told string
	if err := conn.QueryRow(t.Context(), `select string_agg(verify_status, ' ' order by id) from backups`).Scan(&told); err != nil || told != "none done" {
		t.Errorf("the rows tell %q, %v", told, err)
	}
}
