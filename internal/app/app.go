// Package app wires the processes: it makes every component once, hands each what it
// needs, and runs them together until told to stop. What the components do is theirs.
package app

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"gateway/internal/apply"
	"gateway/internal/audit"
	"gateway/internal/auth"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/all"
	"gateway/internal/component/daemons"
	"gateway/internal/component/user"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/db/migrate"
	"gateway/internal/dnsprovider"
	"gateway/internal/fault"
	"gateway/internal/intent"
	"gateway/internal/process"
	"gateway/internal/secret"
	"gateway/internal/setupstate"
	"gateway/internal/sys"
	"gateway/internal/version"
)

// Config is what a process is started with.
type Config struct {
	StateDir    string
	Database    string // address as PostgreSQL spells it
	Listen      string
	ProxySocket string // where HAProxy reaches the API, and nobody else; empty for none
	ApplySocket string
	LogLevel    slog.Level // of Log, where none is given
	// Now and HashCost are for tests; zero means the real ones.
	Now      func() time.Time
	HashCost int
	Limits   *auth.Limits
	// Unqueued lets every change begin at once: the control of the tests about many.
	Unqueued bool
	// Unlocked judges changes beside each other: the control of the tests about races.
	Unlocked bool
	// More components, and more daemons, than the lists have; for tests of the contracts. A daemon
	// with the name of one in the list takes its place.
	More        func(all.Deps) []component.Component
	MoreDaemons []daemon.Daemon
	Log         *slog.Logger
	// DNSProviders makes the clients of DNS providers, for the process that speaks to the outside.
	DNSProviders dnsprovider.Open

	local bool // the API of gateway-ctl, for whoever runs it
}

// Defaults are the paths of an installed appliance.
func Defaults() Config {
	return Config{
		StateDir:    "/var/lib/gateway",
		Database:    "host=/run/postgresql user=gateway dbname=gateway",
		Listen:      "127.0.0.1:8080",
		ProxySocket: "/var/lib/haproxy/gateway/api.sock",
		ApplySocket: apply.Socket,
		LogLevel:    process.EnvLevel(),
	}
}

func (c Config) path(name string) string { return filepath.Join(c.StateDir, name) }

// ResetToken is where gateway-ctl leaves a reset token.
func (c Config) ResetToken() string { return c.path(".reset-token") }

// SetupCode is where the one-time setup code is kept.
func (c Config) SetupCode() string { return c.path(".setup-code") }

// SetupStore is the setup store's file.
func (c Config) SetupStore() string { return c.path("setup.json") }

// withMore are the daemons of the list, and more.
func (c Config) withMore(list []daemon.Daemon) []daemon.Daemon {
	replaced := func(d daemon.Daemon) bool {
		return slices.ContainsFunc(c.MoreDaemons, func(more daemon.Daemon) bool { return more.Name == d.Name })
	}
	return append(slices.DeleteFunc(list, replaced), c.MoreDaemons...)
}

// core is what gateway-api and gateway-scheduler have in common.
type core struct {
	cfg        Config
	pool       *pgxpool.Pool
	watch      *db.Watch
	users      *user.Users
	setup      *setupstate.Store
	components []component.Component
	set        daemon.Set
	box        *secret.Box
	metrics    *prometheus.Registry
	units      *sys.Units
	log        *slog.Logger
}

// newCore makes every component. It opens no connection: all of it works without a database.
func newCore(cfg Config) (*core, error) {
	cfg = cfg.withDefaults()
	c := &core{cfg: cfg, log: cfg.Log, metrics: prometheus.NewRegistry(), units: sys.NewUnits()}
	c.metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	var err error
	if c.pool, err = db.Open(cfg.Database); err != nil {
		return nil, err
	}
	if c.setup, err = setupstate.Open(cfg.SetupStore()); err != nil {
		return nil, err
	}
	host := sys.NewHost(cfg.Now)
	health, err := host.Health()
	if err != nil {
		return nil, fmt.Errorf("read machine: %w", err)
	}
	c.watch = db.NewWatch(c.pool, func(ctx context.Context) error { return migrate.Ready(ctx, c.pool, component.Schemas(c.components)) }, c.log)
	log := audit.NewLog(health.MachineID, cfg.Now)
	log.QueueAt(cfg.path("audit-queue.jsonl"))
	applier := apply.Client{Socket: cfg.ApplySocket}
	managed := daemons.New(daemons.Deps{Units: c.units, Exec: sys.Run, Host: host, Log: c.log})
	c.box, err = secret.OpenOrCreateBox(cfg.path("master.key"))
	if err != nil {
		return nil, err
	}
	c.set = daemon.Set{Configs: daemon.Configs(cfg.withMore(managed.All)), Unseal: c.box.Unseal}
	run := change.NewRunner(c.pool, log, cfg.Now, c.set, func(name string) change.Applied { return synced(applier, name) })
	if cfg.Unqueued {
		run.Unqueue()
	}
	if cfg.Unlocked {
		run.Unlock()
	}
	hasher := auth.NewHasher(cfg.HashCost)
	if c.users, err = c.newUsers(run, log, hasher); err != nil {
		return nil, err
	}
	deps := all.Deps{
		Pool: db.Routed{Pool: c.pool}, Questions: db.Questions{Pool: c.pool}, Database: c.watch, Run: run, Audit: log, Setup: c.setup, Users: c.users, Box: c.box, Hasher: hasher, Limits: *cfg.Limits,
		SetupCode: cfg.SetupCode(), Samples: cfg.path("samples"), State: cfg.StateDir, Node: health.MachineID, Version: version.Version, Host: host, Units: c.units,
		Apt: sys.NewApt(sys.Run), Applier: applier, Set: c.set, Services: daemons.Services(c.set.Configs), Policy: managed.Policy, Metrics: c.metrics, Now: cfg.Now, Log: c.log,
		DNSProviders: cfg.DNSProviders,
		Lookup: func(ctx context.Context, name string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", name)
		},
	}
	c.components = all.List(deps)
	if cfg.More != nil {
		c.components = append(c.components, cfg.More(deps)...)
	}
	for _, comp := range c.components {
		run.Declare(comp.Name, comp.Tables)
	}
	return c, nil
}

func (c Config) withDefaults() Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.HashCost == 0 {
		c.HashCost = auth.Cost
	}
	if c.Limits == nil {
		limits := auth.DefaultLimits()
		c.Limits = &limits
	}
	if c.Log == nil {
		c.Log = process.NewLog(c.LogLevel)
	}
	return c
}

// newUsers loads the key that sessions depend on, making it at first start.
func (c *core) newUsers(run *change.Runner, log *audit.Log, hasher *auth.Hasher) (*user.Users, error) {
	key, err := secret.RandomFile(c.cfg.path("jwt.secret"), 32)
	if err != nil {
		return nil, err
	}
	signer, err := auth.NewSigner(key, "gateway", c.cfg.Now)
	if err != nil {
		return nil, err
	}
	return user.New(user.Options{
		Pool: db.Routed{Pool: c.pool}, Database: c.watch, Run: run, Audit: log, Setup: c.setup, Box: c.box, Signer: signer, Hasher: hasher,
		Limits: *c.cfg.Limits, ResetToken: c.cfg.ResetToken(), Now: c.cfg.Now, Log: c.log,
	}), nil
}

// synced waits for the applier, whoever else stops waiting: the change is committed.
func synced(applier apply.Client, name string) change.Applied {
	ctx, cancel := context.WithTimeout(context.Background(), syncTime)
	defer cancel()
	came, err := applier.Sync(ctx, name)
	if err != nil {
		return change.Applied{State: intent.Pending, Why: fault.Said("the applier does not answer; it applies this once it is back")}
	}
	return came
}

// syncTime is for an applier that reloads several daemons, one after the other.
const syncTime = 2 * time.Minute

func (c *core) close() {
	c.pool.Close()
	c.units.Close()
}
