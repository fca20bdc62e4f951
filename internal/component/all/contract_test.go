package all_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/app"
	"gateway/internal/app/apptest"
	"gateway/internal/component"
	"gateway/internal/component/all"
	"gateway/internal/component/all/toy"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/db/migrate"
	"gateway/tools/bar"
)

func schemas(t *testing.T) []db.Schema {
	t.Helper()
	a, err := app.Blueprint()
	if err != nil {
		t.Fatal(err)
	}
	return a.Schemas()
}

func TestEveryTableIsDeclaredOnce(t *testing.T) {
	declared := map[string]int{}
	for _, table := range db.Tables(schemas(t)) {
		declared[table.Name]++
		if table.Scope == 0 {
			t.Errorf("table %s has no scope", table.Name)
		}
	}
	pool := dbtest.New(t, schemas(t)...)
	rows, err := pool.Query(t.Context(), `select tablename from pg_tables where schemaname = 'public' and tablename <> 'goose_db_version'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		if declared[name] != 1 {
			t.Errorf("table %s is declared %d times, want once", name, declared[name])
		}
		delete(declared, name)
	}
	for name := range declared {
		t.Errorf("table %s is declared but no migration makes it", name)
	}
}

func TestEveryConfigurationTableHasAPrimaryKeyAndRowImages(t *testing.T) {
	pool := dbtest.New(t, schemas(t)...)
	for _, table := range db.Tables(schemas(t)) {
		var keys, triggers, sequences int
		err := pool.QueryRow(t.Context(), `select
			(select count(oid) from pg_constraint where conrelid = c.oid and contype = 'p'),
			(select count(oid) from pg_trigger where tgrelid = c.oid and tgname = 'gateway_row_image'),
			(select count(attnum) from pg_attribute where attrelid = c.oid and (attidentity <> '' or pg_get_serial_sequence(c.relname, attname) is not null) and attnum > 0)
			from pg_class c where relname = $1 and relkind = 'r'`, table.Name).Scan(&keys, &triggers, &sequences)
		if err != nil {
			t.Fatal(err)
		}
		if keys != 1 {
			t.Errorf("table %s has no primary key", table.Name)
		}
		if want := table.Configuration(); want != (triggers == 1) {
			t.Errorf("table %s has %d row image triggers, configuration: %t", table.Name, triggers, want)
		}
		if table.Scope == db.Replicated && sequences != 0 {
			t.Errorf("replicated table %s has a sequence", table.Name)
		}
	}
}

// Row images are kept for years, and answered; a sealed secret is not to be in them.
func TestSealedColumnsStayOutOfTheHistory(t *testing.T) {
	pool := dbtest.New(t, schemas(t)...)
	sealed := 0
	for _, table := range db.Tables(schemas(t)) {
		if !table.Configuration() {
			continue
		}
		rows, err := pool.Query(t.Context(), `select column_name from information_schema.columns where table_name = $1 and data_type = 'bytea'`, table.Name)
		if err != nil {
			t.Fatal(err)
		}
		columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		for _, column := range columns {
			sealed++
			if !slices.Contains(table.Omit, column) {
				t.Errorf("%s.%s holds bytes, and is not among what %s omits", table.Name, column, table.Name)
			}
		}
	}
	if sealed == 0 {
		t.Error("no table has a column of bytes, so this shows nothing")
	}
}

// shows UPG-06, UPG-07
func TestANewInstallAppliesAllMigrationsInOrder(t *testing.T) {
	var names []string
	for _, s := range schemas(t) {
		if s.Migrations == nil {
			continue
		}
		files, err := fs.Glob(s.Migrations, "*.sql")
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, files...)
	}
	slices.Sort(names)
	pool := dbtest.New(t, schemas(t)...)
	rows, err := pool.Query(t.Context(), `select version_id from goose_db_version where version_id > 0 order by id`)
	if err != nil {
		t.Fatal(err)
	}
	applied, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		t.Fatal(err)
	}
	if len(applied) != len(names) || len(names) < 10 || !strings.HasPrefix(names[0], "0001_") {
		t.Fatalf("%d of %d migrations are applied, the first is %s", len(applied), len(names), names[0])
	}
	for i, name := range names {
		if want := fmt.Sprintf("%04d_", applied[i]); !strings.HasPrefix(name, want) {
			t.Errorf("the migration at place %d is %s, want %s", i+1, want, name)
		}
	}
}

func TestMigrationsCanRunAgain(t *testing.T) {
	pool := dbtest.New(t, schemas(t)...)
	if err := migrate.Run(t.Context(), pool, schemas(t)); err != nil {
		t.Error(err)
	}
}

func TestEveryJobSaysWhereItRuns(t *testing.T) {
	a, err := app.Blueprint()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, job := range a.Jobs() {
		if job.Where == 0 || job.Every <= 0 || names[job.Name] {
			t.Errorf("job %+v is there twice, or does not say where and how often it runs", job.Name)
		}
		names[job.Name] = true
	}
	if len(names) < 5 {
		t.Errorf("only the jobs %v were found", names)
	}
}

// The bar of "one folder, one line": package toy and the line below are all it takes.
func TestBarFoundation12AComponentIsOneFolderAndOneLine(t *testing.T) {
	bar.NotShort(t)
	a, admin := apptest.Ready(t, apptest.With(func(d all.Deps) []component.Component {
		return []component.Component{toy.New(d.Pool, d.Run)}
	}))
	shown := 0
	show := func(what string, ok bool) {
		t.Helper()
		if shown++; !ok {
			t.Errorf("%s does not work", what)
		}
	}
	made := admin.Post("/toys", map[string]any{"name": "car", "wheels": 4})
	show("migration and routes", made.Status == http.StatusCreated)
	id := made.ID()
	show("reading", admin.Get("/toys/"+id).Status == http.StatusOK && admin.Get("/toys?q=ca").Header.Get("X-Total-Count") == "1")
	show("validation", admin.Post("/toys", map[string]any{"name": "", "wheels": -1}).Status == http.StatusBadRequest)
	show("uniqueness", admin.Post("/toys", map[string]any{"name": "car", "wheels": 4}).Status == http.StatusConflict)
	stale := admin.Copy()
	stale.Header.Set("If-Match", `"9"`)
	show("versions", stale.Delete("/toys/"+id).Status == http.StatusPreconditionFailed)
	viewer := a.Viewer(admin, "v@example.com")
	show("authorisation", viewer.Get("/toys").Status == http.StatusOK && viewer.Delete("/toys/"+id).Status == http.StatusForbidden &&
		a.Anonymous().Get("/toys").Status == http.StatusUnauthorized)
	show("audit", slices.Contains(a.Actions(), "toy.create"))
	var images int
	err := a.Pool.QueryRow(t.Context(), `select count(number) from change_rows where table_name = 'toys'`).Scan(&images)
	show("row images", err == nil && images == 1)
	doc, err := a.API.Document()
	show("OpenAPI", err == nil && strings.Contains(string(doc), `"/toys/{id}"`) && strings.Contains(string(doc), `"`+api.Admin.String()+`"`))
	bar.Report(t, "foundation", 12, "9 of 9 work with no other file touched", "all", shown == 9 && !t.Failed())
}
