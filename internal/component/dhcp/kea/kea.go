// Package kea is the daemon side of DHCP: it renders the configuration of Kea's DHCPv4 server
// from the rows, has Kea check it, and brings it to the running server over its control socket.
// It is restarted only when a link that it listens on was made anew. The package also says what a
// subnet and a reservation may be, and follows the leases. Opening the port is left to the packet
// filter, answering names to package unbound, what operators see to package dhcp.
package kea

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gateway/internal/component/dhcp/control"
	"gateway/internal/daemon"
	"gateway/internal/daemon/hostnames"
	"gateway/internal/db"
	"gateway/internal/process"
	"gateway/internal/rtnl"
	"gateway/internal/sys"
)

const (
	// Name is the component's one word.
	Name = "dhcp"
	// Unit is the daemon's.
	Unit = "kea-dhcp4-server.service"
	// Wan is the zone in which nobody is served.
	Wan = "wan"
)

// Options are what the daemon is managed with.
type Options struct {
	Units Units // *sys.Units
	Exec  sys.Runner
	Host  Host // *sys.Host
	// Socket leads to KeaSocket, which is Kea's own; LeaseFile is where Kea writes its leases, and
	// HookDir where its hooks are, as a pattern. Empty where they are as the package has them.
	Socket, KeaSocket, LeaseFile, HookDir string
	// Hooks are Kea's libraries, for a Kea whose folders are not this machine's; nil means those in HookDir.
	Hooks func() []string
	// Watch calls wake whenever the links of this machine change; nil means its kernel.
	Watch func(ctx context.Context, wake func()) error
	// Hostname is what this machine calls itself; nil means its kernel.
	Hostname func() (string, error)
	// Names are told the names of clients; nil for nobody.
	Names *hostnames.Registry
	// Seen is the file for since when clients have their addresses and names; empty for none.
	Seen string
	Now  func() time.Time
	Log  *slog.Logger
}

// Units starts what systemd runs.
type Units interface {
	Start(ctx context.Context, unit string) error
	Restart(ctx context.Context, unit string) error
}

// Host knows the links of this machine.
type Host interface {
	Interfaces() ([]sys.Interface, error)
	// DeadPacketSockets counts the sockets for whole frames, of any process, whose link is gone.
	DeadPacketSockets() (int, error)
}

// server is the Kea of this machine.
type server struct {
	Options
	control control.Client
	leases  table
	parsed  memo
	kick    chan struct{} // names may have changed

	mu      sync.Mutex
	listed  []string // the interfaces that there were when the rows were last read
	running config   // what Kea was last found to run on
	off     bool     // it is not to run
	dead    int      // sockets of links that are gone, and not Kea's

	looking sync.Mutex    // one look at a time, as it may restart Kea
	ran     chan struct{} // Kea was found to run
}

// New returns the daemon.
func New(o Options) daemon.Daemon { return newServer(o).daemon() }

func newServer(o Options) *server {
	def := func(s *string, value string) {
		if *s == "" {
			*s = value
		}
	}
	def(&o.Socket, control.Socket)
	def(&o.KeaSocket, control.KeaSocket)
	def(&o.LeaseFile, leaseFile)
	def(&o.HookDir, hookDir)
	if o.Hooks == nil {
		o.Hooks = func() []string { return hooks(o.HookDir) }
	}
	if o.Hostname == nil {
		o.Hostname = os.Hostname
	}
	if o.Watch == nil {
		o.Watch = rtnl.Watch
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &server{Options: o, control: control.Client{Path: o.Socket}, kick: make(chan struct{}, 1), ran: make(chan struct{}, 1)}
}

func (s *server) daemon() daemon.Daemon {
	return daemon.Daemon{
		Config: daemon.Config{
			Name: Name, Tables: Tables(), Reads: []string{"network_interfaces", "network_addresses"}, LockOf: "network",
			Follows: []string{"proxy_domains"}, // whoever publishes a site waits for no network, and none is refused for a client's name
			Source:  daemon.Steps[State]{Load: s.load, Render: s.render},
			Needs:   daemon.Needs{Tables: []string{"dhcp_settings", "dhcp_subnets", "network_interfaces"}, Openings: openings},
			Check:   s.check, Plain: s.plain,
			Services: []daemon.Service{{
				Name: Name, Unit: Unit, Title: "DHCP server (Kea)", Phrase: "the DHCP server", Package: "kea-dhcp4-server",
				Required: true, Setting: "dhcp_settings",
			}},
		},
		Units:      []string{Unit},
		After:      []string{"network"}, // which makes the interfaces
		Apply:      s.apply,
		Live:       s.live,
		Background: s.background,
		Verbs:      map[string]daemon.Verb{StatusVerb: s.status, LeasesVerb: s.list, UsedVerb: s.used, CountVerb: s.count, ReleaseVerb: s.release},
	}
}

// render remembers what the file says, for whoever compares it with the last one.
func (s *server) render(state State) (daemon.Rendering, error) {
	r, c, err := state.render()
	if err == nil {
		s.parsed.put(r.File(ConfFile), c)
	}
	return r, err
}

// Tables are those of the component.
func Tables() []db.Table {
	return []db.Table{
		{Name: "dhcp_settings", Scope: db.NodeLocal},
		{Name: "dhcp_subnets", Scope: db.Replicated},
		{Name: "dhcp_reservations", Scope: db.Replicated, RowsChecked: true},
		// What the node was set up as, for gateway-apply, which does not read the setup store.
		{Name: "dhcp_node", Scope: db.History, NoBackup: true, API: &db.Rights{Insert: true, Update: []string{"name"}}},
	}
}

// openings is the port that clients ask, in each zone that has somebody to serve: clients that
// renew a lease ask by the ordinary way. It keeps nobody out: Kea's sockets see packets before
// the packet filter does.
func openings(ctx context.Context, q db.DB) ([]daemon.Opening, error) {
	zones, err := db.List[struct{ Zone string }](ctx, q, `select distinct i.role from dhcp_subnets s join network_interfaces i on i.name = s.interface
		where s.active and i.role <> $1 and (select enabled from dhcp_settings) order by 1`, Wan)
	if err != nil {
		return nil, fmt.Errorf("read which zones DHCP serves: %w", err)
	}
	var out []daemon.Opening
	for _, z := range zones {
		out = append(out, daemon.Opening{Protocol: "udp", Port: 67, Why: "DHCP for clients", Role: z.Zone, Page: "/dhcp?tab=subnets"})
	}
	return out, nil
}

// background follows the leases, and looks at the interfaces: what Kea listens on is only what
// there is.
func (s *server) background(ctx context.Context, again func()) error {
	g, ctx := errgroup.WithContext(ctx)
	s.recall(ctx)
	g.Go(func() error { return s.follow(ctx) })
	g.Go(func() error { return s.keepSeen(ctx) })
	g.Go(func() error { return s.keepPublished(ctx) })
	g.Go(func() error {
		return rtnl.OnChange(ctx, s.Watch, func() { s.look(ctx, again) })
	})
	g.Go(func() error {
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-s.ran: // links may have been made anew while nobody watched
				s.look(ctx, again)
			}
		}
	})
	return g.Wait()
}

// look has the rows read again when other interfaces are there than at the last time, and Kea listen anew on those that
// were made again under their names: its sockets are still those of the former ones, and it does not notice.
func (s *server) look(ctx context.Context, again func()) {
	s.looking.Lock()
	defer s.looking.Unlock()
	all, err := s.Host.Interfaces()
	if err != nil {
		s.Log.WarnContext(ctx, "look at the interfaces", "err", err)
		return
	}
	dead, err := s.Host.DeadPacketSockets()
	if err != nil {
		s.Log.WarnContext(ctx, "look for sockets of links that are gone", "err", err)
	}
	there := names(all)
	s.mu.Lock()
	changed := s.listed != nil && !slices.Equal(s.listed, there)
	missing := slices.ContainsFunc(s.running.Interfaces.Names, func(name string) bool { return !slices.Contains(there, name) })
	deaf := err == nil && dead > s.dead && len(s.running.Interfaces.Names) > 0 && !missing // else the rows are read again when it comes
	if err == nil {
		s.dead = min(s.dead, dead)
	}
	s.mu.Unlock()
	if changed {
		again()
	}
	if deaf {
		s.listenAnew(ctx)
	}
}

// listenAnew restarts Kea. Sockets that are dead even then are somebody else's.
func (s *server) listenAnew(ctx context.Context) {
	s.Log.InfoContext(ctx, "a socket has lost its interface: the DHCP server listens again")
	if err := s.Units.Restart(ctx, Unit); err != nil {
		s.Log.ErrorContext(ctx, "have the DHCP server listen again", "err", err)
		return
	}
	left, err := s.Host.DeadPacketSockets()
	if err != nil {
		s.Log.WarnContext(ctx, "look for sockets of links that are gone", "err", err)
		return
	}
	s.mu.Lock()
	s.dead = left
	s.mu.Unlock()
}

// names are those of the links, in their order.
func names(links []sys.Interface) []string {
	out := make([]string, len(links))
	for i, l := range links {
		out[i] = l.Name
	}
	slices.Sort(out)
	return out
}

// Where Debian has Kea's hooks: the folder is named after the processor.
const (
	hookDir   = "/usr/lib/*/kea/hooks"
	leaseFile = "/var/lib/kea/kea-leases4.csv"
)

// hooks are the paths of those that this Kea has, of the ones we use.
func hooks(dir string) []string {
	var out []string
	for _, name := range []string{"lease_cmds", "host_cmds", "subnet_cmds"} {
		found, _ := filepath.Glob(filepath.Join(dir, "libdhcp_"+name+".so")) // the pattern is ours
		out = append(out, found...)
	}
	return out
}

// live remembers what Kea runs on.
func (s *server) live(now daemon.Rendering) {
	c, err := s.parsed.parse(now)
	if err != nil || now.Off() {
		c = config{} // nobody is served, and nobody has a name
	}
	s.mu.Lock()
	s.running, s.off = c, now.Off()
	s.mu.Unlock()
	process.Notify(s.ran)
	s.renamed()
}
