// Package applier puts gateway-apply together: the engine, its socket, and what it hears of
// the database.
package applier

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"
	"golang.org/x/sync/errgroup"

	"gateway/internal/apply"
	"gateway/internal/audit"
	"gateway/internal/change"
	"gateway/internal/component/daemons"
	"gateway/internal/component/firewall/filter"
	"gateway/internal/component/network/netstate"
	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/component/uplink/multiwan"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/process"
	"gateway/internal/secret"
	"gateway/internal/sys"
)

// Config is what gateway-apply is started with.
type Config struct {
	Socket   string
	User     string // may ask, besides root
	Database string
	StateDir string
	RunDir   string
	// MasterKey is the file that systemd hands over; see LoadCredential= of the unit.
	MasterKey string
	LogLevel  slog.Level

	only string // the one component to look after; all of them if it is empty
}

// Defaults are the paths of an installed appliance.
func Defaults() Config {
	return Config{
		Socket: apply.Socket, User: "gateway",
		Database: "host=/run/postgresql user=root dbname=gateway",
		StateDir: "/var/lib/gateway-apply", RunDir: "/run/gateway-apply",
		MasterKey: filepath.Join(os.Getenv("CREDENTIALS_DIRECTORY"), "master.key"),
		LogLevel:  process.EnvLevel(),
	}
}

// Flags adds the configuration to a flag set.
func (c *Config) Flags(f *flag.FlagSet) {
	f.StringVar(&c.Socket, "socket", c.Socket, "unix socket to listen on, unless systemd passes one")
	f.StringVar(&c.User, "user", c.User, "user that may connect, besides root")
	f.StringVar(&c.Database, "database", c.Database, "address of the database")
	f.StringVar(&c.StateDir, "state-dir", c.StateDir, "directory of the last good files")
	f.StringVar(&c.RunDir, "run-dir", c.RunDir, "directory that is cleared at boot")
	process.LevelFlag(f, &c.LogLevel)
}

// Run is gateway-apply: it brings the daemons to what the database wants, and
// answers on the socket, until ctx ends.
func Run(ctx context.Context, cfg Config) error {
	log := process.NewLog(cfg.LogLevel)
	uids, err := apply.UIDs("root", cfg.User)
	if err != nil {
		return err
	}
	l, err := apply.Listen(cfg.Socket)
	if err != nil {
		return err
	}
	units := sys.NewUnits()
	defer units.Close()
	pool, err := db.Open(cfg.Database)
	if err != nil {
		return err
	}
	defer pool.Close()
	watch := db.NewWatch(pool, func(ctx context.Context) error { return change.Ready(ctx, pool) }, log)
	managed := cfg.daemons(units, log)
	engine, err := newEngine(cfg, managed, pool, watch.Up, units, log)
	if err != nil {
		return err
	}
	// Before anybody is told that we are up: the daemons start after us.
	if err := engine.Boot(ctx); err != nil {
		log.Error("boot", "err", err)
	}
	if _, err := systemd.SdNotify(false, systemd.SdNotifyReady); err != nil {
		log.Warn("notify systemd", "err", err)
	}
	health, err := sys.NewHost(time.Now).Health()
	if err != nil {
		return fmt.Errorf("read machine: %w", err)
	}
	entries := make(chan struct{}, 1)
	anchor := &audit.Anchor{Path: filepath.Join(cfg.StateDir, audit.AnchorFile), Node: health.MachineID, Log: log}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return watch.Run(ctx) })
	g.Go(func() error { return engine.Run(ctx) })
	g.Go(func() error { return anchor.Run(ctx, pool, watch.Up, entries) })
	g.Go(func() error {
		heard := map[string]func(context.Context, string){
			change.Channel:     func(_ context.Context, component string) { engine.Notify(component) },
			change.RowsChannel: func(_ context.Context, table string) { engine.NotifyTable(table) },
			audit.Channel:      func(context.Context, string) { process.Notify(entries) },
		}
		return (&db.Listener{Pool: pool, Ready: watch.Up, Handlers: heard, Log: log}).Run(ctx)
	})
	g.Go(func() error {
		return apply.NewServer(units, sys.NewNft(sys.Run), daemons.Services(daemon.Configs(managed)), engine, uids, log).Serve(ctx, l)
	})
	return g.Wait()
}

// LoadPacketFilter puts the rules that were good last into the kernel. It runs before there
// is a network, a database or a bus; a node that has no rules yet is shut but for its
// management. Until then, and whenever this fails, gateway-shut.service's table holds: the
// unit lets the kernel forward only after a success.
func LoadPacketFilter(ctx context.Context, cfg Config) error {
	return load(ctx, cfg, filter.Name, filter.Shut())
}

// LoadNetwork brings the links, addresses, routes, tunnels and uplinks that were good last into
// the kernel, with neither a database nor a bus. A node that has none yet keeps what others gave it.
func LoadNetwork(ctx context.Context, cfg Config) error {
	var errs []error
	for _, name := range []string{netstate.Name, wireguard.Name, multiwan.Name} {
		errs = append(errs, load(ctx, cfg, name, daemon.Rendering{}))
	}
	return errors.Join(errs...)
}

// load makes one component run on its last good files, or on first where it has none.
func load(ctx context.Context, cfg Config, name string, first daemon.Rendering) error {
	log := process.NewLog(cfg.LogLevel)
	pool, err := db.Open(cfg.Database)
	if err != nil {
		return err
	}
	defer pool.Close()
	cfg.only = name // what the others need is memory that boots do not have
	units := sys.NewUnits()
	engine, err := newEngine(cfg, cfg.daemons(units, log), pool, func() bool { return false }, units, log)
	if err != nil {
		return err
	}
	// What cannot be repaired is no reason to boot without a packet filter or network.
	if err := engine.Boot(ctx); err != nil {
		log.Error("boot", "err", err)
	}
	return engine.Load(ctx, name, first)
}

// daemons are what is managed: all of them, or the one component to look after.
func (c Config) daemons(units *sys.Units, log *slog.Logger) []daemon.Daemon {
	managed := daemons.New(daemons.Deps{Units: units, Exec: units.Confine(sys.Run), Host: sys.NewHost(time.Now), At: failpoint(c.RunDir), Installs: true, Log: log}).All
	if c.only == "" {
		return managed
	}
	return slices.DeleteFunc(managed, func(d daemon.Daemon) bool { return d.Name != c.only })
}

func newEngine(cfg Config, managed []daemon.Daemon, pool db.Pool, up func() bool, units *sys.Units, log *slog.Logger) (*apply.Engine, error) {
	clock, err := apply.SystemClock(cfg.RunDir)
	if err != nil {
		return nil, err
	}
	health, err := sys.NewHost(time.Now).Health()
	if err != nil {
		return nil, fmt.Errorf("read machine: %w", err)
	}
	unseal := daemon.Unseal(sealed)
	if cfg.only == "" {
		unseal = opener(cfg.MasterKey, log)
	}
	run := change.NewRunner(pool, audit.NewLog(health.MachineID, time.Now), time.Now, daemon.Set{Configs: daemon.Configs(managed), Unseal: unseal}, nil)
	for _, d := range managed {
		run.Declare(d.Name, d.Tables)
	}
	return apply.NewEngine(apply.EngineOptions{
		Daemons: managed, Unseal: unseal, Pool: pool, Up: up, Units: sys.Brief{Units: units}, StateDir: cfg.StateDir, RunDir: cfg.RunDir,
		Node: health.MachineID, Clock: clock, Log: log, At: failpoint(cfg.RunDir),
		Undo: run.Undo,
	}), nil
}

// opener opens secrets with the master key that systemd hands over. Without one the daemons
// that need no secret still work.
func opener(path string, log *slog.Logger) daemon.Unseal {
	box, err := secret.OpenBox(path)
	if err != nil {
		log.Error("secrets stay sealed", "err", err)
		return sealed
	}
	return box.Unseal
}

// sealed is for a process without the master key.
func sealed(_ []byte, where secret.Place) (secret.Text, error) {
	return "", fmt.Errorf("open the secret in %s: gateway-apply has no master key", where)
}
