package apply

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gateway/internal/sys"
)

// fakeHost stands for systemd and the packet filter, the outside of this package.
type fakeHost struct {
	mu        sync.Mutex
	steps     []string
	loadState string           // "" means loaded
	errs      map[string]error // by verb
	hold      chan struct{}    // when set, a restart waits for it
	started   chan struct{}    // when set, a restart tells that it has begun
	busy      int
	maxBusy   int
	asked     string
	loaded    bool
	filterErr error
}

func (f *fakeHost) States(_ context.Context, names []string) ([]sys.UnitState, error) {
	out := make([]sys.UnitState, len(names))
	for i, n := range names {
		out[i] = sys.UnitState{Name: n, LoadState: f.loadState}
	}
	return out, f.errs["states"]
}

func (f *fakeHost) step(verb, unit string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.steps = append(f.steps, verb+" "+unit)
	return f.errs[verb]
}

func (f *fakeHost) heard() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.steps, ", ")
}

func (f *fakeHost) count(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.busy += n
	f.maxBusy = max(f.maxBusy, f.busy)
}

func (f *fakeHost) Restart(ctx context.Context, u string) error {
	f.count(1)
	defer f.count(-1)
	if f.started != nil {
		f.started <- struct{}{}
	}
	if f.hold != nil {
		select {
		case <-f.hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return f.step("restart", u)
}

func (f *fakeHost) Reload(_ context.Context, u string) error  { return f.step("reload", u) }
func (f *fakeHost) Start(_ context.Context, u string) error   { return f.step("start", u) }
func (f *fakeHost) Stop(_ context.Context, u string) error    { return f.step("stop", u) }
func (f *fakeHost) Enable(_ context.Context, u string) error  { return f.step("enable", u) }
func (f *fakeHost) Disable(_ context.Context, u string) error { return f.step("disable", u) }

func (f *fakeHost) TableLoaded(_ context.Context, family, name string) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = family + " " + name
	return f.loaded, f.filterErr
}

// harness is a server on a real socket, and what it logged.
type harness struct {
	socket string
	client Client
	stop   func() error // ends the server and returns what Serve did
	log    *logBuffer
}

type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(strings.Lines(l.b.String()))
}

func serve(t *testing.T, f *fakeHost, change ...func(*Server)) *harness {
	t.Helper()
	h := &harness{socket: filepath.Join(shortDir(t), "s"), log: &logBuffer{}}
	h.client = Client{Socket: h.socket}
	l, err := Listen(h.socket)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(h.log, nil))
	s := NewServer(f, f, declared(), nil, []uint32{uint32(os.Getuid())}, log)
	for _, c := range change {
		c(s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	h.stop = sync.OnceValue(func() error { cancel(); return <-done })
	t.Cleanup(func() {
		if err := h.stop(); err != nil {
			t.Errorf("Serve = %v", err)
		}
	})
	return h
}

// shortDir is open to other users, and short enough for the 108 bytes of a socket's name.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "apply")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func (h *harness) dial(t *testing.T) net.Conn {
	t.Helper()
	c, err := net.Dial("unix", h.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// say sends the bytes as they are and returns all that comes back.
func (h *harness) say(t *testing.T, text string) string {
	t.Helper()
	c := h.dial(t)
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	answer, _ := io.ReadAll(c) // a reset after the answer is no matter
	return string(answer)
}
