package restore_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway/internal/app"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/restore"
)

// wholeSchema is a database with all of the product's tables, and the cluster that it is in.
func wholeSchema(t *testing.T) (restore.Cluster, *pgx.Conn, string) {
	t.Helper()
	blueprint, err := app.Blueprint()
	if err != nil {
		t.Fatal(err)
	}
	dsn := dbtest.DSN(t, blueprint.Schemas()...)
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	c := restore.Cluster{Address: func(name string) string { v := *u; v.Path = "/" + name; return v.String() }}
	return c, conn, strings.TrimPrefix(u.Path, "/")
}

// A table that calls a network interface by name must be known, or its rows keep the name of a card that
// another node does not have.
func TestEveryColumnOfLinksIsKnown(t *testing.T) {
	_, conn, _ := wholeSchema(t)
	found, err := db.List[struct{ Table, Column string }](t.Context(), conn, `select c.relname, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid
		where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and a.atttypid in ('text'::regtype, 'text[]'::regtype)
		and (a.attname in ('interface', 'interfaces', 'dev', 'device', 'ifname', 'parent', 'members', 'primary_member', 'in_interface', 'out_interface', 'iif', 'oif', 'link_name')
			or c.relname = 'network_interfaces' and a.attname = 'name') order by 1, 2`)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range found {
		names = append(names, f.Table+"."+f.Column)
	}
	known := restore.LinkColumns()
	slices.Sort(known)
	if !slices.Equal(names, known) {
		t.Errorf("the schema has %v, and a restore renames in %v", names, known)
	}
}

func TestLinksExchangeTheirNames(t *testing.T) {
	c, conn, name := wholeSchema(t)
	_, err := conn.Exec(t.Context(), `set session_replication_role = replica;
		insert into network_interfaces (id, revision, created_at, updated_at, name, type, role, parent, members, description)
			select gen_random_uuid(), 1, now(), now(), n, 'ethernet', 'lan', p, m, '' from (values ('eth0', '', '{}'::text[]), ('eth1', '', '{}'), ('br0', 'eth0', '{eth1,eth0,eth2}')) v(n, p, m)`, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.MapLinks(t.Context(), name, map[string]string{"eth0": "eth1", "eth1": "enp1s0"}); err != nil {
		t.Fatal(err)
	}
	rows, err := db.List[struct {
		Name, Parent string
		Members      []string
	}](t.Context(), conn, `select name, parent, members from network_interfaces order by name`)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(rows), "[{br0 eth1 [enp1s0 eth1 eth2]} {enp1s0  []} {eth1  []}]"; got != want {
		t.Errorf("the interfaces are %s, want %s", got, want)
	}
}
