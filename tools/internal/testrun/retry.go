package testrun

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// mostRetries bounds what is run again: where more has failed, it is not chance.
const mostRetries = 10

// again runs "go test" once more with the flags of the first run and these arguments.
type again func(args ...string) (attempt, error)

// retry runs what failed once more. A binary that died took tests with it that had
// not ended or not begun: these run as one go. Then every test that has failed once
// runs alone. What does not build is not tried again, nor a data race: to have seen
// one is enough.
func (r *Report) retry(run again, w io.Writer) error {
	for _, pkg := range slices.Sorted(maps.Keys(r.died)) {
		if !r.died[pkg] {
			continue
		}
		fmt.Fprintf(w, "=== again, what did not end: %s\n", pkg)
		a, err := run("-count=1", "-skip="+r.skipEnded(pkg), pkg)
		if err != nil {
			return err
		}
		r.takeRest(pkg, a)
	}
	once := r.names(func(n name, o *outcome) bool {
		return o.action == "fail" && !o.raced && n.test != "" && r.earlier[n] == nil
	})
	if len(once) > mostRetries {
		fmt.Fprintf(w, "=== %d tests failed: too many to be chance, none is run again\n", len(once))
		return nil
	}
	for _, n := range once {
		fmt.Fprintf(w, "=== again, alone: %s\n", n)
		a, err := run("-count=1", "-run=^"+regexp.QuoteMeta(n.test)+"$", n.pkg)
		if err != nil {
			return err
		}
		r.takeAlone(n, a)
	}
	return nil
}

// skipEnded is a pattern for the tests that came to an end, and for what the first
// run left out: a flag given twice counts once.
func (r *Report) skipEnded(pkg string) string {
	var ended []string
	for _, n := range r.in(pkg) {
		if r.tests[n].action != "" {
			ended = append(ended, regexp.QuoteMeta(n.test))
		}
	}
	pattern := "^(" + strings.Join(ended, "|") + ")$"
	if r.skip != "" {
		pattern = r.skip + "|" + pattern
	}
	return pattern
}

// takeRest takes the second attempt of what a dead binary left undone. Who of the
// tests that had begun is to blame is known only if none of the others has failed.
func (r *Report) takeRest(pkg string, a attempt) {
	self := name{pkg, ""}
	blamed := r.tests[self] != nil
	for _, n := range r.in(pkg) {
		if r.tests[n].action != "" {
			continue
		}
		if blamed {
			r.earlier[n] = r.tests[n]
		}
		delete(r.tests, n)
	}
	if blamed && !slices.ContainsFunc(slices.Collect(maps.Keys(r.earlier)), func(n name) bool { return n.pkg == pkg }) {
		r.earlier[self] = r.tests[self]
	}
	delete(r.tests, self)
	maps.Copy(r.tests, a.tests)
	switch {
	case a.died[pkg]: // whoever did it, there are still tests that nobody has seen
		r.tests[self] = &outcome{action: "fail", counts: Result{Failed: 1}, said: []saying{{"", []string{"it died twice"}}}}
	case r.earlier[self] != nil && r.tests[self] == nil:
		r.tests[self] = &outcome{action: "pass"}
	}
}

// takeAlone takes the second attempt of a test. It passes only if its package does.
func (r *Report) takeAlone(n name, a attempt) {
	r.earlier[n] = r.tests[n]
	if a.failed() || a.tests[n] == nil {
		o := a.of(n)
		o.action, o.counts.Failed = "fail", max(o.counts.Failed, 1)
	}
	r.tests[n] = a.tests[n]
}
