package alert

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"gateway/internal/api/apitest"
	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/problem"
	"gateway/internal/sys"
)

// rig is the component with problems, a clock and receivers of the test.
type rig struct {
	*componenttest.Rig
	a *Alerts

	mu      sync.Mutex
	ahead   time.Duration // of the real clock
	passed  time.Duration // since the start, beside the real time
	found   []problem.Problem
	unknown []string
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{}
	r.Rig = componenttest.New(t, componenttest.Setup{
		Now: r.now,
		Component: func(c *componenttest.Rig) component.Component {
			r.a = New(Options{
				DB: c.Pool, Run: c.Run, Box: c.Box, Database: r, Host: r, Now: r.now, Uptime: r.uptime, Log: slog.New(slog.DiscardHandler),
				Outside: here(),
			})
			return r.a.Component(r.look, []component.Component{{Problems: problem.Source{Kinds: kindsOfTest}}})
		},
	})
	return r
}

// here reaches receivers of the test, which are on this machine.
func here() Outside {
	return Outside{Transport: func() (*http.Transport, error) { return &http.Transport{}, nil }, Dial: new(net.Dialer).DialContext, Deadline: time.Second}
}

func readJSON(r *http.Request, into any) error {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

var (
	backendDown = problem.Kind{Code: "proxy.backend_down", Severity: problem.Error, Alert: "backend.down", Message: "All servers of {backend} are down", Remedy: "Start them."}
	unsync      = problem.Kind{Code: "ntp.not_synchronised", Severity: problem.Warning, Alert: "ntp.unsync", Message: "The clock is not synchronised"}
	slow        = problem.Kind{Code: "uplink.slow", Severity: problem.Warning, Message: "Slow"}
	kindsOfTest = []problem.Kind{backendDown, unsync, slow}
)

func down(name string) problem.Problem {
	return backendDown.On(problem.Subject{Kind: "backend", ID: name, Name: name}, "/proxy", problem.Params{"backend": name})
}

func (r *rig) Up() bool { return true }

func (r *rig) Interfaces() ([]sys.Interface, error) { return nil, nil }

func (r *rig) Health() (sys.Health, error) { return sys.Health{Hostname: "gw1"}, nil }

func (r *rig) look(context.Context) ([]problem.Problem, []string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.found), r.unknown, nil
}

func (r *rig) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Now().Add(r.ahead)
}

func (r *rig) pass(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ahead += d
	r.passed += d
}

// set sets the clock, and no time passes.
func (r *rig) set(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ahead += d
}

var started = time.Now()

func (r *rig) uptime() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Since(started) + r.passed
}

// see has the watch look once at these problems.
func (r *rig) see(found ...problem.Problem) {
	r.T.Helper()
	r.mu.Lock()
	r.found = found
	r.mu.Unlock()
	if err := r.a.watch(r.T.Context()); err != nil {
		r.T.Fatal(err)
	}
}

// last has problems be there for as long as it takes to be told.
func (r *rig) last(found ...problem.Problem) {
	r.T.Helper()
	r.see(found...)
	r.pass(usualFor)
	r.see(found...)
}

// end has everything be gone for as long as it takes.
func (r *rig) end() {
	r.T.Helper()
	r.see()
	r.pass(usualHold)
	r.see()
}

// deliver sends what is due, as one look of the sender does, until nothing is.
func (r *rig) deliver() {
	r.T.Helper()
	for {
		due, err := r.a.due(r.T.Context())
		if err != nil {
			r.T.Fatal(err)
		}
		if len(due) == 0 {
			return
		}
		for _, channel := range due {
			if err := r.a.drain(r.T.Context(), channel); err != nil {
				r.T.Fatal(err)
			}
		}
	}
}

func (r *rig) events() []Event {
	r.T.Helper()
	var all []Event
	r.Do("GET", "/alerts/events", nil).Want(http.StatusOK).Into(&all)
	return all
}

type body = apitest.Object

func (r *rig) channel(in body) Channel {
	r.T.Helper()
	var c Channel
	r.Do("POST", "/alerts", in).Want(http.StatusCreated).Into(&c)
	return c
}

// hook makes a channel to a receiver.
func (r *rig) hook(to *hooks, more ...body) Channel {
	r.T.Helper()
	return r.channel(apitest.With(body{"kind": "webhook", "target": to.URL}, more...))
}

// received is one request.
type received struct {
	header http.Header
	text   string
	body   map[string]any
}

// hooks is a receiver of webhooks.
type hooks struct {
	*httptest.Server
	mu     sync.Mutex
	all    []received
	answer func(n int) int // status of the nth request; nil: 204
}

func newHooks(t testing.TB) *hooks {
	t.Helper()
	h := &hooks{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		one := received{header: r.Header, text: string(text)}
		if r.Method != http.MethodPost || json.Unmarshal(text, &one.body) != nil {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		h.mu.Lock()
		h.all = append(h.all, one)
		n := len(h.all)
		answer := h.answer
		h.mu.Unlock()
		if answer == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.WriteHeader(answer(n))
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hooks) got() []received {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.all)
}

// eventually waits until something holds, or long enough.
func (r *rig) eventually(within time.Duration, holds func() bool) {
	ctx, cancel := context.WithTimeout(r.T.Context(), within)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
