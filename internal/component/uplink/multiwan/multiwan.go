package multiwan

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"gateway/internal/component/uplink/health"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/netfilter"
	"gateway/internal/process"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/forecast"
	"gateway/internal/rtnl/reconcile"
	"gateway/internal/sys"
)

const (
	// Name is the component's one word.
	Name = "uplink"
	// Path is the rendering.
	Path = "/etc/gateway/uplink/uplink.conf"
	// HealthPath is what was known of the uplinks, for a restart of this process. It ends with
	// the kernel's own knowledge.
	HealthPath = "/run/gateway-apply/uplinks.json"
)

// Options are what uplinks need. Nil means the kernel of this process's network.
type Options struct {
	Host forecast.Host // *sys.Host
	// Routing are all that manage the kernel's routes; a change is judged beside the rows of the others.
	Routing forecast.Sources
	// Open opens a socket to the kernel, and Watch calls wake at every change in it.
	Open  func() (*rtnl.Conn, error)
	Watch func(ctx context.Context, wake func()) error
	// Exec runs nft, and Cut makes the kernel forget connections.
	Exec sys.Runner
	Cut  func(ctx context.Context, f netfilter.Filter) (int, error)
	// HealthFile is the file for what was known last; empty for none.
	HealthFile string
	Now        func() time.Time
	Log        *slog.Logger
}

type uplinks struct {
	Options
	mu          sync.Mutex // of the kernel, and of what follows
	want        Config
	known       bool // want is what is to be there
	idle        bool // there are no uplinks, and nothing is left of any
	machines    map[string]*health.Machine
	acted       map[string]health.State  // the states that the kernel follows
	savedHealth map[string]health.Status // of before a restart, until it was taken up
	gateways    map[int]string           // by number, as the kernel was told
	chosen      map[int]bool             // numbers that take new connections
	outdone     map[int]bool             // numbers that failed, and a group has something better
	noGateway   map[int]bool             // numbers that have a carrier and no gateway
	wrong       []reconcile.Trouble
	marked      struct { // the table of marks
		text   []byte
		kernel string
	}
	toCut map[int]time.Time // numbers whose connections are to be cut, and since when

	changed, woken, cutting chan struct{}
}

func newUplinks(o Options) *uplinks {
	d := &uplinks{
		Options: o, machines: map[string]*health.Machine{}, acted: map[string]health.State{}, toCut: map[int]time.Time{},
		changed: make(chan struct{}, 1), woken: make(chan struct{}, 1), cutting: make(chan struct{}, 1),
	}
	if d.Open == nil {
		d.Open = rtnl.Open
	}
	if d.Watch == nil {
		d.Watch = rtnl.Watch
	}
	if d.Exec == nil {
		d.Exec = sys.Run
	}
	if d.Cut == nil {
		d.Cut = netfilter.Cut
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	return d
}

// New returns the daemon.
func New(o Options) daemon.Daemon {
	d := newUplinks(o)
	return daemon.Daemon{
		Config: daemon.Config{
			Name: Name, Tables: Tables(), GuardReads: d.Routing.TablesBeside(Name), LockOf: "network",
			Source: daemon.Steps[state]{Load: d.load, Render: render, Guard: d.guard},
		},
		After:      []string{"network"},
		Apply:      d.apply,
		Observe:    d.observe,
		Live:       d.live,
		Background: d.background,
		Verbs:      map[string]daemon.Verb{StatusVerb: d.status, ProbeVerb: d.probe},
		Urgent:     []string{ProbeVerb},
	}
}

// Tables are those of the component.
func Tables() []db.Table {
	return []db.Table{
		{Name: "uplink_uplinks", Scope: db.NodeLocal},
		{Name: "uplink_groups", Scope: db.NodeLocal},
		{Name: "uplink_members", Scope: db.NodeLocal},
	}
}

// observe tells nothing apart: background watches the kernel by itself.
func (d *uplinks) observe(context.Context) (string, error) { return "kernel", nil }

// live takes over what is found to run, after a restart of this process.
func (d *uplinks) live(now daemon.Rendering) {
	c, err := Parse(now.File(Path))
	if err != nil {
		return // it was not made by us, and apply says so
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.want, d.known, d.idle = c, true, false
	process.Notify(d.woken)
}
