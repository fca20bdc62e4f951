package api

import (
	"context"
	"testing"
	"testing/synctest"

	"gateway/internal/fault"
)

func TestPlacesAreWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := make(slots, 1)
		if err := p.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := p.enter(t.Context()); !fault.Is(err, fault.TooMany) {
			t.Errorf("a second one = %v, want too many", err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := p.enter(gone); err == nil {
			t.Error("a caller who hung up got in")
		}
		go p.leave()
		if err := p.enter(t.Context()); err != nil {
			t.Errorf("when the place is free: %v", err)
		}
		if err := slots(nil).enter(t.Context()); err != nil {
			t.Errorf("where nothing is bounded: %v", err)
		}
	})
}
