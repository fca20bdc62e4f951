package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gateway/tools/bar"
	"gateway/tools/internal/testrun"
)

// figure is a BAR line and the test that printed it.
type figure struct {
	bar.Line
	test string
}

// measured is what one run showed. Tests are counted with their subtests, under
// the name of the whole.
type measured struct {
	figures []figure
	skipped []string
	failed  []string // names of tests
	passes  map[string]int
	result  testrun.Result
	digest  testrun.Digest
}

func (m *measured) sort() {
	slices.SortStableFunc(m.figures, func(a, b figure) int { return bar.Compare(a.Line, b.Line) })
}

// late are the short figures of tests that passed: only the clock makes such a one.
func (m *measured) late() []figure {
	var out []figure
	for _, f := range m.figures {
		if !f.OK && !slices.Contains(m.failed, f.test) {
			out = append(out, f)
		}
	}
	return out
}

// again are the tests that one more measuring may help.
func (m *measured) again() []string {
	names := slices.Clone(m.failed)
	for _, f := range m.late() {
		names = append(names, f.test)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// replaced counts what the second measuring counts anew.
func (m *measured) replaced() testrun.Result {
	out := testrun.Result{Failed: m.result.Failed}
	for _, name := range m.again() {
		out.Passed += m.passes[name]
	}
	return out
}

// corrected has the second figure of every test that was measured again.
func (m *measured) corrected(again measured) measured {
	out := measured{skipped: m.skipped, failed: again.failed, figures: again.figures, digest: again.digest}
	out.result = testrun.Result{
		Passed: m.result.Passed - m.replaced().Passed + again.result.Passed,
		Failed: again.result.Failed, Skipped: m.result.Skipped,
	}
	for _, f := range m.figures {
		if !slices.Contains(m.again(), f.test) {
			out.figures = append(out.figures, f)
		}
	}
	out.sort()
	return out
}

func (m *measured) output(_, test, line string) {
	if l, err := bar.Parse(line); err == nil {
		m.figures = append(m.figures, figure{l, whole(test)})
	}
}

func (m *measured) end(pkg, test, action string) {
	switch action {
	case "skip":
		m.skipped = append(m.skipped, pkg+" "+test)
	case "fail":
		if test == whole(test) {
			m.failed = append(m.failed, test)
		}
	case "pass":
		if m.passes == nil {
			m.passes = map[string]int{}
		}
		m.passes[whole(test)]++
	}
}

// whole is the test that a subtest belongs to.
func whole(test string) string {
	name, _, _ := strings.Cut(test, "/")
	return name
}

func (m *measured) ok(gate bool) bool {
	return m.result.Failed == 0 && (gate || len(m.late()) == 0)
}

func (m *measured) print(w io.Writer, gate bool) {
	for _, s := range m.skipped {
		fmt.Fprintln(w, "not measured:", s)
	}
	for _, f := range m.figures {
		fmt.Fprintln(w, f.Line)
	}
	fmt.Fprintf(w, "bars: %d reported, tests: %s\n", len(m.figures), m.result)
	if late := m.late(); gate && len(late) > 0 {
		var rows []string
		for _, f := range late {
			rows = append(rows, fmt.Sprintf("%s.%d", f.Area, f.Row))
		}
		fmt.Fprintln(w, "short here, and left to a quiet machine:", strings.Join(rows, ", "))
	}
}
