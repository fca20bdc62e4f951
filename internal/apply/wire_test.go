package apply

import (
	"testing"

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
