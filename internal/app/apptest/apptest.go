// Package apptest runs a whole gateway-api in a test: the real process on a real
// database behind real TLS, with a clock the test can turn. It is imported by tests only.
package apptest

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/crypto/bcrypt"

	"gateway/internal/api"
	"gateway/internal/app"
	"gateway/internal/audit"
	"gateway/internal/auth"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/all"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/sys"
)

// Email and Password are the first administrator's.
const (
	Email    = "admin@example.com"
	Password = "correct horse battery staple"
)

// App is a running process.
type App struct {
	t      testing.TB
	Server *httptest.Server
	Pool   *pgxpool.Pool // as the owner, who may put the database into any state
	Config app.Config
	Clock  *Clock
	Log    *Log
	API    *app.API
	owner  string // address of the database for who may do everything
}

// schemas are the same for every process; making one to ask it takes as long as starting it.
var schemas = sync.OnceValues(func() ([]db.Schema, error) {
	blueprint, err := app.Blueprint()
	if err != nil {
		return nil, err
	}
	return blueprint.Schemas(), nil
})

// addNode does what migrating does on a node.
func addNode(t testing.TB, dsn string) {
	t.Helper()
	health, err := sys.NewHost(time.Now).Health()
	if err != nil {
		t.Fatalf("read machine: %v", err)
	}
	pool, err := pgxpool.New(context.Background(), dsn)
	if err != nil {
		t.Fatalf("open database: %v", err)
	}
	defer pool.Close()
	if err := audit.AddNode(context.Background(), pool, health.MachineID); err != nil {
		t.Fatal(err)
	}
}

// Option changes how the process is started.
type Option func(*app.Config)

// With adds components beyond the list.
func With(more func(all.Deps) []component.Component) Option {
	return func(c *app.Config) { c.More = more }
}

// WithDaemon adds a daemon to the list, for judging changes.
func WithDaemon(d daemon.Daemon) Option {
	return func(c *app.Config) { c.MoreDaemons = append(c.MoreDaemons, d) }
}

// RealHashes uses bcrypt at its real cost; without it hashes are cheap.
func RealHashes(c *app.Config) { c.HashCost = auth.Cost }

// Database gives the address of a database instead of making one.
func Database(dsn string) Option { return func(c *app.Config) { c.Database = dsn } }

// NoLimits lets tests that are about something else sign in as often as they like.
func NoLimits(c *app.Config) {
	many := auth.Rate{Burst: 1 << 20, Refill: time.Microsecond}
	c.Limits = &auth.Limits{IP: many, Account: many, Device: many}
}

// New starts a process that is not set up yet.
func New(t testing.TB, options ...Option) *App {
	t.Helper()
	a := &App{t: t, Clock: &Clock{}, Log: &Log{}}
	a.Config = app.Config{
		StateDir: t.TempDir(), ApplySocket: "/nonexistent/apply.sock", Now: a.Clock.Now, HashCost: bcrypt.MinCost,
		Log: slog.New(slog.NewTextHandler(a.Log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, o := range options {
		o(&a.Config)
	}
	if a.Config.Database == "" {
		schemas, err := schemas()
		if err != nil {
			t.Fatalf("blueprint: %v", err)
		}
		a.owner = dbtest.DSN(t, schemas...)
		// As on a node: a missing grant shows in every test.
		a.Config.Database = dbtest.As(t, a.owner, db.APIRole)
		addNode(t, a.owner)
		if a.Config.More != nil {
			a.Config.Database = a.owner // it makes the tables of the others itself
		}
	}
	a.Start()
	return a
}

// Start starts the process and waits for it; called again, it starts a second one on the same state.
func (a *App) Start() {
	a.t.Helper()
	a.run()
	a.WaitReady()
}

func (a *App) run() {
	a.t.Helper()
	var err error
	if a.API, err = app.NewAPI(a.Config); err != nil {
		a.t.Fatalf("start: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = a.API.Background(ctx) }()
	server := httptest.NewUnstartedServer(a.API.Handler())
	// The clients stand for HAProxy, and say whom they act for.
	server.Config.BaseContext = func(net.Listener) context.Context { return api.BehindProxy(context.Background()) }
	server.StartTLS()
	a.Server = server
	owner := a.owner
	if owner == "" {
		owner = a.Config.Database
	}
	if a.Pool, err = pgxpool.New(ctx, owner); err != nil {
		a.t.Fatalf("open database: %v", err)
	}
	pool := a.Pool
	a.t.Cleanup(func() {
		cancel()
		server.CloseClientConnections()
		server.Close()
		<-done
		pool.Close()
	})
}

// WaitReady waits until the database is migrated and answers.
func (a *App) WaitReady() {
	a.t.Helper()
	a.Until("the database is up", func() bool {
		var health struct{ Database bool }
		return a.Anonymous().Get("/system/health").Data(&health) && health.Database
	})
}

// Until asks again and again, for ten seconds at the most.
func (a *App) Until(what string, fn func() bool) {
	a.t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); <-time.After(5 * time.Millisecond) {
		if fn() {
			return
		}
	}
	a.t.Fatalf("waited in vain until %s", what)
}

// SetupCode reads the one-time code, making it as the process does at its start.
func (a *App) SetupCode() string {
	a.t.Helper()
	code, _, err := auth.EnsureSetupCode(a.Config.SetupCode())
	if err != nil {
		a.t.Fatalf("setup code: %v", err)
	}
	return code.Reveal()
}

// Setup completes setup and returns the signed-in administrator.
func (a *App) Setup() *Client {
	a.t.Helper()
	a.CompleteSetup()
	return a.SignIn(Email, Password)
}

// CompleteSetup makes the administrator, whom nobody signs in.
func (a *App) CompleteSetup() {
	a.t.Helper()
	a.Anonymous().Post("/setup/complete", map[string]any{
		"code": a.SetupCode(), "fqdn": "gw1.example.com", "email": Email, "password": Password,
	}).Want(http.StatusOK)
}

// Ready is New and Setup in one.
func Ready(t testing.TB, options ...Option) (*App, *Client) {
	t.Helper()
	a := New(t, options...)
	return a, a.Setup()
}

// Viewer creates a viewer and signs it in.
func (a *App) Viewer(admin *Client, email string) *Client {
	a.t.Helper()
	admin.Post("/users", map[string]any{"email": email, "role": "viewer", "password": Password}).Want(http.StatusCreated)
	return a.SignIn(email, Password)
}

// Actions lists the audit log's actions, newest first.
func (a *App) Actions() []string {
	a.t.Helper()
	rows, err := a.Pool.Query(context.Background(), `select action from audit_entries order by seq desc`)
	if err != nil {
		a.t.Fatal(err)
	}
	defer rows.Close()
	var actions []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			a.t.Fatal(err)
		}
		actions = append(actions, s)
	}
	return actions
}

// Execute runs SQL as if through change.Run, to put the database into a state the API would not.
func (a *App) Execute(query string, args ...any) {
	a.t.Helper()
	ctx := context.Background()
	tx, err := a.Pool.Begin(ctx)
	if err != nil {
		a.t.Fatal(err)
	}
	defer tx.Rollback(ctx) //nolint:errcheck // after the commit there is nothing to roll back
	id := db.NewID()
	for _, q := range []string{
		`insert into changes (id, component, action, subject, actor, created_at) values ('` + id + `', 'test', 'test', '', 'test', now())`,
		`select set_config('gateway.change_id', '` + id + `', true)`,
	} {
		if _, err := tx.Exec(ctx, q); err != nil {
			a.t.Fatal(err)
		}
	}
	if _, err := tx.Exec(ctx, query, args...); err != nil {
		a.t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, `select pg_notify('gateway_session', ''), pg_notify($1, 'test')`, change.Channel); err != nil {
		a.t.Fatal(err)
	}
	if err := tx.Commit(ctx); err != nil {
		a.t.Fatal(err)
	}
}

// Clock is the process's clock: real time, moved.
type Clock struct {
	mu     sync.Mutex
	offset time.Duration
}

// Now is the moved time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.offset)
}

// Add moves the clock.
func (c *Clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += d
}

// Log keeps what the process logs.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if os.Getenv("GATEWAY_TEST_LOG") != "" {
		os.Stderr.Write(b)
	}
	return l.text.Write(b)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// NewAway starts a process on an existing state folder whose database is away.
func NewAway(t testing.TB, stateDir string) *App {
	t.Helper()
	a := &App{t: t, Clock: &Clock{}, Log: &Log{}}
	a.Config = app.Config{
		StateDir: stateDir, Database: "host=/nonexistent user=gateway dbname=gateway", ApplySocket: "/nonexistent/apply.sock",
		Now: a.Clock.Now, HashCost: bcrypt.MinCost, Log: slog.New(slog.NewTextHandler(a.Log, nil)),
	}
	a.run()
	return a
}

// Job runs one of the scheduler's jobs.
func (a *App) Job(name string) {
	a.t.Helper()
	if err := a.API.RunJob(a.t.Context(), name); err != nil {
		a.t.Fatalf("job %s: %v", name, err)
	}
}
