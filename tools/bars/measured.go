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
	test  string
	first string // the figure of the first attempt, if there were two
}

// name is what the figure is a row of: carry.8.
func (f figure) name() string { return fmt.Sprintf("%s.%d", f.Area, f.Row) }

// measured is what the bars showed.
type measured struct {
	figures []figure
	skipped []string
	failed  map[string]bool // tests, by how their last attempt ended
	report  *testrun.Report
}

func (m *measured) sort() {
	slices.SortStableFunc(m.figures, func(a, b figure) int { return bar.Compare(a.Line, b.Line) })
}

// late are the short figures of tests that passed: only the clock makes such a one.
func (m *measured) late() []figure {
	var out []figure
	for _, f := range m.figures {
		if !f.OK && !m.failed[f.test] {
			out = append(out, f)
		}
	}
	return out
}

// output takes a figure. One that is there already was measured by an earlier attempt.
func (m *measured) output(_, test, line string) {
	m.take(test, line, func(figure) bool { return true })
}

// recorded takes a figure of a file, which tells nothing of the tests that printed them. Who is right is not asked again: the
// next figure of the row is that of another test.
func (m *measured) recorded(file, line string) {
	m.take(file, line, func(before figure) bool { return !before.OK })
}

func (m *measured) take(test, line string, again func(before figure) bool) {
	l, err := bar.Parse(line)
	if err != nil {
		return
	}
	f := figure{Line: l, test: whole(test)}
	i := slices.IndexFunc(m.figures, func(o figure) bool { return bar.Compare(o.Line, l) == 0 && o.test == f.test && again(o) })
	if i < 0 {
		m.figures = append(m.figures, f)
		return
	}
	f.first = m.figures[i].Figure
	m.figures[i] = f
}

func (m *measured) end(pkg, test, action string) {
	if action == "skip" {
		m.skipped = append(m.skipped, pkg+" "+test)
	}
	if test == whole(test) {
		if m.failed == nil {
			m.failed = map[string]bool{}
		}
		m.failed[test] = action == "fail"
	}
}

// whole is the test that a subtest belongs to.
func whole(test string) string {
	name, _, _ := strings.Cut(test, "/")
	return name
}

func (m *measured) ok(gate bool) bool {
	return m.report.Result().Failed == 0 && (gate || len(m.late()) == 0)
}

func (m *measured) print(w io.Writer, gate bool) {
	for _, s := range m.skipped {
		fmt.Fprintln(w, "not measured:", s)
	}
	for _, f := range m.figures {
		fmt.Fprintln(w, f.both())
	}
	fmt.Fprintf(w, "bars: %d reported, tests: %s\n", len(m.figures), m.report.Result())
	if late := m.late(); gate && len(late) > 0 {
		var rows []string
		for _, f := range late {
			rows = append(rows, f.name())
		}
		fmt.Fprintln(w, "short here, and left to a quiet machine:", strings.Join(rows, ", "))
	}
}

// both is the line with the figure of the first attempt beside that of the second.
func (f figure) both() bar.Line {
	l := f.Line
	if f.first != "" {
		l.Figure += " (first " + f.first + ")"
	}
	return l
}
