package restore

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// linkColumn is where rows call a network interface by its name.
type linkColumn struct {
	table, column string
	list          bool
}

// linkColumns are all of them. What refers to a row of network_interfaces follows by itself.
var linkColumns = []linkColumn{
	{table: "network_interfaces", column: "name"},
	{table: "network_interfaces", column: "parent"},
	{table: "network_interfaces", column: "members", list: true},
	{table: "network_interfaces", column: "primary_member"},
	{table: "network_routes", column: "dev"},
	{table: "dhcp_subnets", column: "interface"},
	{table: "uplink_uplinks", column: "interface"},
}

// mapped is the statement that renames, by two lists. Names get a mark first, which no name has: two
// interfaces may exchange theirs, and PostgreSQL compares each row at once.
func (l linkColumn) mapped() (queries []string) {
	table, column := pgx.Identifier{l.table}.Sanitize(), pgx.Identifier{l.column}.Sanitize()
	if l.list {
		return []string{"update " + table + " set " + column + " = array(select coalesce((select m.t from unnest($1::text[], $2::text[]) as m(f, t) where m.f = u.x), u.x) from unnest(" +
			column + ") with ordinality as u(x, o) order by u.o) where " + column + " && $1::text[]"}
	}
	return []string{
		"update " + table + " r set " + column + " = '~' || m.t from unnest($1::text[], $2::text[]) as m(f, t) where m.f = r." + column,
		"update " + table + " set " + column + " = substr(" + column + ", 2) where " + column + " like '~%' and $1::text[] is not null and $2::text[] is not null",
	}
}

// MapLinks renames network interfaces in all rows.
func (c Cluster) MapLinks(ctx context.Context, database string, links map[string]string) error {
	if len(links) == 0 {
		return nil
	}
	var from, to []string
	for f, t := range links {
		from, to = append(from, f), append(to, t)
	}
	return c.within(ctx, c.Prefix+database, func(conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			// As a replica: this is no change of an operator's, and nothing is applied yet.
			if _, err := tx.Exec(ctx, `set local session_replication_role = replica`); err != nil {
				return err
			}
			for _, l := range linkColumns {
				for _, q := range l.mapped() {
					if _, err := tx.Exec(ctx, q, from, to); err != nil {
						return fmt.Errorf("rename network interfaces in %s: %w", l.table, err)
					}
				}
			}
			return nil
		})
	})
}
