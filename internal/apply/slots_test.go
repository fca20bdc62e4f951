package apply

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway/internal/daemon"
	"gateway/internal/fault"
)

// verbs is an engine with verbs of each kind: all of them wait until told, but for "probe".
type verbs struct {
	begun chan string
	hold  chan struct{}
}

func (v verbs) engine() *Engine {
	held := func(name string) daemon.Verb {
		return func(ctx context.Context, _ json.RawMessage) (any, error) {
			v.begun <- name
			select {
			case <-v.hold:
			case <-ctx.Done():
			}
			return name, nil
		}
	}
	return NewEngine(EngineOptions{Clock: Clock{Now: time.Now}, Daemons: []daemon.Daemon{{
		Config: daemon.Config{Name: "lamp"},
		Verbs: map[string]daemon.Verb{
			"log": held("log"), "look": held("look"),
			"probe": func(context.Context, json.RawMessage) (any, error) { return "probed", nil },
			"all":   func(context.Context, json.RawMessage) (any, error) { return strings.Repeat("x", maxAnswer), nil },
		},
		Waits: []string{"log"}, Urgent: []string{"probe"},
	}}})
}

func TestRequestsOfOneKindDoNotKeepOthersWaiting(t *testing.T) {
	v := verbs{begun: make(chan string), hold: make(chan struct{})}
	f := &fakeHost{loaded: true}
	h := serve(t, f, func(s *Server) { s.engine = v.engine() })
	var under sync.WaitGroup
	ask := func(do string, n int) {
		for range n {
			under.Go(func() {
				if err := h.client.Ask(t.Context(), "lamp", do, nil, nil); err != nil {
					t.Error(err)
				}
			})
		}
	}
	ask("log", waitSlots+3)
	ask("look", readSlots+3)
	for range waitSlots + readSlots {
		<-v.begun
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	var said string
	if err := h.client.Ask(ctx, "lamp", "probe", nil, &said); err != nil || said != "probed" {
		t.Errorf("a probe: %q, %v", said, err)
	}
	if states, err := h.client.States(ctx); err != nil || len(states) != 1 {
		t.Errorf("states: %v, %v", states, err)
	}
	if loaded, err := h.client.PacketFilterLoaded(ctx); err != nil || !loaded {
		t.Errorf("the packet filter: %v, %v", loaded, err)
	}
	close(v.hold)
	for range 6 { // those who waited
		<-v.begun
	}
	under.Wait()
}

// Nobody runs the engine, so no round ends: as with a daemon that hangs.
func TestSavesThatHangKeepNoPageWaiting(t *testing.T) {
	e := NewEngine(EngineOptions{Clock: Clock{Now: time.Now}, Daemons: []daemon.Daemon{
		{Config: daemon.Config{Name: "lamp"}}, {Config: daemon.Config{Name: "bulb"}},
	}})
	h := serve(t, &fakeHost{loaded: true}, func(s *Server) { s.engine = e })
	asked := func(w *worker) int {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.asked)
	}
	var under sync.WaitGroup
	hung, end := context.WithCancel(t.Context())
	save := func(component string, n int) {
		for range n {
			under.Go(func() { _, _ = h.client.Sync(hung, component) })
		}
	}
	reaches := func(w *worker, n int) {
		t.Helper()
		for late := time.After(5 * time.Second); asked(w) < n; {
			select {
			case <-late:
				t.Fatalf("%s was asked %d times, want %d", w.daemon.Name, asked(w), n)
			case <-time.After(time.Millisecond):
			}
		}
	}
	save("lamp", max(syncSlots, promptSlots)+3)
	reaches(e.workers[0], syncSlots)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if states, err := h.client.States(ctx); err != nil || len(states) != 2 {
		t.Errorf("states: %v, %v", states, err)
	}
	if loaded, err := h.client.PacketFilterLoaded(ctx); err != nil || !loaded {
		t.Errorf("the packet filter: %v, %v", loaded, err)
	}
	save("bulb", 1)
	reaches(e.workers[1], 1)
	if n := asked(e.workers[0]); n != syncSlots {
		t.Errorf("%d saves of one component are under way, want %d", n, syncSlots)
	}
	end()
	under.Wait()
}

func TestAQueuedRequestWhosePeerLeftIsSkipped(t *testing.T) {
	v := verbs{begun: make(chan string, 3*readSlots), hold: make(chan struct{})}
	h := serve(t, &fakeHost{}, func(s *Server) { s.engine = v.engine() })
	var under sync.WaitGroup
	for range readSlots {
		under.Go(func() { _ = h.client.Ask(t.Context(), "lamp", "look", nil, nil) })
	}
	for range readSlots {
		<-v.begun
	}
	for range 5 {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if err := h.client.Ask(ctx, "lamp", "look", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("err = %v, want to be kept waiting", err)
		}
		cancel()
	}
	under.Go(func() { _ = h.client.Ask(t.Context(), "lamp", "look", nil, nil) }) // behind them all
	close(v.hold)
	under.Wait()
	_ = h.stop() // so that nothing is under way
	if got := len(v.begun); got != 1 {
		t.Errorf("%d were begun after the slots were free, want the one who waited", got)
	}
}

func TestMoreThanTheQueueHoldsIsRefused(t *testing.T) {
	v := verbs{begun: make(chan string, readSlots), hold: make(chan struct{})}
	h := serve(t, &fakeHost{}, func(s *Server) { s.engine = v.engine(); s.reads = newSlots(1, 1) })
	var under sync.WaitGroup
	under.Go(func() { _ = h.client.Ask(t.Context(), "lamp", "look", nil, nil) })
	<-v.begun
	refused := make(chan error, 2)
	for range 2 {
		under.Go(func() { refused <- h.client.Ask(t.Context(), "lamp", "look", nil, nil) })
	}
	if err := <-refused; !fault.Is(err, fault.TooMany) {
		t.Errorf("err = %v, want too many", err)
	}
	close(v.hold)
	if err := <-refused; err != nil {
		t.Errorf("who had a place in the queue: %v", err)
	}
	under.Wait()
}

// The client would read so much and give up, with no word why.
func TestAnAnswerThatIsTooLongIsRefused(t *testing.T) {
	h := serve(t, &fakeHost{}, func(s *Server) { s.engine = verbs{}.engine() })
	if err := h.client.Ask(t.Context(), "lamp", "all", nil, nil); !fault.Is(err, fault.TooLarge) {
		t.Errorf("err = %v, want too large", err)
	}
}
