package app_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/component/daemons"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/secret"
	"gateway/internal/sys"
	"gateway/tools/bar"
)

// mark is in every hostile text, and nothing that is rendered has it by itself.
const mark = "hostilemark"

// hostileTexts break out of a line, a word, a quoted text, a folder or a block.
var hostileTexts = []string{
	"x\n\nglobal\n\tlua-load /tmp/" + mark + ".lua\n\nbackend y",
	"192.0.2.1\r\n" + mark + ": yes",
	"../../" + mark,
	"a " + mark + " b",
	`a" ` + mark + ` "b`,
	"a' " + mark + " 'b",
	"a;" + mark + "{}",
	"a\u2028" + mark,
}

// hostileNumbers are outside of everything that a daemon is told, but for limits of ours.
var hostileNumbers = []string{"-77771", "2147477771"}

// hostile renders what tables hold when nothing guards them any more.
type hostile struct {
	t        *testing.T
	pool     *pgxpool.Pool
	parts    func() []daemon.Daemon
	tried    int
	columns  map[column]bool
	known    columns // what components say of theirs
	left     int     // out of the files, and named
	refused  int     // nothing is rendered at all
	findings []string
}

type column struct{ table, name, kind string }

func (c column) String() string { return c.table + "." + c.name }

// renderers are the daemons of gateway-apply, new each time: what they remember of the last
// rendering relies on triggers that are gone.
func renderers(pool db.Pool, host *sys.Host) func() []daemon.Daemon {
	return func() []daemon.Daemon {
		return daemons.New(daemons.Deps{Host: host, Log: slog.New(slog.DiscardHandler)}).All
	}
}

// filled has a row of everything that the API can make, so that a new resource is in it too.
func filled(t *testing.T) *stage {
	s := newStage(t)
	_, admin := s.account("admin")
	gets := ready(t)
	for _, key := range slices.Sorted(maps.Keys(gets)) {
		target, found := strings.CutPrefix(key, "POST ")
		if !found || strings.Contains(target, "{") || strings.HasPrefix(target, "/auth") || strings.HasPrefix(target, "/system") {
			continue
		}
		_, body := gets[key](s, "", admin)
		admin.Post(target, body)
	}
	zone := s.zone(admin)
	admin.Post("/dns/records", fields{"zone_id": zone, "name": "txt", "type": "TXT", "value": "some text"}).Want(201)
	admin.Post("/nat-rules", fields{"name": unique(), "kind": "dnat", "in_zone": "wan", "protocol": "tcp", "dest_port": 8443, "target_address": "192.0.2.7", "target_port": 443}).Want(201)
	named := made(admin, "/firewall/address-objects", fields{"name": unique(), "kind": "fqdn", "value": "a.example.com"})
	s.Execute(`insert into firewall_resolved (object_id, address, resolved_at) values ($1, '192.0.2.9', now())`, named)
	// A subnet is served only on an interface that is there.
	made(admin, "/network-interfaces", fields{"name": "lo", "type": "ethernet"})
	// What is off by default is on, and what belongs together is.
	for _, of := range allSamples(t) {
		for _, q := range of.Fill {
			s.Execute(q)
		}
	}
	return s
}

// newHostile takes away all that PostgreSQL guards the tables of the parts with.
func newHostile(t *testing.T, dsn string) *hostile {
	t.Helper()
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec // types change under every statement
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	h := &hostile{t: t, pool: pool, parts: renderers(pool, sys.NewHost(time.Now)), columns: map[column]bool{}, known: sampledColumns(t)}
	drops, err := db.List[struct{ Query string }](t.Context(), pool, `
		select format('alter table %s drop constraint if exists %I cascade', conrelid::regclass, conname) from pg_constraint
			where connamespace = 'public'::regnamespace and conrelid <> 0 and contype <> 'n'
		union all select format('alter table %s alter column %I drop not null', attrelid::regclass, attname) from pg_attribute
			where attnotnull and attidentity = '' and attnum > 0 and attrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r')
		union all select format('drop trigger %I on %s', tgname, tgrelid::regclass) from pg_trigger where not tgisinternal
		union all select format('drop index if exists %s', indexrelid::regclass) from pg_index
			where indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
				and indexrelid not in (select conindid from pg_constraint)`)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range drops {
		if _, err := pool.Exec(t.Context(), d.Query); err != nil {
			t.Fatal(d.Query, err)
		}
	}
	return h
}

// columnsOf are those of every table that a daemon renders from.
func (h *hostile) columnsOf(c daemon.Daemon) []column {
	names := slices.Clone(c.Reads)
	for _, t := range c.Tables {
		names = append(names, t.Name)
	}
	found, err := db.List[struct{ Table, Name, Kind string }](context.Background(), h.pool, `select c.relname, a.attname, format_type(a.atttypid, null)
		from pg_attribute a join pg_class c on c.oid = a.attrelid
		where c.relname = any($1) and c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped order by 1, 2`, names)
	if err != nil {
		h.t.Fatal(err)
	}
	out := make([]column, len(found))
	tables := map[string][]column{}
	for i, f := range found {
		out[i] = column{f.Table, f.Name, f.Kind}
		tables[f.Table] = append(tables[f.Table], out[i])
	}
	for table, columns := range tables {
		h.ensureRow(table, columns)
	}
	return out
}

// blank is a value of each kind, for rows that no operation makes; of another kind there is none.
var blank = map[string]string{
	"uuid": "'00000000-0000-7000-8000-000000000001'", "text": "''", "text[]": "'{}'", "integer": "1", "bigint": "1", "smallint": "1", "boolean": "false",
	"timestamp with time zone": "now()", "bytea": "''", "jsonb": "'{}'", "json": "'{}'", "inet": "'192.0.2.1'", "xid8": "'1'", "double precision": "0",
}

func (h *hostile) ensureRow(table string, columns []column) {
	names, values := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i], values[i] = c.name, cmp.Or(blank[c.kind], "null")
	}
	q := fmt.Sprintf(`insert into %[1]s (%[2]s) select %[3]s where not exists (select from %[1]s)`, table, strings.Join(names, ", "), strings.Join(values, ", "))
	if _, err := h.pool.Exec(context.Background(), q); err != nil {
		h.t.Fatal(q, err)
	}
}

// some is the one that breaks out of a line, and of the others all in a long run, else those
// whose turn it is at the column.
func (h *hostile) some(c column) []string {
	if bar.Size(0, 1) == 1 {
		return hostileTexts
	}
	turn := 1 + (len(c.table)+len(c.name))%(len(hostileTexts)-1)
	return []string{hostileTexts[0], hostileTexts[turn]}
}

// values are what the column is given, as SQL.
func (h *hostile) values(c column) (kind string, texts []string) {
	list := h.some(c)
	quoted := func(list []string, format string) (out []string) {
		for _, s := range list {
			out = append(out, fmt.Sprintf(format, "'"+strings.ReplaceAll(s, "'", "''")+"'"))
		}
		return out
	}
	switch c.kind {
	case "integer", "bigint", "smallint":
		return "bigint", hostileNumbers
	case "bytea":
		return "", quoted(list, "convert_to(%s, 'utf8')")
	case "jsonb", "json":
		return "", quoted(list, "to_jsonb(%s::text)")
	case "boolean", "timestamp with time zone", "double precision":
		return "", nil // have no room for a text
	}
	if strings.HasSuffix(c.kind, "[]") {
		return "text[]", quoted(list, "array[%s]")
	}
	return "text", quoted(list, "%s")
}

func (h *hostile) run() {
	for i, part := range h.parts() {
		ctx := context.Background()
		was, err := part.Render(ctx, h.pool, opened)
		if err != nil {
			h.t.Fatalf("render %s: %v", part.Name, err)
		}
		for _, c := range h.columnsOf(part) {
			kind, values := h.values(c)
			for _, v := range values {
				h.try(i, was, c, kind, v)
			}
		}
	}
}

// try gives all rows of a column the value, renders, and takes it back.
func (h *hostile) try(part int, was daemon.Rendering, c column, kind, value string) {
	ctx := context.Background()
	tx, err := h.pool.Begin(ctx)
	if err != nil {
		h.t.Fatal(err)
	}
	defer tx.Rollback(ctx) //nolint:errcheck // what it was is what it shall be
	if kind != "" && kind != c.kind {
		// A list of reserved words is none of PostgreSQL's business here: all our columns are plain words.
		q := fmt.Sprintf(`alter table %s alter column %s type %s using %s::text::%s`, c.table, c.name, kind, c.name, kind)
		if _, err := tx.Exec(ctx, q); err != nil {
			h.t.Fatal(q, err)
		}
	}
	tag, err := tx.Exec(ctx, fmt.Sprintf(`update %s set %s = %s`, c.table, c.name, value))
	if err != nil {
		h.t.Fatal(c, value, err)
	}
	if tag.RowsAffected() == 0 {
		h.t.Fatalf("%s has no row", c.table)
	}
	h.tried++
	h.columns[c] = true
	now, err := h.parts()[part].Render(ctx, tx, opened)
	if err != nil {
		h.refused++
		return
	}
	h.judge(h.parts()[part].Name, was, now, c, value)
}

func opened([]byte, secret.Place) (secret.Text, error) { return "a key", nil }

// judge finds lines that come from a column that should give none, and silence.
func (h *hostile) judge(part string, was, now daemon.Rendering, c column, value string) {
	find := func(format string, args ...any) {
		h.findings = append(h.findings, fmt.Sprintf("%s = %s: ", c, value)+fmt.Sprintf(format, args...))
	}
	allowed := slices.Contains(h.known.freeText, c.String()) || slices.Contains(h.known.anyNumber, c.String())
	folders := map[string]bool{}
	for _, f := range was.Files {
		folders[path.Dir(f.Path)] = true
	}
	for _, f := range now.Files {
		if f.Path != path.Clean(f.Path) || !folders[path.Dir(f.Path)] || strings.Contains(f.Path, mark) {
			find("file %q", f.Path)
		}
		for line := range strings.Lines(string(f.Data)) {
			if has := foul(line, value); has && (!allowed || foul(directive(line), value)) {
				find("line %q of %s", line, f.Path)
			}
		}
	}
	switch {
	case now.Hash() == was.Hash():
	case len(now.Problems) > len(was.Problems):
		h.left++
	case h.known.namedBy[c.String()] != "" && h.known.namedBy[c.String()] != part:
	case !allowed && !slices.Contains(h.known.selects, c.String()):
		find("the files are others, and nothing is said")
	}
}

// directive is what a line is about: all before its value.
func directive(line string) string {
	line = strings.TrimSpace(line)
	if n := strings.IndexAny(line, " \t=:"); n >= 0 {
		return line[:n]
	}
	return line
}

func foul(text, value string) bool {
	for _, n := range hostileNumbers {
		if value == n && strings.Contains(text, n) {
			return true
		}
	}
	return strings.Contains(strings.ToLower(text), mark)
}

type flawedRow struct{ ID, Address string }

func loadFlawed(ctx context.Context, q db.DB, _ daemon.Unseal) ([]flawedRow, error) {
	return db.List[flawedRow](ctx, q, `select id::text, address from ntp_pools order by address`)
}

// renderFlawed renders rows as they stand.
func renderFlawed(rows []flawedRow) (daemon.Rendering, error) {
	r := daemon.Rendering{Files: []daemon.File{{Path: "/etc/flawed/flawed.conf"}}}
	for _, row := range rows {
		r.Files = append(r.Files, daemon.File{Path: "/etc/flawed/" + row.ID, Data: []byte("pool " + row.Address + "\n")})
	}
	return r, nil
}

// As each role of the product: nobody makes, replaces or alters a table, switches a trigger off, or
// changes what happened. And whatever stands in a table, no renderer makes a line of
// configuration, a word or the name of a file of it; what it leaves out, it names.
func TestBarTrust04RolesAndHostileRows(t *testing.T) {
	s := filled(t)
	refused, tried, did := s.tryRoles()
	h := newHostile(t, s.Pool.Config().ConnString())
	h.run()
	for _, f := range h.findings[:min(len(h.findings), 60)] {
		t.Error(f)
	}
	control := *h
	control.columns, control.findings = map[column]bool{}, nil
	control.parts = func() []daemon.Daemon {
		return []daemon.Daemon{{Config: daemon.Config{
			Name: "flawed", Tables: []db.Table{{Name: "ntp_pools"}}, Source: daemon.Steps[[]flawedRow]{Load: loadFlawed, Render: renderFlawed},
		}}}
	}
	control.run()
	figure := fmt.Sprintf("%d of %d statements refused, control %d done by the owner; %d hostile values in %d columns: %d lines, %d left out and named, %d renderings refused, control %d lines",
		refused, tried, did, h.tried, len(h.columns), len(h.findings), h.left, h.refused, len(control.findings))
	bar.Report(t, "trust", 4, figure, "all refused, 0 lines, controls > 0",
		refused == tried && did > 0 && len(h.findings) == 0 && h.left > 0 && len(control.findings) > 0)
}
