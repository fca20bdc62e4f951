package testrun

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// FailuresEnv and UnsteadyEnv name the files to which a run appends what it says of
// failed and unsteady tests, for the script that shows those of all runs at its end.
const (
	FailuresEnv = "GATEWAY_TEST_FAILURES"
	UnsteadyEnv = "GATEWAY_TEST_UNSTEADY"
)

const (
	mostLines   = 5 // of each test
	mostLetters = 400

	longSeconds = 10 // from which on a test is named
	mostLong    = 8
)

// Report is what became of every test in the end, and before that of those that ran
// twice.
type Report struct {
	attempt
	earlier map[name]*outcome
	skip    string // the pattern of what was left out
}

func newReport(a attempt, flags []string) *Report {
	r := &Report{attempt: a, earlier: map[name]*outcome{}}
	for _, f := range flags {
		if skip, ok := strings.CutPrefix(f, "-skip="); ok {
			r.skip = skip
		}
	}
	return r
}

// Result counts what there is in the end.
func (r *Report) Result() Result {
	var sum Result
	for _, o := range r.tests {
		sum.add(o.counts)
	}
	sum.Unsteady = len(r.unsteady())
	return sum
}

func (r *Report) unsteady() []name {
	return r.names(func(n name, o *outcome) bool { return r.earlier[n] != nil && o.good() })
}

func (r *Report) failures() []name {
	return r.names(func(n name, o *outcome) bool { return !o.good() })
}

// Unsteady names the tests that failed first and passed when they ran again.
func (r *Report) Unsteady() []string {
	var out []string
	for _, n := range r.unsteady() {
		out = append(out, n.String())
	}
	return out
}

// Publish prints what a reader needs of the failed and the unsteady tests when the
// rest of the output is gone: their names, and the first lines in which each
// complained, in both attempts. It appends the same to the files of the script.
func (r *Report) Publish(w io.Writer) error {
	failed, unsteady := r.digest("failed", r.failures()), r.digest("unsteady", r.unsteady())
	_, err := fmt.Fprint(w, r.longest(), failed, unsteady)
	for env, text := range map[string]string{FailuresEnv: failed, UnsteadyEnv: unsteady} {
		if path := os.Getenv(env); path != "" && text != "" {
			err = errors.Join(err, appendTo(path, text))
		}
	}
	return err
}

// longest names the tests that a stage waits for most.
func (r *Report) longest() string {
	slow := r.names(func(n name, o *outcome) bool { return n.test != "" && o.seconds >= longSeconds })
	slices.SortStableFunc(slow, func(a, b name) int { return cmp.Compare(r.tests[b].seconds, r.tests[a].seconds) })
	var words []string
	for _, n := range slow[:min(len(slow), mostLong)] {
		words = append(words, fmt.Sprintf("%s %.0f s", n.test, r.tests[n].seconds))
	}
	if len(words) == 0 {
		return ""
	}
	return "longest: " + strings.Join(words, ", ") + "\n"
}

func (r *Report) digest(word string, names []name) string {
	var b strings.Builder
	for _, n := range names {
		if e := r.earlier[n]; e != nil {
			fmt.Fprintf(&b, "%s: %s, ran twice\n  first: %s\n", word, n, how(e))
			e.print(&b, n)
			fmt.Fprintf(&b, "  then: %s\n", how(r.tests[n]))
			r.tests[n].print(&b, n)
			continue
		}
		r.printOnce(&b, word, n)
	}
	return b.String()
}

// printOnce names the parts of a failed test that said something, or the test. A
// package is named only if none of its tests tells why it failed.
func (r *Report) printOnce(w io.Writer, word string, n name) {
	o := r.tests[n]
	if n.test == "" && slices.ContainsFunc(r.in(n.pkg), func(t name) bool { return !r.tests[t].good() }) {
		return
	}
	if len(o.said) == 0 {
		fmt.Fprintf(w, "%s: %s\n", word, n)
	}
	for _, s := range o.said {
		fmt.Fprintf(w, "%s: %s\n", word, name{n.pkg, s.test})
		s.print(w)
	}
}

func how(o *outcome) string {
	switch o.action {
	case "pass":
		return fmt.Sprintf("passed in %.1f s", o.seconds)
	case "skip":
		return "skipped"
	case "fail":
		return fmt.Sprintf("failed after %.1f s", o.seconds)
	}
	return "did not end"
}

func (o *outcome) print(w io.Writer, n name) {
	for _, s := range o.said {
		if s.test != n.test {
			fmt.Fprintln(w, "   ", s.test)
		}
		s.print(w)
	}
}

func (s saying) print(w io.Writer) {
	for _, l := range s.lines[:min(len(s.lines), mostLines)] {
		if l = strings.TrimSpace(l); len(l) > mostLetters {
			l = strings.ToValidUTF8(l[:mostLetters], "") + "..."
		}
		fmt.Fprintln(w, "   ", l)
	}
}

var place = regexp.MustCompile(`^\s*(\w+_test\.go):([0-9]+): `)

// mayComplain is a line of a test's own, its figure, or the last words of one that died.
func mayComplain(line string) bool {
	return place.MatchString(line) || strings.HasPrefix(line, "BAR ") || strings.HasPrefix(strings.TrimSpace(line), "panic: ")
}

// complaints leaves out what a test only logged.
func complaints(pkg string, lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return isLog(pkg, l) })
}

var logCall = regexp.MustCompile(`\bLogf?\(`)

// isLog asks the source which call it was: go test prints errors and logs alike.
func isLog(pkg, line string) bool {
	m := place.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	n, err := strconv.Atoi(m[2])
	_, dir, _ := strings.Cut(pkg, "/") // from the module's name on
	src, err2 := os.ReadFile(filepath.Join(filepath.FromSlash(dir), m[1]))
	if errors.Join(err, err2) != nil {
		return false
	}
	lines := strings.Split(string(src), "\n")
	return n >= 1 && n <= len(lines) && logCall.MatchString(lines[n-1])
}
