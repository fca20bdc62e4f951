package logs

import (
	"testing"

	"gateway/internal/fault"
	"gateway/internal/identity"
)

func TestNobodyHasAllTheStreams(t *testing.T) {
	p := perAccount{most: 3, each: 2}
	ann := identity.With(t.Context(), identity.Identity{Email: "ann@example.com"})
	ben := identity.With(t.Context(), identity.Identity{Email: "ben@example.com"})
	var leave []func()
	for range 2 {
		l, err := p.enter(ann)
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, l)
	}
	if _, err := p.enter(ann); !fault.Is(err, fault.TooMany) {
		t.Errorf("a third one of the same account: %v", err)
	}
	if _, err := p.enter(ben); err != nil {
		t.Errorf("one of another account: %v", err)
	}
	if _, err := p.enter(ben); !fault.Is(err, fault.TooMany) {
		t.Errorf("a fourth one in all: %v", err)
	}
	leave[0]()
	if _, err := p.enter(ann); err != nil {
		t.Errorf("after one has left: %v", err)
	}
}
