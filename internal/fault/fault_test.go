package fault

import (
	"errors"
	"fmt"
	"testing"
	"time"

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
	want := []Field{{"email", Said("must not be empty")}, {"role", Said("must be admin or viewer")}}
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

func TestASentenceKeepsWhatATranslationNeeds(t *testing.T) {
	for _, tc := range []struct {
		name   string
		got    Sentence
		msg    string
		text   string
		params []string
	}{
		{"without parameters", Said("is required"), "is required", "is required", nil},
		{"each by its own verb", Said("%q has %d of %v (%5.1f%%)", "a b", 3, time.Minute, 4.25), `"a b" has 3 of 1m0s (  4.2%)`, "%q has %d of %v (%5.1f%%)", []string{`"a b"`, "3", "1m0s", "  4.2"}},
		{"of a validator's error", SentenceOf(Say("at most %d", 9)), "at most 9", "at most %d", []string{"9"}},
		{"of a fault", SentenceOf(New(Conflict, "used by %s", "x")), "used by x", "used by %s", []string{"x"}},
		{"of a wrapped one, which says more", SentenceOf(fmt.Errorf("record 3: %w", Say("is taken"))), "record 3: is taken", "", nil},
		{"of a fault with fields, which says more", SentenceOf(At("name", "is taken")), "the request is not valid: name is taken", "", nil},
		{"of any other error", SentenceOf(errors.New("disk on fire")), "disk on fire", "", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if d := cmp.Diff(tc.got, Sentence{tc.msg, Words{Text: tc.text, Params: tc.params}}); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestASentenceWithinAnotherKeepsItsWords(t *testing.T) {
	why := Said("%s would be %s", "eth0", Said("without the address %s", "192.0.2.1"))
	got := New(Conflict, "refused for %s: %s", "you", why).Sentence
	want := Sentence{"refused for you: eth0 would be without the address 192.0.2.1", Words{
		Text: "refused for %s: %s", Params: []string{"you", "eth0 would be without the address 192.0.2.1"},
		Nested: map[string]Words{"1": {
			Text: "%s would be %s", Params: []string{"eth0", "without the address 192.0.2.1"},
			Nested: map[string]Words{"1": {Text: "without the address %s", Params: []string{"192.0.2.1"}}},
		}},
	}}
	if d := cmp.Diff(got, want); d != "" {
		t.Error(d)
	}
	foreign := Said("refused: %s", Sentence{Message: "no such device"}) // the kernel's words
	if d := cmp.Diff(foreign, Sentence{"refused: no such device", Words{Text: "refused: %s", Params: []string{"no such device"}}}); d != "" {
		t.Error(d)
	}
}

func TestCheckAndAddErrorKeepTheWords(t *testing.T) {
	var p Problems
	_ = p.Check("password", New(Invalid, "at least %d characters", 12))
	p.AddError("name", Say("at most %d characters", 64))
	f, _ := Of(p.Err())
	want := []Field{{"password", Said("at least %d characters", 12)}, {"name", Said("at most %d characters", 64)}}
	if d := cmp.Diff(f.Fields, want); d != "" {
		t.Error(d)
	}
}

func TestARefusalNamesTheFirstUsersAndCountsAll(t *testing.T) {
	all := make([]Use, MostUses+3)
	if got := UsesOf(all...); len(got.UsedBy) != MostUses || got.UsedByTotal != len(all) {
		t.Errorf("%d of %d are named", len(got.UsedBy), got.UsedByTotal)
	}
	if got := UsesOf(all[:1]...); len(got.UsedBy) != 1 || got.UsedByTotal != 1 {
		t.Errorf("%d of %d are named, want the only one", len(got.UsedBy), got.UsedByTotal)
	}
}
