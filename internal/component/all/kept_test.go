package all_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gateway/internal/app"
	"gateway/internal/app/apptest"
	"gateway/internal/component/system"
	"gateway/internal/db"
)

// bounded are the other tables of what happened, and what keeps each from growing for ever, as the samples of their components say.
func bounded(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("../*/testdata/samples.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no component has samples: %v", err)
	}
	all := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var samples struct{ Bounded map[string]string }
		if err := json.Unmarshal(text, &samples); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		maps.Copy(all, samples.Bounded)
	}
	return all
}

// Whatever records what happened has a bound, and somebody who keeps it.
func TestNothingGrowsForEver(t *testing.T) {
	a, err := app.Blueprint()
	if err != nil {
		t.Fatal(err)
	}
	var jobs, tables []string
	for _, j := range a.Jobs() {
		jobs = append(jobs, j.Name)
	}
	for _, k := range a.Kept() {
		for _, language := range []string{"en", "de"} {
			if catalogText(t, language, "system", "kept.name."+k.Name) == "" {
				t.Errorf("%s: the System page has no word for %s", language, k.Name)
			}
		}
		if len(k.Tables) > 0 != (k.Job != "") || k.Job != "" && !slices.Contains(jobs, k.Job) {
			t.Errorf("%s: there is no job %q", k.Name, k.Job)
		}
		tables = append(tables, k.Tables...)
	}
	others := bounded(t)
	for _, table := range db.Tables(a.Schemas()) {
		known := slices.Contains(tables, table.Name) || others[table.Name] != ""
		if table.Scope == db.History && !known {
			t.Errorf(`table %s records what happened; who removes what is old? "bounded" in testdata/samples.json of its component, or Kept, says it`, table.Name)
		}
		delete(others, table.Name)
	}
	for name := range others {
		t.Errorf("there is no table %s", name)
	}
}

func TestWhatIsKeptIsTold(t *testing.T) {
	a, admin := apptest.Ready(t)
	var list []system.Kept
	a.Viewer(admin, "v@example.com").Get("/system/kept").Want(http.StatusOK).Data(&list)
	kept := map[string]system.Kept{}
	for _, k := range list {
		kept[k.Name] = k
		if k.Name != "logs" && k.MaxDays == nil && k.MaxRows == nil && k.MaxBytes == nil { // this machine may have no journal
			t.Errorf("%s has no bound", k.Name)
		}
	}
	if k := kept["audit"]; k.Rows == nil || *k.Rows < 1 || *k.Bytes < 8192 || k.Oldest == nil || *k.MaxDays != 365 || k.MaxRows != nil || k.MaxBytes != nil {
		t.Errorf("audit: %+v", k)
	}
	if k := kept["changes"]; k.Rows == nil || *k.Rows < 1 || *k.MaxDays != 365 || *k.MaxRows != 100_000 {
		t.Errorf("changes: %+v", k)
	}
	if k := kept["samples"]; k.Rows != nil || *k.Bytes != 0 || *k.MaxBytes < 150<<20 {
		t.Errorf("samples: %+v", k)
	}
	if len(kept) != len(a.API.Kept()) || len(list) != len(kept) {
		t.Errorf("told of %d, want all %d", len(list), len(a.API.Kept()))
	}
}
