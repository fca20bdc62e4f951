// Package squid is the daemon side of the forward proxy: it renders Squid's configuration from the
// rows, has Squid check it, and brings it to the running proxy without cutting connections. It
// also says what a rule may be, and answers by a model of its own what Squid would do with a
// request. How the daemon is started is left to the drop-in of its unit in the Debian package,
// opening the port to the packet filter, what operators see to package forwardproxy.
package squid

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/rtnl"
	"gateway/internal/sys"
)

const (
	// Name is the component's one word.
	Name = "forwardproxy"
	// Service is the daemon as the list of services names it.
	Service = "forward-proxy"
	// Unit is the daemon's.
	Unit = "squid.service"
	// InternalPort is where this machine asks the daemon how it is doing, on the loopback.
	InternalPort = 13128

	settingsTable = "forwardproxy_settings"
	aclsTable     = "forwardproxy_acls"
	listsTable    = "forwardproxy_lists"
	partsTable    = "forwardproxy_list_parts"
)

// Options are what the daemon is managed with.
type Options struct {
	Units Units // *sys.Units
	Exec  sys.Runner
	Host  Host // *sys.Host
	// Names says that files are installed: then the names of lists are read, and else their versions.
	Names bool
	// Watch calls wake whenever the links of this machine change; nil means its kernel.
	Watch func(ctx context.Context, wake func()) error
	Log   *slog.Logger
}

// Units starts what systemd runs.
type Units interface {
	Start(ctx context.Context, unit string) error
	Restart(ctx context.Context, unit string) error
}

// Host knows the links of this machine.
type Host interface {
	Interfaces() ([]sys.Interface, error)
}

// server is the Squid of this machine.
type server struct {
	Options

	mu     sync.Mutex
	listed []netip.Addr      // the addresses that there were when the rows were last read
	names  map[string][]byte // parts of lists by their hash, which says all about them
}

// New returns the daemon.
func New(o Options) daemon.Daemon {
	if o.Watch == nil {
		o.Watch = rtnl.Watch
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &server{Options: o}
	return daemon.Daemon{
		Config: daemon.Config{
			Name: Name, Tables: Tables(), Reads: []string{"network_addresses"},
			Source: daemon.Steps[State]{Load: s.load, Render: State.Render},
			Needs:  daemon.Needs{Tables: []string{settingsTable}, Openings: openings},
			Check:  s.check,
			Plain:  onlyNames,
			Services: []daemon.Service{{
				Name: Service, Unit: Unit, Title: "Forward proxy (Squid)", Phrase: "the forward proxy", Package: "squid",
				Required: true, Restart: true, Setting: settingsTable,
			}},
		},
		Units:      []string{Unit},
		Folders:    []string{PagesFolder, ListsFolder},
		After:      []string{"network"}, // which makes the addresses
		Apply:      s.apply,
		Background: s.background,
	}
}

// Tables are those of the component.
func Tables() []db.Table {
	return []db.Table{
		{Name: settingsTable, Scope: db.NodeLocal},
		{Name: aclsTable, Scope: db.Replicated},
		// Whatever names there are, they are files that Squid does not read.
		{Name: listsTable, Scope: db.Replicated, RowsChecked: true},
		// Parts are never changed, and lists name them by their hash: the images of a list are short, and
		// lead back to its names for as long as those are kept.
		{Name: partsTable, Scope: db.History, API: &db.Rights{Insert: true, Update: []string{"used_at"}, Delete: true}, Applier: &db.Rights{}},
	}
}

// openings is the port, in the zones that are served, while somebody else than this machine can
// reach the proxy.
func openings(ctx context.Context, q db.DB) ([]daemon.Opening, error) {
	s, err := loadSettings(ctx, q)
	if err != nil || !s.On() || !s.Reachable() {
		return nil, err
	}
	var p fault.Problems
	if s.Validate(&p); p.Err() != nil { // nobody is served then
		return nil, nil
	}
	var out []daemon.Opening
	for _, zone := range s.Zones {
		out = append(out, daemon.Opening{Protocol: "tcp", Port: s.Port, Why: "forward proxy for clients", Role: zone, Page: "/forward-proxy?tab=settings"})
	}
	return out, nil
}
