package apply

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway/internal/fault"
)

func TestDecodeStrict(t *testing.T) {
	for _, tc := range []struct {
		name, line string
		ok         bool
	}{
		{"what is known passes", `{"verb":"service","action":"on","service":"waf"}`, true},
		{"blanks around it pass", ` {"verb":"service"} ` + "\n", true},
		{"an unknown field is refused", `{"verb":"service","unit":"ssh.service"}`, false},
		{"a second object is refused", `{"verb":"service"}{}`, false},
		{"a stray brace is refused", `{"verb":"service"}}`, false},
		{"nothing is refused", ``, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var r serviceRequest
			err := decodeStrict([]byte(tc.line), &r)
			if (err == nil) != tc.ok || err != nil && !fault.Is(err, fault.Invalid) {
				t.Errorf("err = %v, want ok: %t", err, tc.ok)
			}
		})
	}
}

func TestTheWireKeepsTheWords(t *testing.T) {
	sent := fault.New(fault.Conflict, "%q is used by %d rules", "a", 2).WithCode("in_use")
	line, err := json.Marshal(toWire(fmt.Errorf("delete: %w", sent)))
	if err != nil {
		t.Fatal(err)
	}
	var a errorAnswer
	if err := json.Unmarshal(line, &a); err != nil {
		t.Fatal(err)
	}
	got, ok := fault.Of(fromWire(a.Error))
	if d := cmp.Diff(got, sent); !ok || d != "" {
		t.Error(d)
	}
	came := syncAnswer{State: "pending", Why: "a b", Words: &fault.Words{Text: "a %s", Params: []string{"b"}}}
	if d := cmp.Diff(came.why(), fault.Said("a %s", "b")); d != "" {
		t.Error(d)
	}
}
