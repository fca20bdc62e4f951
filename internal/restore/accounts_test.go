package restore_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"gateway/internal/backup/dump"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/restore"
)

// accountSchema is as much of the accounts as a preview looks at.
func accountSchema() db.Schema {
	return db.Schema{Tables: []db.Table{{Name: "users", Scope: db.Replicated}}, Migrations: fstest.MapFS{"0901_users.sql": {Data: []byte(`-- +goose Up
		create table users (id uuid primary key, email text not null, role text not null, active boolean not null,
			password_hash text not null, totp_enabled boolean not null default false, totp_secret bytea);`)}}}
}

// Somebody who was disabled for a reason must not come back unnoticed.
func TestAPreviewNamesAccountsThatGainOrSignInAsThen(t *testing.T) {
	schemas := []db.Schema{change.Schema(), accountSchema()}
	dsn := dbtest.DSN(t, schemas...)
	pool, err := db.Open(dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	do := func(sql string) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), `set local session_replication_role = replica; `+sql); err != nil {
			t.Fatal(err)
		}
	}
	do(`insert into users select ('00000000-0000-0000-0000-00000000000' || n)::uuid, email, role, active, 'then \\ ' || n, n in (3, 9), case when n in (3, 9) then '\x0103'::bytea end from (values
		(1, 'same@example.com', 'admin', true), (2, 'disabled@example.com', 'viewer', true), (3, 'demoted@example.com', 'admin', true),
		(4, 'deleted@example.com', 'admin', true), (5, 'never@example.com', 'admin', false), (6, 'promoted@example.com', 'viewer', true),
		(7, 'both@example.com', 'admin', true), (8, 'gone@example.com', 'admin', false),
		(9, 'bare@example.com', 'viewer', true), (0, 'moved@example.com', 'admin', true)) v(n, email, role, active)`)
	dir := t.TempDir()
	keys := newKeys(t, dir)
	var data bytes.Buffer
	h := header()
	h.Schema = nil
	if _, err := dump.Write(t.Context(), pool, &data, dump.Backup{Header: h, Keys: keys.Sealing(), Schemas: schemas}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, restore.ArchivePath(archived))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s := restore.Service{Dir: dir, DB: pool, Schemas: func() []db.Schema { return schemas }, Links: func() ([]string, error) { return nil, nil }, Node: node, Now: time.Now}
	p, err := s.Preview(t.Context(), archived)
	if err != nil || p.Accounts == nil || len(p.Accounts) != 0 {
		t.Errorf("nothing changed: %+v, %v", p.Accounts, err)
	}
	do(`update users set active = false where email in ('disabled@example.com', 'both@example.com');
		update users set role = 'viewer' where email in ('demoted@example.com', 'both@example.com', 'never@example.com');
		update users set role = 'admin' where email = 'promoted@example.com';
		delete from users where email in ('deleted@example.com', 'gone@example.com')`)
	if p, err = s.Preview(t.Context(), archived); err != nil {
		t.Fatal(err)
	}
	want := []restore.Account{
		{Email: "both@example.com", Now: "disabled", After: "admin"},
		{Email: "deleted@example.com", Now: "missing", After: "admin"},
		{Email: "demoted@example.com", Now: "viewer", After: "admin"},
		{Email: "disabled@example.com", Now: "disabled", After: "viewer"},
	}
	if !slices.Equal(p.Accounts, want) {
		t.Errorf("accounts %+v, want %+v", p.Accounts, want)
	}
	// A password that was changed because others knew it, a second factor that was set up, replaced or turned off since,
	// and an account that was created anew, as on other hardware.
	do(`update users set password_hash = 'now' where email in ('same@example.com', 'disabled@example.com', 'never@example.com');
		update users set totp_enabled = true, totp_secret = '\x02' where email in ('promoted@example.com', 'demoted@example.com');
		update users set totp_enabled = false, totp_secret = null where email = 'bare@example.com';
		update users set id = 'ffffffff-0000-0000-0000-000000000000', email = 'Moved@example.com', password_hash = 'now' where email = 'moved@example.com'`)
	if p, err = s.Preview(t.Context(), archived); err != nil {
		t.Fatal(err)
	}
	want[2].SecondFactor, want[3].Password = "changed", true
	want = append([]restore.Account{{Email: "bare@example.com", Now: "viewer", After: "viewer", SecondFactor: "returned"}}, append(want,
		restore.Account{Email: "moved@example.com", Now: "admin", After: "admin", Password: true},
		restore.Account{Email: "promoted@example.com", Now: "admin", After: "viewer", SecondFactor: "removed"},
		restore.Account{Email: "same@example.com", Now: "admin", After: "admin", Password: true})...)
	if !slices.Equal(p.Accounts, want) {
		t.Errorf("accounts %+v, want %+v", p.Accounts, want)
	}
}
