package db

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The roles of PostgreSQL, each for the system user of the same name. Packaging makes them;
// see docs/adr/0019-database-roles.md.
const (
	// OwnerRole owns every table. Only migrations use it.
	OwnerRole = "gateway_owner"
	// APIRole is that of gateway-api, and of gateway-scheduler, which is the same system user.
	APIRole = "gateway"
	// ApplyRole is that of gateway-apply.
	ApplyRole = "root"
)

// Rights are what a process may do with a table beside reading it.
type Rights struct {
	Insert bool
	Update []string // these columns; EveryColumn for all
	Delete bool
}

// EveryColumn is for rows that may become any other.
var EveryColumn = []string{"*"}

// rights are those that were declared, and else what the scope says: configuration may be
// changed, because its triggers keep what it was; of what happened there may be more.
func (t Table) rights(role string) Rights {
	declared := t.API
	if role == ApplyRole {
		declared = t.Applier
	}
	switch {
	case declared != nil:
		return *declared
	case t.Configuration():
		return Rights{Insert: true, Update: EveryColumn, Delete: true}
	}
	return Rights{Insert: role == APIRole}
}

func (r Rights) sql(table, role string) string {
	may := []string{"select"}
	if r.Insert {
		may = append(may, "insert")
	}
	switch {
	case slices.Equal(r.Update, EveryColumn):
		may = append(may, "update")
	case len(r.Update) > 0:
		columns := make([]string, len(r.Update))
		for i, c := range r.Update {
			columns[i] = pgx.Identifier{c}.Sanitize()
		}
		may = append(may, "update ("+strings.Join(columns, ", ")+")")
	}
	if r.Delete {
		may = append(may, "delete")
	}
	name := pgx.Identifier{table}.Sanitize()
	return fmt.Sprintf("revoke all on table %[1]s from %[2]s; grant %[3]s on table %[1]s to %[2]s;\n", name, pgx.Identifier{role}.Sanitize(), strings.Join(may, ", "))
}

// Grant gives each role exactly what the tables declare. A cluster without the roles, as in
// development, has one user who may do everything.
func Grant(ctx context.Context, pool *pgxpool.Pool, schemas []Schema) error {
	roles, err := List[struct{ Name string }](ctx, pool, `select rolname from pg_roles where rolname = any($1)`, []string{APIRole, ApplyRole})
	if err != nil {
		return fmt.Errorf("list roles: %w", err)
	}
	var q strings.Builder
	// Two migrations at once would change the same lines of the catalogue.
	q.WriteString("select pg_advisory_xact_lock(7292);\n")
	q.WriteString(definers)
	for _, role := range roles {
		quoted := pgx.Identifier{role.Name}.Sanitize()
		fmt.Fprintf(&q, "revoke all on schema public from %[1]s; grant usage on schema public to %[1]s;\n", quoted)
		q.WriteString(Rights{}.sql("goose_db_version", role.Name)) // to see whether it was migrated
		for _, t := range Tables(schemas) {
			q.WriteString(t.rights(role.Name).sql(t.Name, role.Name))
		}
	}
	// Several statements at once are one transaction: nobody meets a table without its grants.
	if _, err := pool.Exec(ctx, q.String(), pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("grant: %w", err)
	}
	return nil
}

// definers has triggers write what their callers may not, such as row images, and makes sure
// that no caller chooses which tables they mean.
const definers = `do $$ declare f regprocedure; begin
	for f in select p.oid from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prorettype = 'trigger'::regtype
		and pg_has_role(p.proowner, 'member') and (not p.prosecdef or p.proconfig is null)
	loop execute format('alter function %s security definer set search_path = pg_catalog, public, pg_temp', f); end loop;
end $$;
`
