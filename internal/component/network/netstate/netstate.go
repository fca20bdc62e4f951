package netstate

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/forecast"
)

const (
	// Name is the component's one word.
	Name = "network"
	// Path is the rendering, and SysctlPath what a router sets per interface.
	Path       = "/etc/gateway/network/network.conf"
	SysctlPath = "/etc/gateway/network/sysctl.conf"

	// minDebounce is how long events are collected before the kernel is looked at.
	minDebounce = 100 * time.Millisecond
	// maxDebounce is the same while there are always more of them.
	maxDebounce = 2 * time.Second
	// recheckEvery is how soon what failed is tried once more without an event.
	recheckEvery = 30 * time.Second
)

// Options are what the network needs.
type Options struct {
	Host forecast.Host // *sys.Host
	// Routing are all that manage the kernel's routes; a change is judged beside the rows of the others.
	Routing forecast.Sources
	// Open opens a socket to the kernel; nil means the one of this process's network.
	Open func() (*rtnl.Conn, error)
	// Watch calls wake at every change in the kernel; nil means the one of this network.
	Watch func(ctx context.Context, wake func()) error
	// Sysctl has the kernel take SysctlPath, which this process may not do itself.
	Sysctl func(ctx context.Context) error
	Now    func() time.Time // nil means the clock
	Log    *slog.Logger
}

type network struct {
	Options
	stored   *db.Sorted[routeVersion]
	mu       sync.Mutex // of the kernel, and of what follows
	want     Config
	read     parsed // the file that apply had last
	known    bool   // want is what is to be there
	wrong    []Trouble
	looked   bool               // wrong is what was seen
	backoffs map[string]backoff // what was refused
	pending  chan struct{}      // sysctls to set
	sysctls  []byte             // which
	tuned    map[string]int     // the links that have them, by their numbers
	mtus     mtus

	tuning    sync.Mutex // of the file of what to take back
	takenBack string
}

// New returns the daemon.
func New(o Options) daemon.Daemon {
	n := &network{Options: o, stored: newStored(), pending: make(chan struct{}, 1), takenBack: TakenBackPath, mtus: mtus{path: MTUPath}}
	if n.Open == nil {
		n.Open = rtnl.Open
	}
	if n.Watch == nil {
		n.Watch = rtnl.Watch
	}
	return daemon.Daemon{
		Config: daemon.Config{
			Name: Name, Tables: Tables(), GuardReads: n.Routing.TablesBeside(Name),
			Source: daemon.Steps[state]{Load: n.load, Render: render, Guard: n.guard},
		},
		Apply:      n.apply,
		Observe:    n.observe,
		Live:       n.live,
		Background: n.background,
		Verbs:      map[string]daemon.Verb{StatusVerb: n.status},
	}
}

func (n *network) now() time.Time {
	if n.Now == nil {
		return time.Now()
	}
	return n.Now()
}

// Tables are those of the component.
func Tables() []db.Table {
	return []db.Table{
		{Name: "network_interfaces", Scope: db.NodeLocal},
		{Name: "network_addresses", Scope: db.NodeLocal},
		{Name: "network_routes", Scope: db.NodeLocal},
	}
}

// observe tells nothing apart: background watches the kernel by itself.
func (n *network) observe(context.Context) (string, error) { return "kernel", nil }

// live takes over what is found to run, after a restart of this process.
func (n *network) live(now daemon.Rendering) {
	n.mu.Lock()
	defer n.mu.Unlock()
	read, err := n.read.next(now.File(Path))
	if err != nil {
		return // it was not made by us, and apply says so
	}
	n.read, n.want, n.known, n.sysctls = read, read.Config, true, now.File(SysctlPath)
}

// StatusVerb answers what is wanted and not there.
const StatusVerb = "status"

// status looks itself when nobody did yet: right after the start nothing would be wrong.
func (n *network) status(ctx context.Context, _ json.RawMessage) (any, error) {
	n.recall()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known && !n.looked {
		if err := n.settle(ctx); err != nil {
			return nil, err
		}
	}
	return append([]Trouble{}, n.wrong...), nil
}
