package main

import (
	"fmt"
	"os"
	"os/exec"
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

// ran is a run of two tests: one whose figure is ok, and one whose figure and end are
// as asked for, once for every attempt.
func ran(attempts ...[2]string) *measured {
	m := &measured{report: &testrun.Report{}}
	m.output("p", "TestBarDnsA", "BAR dns.1 1 target 1 ok")
	m.end("p", "TestBarDnsA", "pass")
	for _, a := range attempts {
		m.output("p", "TestBarDnsB/part", "    BAR dns.3 in the middle of a line is not a figure")
		m.output("p", "TestBarDnsB", "BAR dns.2 "+a[0])
		m.end("p", "TestBarDnsB/part", "pass")
		m.end("p", "TestBarDnsB", a[1])
	}
	return m
}

func TestBothFiguresOfARepeatedRowAreKept(t *testing.T) {
	for _, tc := range []struct {
		name     string
		attempts [][2]string // figure, and how the test ended
		want     string
		late     int
	}{
		{"right at once", [][2]string{{"2 target 2 ok", "pass"}}, "2 target 2 ok", 0},
		{"wrong, then right", [][2]string{{"9 target 2 short", "fail"}, {"2 target 2 ok", "pass"}}, "2 (first 9) target 2 ok", 0},
		{"wrong twice", [][2]string{{"9 target 2 short", "fail"}, {"8 target 2 short", "fail"}}, "8 (first 9) target 2 short", 0},
		{"late", [][2]string{{"9 target 2 short", "pass"}}, "9 target 2 short", 1},
		{"wrong, then late", [][2]string{{"9 target 2 short", "fail"}, {"8 target 2 short", "pass"}}, "8 (first 9) target 2 short", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := ran(tc.attempts...)
			if len(m.figures) != 2 || m.figures[1].both().String() != "BAR dns.2 "+tc.want {
				t.Errorf("figures = %v, want two, dns.2 with %q", m.figures, tc.want)
			}
			if got := len(m.late()); got != tc.late || m.ok(false) != (tc.late == 0) || !m.ok(true) {
				t.Errorf("late = %d, ok = %v, at the gate %v, want %d late", got, m.ok(false), m.ok(true), tc.late)
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
			m, out := ran([2]string{"9 target 2 short", tc.action}), strings.Builder{}
			m.print(&out, tc.gate)
			if got := strings.Contains(out.String(), words); got != tc.want {
				t.Errorf("printed %q, says %q: %v, want %v", out.String(), words, got, tc.want)
			}
		})
	}
}

// recorded writes figures of a size into the page.
func recorded(t *testing.T, path, size string, lines ...bar.Line) {
	t.Helper()
	var fs []figure
	for _, l := range lines {
		fs = append(fs, figure{Line: l, test: "TestBarX"})
	}
	if err := record(path, size, "c7582cb", fs); err != nil {
		t.Fatal(err)
	}
}

// readPage reads the rows of a page.
func readPage(t *testing.T, path string) []row {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := parseRows(string(src))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func rowsOf(t *testing.T, path string) string {
	t.Helper()
	var got []string
	for _, r := range readPage(t, path) {
		got = append(got, r.size+" "+r.String())
	}
	return strings.Join(got, "; ")
}

func TestRecordKeepsOtherAreasAndSizesAndReplacesItsOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "measured.md")
	recorded(t, path, sizeCI)
	recorded(t, path, sizeCI, bar.Line{Area: "proxy", Row: 10, Figure: "1 | 2", Target: "3", OK: true}, bar.Line{Area: "proxy", Row: 9, Figure: "old", Target: "x"})
	recorded(t, path, sizeTorture, bar.Line{Area: "proxy", Row: 9, Figure: "long", Target: "x", OK: true})
	recorded(t, path, sizeCI, bar.Line{Area: "proxy", Row: 9, Figure: "new", Target: "x", OK: true}, bar.Line{Area: "dns", Row: 1, Figure: "5", Target: "5", OK: true})
	want := "ci BAR dns.1 5 target 5 ok; ci BAR proxy.9 new target x ok; torture BAR proxy.9 long target x ok; ci BAR proxy.10 1 | 2 target 3 ok"
	if got := rowsOf(t, path); got != want {
		t.Errorf("rows = %s, want %s", got, want)
	}
}

func TestABarOfTwoTestsHasTwoRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "measured.md")
	boot, limits := bar.Line{Area: "trust", Row: 10, Figure: "boots", Target: "x"}, bar.Line{Area: "trust", Row: 10, Figure: "sizes", Target: "x", OK: true}
	for range 2 {
		recorded(t, path, sizeCI, boot, limits)
	}
	if got, want := rowsOf(t, path), "ci BAR trust.10 boots target x short; ci BAR trust.10 sizes target x ok"; got != want {
		t.Errorf("rows = %s, want %s", got, want)
	}
}

func TestRecordKeepsTheFirstFigureToo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "measured.md")
	m := ran([2]string{"1.31 target 1 short", "fail"}, [2]string{"0.93 target 1 ok", "pass"})
	if err := record(path, sizeCI, "c7582cb", m.figures); err != nil {
		t.Fatal(err)
	}
	want := "ci BAR dns.1 1 target 1 ok; ci BAR dns.2 0.93 (first 1.31) target 1 ok"
	if got := rowsOf(t, path); got != want {
		t.Errorf("rows = %s, want %s", got, want)
	}
}

func TestRecordReadsThePageThatHadNoSizes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "measured.md")
	const old = "| bar | figure | target | verdict | test | day | commit | machine |\n|---|---|---|---|---|---|---|---|\n" +
		"| dns.1 | 5 | 5 | ok | TestBarDns01 | 2026-11-15 | c7582cb | 2 cores, 24 GiB |\n"
	if err := os.WriteFile(path, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	recorded(t, path, sizeTorture, bar.Line{Area: "dns", Row: 1, Figure: "6", Target: "5"})
	if got, want := rowsOf(t, path), "ci BAR dns.1 5 target 5 ok; torture BAR dns.1 6 target 5 short"; got != want {
		t.Errorf("rows = %s, want %s", got, want)
	}
}

func TestRecordDoesNotLoseARowItCannotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "measured.md")
	const strange = "| dns.1 | 5 | ok |\n"
	if err := os.WriteFile(path, []byte(strange), 0o644); err != nil {
		t.Fatal(err)
	}
	err := record(path, sizeCI, "c7582cb", []figure{{Line: bar.Line{Area: "dns", Row: 2, Figure: "5", Target: "5"}}})
	if src, _ := os.ReadFile(path); err == nil || string(src) != strange {
		t.Errorf("record = %v and the page is %q, want an error and the page as it was", err, src)
	}
}

func TestTheRealPageCanBeRead(t *testing.T) {
	src, err := os.ReadFile("../../docs/measured.md")
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := parseRows(string(src)); err != nil || len(rows) == 0 {
		t.Errorf("rows = %d, %v, want some", len(rows), err)
	}
	if !strings.HasPrefix(string(src), head) {
		t.Error("docs/measured.md has another head than this command writes")
	}
}

func TestNothingIsRecordedOfATreeThatNoCommitHas(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	t.Chdir(t.TempDir())
	times := 0
	change := func(path string) {
		t.Helper()
		times++
		if err := os.WriteFile(path, fmt.Appendf(nil, "changed %d\n", times), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := commit(t.Context(), "measured.md"); got != "unknown" || err != nil {
		t.Errorf("outside of a repository the commit is %q, %v", got, err)
	}
	change("code")
	change("measured.md") // known to git, so that its change is told with a space in front
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "a"}} {
		if _, err := git(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	clean, err := commit(t.Context(), "measured.md")
	if err != nil || len(clean) < 7 {
		t.Fatalf("the commit is %q, %v", clean, err)
	}
	change("measured.md")
	if got, err := commit(t.Context(), "measured.md"); got != clean || err != nil {
		t.Errorf("beside the page itself the commit is %q, %v, want %s", got, err, clean)
	}
	change("more")
	if got, err := commit(t.Context(), "measured.md"); err == nil {
		t.Errorf("beside another file the commit is %q", got)
	}
	if _, err := run(t.Context(), options{lines: "code", write: "measured.md"}); err == nil {
		t.Error("it is recorded all the same")
	}
}

func TestLinesOfAFileAreRecorded(t *testing.T) {
	dir := t.TempDir()
	lines, page := filepath.Join(dir, "steady"), filepath.Join(dir, "measured.md")
	if err := os.WriteFile(lines, []byte("some words\nBAR trust.11 1500 s target <=1800 s ok\nBAR dns.1 one test target 1 ok\nBAR dns.1 another target 1 short\nBAR dns.1 its second try target 1 ok\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir) // in no repository
	if ok, err := run(t.Context(), options{lines: lines, write: page}); !ok || err != nil {
		t.Fatalf("run = %v, %v", ok, err)
	}
	want := "ci BAR dns.1 one test target 1 ok; ci BAR dns.1 its second try (first another) target 1 ok; ci BAR trust.11 1500 s target <=1800 s ok"
	if got := rowsOf(t, page); got != want {
		t.Errorf("rows = %s, want %s", got, want)
	}
}
