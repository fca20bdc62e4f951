package testrun

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// name is a test with all its subtests; without a test it is the package itself.
type name struct{ pkg, test string }

func (n name) String() string { return strings.TrimSpace(n.pkg + " " + n.test) }

// outcome is what became of a test in one attempt.
type outcome struct {
	counts  Result // of it and its subtests
	action  string // pass, fail or skip; empty when its end was never seen
	seconds float64
	raced   bool     // the race detector complained of it
	said    []saying // of those parts of it that said something
}

// saying is what one test or subtest said: where it failed, or in all when it passed.
type saying struct {
	test  string
	lines []string
}

func (o *outcome) good() bool { return o.action == "pass" || o.action == "skip" }

// attempt is what one "go test" showed.
type attempt struct {
	tests map[name]*outcome
	died  map[string]bool // packages whose binary did not come to its end
}

func newAttempt() attempt {
	return attempt{tests: map[name]*outcome{}, died: map[string]bool{}}
}

func (a attempt) of(n name) *outcome {
	if a.tests[n] == nil {
		a.tests[n] = &outcome{}
	}
	return a.tests[n]
}

// end notes how a test, a subtest or, when no test of it failed, a package ended.
func (a attempt) end(e event, lines []string) {
	o := a.of(name{e.Package, whole(e.Test)})
	o.counts.count(e.Action)
	if e.Test == whole(e.Test) {
		o.action, o.seconds = e.Action, e.Elapsed
	}
	o.say(e.Test, lines)
}

func (o *outcome) say(test string, lines []string) {
	if len(lines) > 0 {
		o.said = append(o.said, saying{test, lines})
	}
}

func (a attempt) failed() bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(a.tests)), func(o *outcome) bool { return o.counts.Failed > 0 })
}

// in are the names of a package, the package itself not among them.
func (a attempt) in(pkg string) []name {
	return a.names(func(n name, _ *outcome) bool { return n.pkg == pkg && n.test != "" })
}

// names are those that are wanted, in order.
func (a attempt) names(wanted func(name, *outcome) bool) []name {
	var out []name
	for n, o := range a.tests {
		if wanted(n, o) {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b name) int { return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.test, b.test)) })
	return out
}

// whole is the test that a subtest belongs to.
func whole(test string) string {
	top, _, _ := strings.Cut(test, "/")
	return top
}
