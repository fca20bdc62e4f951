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
	if m.ok() || len(m.figures) != 1 {
		t.Errorf("ok = %v with %v, want one short figure", m.ok(), m.figures)
	}
}

func TestWhatWasMeasuredAgainCounts(t *testing.T) {
	var first, second measured
	first.output("p", "TestBarDnsA", "BAR dns.1 1 target 1 ok")
	first.output("p", "TestBarDnsB", "BAR dns.2 9 target 2 short")
	first.end("p", "TestBarDnsB", "fail")
	first.result = testrun.Result{Passed: 1, Failed: 1}
	second.output("p", "TestBarDnsB", "BAR dns.2 2 target 2 ok")
	second.result = testrun.Result{Passed: 1}
	if m := first.corrected(second); !m.ok() || len(m.figures) != 2 || m.figures[1].Figure != "2" {
		t.Errorf("corrected = %+v, want both ok", m)
	}
	second.figures[0].OK, second.result = false, testrun.Result{Failed: 1}
	if m := first.corrected(second); m.ok() {
		t.Error("short twice is ok")
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
