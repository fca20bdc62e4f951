package uplink_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"gateway/internal/audit"
	"gateway/internal/change"
	"gateway/internal/component/firewall"
	"gateway/internal/component/network"
	"gateway/internal/component/uplink"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/db/migrate"
)

// Groups that were there before they had numbers get some, and go on telling of their changes.
func TestGroupsOfBeforeGetTheirNumbers(t *testing.T) {
	now := uplink.New(uplink.Options{}).Schema()
	before := now
	data, err := fs.ReadFile(now.Migrations, "0060_uplinks.sql")
	if err != nil {
		t.Fatal(err)
	}
	before.Migrations = fstest.MapFS{"0060_uplinks.sql": {Data: data}}
	others := []db.Schema{change.Schema(), audit.Schema(), firewall.New(firewall.Options{}).Schema(), network.New(network.Options{}).Schema()}
	pool := dbtest.New(t, append(others, before)...)
	_, err = pool.Exec(t.Context(), `set session_replication_role = replica; -- as a restore does: no change of anybody's
		insert into uplink_groups (id, revision, created_at, updated_at, name, family, is_default, description)
			select gen_random_uuid(), 1, now(), now(), name, 'inet', false, '' from unnest(array['b', 'a']) name;
		reset session_replication_role`)
	if err != nil {
		t.Fatal(err)
	}
	if err := migrate.Run(t.Context(), pool, append(others, now)); err != nil {
		t.Fatal(err)
	}
	var names string
	var triggers int
	err = pool.QueryRow(t.Context(), `select (select string_agg(name || number, ' ' order by name) from uplink_groups),
		(select count(oid) from pg_trigger where tgrelid = 'uplink_groups'::regclass and (tgname = 'gateway_rows_changed' and tgenabled = 'A' or tgname = 'gateway_row_image' and tgenabled <> 'D'))`).
		Scan(&names, &triggers)
	if err != nil || names != "a1 b2" || triggers != 2 {
		t.Errorf("the groups are %s, with %d triggers, %v", names, triggers, err)
	}
}
