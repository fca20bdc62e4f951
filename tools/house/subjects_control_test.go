package house

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// plantedNames are files of the product that name objects in each way that is followed.
var plantedNames = map[string]string{
	"internal/fault/a.go": `package fault

func Named(subject string) string { return subject }
`,
	"internal/daemon/a.go": `package daemon

type Problem struct{ Subject string }

type Opening struct{ Why string }

func Invalid(subject string) Problem { return Problem{Subject: subject} }
`,
	"internal/rtnl/reconcile/a.go": `package reconcile

type Trouble struct{ Subject string }

type Step struct{ What string }
`,
	"internal/packetfilter/a.go": `package packetfilter

type Problem struct{ Subject string }

type Opening struct{ Why string }

type Decider struct{ Why string }
`,
	"internal/b/b.go": `package b

import (
	"fmt"

	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/rtnl/reconcile"
)

type renderer struct{ problems []daemon.Problem }

func (r *renderer) leaveOut(subject string) { r.problems = append(r.problems, daemon.Problem{Subject: subject}) }

func typed[T any](r *renderer, what string, list []T) {
	for _, one := range list {
		r.leaveOut(what + " " + fmt.Sprint(one))
	}
}

type route struct {
	number int
	what   string
}

func name(n string) string {
	if n == "" {
		return "a planted thing"
	}
	return "planted thing " + n
}

func f(r *renderer, n string, a, b int) {
	skip := func(what string) { r.problems = append(r.problems, daemon.Invalid(what)) }
	skip("a literal")
	skip(fmt.Sprintf("the format %q", n))
	r.leaveOut("the sum " + n)
	typed(r, "the generic", []int{a})
	what := "a variable " + n
	_ = reconcile.Step{What: what + ": part"}
	_ = []reconcile.Trouble{{Subject: fmt.Sprintf("the prefix %s", fmt.Sprintf("%d/%d", a, b))}}
	w := route{a, "the field " + n}
	_ = reconcile.Step{What: w.what}
	_ = fault.Named(name(n))
	_ = fault.Named(r.problems[0].Subject)
}
`,
}

func TestNamesThatNobodyCanLookUpAreFound(t *testing.T) {
	var all []source
	for name, text := range plantedNames {
		all = append(all, parse(t, name, text))
	}
	said := subjectsIn(all).said()
	want := []string{
		"a literal", "a planted thing", "a variable %s: part", "planted thing %s", "the field %s", "the format %s", "the generic %s", "the prefix %s", "the sum %s",
	}
	if got := slices.Sorted(maps.Keys(said)); !slices.Equal(got, want) {
		t.Fatalf("found %q, want %q", got, want)
	}
	named := func(s string) string {
		if strings.HasPrefix(s, "the sum ") {
			return "the %s" // a text that comes too early in the list
		}
		return strings.ReplaceAll(s, "0", "%s")
	}
	for _, tc := range []struct {
		name   string
		listed []string
		named  func(string) string
		wrong  int
	}{
		{"all are known but one", want, named, 1},
		{"none is known", nil, func(string) string { return "" }, len(want)},
		{"one is stale", append(want, "gone"), named, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if wrong := judgeSubjects(said, tc.listed, tc.named); len(wrong) != tc.wrong {
				t.Errorf("found %q, want %d", wrong, tc.wrong)
			}
		})
	}
}
