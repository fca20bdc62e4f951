package wireguard

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl"
	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/rtnl"
	"gateway/internal/rtnl/forecast"
	"gateway/internal/rtnl/reconcile"
	"gateway/internal/secret"
)

const (
	// Name is the component's one word.
	Name = "tunnel"
	// Path is the rendering, and KeyPath the private and preshared keys to it.
	Path    = "/etc/gateway/tunnel/tunnel.conf"
	KeyPath = "/etc/gateway/tunnel/keys.conf"
	// EndpointsPath is what names of endpoints led to last, for a boot without a resolver.
	EndpointsPath = "/var/lib/gateway-apply/tunnel-endpoints.json"

	interfacesTable = "tunnel_interfaces"
	peersTable      = "tunnel_peers"
)

// Options are what tunnels need. Nil means the kernel of this process's network.
type Options struct {
	Host forecast.Host // *sys.Host
	// Routing are all that manage the kernel's routes; a change is judged beside the rows of the others.
	Routing forecast.Sources
	// Open opens a socket to the kernel, and Watch calls wake at every change in it.
	Open  func() (*rtnl.Conn, error)
	Watch func(ctx context.Context, wake func()) error
	// WG opens what speaks to devices, and Make makes the link of one; Kind is that of such links.
	WG   func() (Devices, error)
	Make func(ctx context.Context, conn *rtnl.Conn, name string) error
	Kind string
	// Remember is the file for what names of endpoints led to; empty for none.
	Remember string
	// Installed is the file of the keys that are installed; empty for none.
	Installed string
	// ImportFolder is where wg-quick has its files.
	ImportFolder string
	Now          func() time.Time
	Log          *slog.Logger
}

// Devices are those of WireGuard: a wgctrl.Client.
type Devices interface {
	Device(name string) (*wgtypes.Device, error)
	ConfigureDevice(name string, c wgtypes.Config) error
	Close() error
}

type tunnels struct {
	Options
	endpointState
	mu     sync.Mutex // of the kernel, and of what follows
	want   wanted
	known  bool // want is what is to be there
	wrong  []reconcile.Trouble
	looked bool            // wrong is what was seen
	ask    map[string]bool // names of peers that do not answer

	recalled       sync.Once // what names led to
	changed, woken chan struct{}
}

func newTunnels(o Options) *tunnels {
	d := &tunnels{Options: o, endpointState: newEndpointState(), ask: map[string]bool{}, changed: make(chan struct{}, 1), woken: make(chan struct{}, 1)}
	if d.Open == nil {
		d.Open = rtnl.Open
	}
	if d.Watch == nil {
		d.Watch = rtnl.Watch
	}
	if d.WG == nil {
		d.WG = func() (Devices, error) { return wgctrl.New() }
	}
	if d.Make == nil {
		d.Make = makeLink
	}
	if d.Kind == "" {
		d.Kind = linkKind
	}
	if d.ImportFolder == "" {
		d.ImportFolder = importFolder
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	return d
}

// New returns the daemon.
func New(o Options) daemon.Daemon {
	d := newTunnels(o)
	return daemon.Daemon{
		Config: daemon.Config{
			Name: Name, Tables: Tables(), GuardReads: d.Routing.TablesBeside(Name), LockOf: "network",
			Needs:  daemon.Needs{Tables: []string{interfacesTable}, Tunnels: needed},
			Source: daemon.Steps[state]{Load: d.load, Render: render, Guard: d.guard},
		},
		After:      []string{"network"},
		Apply:      d.apply,
		Observe:    d.observe,
		Live:       d.live,
		Background: d.background,
		Verbs:      map[string]daemon.Verb{StatusVerb: d.status, EndpointsVerb: d.endpoints, ImportableVerb: d.importable},
		Urgent:     []string{EndpointsVerb},
	}
}

// observe tells nothing apart: background watches the kernel by itself.
func (d *tunnels) observe(context.Context) (string, error) { return "kernel", nil }

// live takes over what is found to run, after a restart of this process.
func (d *tunnels) live(now daemon.Rendering) {
	w, err := read(now)
	if err != nil {
		return // it was not made by us, and apply says so
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.wake()
	d.assume(w)
}

// assume takes what the kernel runs on for wanted. A peer was dialled where it is configured.
func (d *tunnels) assume(w wanted) {
	d.want, d.known = w, true
	for _, t := range w.Tunnels {
		for _, p := range t.Peers {
			id := PeerKey{t.Name, p.PublicKey}
			if at, ok := d.target(p.Endpoint); ok && !d.dialled[id].IsValid() {
				d.dialled[id] = at
			}
		}
	}
}

// Tables are those of the component.
func Tables() []db.Table {
	return []db.Table{
		{Name: interfacesTable, Scope: db.NodeLocal, Omit: []string{"private_key"}},
		{Name: peersTable, Scope: db.NodeLocal, Omit: []string{"private_key", "preshared_key"}},
	}
}

// InterfaceKeyPlace is where the private key of an interface is stored.
func InterfaceKeyPlace(id string) secret.Place {
	return secret.Place{Table: interfacesTable, Column: "private_key", Row: id}
}

// PeerKeyPlace is where the private key of a peer is stored, if this node made it.
func PeerKeyPlace(id string) secret.Place {
	return secret.Place{Table: peersTable, Column: "private_key", Row: id}
}

// PresharedKeyPlace is where the preshared key of a peer is stored.
func PresharedKeyPlace(id string) secret.Place {
	return secret.Place{Table: peersTable, Column: "preshared_key", Row: id}
}

// The verbs of the component.
const (
	// StatusVerb answers a Report.
	StatusVerb = "status"
	// EndpointsVerb takes what names of endpoints lead to (Found), and answers the names that
	// somebody with a resolver should look up (Wanted): gateway-apply has no network.
	EndpointsVerb = "endpoints"
)

// Report is what StatusVerb answers.
type Report struct {
	Known   bool                `json:"known"`   // what is wanted; else nothing was read since the start
	Tunnels []Link              `json:"tunnels"` // those whose link is there and ours
	Peers   []Status            `json:"peers"`
	Wrong   []reconcile.Trouble `json:"wrong"` // what is wanted and not there
}

// Link is that of a tunnel.
type Link struct {
	Name string `json:"name"`
	Up   bool   `json:"up"`
}

// Status is a peer as WireGuard has it.
type Status struct {
	Interface     string    `json:"interface"`
	PublicKey     string    `json:"public_key"`
	Endpoint      string    `json:"endpoint"`       // empty while nobody knows it
	AllowedIPs    []string  `json:"allowed_ips"`    // as networks
	LastHandshake time.Time `json:"last_handshake"` // zero for never
	Rx            int64     `json:"rx"`             // bytes
	Tx            int64     `json:"tx"`
	Keepalive     int       `json:"keepalive"` // seconds; 0 for none
	Lost          bool      `json:"lost"`      // it is dialled, and does not answer what is sent to it
	// Unresolved says that its endpoint is a name whose address nobody knows, so that it cannot be dialled.
	Unresolved bool `json:"unresolved"`
}

// Found is what names of endpoints lead to.
type Found map[string][]string

// Wanted are the names to look up.
type Wanted struct {
	Names []string `json:"names"`
}
