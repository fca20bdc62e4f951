package chrony

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gateway/internal/component/componenttest"
	"gateway/internal/daemon"
	"gateway/internal/fault"
)

// golden is state.json of a case.
type golden struct {
	Settings Settings         `json:"settings"`
	Sources  []Source         `json:"sources"`
	Problems []daemon.Problem `json:"problems"`
}

// shows NTP-02, NTP-03, NTP-05, NTP-07
func TestRender(t *testing.T) {
	check := (&chronyd{exec: componenttest.Exec(t)}).check
	cases, err := filepath.Glob("testdata/render/*/state.json")
	if err != nil || len(cases) == 0 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, file := range cases {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			g := readGolden(t, file)
			r, err := State{g.Settings, g.Sources}.Render()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(g.Problems, r.Problems, cmpopts.IgnoreTypes(fault.Words{})); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if len(r.Files) != 1 || r.Files[0].Path != ConfFile || r.Files[0].Mode != 0o644 {
				t.Fatalf("files = %+v, want the one drop-in", r.Files)
			}
			componenttest.Golden(t, filepath.Join(dir, "want", ConfFile), string(r.Files[0].Data))
			if err := check(t.Context(), filepath.Join(dir, "want")); err != nil {
				t.Errorf("chronyd: %v", err)
			}
		})
	}
}

func readGolden(t *testing.T, file string) golden {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.DisallowUnknownFields()
	if err := d.Decode(&g); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return g
}

func TestOrderIsNoAccident(t *testing.T) {
	sources := []Source{{Kind: "pool", Address: "b.example.com"}, {Kind: "server", Address: "a.example.com"}, {Kind: "server", Address: "192.0.2.1"}}
	first, err := State{Sources: sources}.Render()
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(sources)
	second, err := State{Sources: sources}.Render()
	if err != nil {
		t.Fatal(err)
	}
	if first.Hash() != second.Hash() {
		t.Errorf("the order of the rows shows:\n%s\n%s", first.Files[0].Data, second.Files[0].Data)
	}
}

func TestPoolsShareFourServers(t *testing.T) {
	for pools, want := range []int{4, 4, 2, 2, 1, 1, 1} {
		sources := make([]Source, pools, pools+1)
		for i := range sources {
			sources[i].Kind = "pool"
		}
		if got := share(append(sources, Source{Kind: "server"})); got != want {
			t.Errorf("%d pools have %d servers each, want %d", pools, got, want)
		}
	}
}

func TestWordsStayWords(t *testing.T) {
	for _, good := range []string{"pool", "192.0.2.1", "2001:db8::1", "::1", "10.0.0.0/8", "0.pool.ntp.org"} {
		if got, err := word(good); got != good || err != nil {
			t.Errorf("word(%q) = %q, %v", good, got, err)
		}
	}
	for _, bad := range []string{"", "-x", "a b", "a\nb", "a\tb", "a\x00", "#a", "!a", "a;b", "a\u2028b", strings.Repeat("a", 254), "/etc/passwd"} {
		if got, err := word(bad); err == nil {
			t.Errorf("word(%q) = %q, want an error", bad, got)
		}
	}
}
