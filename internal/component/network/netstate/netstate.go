package netstate

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/rtnl"
	"gateway/internal/sys"
)

const (
	// Name is the component's one word.
	Name = "network"
	// Path is the rendering, and SysctlPath what a router sets per interface.
	Path       = "/etc/gateway/network/network.conf"
	SysctlPath = "/etc/gateway/network/sysctl.conf"

	// calm is how long events are collected before the kernel is looked at.
	calm = 100 * time.Millisecond
	// again is how soon what failed is tried once more without an event.
	again = 30 * time.Second
)

// Options are what the network needs.
type Options struct {
	Host host // *sys.Host
	// Open opens a socket to the kernel; nil means the one of this process's network.
	Open func() (*rtnl.Conn, error)
	// Watch calls wake at every change in the kernel; nil means the one of this network.
	Watch func(ctx context.Context, wake func()) error
	// Sysctl has the kernel take SysctlPath, which this process may not do itself.
	Sysctl func(ctx context.Context) error
	Log    *slog.Logger
}

// host knows the kernel's routes.
type host interface {
	Route(to netip.Addr) (sys.Route, error)
}

type network struct {
	Options
	mu      sync.Mutex // of the kernel, and of what follows
	want    Config
	known   bool // want is what is to be there
	wrong   []Trouble
	pending chan struct{} // sysctls to set
}

// New returns the daemon.
func New(o Options) daemon.Daemon {
	n := &network{Options: o, pending: make(chan struct{}, 1)}
	if n.Open == nil {
		n.Open = rtnl.Open
	}
	if n.Watch == nil {
		n.Watch = rtnl.Watch
	}
	return daemon.Daemon{
		Config: daemon.Config{
			Name: Name, Tables: Tables(),
			Source: daemon.Steps[Config]{Load: load, Render: render, Guard: n.guard},
		},
		Apply:      n.apply,
		Observe:    n.observe,
		Live:       n.live,
		Background: n.background,
		Verbs:      map[string]daemon.Verb{StatusVerb: n.status},
	}
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
	c, err := Parse(now.File(Path))
	if err != nil {
		return // it was not made by us, and apply says so
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.want, n.known = c, true
}

// StatusVerb answers what is wanted and not there.
const StatusVerb = "status"

func (n *network) status(context.Context, json.RawMessage) (any, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]Trouble{}, n.wrong...), nil
}
