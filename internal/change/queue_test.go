package change

import (
	"context"
	"runtime"
	"testing"
	"time"

	"gateway/internal/fault"
)

// entered reports whether a change of the component gets its turn at once.
func entered(q *queue, component string) bool {
	return q.enter(context.Background(), component, 0) == nil
}

func TestFewChangesAreUnderWayAtOnce(t *testing.T) {
	q := newQueue(2, 10)
	for _, c := range []string{"dns", "ntp"} {
		if !entered(q, c) {
			t.Fatalf("%s has to wait with nobody before it", c)
		}
	}
	if entered(q, "proxy") {
		t.Error("a third change is under way, want two")
	}
	q.leave("dns")
	if !entered(q, "proxy") {
		t.Error("a place is free and proxy has to wait")
	}
}

func TestChangesOfOneComponentGoOneByOneAndOthersPass(t *testing.T) {
	q := newQueue(2, 10)
	if !entered(q, "dns") {
		t.Fatal("dns has to wait with nobody before it")
	}
	second := make(chan error)
	go func() { second <- q.enter(context.Background(), "dns", time.Minute) }()
	q.waitFor(1)
	if !entered(q, "ntp") {
		t.Error("ntp waits behind a change of dns")
	}
	q.leave("dns")
	if err := <-second; err != nil {
		t.Errorf("the second change of dns: %v", err)
	}
}

// waitFor returns when so many wait.
func (q *queue) waitFor(n int) {
	for ; ; runtime.Gosched() {
		q.mu.Lock()
		waiting := len(q.waiting)
		q.mu.Unlock()
		if waiting == n {
			return
		}
	}
}

func TestAFullQueueAndALongWaitAskForAnotherTry(t *testing.T) {
	q := newQueue(1, 1)
	if !entered(q, "dns") {
		t.Fatal("dns has to wait with nobody before it")
	}
	late := q.enter(context.Background(), "dns", time.Millisecond)
	ctx, cancel := context.WithCancel(context.Background())
	waits := make(chan error)
	go func() { waits <- q.enter(ctx, "dns", time.Minute) }()
	q.waitFor(1)
	for name, err := range map[string]error{"late": late, "full": q.enter(context.Background(), "ntp", time.Minute)} {
		f, ok := fault.Of(err)
		if !ok || f.Kind != fault.TooMany || f.Code != "busy" || f.RetryAfter == 0 {
			t.Errorf("%s: %v, want to be told when to try again", name, err)
		}
	}
	cancel()
	if err := <-waits; err != context.Canceled { //nolint:errorlint // it comes as it is
		t.Errorf("a caller who hung up: %v", err)
	}
	q.leave("dns")
	if len(q.running)+len(q.waiting) != 0 {
		t.Errorf("%v run and %d wait after everybody left", q.running, len(q.waiting))
	}
}
