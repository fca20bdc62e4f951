package system_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"gateway/internal/api"
	"gateway/internal/apply"
	"gateway/internal/audit"
	"gateway/internal/change"
	"gateway/internal/component/daemons"
	"gateway/internal/component/system"
	"gateway/internal/daemon"
	"gateway/internal/db/dbtest"
	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/setupstate"
	"gateway/internal/sys"
)

// node is the component behind the real edge, database and applier; only the host is
// made up.
type node struct {
	t        *testing.T
	api      http.Handler
	heed     func(ctx context.Context, component string)
	pool     *pgxpool.Pool
	setup    *setupstate.Store
	file     string // the setup store
	registry *prometheus.Registry
	systemd  *systemd
	host     *host
	apt      *apt
	clock    *clock
	up       atomic.Bool
	log      strings.Builder
}

// newNode sets up a node; adjust may replace parts of it before it starts.
func newNode(t *testing.T, adjust ...func(*system.Options)) *node {
	t.Helper()
	n := &node{
		t: t, systemd: newSystemd(), host: &host{}, apt: &apt{}, registry: prometheus.NewRegistry(),
		clock: &clock{at: time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)},
		pool:  dbtest.New(t, change.Schema(), audit.Schema()), file: filepath.Join(t.TempDir(), "setup.json"),
	}
	n.up.Store(true)
	n.openStore()
	log := slog.New(slog.NewTextHandler(&n.log, nil))
	o := system.Options{
		DB: n.pool, Version: "1.2.3", Setup: n.setup, Database: n, Host: n.host, Units: n.systemd, Packages: n.apt, Services: services(),
		Run:     change.NewRunner(n.pool, audit.NewLog("node-1", time.Now), time.Now, nil, nil),
		Applier: apply.Client{Socket: n.startApplier()}, Metrics: n.registry, Now: n.clock.now, Log: log,
	}
	for _, a := range adjust {
		a(&o)
	}
	edge := api.New(api.Options{
		Version: "1.2.3", Auth: accounts{}, Database: n, Log: log, Metrics: n.registry, Site: fstest.MapFS{"index.html": {}},
		SetupDone: func() bool { s, err := n.setup.Load(); return err == nil && s.Complete },
	})
	comp := system.New(o)
	comp.Routes(edge.Router("system"))
	n.heed = comp.Listen[change.Channel]
	n.api = edge.Handler()
	return n
}

func (n *node) Up() bool { return n.up.Load() }

func (n *node) openStore() {
	n.t.Helper()
	var err error
	if n.setup, err = setupstate.Open(n.file); err != nil {
		n.t.Fatal(err)
	}
	if _, err := n.setup.Update(func(s *setupstate.State) error { s.Complete = true; return nil }); err != nil {
		n.t.Fatal(err)
	}
}

// services are those of the product.
func services() []daemon.Service {
	return daemons.Services(daemon.Configs(daemons.New(daemons.Deps{}).All))
}

// startApplier runs the real one over the made-up systemd.
func (n *node) startApplier() string {
	n.t.Helper()
	dir, err := os.MkdirTemp("", "applier") // the path of a socket must be short
	if err != nil {
		n.t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		n.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	server := apply.NewServer(n.systemd, n.systemd, services(), nil, []uint32{uint32(os.Getuid())}, slog.New(slog.DiscardHandler))
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, l) }()
	n.t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, os.RemoveAll(dir)); err != nil {
			n.t.Error(err)
		}
	})
	return socket
}

// as sends a request with an account's token and returns the status and the answer.
func (n *node) as(account, method, path, body string) (int, answer) {
	n.t.Helper()
	return n.send(context.Background(), account, method, path, body)
}

type answer struct {
	Data  map[string]any
	Error struct {
		Code, Message string
		Fields        []fault.Field
	}
}

func (n *node) send(ctx context.Context, account, method, path, body string) (int, answer) {
	n.t.Helper()
	w := n.raw(ctx, account, method, path, body)
	var a answer
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		n.t.Fatalf("%s %s answered %q: %v", method, path, w.Body, err)
	}
	return w.Code, a
}

func (n *node) raw(ctx context.Context, account, method, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, method, api.Prefix+path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if account != "" {
		r.Header.Set("Authorization", "Bearer "+account)
	}
	w := httptest.NewRecorder()
	n.api.ServeHTTP(w, r)
	return w
}

// audited returns the log as "action subject detail by actor", oldest first.
func (n *node) audited() string {
	n.t.Helper()
	entries, err := audit.Recent(context.Background(), n.pool, 100)
	if err != nil {
		n.t.Fatal(err)
	}
	var lines []string
	for _, e := range entries {
		lines = append([]string{e.Action + " " + e.Subject + " " + string(e.Detail) + " by " + e.Actor}, lines...)
	}
	return strings.Join(lines, "\n")
}

type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// accounts knows four callers by their tokens.
type accounts struct{}

func (accounts) Authenticate(_ context.Context, c api.Credential) (identity.Identity, error) {
	id, ok := map[string]identity.Identity{
		"admin":     {Email: "ann@example.com", Role: identity.Admin, SessionID: "s1"},
		"viewer":    {Email: "vic@example.com", Role: identity.Viewer, SessionID: "s2"},
		"scraper":   {Email: "vic@example.com", Role: identity.Viewer, TokenID: "t1", TokenName: "prometheus"},
		"emergency": {Email: "ann@example.com", Role: identity.Admin, SessionID: "s3", Emergency: true},
	}[c.Bearer]
	if !ok {
		return identity.Identity{}, fault.New(fault.Unauthenticated, "authentication required")
	}
	return id, nil
}

func (accounts) Revocations() (<-chan struct{}, func()) { return nil, func() {} }

// host stands for /proc and the kernel's links.
type host struct {
	disks []sys.Mounted
	err   error
}

func (h *host) Health() (sys.Health, error) {
	if h.err != nil {
		return sys.Health{}, h.err
	}
	return sys.Health{Hostname: "gw1", OS: "Debian GNU/Linux 13 (trixie)", Kernel: "6.12.0", MachineID: "node-1"}, nil
}

func (h *host) Disks(...string) ([]sys.Mounted, error) { return h.disks, h.err }

func (h *host) Resources() (sys.Resources, error) {
	return sys.Resources{
		Load1: 0.5, Load5: 0.25, Load15: 0.125, NumCPUs: 4, UptimeSeconds: 3600,
		Memory: sys.Memory{Total: 100, Used: 40}, Disk: sys.Disk{Total: 1000, Used: 300, Free: 650},
		Conntrack: &sys.Conntrack{Count: 12, Max: 262144},
	}, h.err
}

func (h *host) Interfaces() ([]sys.Interface, error) {
	return []sys.Interface{{
		Index: 2, Name: "eth0", Flags: []string{"UP"}, MTU: 1500, RxBytes: 7,
		AddrInfo: []sys.Address{{Family: "inet", Local: "192.0.2.1", PrefixLen: 24, Scope: "global"}},
	}}, h.err
}

// apt stands for the package lists.
type apt struct {
	mu    sync.Mutex
	asked int
	err   error
	stamp string
	hangs chan struct{} // apt does not answer before it is closed
}

func (a *apt) Stamp() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stamp
}

func (a *apt) Installed(names []string) ([]sys.PackageVersion, error) {
	out := make([]sys.PackageVersion, len(names))
	for i, name := range names {
		out[i] = sys.PackageVersion{Name: name, Installed: "1.0-2"}
	}
	return out, nil
}

func (a *apt) Packages(_ context.Context, names []string) ([]sys.PackageVersion, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked++
	if a.hangs != nil {
		<-a.hangs
	}
	if a.err != nil {
		return nil, a.err
	}
	out := make([]sys.PackageVersion, len(names))
	for i, name := range names {
		out[i] = sys.PackageVersion{Name: name, Installed: "1.0-1", Available: "1.1-1", Upgradable: true}
	}
	return out, nil
}

// systemd stands for systemd, and for nft beside it.
type systemd struct {
	mu      sync.Mutex
	steps   []string
	absent  map[string]bool
	err     error // of reading
	failing error // of acting
	during  func()
	loaded  bool
}

func newSystemd() *systemd { return &systemd{absent: map[string]bool{}} }

func (s *systemd) States(_ context.Context, names []string) ([]sys.UnitState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	since := time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC)
	out := make([]sys.UnitState, len(names))
	for i, name := range names {
		out[i] = sys.UnitState{Name: name, LoadState: "loaded", ActiveState: "active", SubState: "running", UnitFileState: "enabled", EnteredAt: &since}
		if s.absent[name] {
			out[i] = sys.UnitState{Name: name, LoadState: "not-found", ActiveState: "inactive", SubState: "dead"}
		}
	}
	return out, nil
}

func (s *systemd) step(verb, unit string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = append(s.steps, verb+" "+unit)
	if s.during != nil {
		s.during()
	}
	return s.failing
}

// took returns the steps so far and forgets them.
func (s *systemd) took() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.steps = nil }()
	return strings.Join(s.steps, ", ")
}

func (s *systemd) Reload(_ context.Context, unit string) error  { return s.step("reload", unit) }
func (s *systemd) Restart(_ context.Context, unit string) error { return s.step("restart", unit) }
func (s *systemd) Start(_ context.Context, unit string) error   { return s.step("start", unit) }
func (s *systemd) Stop(_ context.Context, unit string) error    { return s.step("stop", unit) }
func (s *systemd) Enable(_ context.Context, unit string) error  { return s.step("enable", unit) }
func (s *systemd) Disable(_ context.Context, unit string) error { return s.step("disable", unit) }

func (s *systemd) TableLoaded(context.Context, string, string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loaded, nil
}
