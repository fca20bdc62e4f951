package fault

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProblemsNameEveryField(t *testing.T) {
	var p Problems
	if err := p.Err(); err != nil {
		t.Fatalf("empty problems = %v, want nil", err)
	}
	p.Add("email", "must not be empty")
	p.Add("role", "must be admin or viewer")
	f, ok := Of(fmt.Errorf("create user: %w", p.Err()))
	if !ok {
		t.Fatal("a wrapped fault was not found")
	}
	want := []Field{{"email", "must not be empty"}, {"role", "must be admin or viewer"}}
	if d := cmp.Diff(f.Fields, want); d != "" {
		t.Error(d)
	}
}

func TestCheckKeepsOtherErrors(t *testing.T) {
	var p Problems
	broken := errors.New("disk on fire")
	if err := p.Check("password", broken); !errors.Is(err, broken) {
		t.Errorf("Check = %v, want the error itself", err)
	}
	if err := p.Check("password", New(Invalid, "too short")); err != nil {
		t.Errorf("Check = %v, want it recorded", err)
	}
	if !Is(p.Err(), Invalid) {
		t.Error("the recorded problem is gone")
	}
}

func TestIsTellsKindsApart(t *testing.T) {
	err := fmt.Errorf("delete: %w", New(Conflict, "in use"))
	if !Is(err, Conflict) || Is(err, NotFound) || Is(nil, Conflict) {
		t.Error("Is mixes kinds up")
	}
}
