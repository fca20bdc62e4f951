package squid_test

import (
	"encoding/json"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gateway/internal/component/componenttest"
	"gateway/internal/component/forwardproxy/squid"
)

// golden is state.json of a case: rows as they are in the database.
type golden struct {
	Settings squid.Settings `json:"settings"`
	Rules    []struct {
		squid.Rule
		Disabled bool `json:"disabled"`
	} `json:"rules"`
	Lists map[string][]string `json:"lists"`
	Own   []netip.Addr        `json:"own"`
}

func (g golden) state() squid.State {
	s := squid.State{Settings: g.Settings, Own: g.Own}
	for _, name := range slices.Sorted(maps.Keys(g.Lists)) {
		s.Lists = append(s.Lists, squid.NewList(name, g.Lists[name]...))
	}
	for _, r := range g.Rules {
		s.Rules = append(s.Rules, squid.StoredRule{Rule: r.Rule, Enabled: !r.Disabled})
	}
	return s
}

// shows FWD-05
func TestRender(t *testing.T) {
	config := squid.New(squid.Options{Exec: componenttest.ExecInRoot(t)}).Config
	cases, err := filepath.Glob("testdata/render/*/state.json")
	if err != nil || len(cases) == 0 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, file := range cases {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var g golden
			d := json.NewDecoder(strings.NewReader(string(data)))
			d.DisallowUnknownFields()
			if err := d.Decode(&g); err != nil {
				t.Fatal(err)
			}
			r, err := g.state().Render()
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Files {
				componenttest.Golden(t, filepath.Join(dir, "want", strings.TrimPrefix(f.Path, squid.Folder)), string(f.Data))
			}
			componenttest.Golden(t, filepath.Join(dir, "want.problems"), componenttest.ProblemsText(r))
			if err := componenttest.Check(t, config, r); err != nil {
				t.Error(err)
			}
		})
	}
}

// What Squid only warns of is refused.
func TestTheCheckerRefusesWarnings(t *testing.T) {
	config := squid.New(squid.Options{Exec: componenttest.ExecInRoot(t)}).Config
	for _, line := range []string{
		"acl a src 192.0.2.0/24\nacl a src 192.0.2.1\n", "acl a dstdomain .example.com .a.example.com\n", "acl a url_regex (\n", "acl a time 18:00-08:00\n", "no_such_directive on\n",
		"http_access deny nobody\n", "acl a url_regex .*x\n",
	} {
		r, err := base().Render()
		if err != nil {
			t.Fatal(err)
		}
		r.Files[0].Data = append(r.Files[0].Data, line...)
		if componenttest.Check(t, config, r) == nil {
			t.Errorf("accepted with %q", line)
		}
	}
	r, err := base().Render()
	if err != nil {
		t.Fatal(err)
	}
	if err := componenttest.Check(t, config, r); err != nil {
		t.Errorf("without: %v", err)
	}
}

// The names of lists are not written to the disk for a checker that does not read them.
func TestNamesAreNotStaged(t *testing.T) {
	s := base()
	s.Lists = []squid.List{squid.NewList("ads", "a.test")}
	s.Rules = []squid.StoredRule{{Enabled: true, Rule: squid.Rule{Action: "deny", Type: "list", Value: "ads"}}}
	r, err := s.Render()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := r.Stage(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, squid.ConfFile)); err != nil {
		t.Error(err)
	}
	if names, err := os.ReadDir(filepath.Join(dir, squid.ListsFolder)); err == nil {
		t.Errorf("staged %v", names)
	}
	if err := componenttest.Check(t, squid.New(squid.Options{Exec: componenttest.ExecInRoot(t)}).Config, r); err != nil {
		t.Error(err)
	}
}

// A list whose parts nobody can read keeps its rules, and has no files: so Squid denies.
func TestAListWithBadPartsKeepsItsRule(t *testing.T) {
	for _, parts := range [][]string{{"x"}, {strings.Repeat("0", 32), strings.Repeat("1", 32), strings.Repeat("2", 32)}} {
		s := base()
		s.Lists = []squid.List{{Name: "ads", Parts: parts}}
		s.Rules = []squid.StoredRule{{Enabled: true, Rule: squid.Rule{Action: "deny", Type: "list", Value: "ads"}}}
		r, err := s.Render()
		if err != nil {
			t.Fatal(err)
		}
		if text := string(r.Files[0].Data); !strings.Contains(text, "\nacl rule0 external lists ads\nhttp_access deny rule0\n") {
			t.Errorf("%q: the file is\n%s", parts, text)
		}
		for _, f := range r.Files {
			if filepath.Dir(f.Path) == squid.ListsFolder {
				t.Errorf("%q: there is %s", parts, f.Path)
			}
		}
		if text := componenttest.ProblemsText(r); strings.Count(text, "cannot be read") != 1 || strings.Contains(text, "access rule") {
			t.Errorf("%q: the problems are %q", parts, text)
		}
	}
}
