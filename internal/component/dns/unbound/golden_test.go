package unbound

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gateway/internal/component/componenttest"
)

func TestGoldens(t *testing.T) {
	cases, err := filepath.Glob("testdata/render/*/state.json")
	if err != nil || len(cases) < 5 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	d := New(Options{Exec: componenttest.Exec(t)})
	for _, file := range cases {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			out := render(readState(t, file), &memo{})
			if err := componenttest.Check(t, d.Config, out); err != nil {
				t.Error(err)
			}
			componenttest.Golden(t, filepath.Join(dir, "want", Path), string(out.File(Path)))
			componenttest.Golden(t, filepath.Join(dir, "want", "problems"), componenttest.ProblemsText(out))
		})
	}
}

// readState reads requests, and for "rows" what got into the database past the API.
func readState(t *testing.T, file string) state {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var in struct {
		model
		Refused int
		Rows    []row
	}
	if err := json.Unmarshal(data, &in); err != nil {
		t.Fatal(err)
	}
	s, refused := in.stored()
	if refused != in.Refused {
		t.Errorf("%d requests were refused, want %d", refused, in.Refused)
	}
	s.records = append(s.records, in.Rows...)
	slices.SortStableFunc(s.records, func(a, b row) int { return strings.Compare(a.FQDN, b.FQDN) })
	return s
}
