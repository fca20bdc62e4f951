package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gateway/tools/bar"
	"gateway/tools/internal/testrun"
)

func TestTestPrefix(t *testing.T) {
	for area, want := range map[string]string{"": "TestBar", "foundation": "TestBarFoundation"} {
		if got := testPrefix(area); got != want {
			t.Errorf("testPrefix(%q) = %q, want %q", area, got, want)
		}
	}
}

func TestPackagesNamesOnlyThoseWithABar(t *testing.T) {
	t.Chdir(t.TempDir())
	for path, src := range map[string]string{
		"internal/a/a_test.go": "package a\n\nfunc TestBarFoundationLogin(t *testing.T) {}\n",
		"internal/b/b_test.go": "package b\n\nfunc TestBarProxyHosts(t *testing.T) {}\n",
		"internal/c/c_test.go": "package c\n\nfunc TestOther(t *testing.T) {}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for area, want := range map[string][]string{
		"":           {"./internal/a", "./internal/b"},
		"foundation": {"./internal/a"},
		"dns":        nil,
	} {
		got, err := packages([]string{"internal", "lab/e2e"}, testPrefix(area))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("packages of %q = %v, %v, want %v", area, got, err, want)
		}
	}
}

func TestAShortFigureIsNotOK(t *testing.T) {
	var m measured
	m.output("p", "TestBarDnsLoad", "BAR dns.2 4 ms target <= 2 ms short")
	m.output("p", "TestBarDnsLoad", "    BAR dns.3 in the middle of a line is not a figure")
	if m.ok(false) || len(m.figures) != 1 {
		t.Errorf("ok = %v with %v, want one short figure", m.ok(false), m.figures)
	}
}

// ran is a run of two tests: one whose figure is ok, and one that is as asked for.
func ran(figure, action string) measured {
	var m measured
	m.output("p", "TestBarDnsA", "BAR dns.1 1 target 1 ok")
	m.end("p", "TestBarDnsA", "pass")
	m.output("p", "TestBarDnsB", "BAR dns.2 "+figure)
	m.end("p", "TestBarDnsB/part", "pass")
	m.end("p", "TestBarDnsB", action)
	m.result = testrun.Result{Passed: m.passes["TestBarDnsA"] + m.passes["TestBarDnsB"], Failed: len(m.failed)}
	return m
}

// only is the same without the first test.
func only(figure, action string) measured {
	m := ran(figure, action)
	m.figures, m.result.Passed = m.figures[1:], m.result.Passed-1
	return m
}

func TestWhatWasMeasuredAgainCounts(t *testing.T) {
	for _, tc := range []struct {
		name          string
		first, second [2]string // figure, and how the test ended
		ok, okAtGate  bool
		passed        int
	}{
		{"wrong, then right", [2]string{"9 target 2 short", "fail"}, [2]string{"2 target 2 ok", "pass"}, true, true, 3},
		{"wrong twice", [2]string{"9 target 2 short", "fail"}, [2]string{"9 target 2 short", "fail"}, false, false, 2},
		{"late, then in time", [2]string{"9 target 2 short", "pass"}, [2]string{"2 target 2 ok", "pass"}, true, true, 3},
		{"late twice", [2]string{"9 target 2 short", "pass"}, [2]string{"9 target 2 short", "pass"}, false, true, 3},
		{"late, then wrong", [2]string{"9 target 2 short", "pass"}, [2]string{"9 target 2 short", "fail"}, false, false, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			first := ran(tc.first[0], tc.first[1])
			if got, want := first.again(), []string{"TestBarDnsB"}; !reflect.DeepEqual(got, want) {
				t.Errorf("measured again: %v, want %v", got, want)
			}
			m := first.corrected(only(tc.second[0], tc.second[1]))
			if m.ok(false) != tc.ok || m.ok(true) != tc.okAtGate {
				t.Errorf("ok = %v, at the gate %v, want %v and %v", m.ok(false), m.ok(true), tc.ok, tc.okAtGate)
			}
			if len(m.figures) != 2 || m.figures[1].String() != "BAR dns.2 "+tc.second[0] {
				t.Errorf("figures = %v, want the second of dns.2", m.figures)
			}
			if m.result.Passed != tc.passed {
				t.Errorf("passed = %d, want %d", m.result.Passed, tc.passed)
			}
		})
	}
}

func TestALateFigureIsListedAtTheGateOnly(t *testing.T) {
	const words = "left to a quiet machine: dns.2\n"
	for _, tc := range []struct {
		name   string
		action string
		gate   bool
		want   bool
	}{
		{"late at the gate", "pass", true, true},
		{"late elsewhere", "pass", false, false},
		{"wrong at the gate", "fail", true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, out := ran("9 target 2 short", tc.action), strings.Builder{}
			m.print(&out, tc.gate)
			if got := strings.Contains(out.String(), words); got != tc.want {
				t.Errorf("printed %q, says %q: %v, want %v", out.String(), words, got, tc.want)
			}
		})
	}
}

func TestRecordKeepsOtherAreasAndReplacesItsOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "measured.md")
	write := func(lines ...bar.Line) {
		t.Helper()
		var fs []figure
		for _, l := range lines {
			fs = append(fs, figure{l, "TestBarX"})
		}
		if err := record(t.Context(), path, fs); err != nil {
			t.Fatal(err)
		}
	}
	write()
	write(bar.Line{Area: "proxy", Row: 10, Figure: "1 | 2", Target: "3", OK: true}, bar.Line{Area: "proxy", Row: 9, Figure: "old", Target: "x"})
	write(bar.Line{Area: "proxy", Row: 9, Figure: "new", Target: "x", OK: true}, bar.Line{Area: "dns", Row: 1, Figure: "5", Target: "5", OK: true})
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range parseRows(string(src)) {
		got = append(got, r.String())
	}
	want := "BAR dns.1 5 target 5 ok; BAR proxy.9 new target x ok; BAR proxy.10 1 | 2 target 3 ok"
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("rows = %s, want %s\n%s", s, want, src)
	}
}
