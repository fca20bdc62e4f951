package app_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"gateway/internal/db"
	"gateway/internal/db/dbtest"
)

// underOld has what follows recorded as part of what somebody else did before.
const underOld = `select set_config('gateway.change_id', (select id::text from changes where actor <> '' order by created_at limit 1), true); `

// intrusions are what somebody tries who has captured a process, with its role.
func (s *stage) intrusions() []string {
	all := []string{
		`create table mine (a int)`, `create view mine as select 1`, `create schema mine`, `create temp table mine (a int)`,
		`create function mine() returns int language sql as 'select 1'`, `create extension hstore`,
		`set role gateway_owner`, `set role postgres`, `set session authorization postgres`, `set session_replication_role = replica`,
		`alter role gateway superuser`, `grant pg_read_server_files to gateway`, `grant pg_read_server_files to root`,
		`copy users to program 'true'`, `select pg_read_file('/etc/passwd')`,
		`create or replace function gateway_row_image() returns trigger language plpgsql as 'begin return null; end'`,
		`alter function gateway_audit_next() security invoker`, `drop function gateway_audit_prune`,
		`update audit_entries set actor = 'bob'`, `delete from audit_entries`, `update audit_heads set seq = 0, hash = ''`, `delete from audit_heads`,
		`insert into audit_heads (node_id, seq, hash) values ('elsewhere', 0, '')`,
		`insert into audit_entries (id, node_id, seq, created_at, actor, action, subject, hash) values ('00000000-0000-7000-8000-00000000000f', 'elsewhere', 1, now(), 'bob', 'a', 'b', '')`,
		`insert into audit_entries (id, node_id, seq, created_at, actor, action, subject, hash)
			select '00000000-0000-7000-8000-00000000000f', node_id, 1, now(), 'bob', 'a', 'b', '' from audit_heads`,
		`select gateway_audit_prune(node_id, now()) from audit_heads`, `select gateway_audit_prune(node_id, now() - interval '300 days') from audit_heads`,
		`update audit_heads set kept_days = 1`,
		`select gateway_history_prune(now() - interval '300 days', 100000, 10)`, `select gateway_history_prune(now() - interval '400 days', 0, 10)`,
		`update changes set actor = 'bob'`, `delete from changes`,
		`insert into change_rows (change_id, table_name, operation) select id, 'users', 'INSERT' from changes limit 1`, `update change_rows set new_row = null`, `delete from change_rows`,
		`update applies set state = 'live'`, `delete from applies`, `delete from change_applies`, `update change_applies set change_id = null`,
		`update goose_db_version set version_id = 0`, `update user_sessions set user_id = null`,
		`update users set role = 'admin'`, // without change.Run
		underOld + `update users set role = 'admin'`, underOld + `update changes set confirm_state = 'confirmed'; delete from users`,
		underOld + `update changes set confirm_state = null; savepoint s; update users set role = 'admin'`,
	}
	tables, err := db.List[struct{ Name string }](context.Background(), s.Pool, `select tablename from pg_tables where schemaname = 'public' order by 1`)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, t := range tables {
		for _, q := range []string{
			`alter table %s rename to gone`, `alter table %s disable trigger all`, `alter table %s add column mine int`, `drop table %s`, `truncate %s cascade`,
			`create trigger mine before insert on %s for each row execute function suppress_redundant_updates_trigger()`, `create rule mine as on insert to %s do instead nothing`,
			`alter table %s owner to current_user`, `create index on %s ((1))`,
		} {
			all = append(all, fmt.Sprintf(q, t.Name))
		}
	}
	return all
}

// tryRoles counts what is refused to each role, and what of the same the superuser can do.
func (s *stage) tryRoles() (refused, tried, did int) {
	s.t.Helper()
	list := s.intrusions()
	owner := s.Pool.Config().ConnString()
	s.tamperable()
	for _, role := range []string{db.APIRole, db.ApplyRole} {
		conn := s.connect(dbtest.As(s.t, owner, role))
		for _, q := range list {
			tried++
			if err := rolledBack(conn, q); isRefusal(err) {
				refused++
			} else {
				s.t.Errorf("as %s: %s: %v", role, q, err)
			}
		}
	}
	conn := s.connect(owner)
	for _, q := range list {
		if rolledBack(conn, q) == nil {
			did++
		}
	}
	return refused, tried, did
}

// tamperable closes the database as packaging does.
func (s *stage) tamperable() {
	s.t.Helper()
	q := `do $$ begin execute format('revoke all on database %I from public; grant connect on database %I to gateway, root', current_database(), current_database()); end $$`
	if _, err := s.Pool.Exec(context.Background(), q); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) connect(dsn string) *pgx.Conn {
	s.t.Helper()
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func rolledBack(conn *pgx.Conn, query string) error {
	ctx := context.Background()
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx) //nolint:errcheck // nothing of it shall stay
	_, err = tx.Exec(ctx, query, pgx.QueryExecModeSimpleProtocol)
	return err
}

// isRefusal is true for what PostgreSQL or a trigger of ours forbids, not for a mistake in the statement.
func isRefusal(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	switch pg.Code {
	case "42501", "GW001", "GW002", "GW003":
		return true
	}
	return false
}
