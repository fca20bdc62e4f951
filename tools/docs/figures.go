package docs

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// number is a figure as a page writes it: 3,819,072 or 1.17 or 45 ms or 1/14.
var number = regexp.MustCompile(`(?:\d+/\d+|\d[\d,]*\d|\d)(?:\.\d+)?(?: ?(?:ms|us|s|MiB|MB|GiB|kB|%)\b)?`)

// figure is a number with what it counts; text where it is not a quantity.
type figure struct {
	text     string
	value    float64
	unit     string
	decimals int
}

var units = map[string]struct {
	unit   string
	factor float64
}{"us": {"s", 1e-6}, "ms": {"s", 1e-3}, "s": {"s", 1}}

func parseFigure(s string) figure {
	f := figure{text: s}
	digits := strings.TrimRight(s, " msuMiBGk%")
	f.unit = strings.TrimSpace(s[len(digits):])
	if strings.Contains(digits, "/") {
		return figure{text: s, value: math.NaN()}
	}
	digits = strings.ReplaceAll(digits, ",", "")
	if _, after, ok := strings.Cut(digits, "."); ok {
		f.decimals = len(after)
	}
	f.value, _ = strconv.ParseFloat(digits, 64)
	return f
}

// says is whether a figure of the README is the measured one: the same, or rounded to the
// digits that the README has. Nothing but nothing is rounded to nothing.
func (f figure) says(m figure) bool {
	if math.IsNaN(f.value) || math.IsNaN(m.value) {
		return f.text == m.text
	}
	value := m.value
	if f.unit != m.unit {
		from, to := units[m.unit], units[f.unit]
		if from.unit == "" || from.unit != to.unit {
			return false
		}
		value *= from.factor / to.factor
	}
	if f.value == 0 || value == 0 {
		return f.value == value
	}
	scale := math.Pow10(f.decimals)
	return math.Round(value*scale+1e-6) == math.Round(f.value*scale)
}

func figuresIn(s string) (out []figure) {
	for _, n := range number.FindAllString(s, -1) {
		out = append(out, parseFigure(n))
	}
	return out
}

func cells(line string) []string {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "|") || !strings.HasSuffix(line, "|") || len(line) < 2 {
		return nil
	}
	out := strings.Split(line[1:len(line)-1], "|")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// measuredRows are the figures and targets of docs/measured.md, by row. What a test said
// before it was run once more is no figure.
func measuredRows(page string) map[string][]figure {
	rows := map[string][]figure{}
	for line := range strings.Lines(page) {
		if c := cells(line); len(c) > 4 && rowNames.MatchString("`"+c[0]+"`") {
			told, _, _ := strings.Cut(c[2], " (first ")
			rows[c[0]] = append(rows[c[0]], figuresIn(told+" ; "+c[3])...)
		}
	}
	return rows
}

// rowNames is the last cell of a table row with figures: `proxy.4`, `proxy.2`.
var rowNames = regexp.MustCompile("^`[a-z]+\\.[0-9]+`(?:, `[a-z]+\\.[0-9]+`)*$")

// namedRows are the rows that a line of a table names.
func namedRows(line string) []string {
	if c := cells(line); len(c) > 1 && rowNames.MatchString(c[len(c)-1]) {
		return strings.Split(strings.ReplaceAll(c[len(c)-1], "`", ""), ", ")
	}
	return nil
}

// Measured is a page with nothing but the lines that name rows of docs/measured.md.
func Measured(page string) string {
	lines := strings.Split(page, "\n")
	for i, line := range lines {
		if namedRows(line) == nil {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

// What is no figure: code, addresses of links and pictures, and numbers that belong to a name.
var noFigure = regexp.MustCompile("`[^`]*`" + `|\]\([^)]*\)|(?:Debian|Go|Node|PostgreSQL|HTTP|License|TLS)[ /][0-9.]+`)

// Unmeasured returns the figures of a page that docs/measured.md does not have, and how
// many figures there are. A table row names its rows of measured.md in its last cell; all
// other text has no figure but the conformance, "318 of 628", as "make conformance" counts it.
func Unmeasured(name, page, measured, conformance string) (missing []string, all int) {
	rows := measuredRows(measured)
	for i, line := range strings.Split(keepLines(page), "\n") {
		var have []figure
		for _, row := range namedRows(line) {
			have = append(have, rows[row]...)
		}
		if rest := strings.ReplaceAll(line, conformance, ""); conformance != "" && rest != line {
			all, line = all+1, rest
		}
		for _, f := range figuresIn(noFigure.ReplaceAllString(line, " ")) {
			all++
			if !isIn(f, have) {
				missing = append(missing, fmt.Sprintf("%s:%d: %s is not in docs/measured.md", name, i+1, f.text))
			}
		}
	}
	return missing, all
}

func isIn(f figure, have []figure) bool {
	for _, m := range have {
		if f.says(m) {
			return true
		}
	}
	return false
}

// keepLines empties the blocks, and keeps the numbers of the lines after them.
func keepLines(text string) string {
	return regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllStringFunc(text, func(block string) string {
		return strings.Repeat("\n", strings.Count(block, "\n"))
	})
}
