package restore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gateway/internal/fault"
	"gateway/internal/restore"
)

const someID = "0198c0de-0000-7000-8000-000000000001"

// The unit has more rights than the API, whose file this is.
func TestARequestIsValidated(t *testing.T) {
	many := `{"confirm_within":600,"links":{"x":"x"` + strings.Repeat(`,"a":"b"`, 3) + `}}`
	for _, tc := range []struct {
		name, id, text string
		right          bool
	}{
		{"a plain one", someID, `{"confirm_within":600,"actor":"ann@example.com"}`, true},
		{"with links", someID, `{"confirm_within":120,"links":{"eth0":"enp1s0","eth1":"eth0"}}`, true},
		{"an id that is a path", "../../etc/passwd", `{"confirm_within":600}`, false},
		{"no JSON", someID, `confirm`, false},
		{"too short a time", someID, `{"confirm_within":1}`, false},
		{"too long a time", someID, `{"confirm_within":86400}`, false},
		{"a link that is a statement", someID, `{"confirm_within":600,"links":{"eth0":"x'; drop"}}`, false},
		{"two links to one", someID, `{"confirm_within":600,"links":{"eth0":"a","eth1":"a"}}`, false},
		{"the last of equal keys", someID, many, true},
		{"an actor with a line break", someID, `{"confirm_within":600,"actor":"a\nb"}`, false},
	} {
		if _, err := restore.ParseRequest(tc.id, []byte(tc.text)); (err == nil) != tc.right {
			t.Errorf("%s: %v, want right: %v", tc.name, err, tc.right)
		}
	}
}

func TestOnlyARestoreThatWaitsIsAnswered(t *testing.T) {
	dir := t.TempDir()
	if _, err := restore.WriteAnswer(dir, restore.Confirm); !fault.Is(err, fault.Conflict) {
		t.Errorf("without a restore: %v", err)
	}
	s := restore.NotBegun(someID, time.Now(), fault.Say("no"))
	if s.Result != restore.Refused || s.Finished == nil || s.Error.Message != "no" {
		t.Errorf("a refused one is %+v", s)
	}
	if err := os.WriteFile(filepath.Join(dir, restore.StateFile), []byte(`{"backup_id":"`+someID+`","steps":[],"confirm_until":"2026-01-01T00:00:00Z"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := restore.WriteAnswer(dir, restore.Undo); err != nil {
		t.Error(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := restore.RemoteFiles{Helpers: &restore.Helpers{State: root}}
	if got, err := files.Answer(t.Context(), someID); err != nil || got != restore.Undo {
		t.Errorf("the answer is %q, %v", got, err)
	}
	if got, err := files.Answer(t.Context(), strings.Replace(someID, "1", "2", 1)); err != nil || got != restore.NoAnswer {
		t.Errorf("another restore is answered %q, %v", got, err)
	}
}
