package problem_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway/internal/fault"
	"gateway/internal/problem"
)

func TestAParameterThatIsASentenceHasItsWordsBeside(t *testing.T) {
	k := problem.Kind{Code: "toy.broken", Message: "{toy} is broken: {why}"}
	p := k.On(problem.Subject{}, "", problem.Params{"toy": fault.Said("ball %s", "a"), "why": fault.Sentence{Message: "no air"}})
	want := problem.Params{"toy": "ball a", "toy_words": &fault.Words{Text: "ball %s", Params: []string{"a"}}, "why": "no air"}
	if d := cmp.Diff(p.Params, want); d != "" {
		t.Error(d)
	}
	if p.Message != "Ball a is broken: no air" {
		t.Errorf("message = %q, want it with a capital", p.Message)
	}
	if named := k.On(problem.Subject{}, "", problem.Params{"toy": "eth0", "why": "dust"}); named.Message != "eth0 is broken: dust" {
		t.Errorf("message = %q, want the name as it is", named.Message)
	}
}
