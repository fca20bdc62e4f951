// Package unbound is the daemon side of DNS: it renders the one file of unbound's that is ours
// from the rows, has unbound check it, and brings single records to the running unbound over
// its control socket. It also says what a zone and a record may be, since only what can be
// rendered may be stored. Opening the port is left to the packet filter, installing the file
// to package apply, what operators see to package dns.
package unbound

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"sync/atomic"
	"time"

	"gateway/internal/component/dns/control"
	"gateway/internal/daemon"
	"gateway/internal/daemon/hostnames"
	"gateway/internal/db"
	"gateway/internal/sys"
)

const (
	// Name is the component's one word.
	Name = "dns"
	// Unit is unbound's.
	Unit = "unbound.service"
)

// Options are what the daemon is managed with.
type Options struct {
	Units Units      // *sys.Units
	Exec  sys.Runner // sys.Run
	// Socket is unbound's control socket, where it is not Debian's.
	Socket string
	// Names are those of hosts that other daemons know; nil for none.
	Names *hostnames.Registry
	Log   *slog.Logger
}

// Units restarts what systemd runs.
type Units interface {
	Restart(ctx context.Context, unit string) error
}

// resolver is the unbound of this machine.
type resolver struct {
	units    Units
	exec     sys.Runner
	control  control.Client
	memo     memo
	pushed   atomic.Int64 // lines given to unbound since it last read its files
	failures failures
	names    *hostnames.Registry
	told     told
	log      *slog.Logger
}

// New returns the daemon.
func New(o Options) daemon.Daemon { return newResolver(o).daemon() }

func newResolver(o Options) *resolver {
	if o.Socket == "" {
		o.Socket = control.Socket
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &resolver{
		units: o.Units, exec: o.Exec, control: control.Client{Path: o.Socket}, failures: failures{now: time.Now},
		names: o.Names, told: told{kick: make(chan struct{}, 1)}, log: o.Log,
	}
}

func (r *resolver) daemon() daemon.Daemon {
	return daemon.Daemon{
		Config: daemon.Config{
			Name: Name, Tables: Tables(), Source: daemon.Steps[state]{Load: r.load, Render: r.render},
			Needs: daemon.Needs{Tables: []string{"dns_settings"}, Openings: openings},
			Check: r.check, Plain: plain,
			Services: []daemon.Service{{
				Name: Name, Unit: Unit, Title: "DNS resolver (Unbound)", Phrase: "the DNS resolver", Package: "unbound",
				Required: true, Setting: "dns_settings", Restart: true,
			}},
		},
		Units:      []string{Unit},
		Apply:      r.apply,
		Live:       r.live,
		Background: r.background,
		Verbs:      map[string]daemon.Verb{StatsVerb: r.stats, FlushVerb: r.flush},
	}
}

// Tables are those of the component.
func Tables() []db.Table {
	return []db.Table{
		{Name: "dns_settings", Scope: db.NodeLocal},
		{Name: "dns_zones", Scope: db.Replicated},
		{Name: "dns_records", Scope: db.Replicated, RowsChecked: true},
	}
}

func (r *resolver) load(ctx context.Context, q db.DB, _ daemon.Unseal) (state, error) {
	return load(ctx, q, r.memo.size())
}

func (r *resolver) render(s state) (daemon.Rendering, error) { return render(s, &r.memo), nil }

// openings are there while somebody else than this machine can reach the resolver.
func openings(ctx context.Context, q db.DB) ([]daemon.Opening, error) {
	var listen []string
	if err := q.QueryRow(ctx, `select case when enabled then listen_addresses else '{}' end from dns_settings`).Scan(&listen); err != nil {
		return nil, fmt.Errorf("read where the resolver listens: %w", err)
	}
	for _, a := range listen {
		if addr, err := netip.ParseAddr(a); err == nil && !addr.IsLoopback() {
			return []daemon.Opening{
				{Protocol: "tcp", Port: 53, Why: "DNS for clients"},
				{Protocol: "udp", Port: 53, Why: "DNS for clients"},
			}, nil
		}
	}
	return nil, nil
}
