package unbound

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway/internal/component/dns/dnstest"
	"gateway/internal/daemon"
)

var update = flag.Bool("update", false, "rewrite testdata/render/*/want")

func TestGoldens(t *testing.T) {
	cases, err := filepath.Glob("testdata/render/*/state.json")
	if err != nil || len(cases) < 5 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	d := New(Options{Exec: dnstest.Run(t)})
	for _, file := range cases {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			out := render(readState(t, file), &memo{})
			if err := dnstest.Check(t, d.Config, out); err != nil {
				t.Error(err)
			}
			hold(t, filepath.Join(dir, "want", Path), string(out.File(Path)))
			hold(t, filepath.Join(dir, "want", "problems"), problems(out))
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

func problems(r daemon.Rendering) string {
	var b strings.Builder
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "%s: %s\n", p.Subject, p.Message)
	}
	return b.String()
}

func hold(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.RemoveAll(file); err != nil {
			t.Fatal(err)
		}
		if got == "" {
			return
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if d := cmp.Diff(got, string(want)); d != "" {
		t.Errorf("%s (-update rewrites it):\n%s", file, d)
	}
}
