package app_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"gateway/internal/api"
	"gateway/internal/app"
	"gateway/internal/app/apptest"
	"gateway/internal/app/fuzz"
	"gateway/internal/auth"
	"gateway/internal/component"
	"gateway/internal/component/all"
	"gateway/tools/bar"
)

// Every operation of the document, asked by administrators, viewers, tokens and
// strangers with what it allows, nearly allows and does not allow.
//
// shows API-02
// shows API-03
func TestBarFoundation07Fuzz(t *testing.T) {
	bar.NotShort(t)
	seed, n := fuzzSeed(t), bar.GateSize(6_000, 20_000, 1_000_000)
	control := fuzzControl(t, seed)
	limited := fuzzLimited(t, seed, bar.Size(4_000, 200_000)) // so many that each operation has its turns
	r, grown := fuzzAll(t, seed, n)
	r.Add(limited)
	for _, f := range r.Findings {
		t.Errorf("%s", f)
	}
	panics, outside := r.Count(fuzz.Panic), r.Count(fuzz.OutsideEnvelope)
	broken := r.Count(fuzz.ServerError, fuzz.Undocumented5xx, fuzz.Unavailable)
	figure := fmt.Sprintf("%d requests, %d panics, %d undocumented 5xx, %d outside the envelope, p99 %d ms, RSS %+d MiB, %d operations, control %d found",
		r.Requests, panics, broken, outside, r.P99.Milliseconds(), grown, len(r.Calls), control)
	bar.Report(t, "foundation", 7, figure, "0 panics, 0 undocumented 5xx, 0 outside the envelope", panics+broken+outside == 0)
}

// fuzzSeed is another one in every run, and GATEWAY_FUZZ_SEED brings an old one back.
func fuzzSeed(t *testing.T) uint64 {
	seed := rand.Uint64()
	if s := os.Getenv("GATEWAY_FUZZ_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("GATEWAY_FUZZ_SEED: %v", err)
		}
	}
	fmt.Printf("GATEWAY_FUZZ_SEED=%d\n", seed)
	return seed
}

// fuzzAll is the long run. Limits are off, or they would hide the handlers. It also
// tells by how many MiB the process grew, of which the kept log is a part.
func fuzzAll(t *testing.T, seed uint64, n int) (fuzz.Result, int) {
	a, admin := apptest.Ready(t, apptest.NoLimits)
	admin.Get("/auth/me").Want(http.StatusOK)
	a.Server.Client().CloseIdleConnections()
	// The first requests fill pools and caches, which is no leak.
	warm := fuzzRun(t, a, admin, fuzz.Options{Seed: seed + 1, Requests: n / 20})
	before, memory := fuzzSettle(func(int) bool { return false }), fuzzMiB(t)
	r := fuzzRun(t, a, admin, fuzz.Options{Seed: seed, Requests: n})
	r.Add(warm)
	if after := fuzzSettle(func(now int) bool { return now <= before+20 }); after > before+20 {
		t.Errorf("%d goroutines are left of %d", after, before)
	}
	if op, calls := r.Rarest(); calls < n/len(r.Calls)/2 {
		t.Errorf("%s was called %d times only", op, calls)
	}
	t.Logf("answers by status: %v", r.Statuses)
	return r, fuzzMiB(t) - memory
}

// fuzzLimited runs a slice as in the field, where guessing is refused: somebody has guessed before,
// since the slice itself has too few well-formed guesses to rely on. What was used up stays so, or a
// busy machine would ask too slowly to be refused.
func fuzzLimited(t *testing.T, seed uint64, n int) fuzz.Result {
	limits := auth.DefaultLimits()
	for _, r := range []*auth.Rate{&limits.IP, &limits.Account, &limits.Device} {
		r.Refill = time.Hour
	}
	a, admin := apptest.Ready(t, func(c *app.Config) { c.Limits = &limits })
	last := 0
	for range limits.IP.Burst + 1 {
		last = a.Anonymous().Post("/auth/login", map[string]any{"email": "nobody@example.com", "password": "a guess of somebody"}).Status
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("guess %d was answered %d, want 429", limits.IP.Burst+1, last)
	}
	return fuzzRun(t, a, admin, fuzz.Options{Seed: seed, Requests: n})
}

// fuzzControl shows that the driver finds what it looks for, in a component that
// has all of it. Its plain error shows what any failure of ours looks like from outside.
//
// shows API-12*
func fuzzControl(t *testing.T, seed uint64) int {
	a, admin := apptest.Ready(t, apptest.NoLimits, apptest.With(func(all.Deps) []component.Component {
		return []component.Component{{Name: "flawed", Routes: fuzzFlawed}}
	}))
	r := fuzzRun(t, a, admin, fuzz.Options{Seed: seed, Requests: 300, Only: "flawed-"})
	for _, kind := range []fuzz.Kind{fuzz.Panic, fuzz.ServerError, fuzz.OutsideEnvelope, fuzz.UndocumentedStatus} {
		if r.Count(kind) == 0 {
			t.Errorf("the control found no %q", kind)
		}
	}
	admin.Get("/flawed/error").WantCode(http.StatusInternalServerError, "internal")
	return r.Count(fuzz.Panic, fuzz.ServerError, fuzz.OutsideEnvelope)
}

// fuzzFlawed has one flaw of each kind.
func fuzzFlawed(r api.Router) {
	api.Handle(r, api.Op{ID: "flawed-panic", Method: http.MethodPost, Path: "/flawed/panic", Summary: "Panics for some"},
		func(_ context.Context, in *struct {
			Body struct {
				Text string `json:"text"`
			}
		},
		) (*api.Body[*api.None], error) {
			if strings.Contains(in.Body.Text, "a") {
				panic("for the control")
			}
			return api.Done(), nil
		})
	api.Handle(r, api.Op{ID: "flawed-error", Method: http.MethodGet, Path: "/flawed/error", Summary: "Is broken"},
		func(context.Context, *struct{}) (*api.Body[*api.None], error) {
			return nil, errors.New("broken for the control")
		})
	api.Raw(r, api.Op{ID: "flawed-raw", Method: http.MethodGet, Path: "/flawed/raw", Summary: "Words its errors itself"}, "application/json",
		func(w http.ResponseWriter, _ *http.Request) error {
			w.WriteHeader(http.StatusTeapot)
			_, err := w.Write([]byte(`{"message":"not in the envelope"}`))
			return err
		})
}

func fuzzRun(t *testing.T, a *apptest.App, admin *apptest.Client, o fuzz.Options) fuzz.Result {
	t.Helper()
	d, err := fuzz.New(a, admin, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := d.Run()
	if err != nil {
		t.Errorf("the run ended early: %v", err)
	}
	return r
}

// fuzzSettle waits until the number of goroutines is right, or does not fall for two seconds.
func fuzzSettle(right func(int) bool) int {
	now := runtime.NumGoroutine()
	for quiet := 0; quiet < 20 && !right(now); quiet++ {
		<-time.After(100 * time.Millisecond)
		if n := runtime.NumGoroutine(); n < now {
			now, quiet = n, 0
		}
	}
	return now
}

func fuzzMiB(t *testing.T) int {
	debug.FreeOSMemory()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, resident int
	if _, err := fmt.Sscan(string(statm), &size, &resident); err != nil {
		t.Fatal(err)
	}
	return resident * os.Getpagesize() >> 20
}
