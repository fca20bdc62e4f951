package change

import (
	"strings"
	"testing"

	"gateway/internal/apply"
	"gateway/internal/fault"
	"gateway/internal/problem"
)

// Whatever keeps a component from running on what is stored says why.
func TestEveryProblemOfAComponentHasAReason(t *testing.T) {
	why := fault.Said("the disk is full")
	tests := []struct {
		name   string
		state  apply.State
		code   string
		reason string
	}{
		{"an unconfirmed change whose rows are still there", apply.State{Stage: apply.Held}, "change.held", "an unconfirmed change is being reverted, and the database does not answer"},
		{"rows that cannot be reverted", apply.State{Stage: apply.Held, Error: why.Message, ErrorWords: why.Beside()}, "change.held", "the disk is full"},
		{"a failed apply", apply.State{Stage: apply.FailedIt, Error: why.Message, ErrorWords: why.Beside()}, "change.not_applied", "the disk is full"},
		{"edits that are kept", apply.State{Stage: apply.Held, KeepEdits: true, Drift: []string{"a.conf"}}, "change.edits_kept", "a.conf"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			tc.state.Component = "dns"
			r := problem.Report{States: map[string]problem.States{"component": {}}}
			judge(&r, tc.state)
			if len(r.Problems) != 1 || r.Problems[0].Code != tc.code {
				t.Fatalf("problems %+v, want one %s", r.Problems, tc.code)
			}
			p := r.Problems[0]
			if !strings.Contains(p.Message, tc.reason) || strings.HasSuffix(p.Message, ": ") {
				t.Errorf("message %q, want that it says %q", p.Message, tc.reason)
			}
			if state := r.States["component"]["dns"]; state.Message != p.Message {
				t.Errorf("the state says %q, the problem %q", state.Message, p.Message)
			}
			if tc.code == "change.held" && p.Params["reason_words"] == nil {
				t.Error("the reason cannot be translated: it has no words")
			}
		})
	}
}
