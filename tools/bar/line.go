package bar

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
)

// Line is one measured figure: row Row of the area's list of bars.
type Line struct {
	Area   string
	Row    int
	Figure string
	Target string
	OK     bool
}

var lineForm = regexp.MustCompile(`^BAR ([a-z][a-z0-9-]*)\.([0-9]{1,4}) (\S.*) target (\S.*) (ok|short)$`)

// Parse reads what String wrote.
func Parse(s string) (Line, error) {
	m := lineForm.FindStringSubmatch(s)
	if m == nil {
		return Line{}, fmt.Errorf("not a BAR line: %q", s)
	}
	row, err := strconv.Atoi(m[2])
	if err != nil {
		return Line{}, fmt.Errorf("row of %q: %w", s, err)
	}
	return Line{Area: m[1], Row: row, Figure: m[3], Target: m[4], OK: m[5] == "ok"}, nil
}

// String is the form that tests print: BAR <area>.<row> <figure> target <target> ok|short.
func (l Line) String() string {
	return fmt.Sprintf("BAR %s.%d %s target %s %s", l.Area, l.Row, l.Figure, l.Target, l.Verdict())
}

// Verdict is "ok" or "short".
func (l Line) Verdict() string {
	if l.OK {
		return "ok"
	}
	return "short"
}

// Compare orders lines by area, then by row number.
func Compare(a, b Line) int {
	return cmp.Or(cmp.Compare(a.Area, b.Area), cmp.Compare(a.Row, b.Row))
}
