// Package haproxyconf makes HAProxy serve what package proxy stores: it reads the rows,
// renders one configuration and the maps it looks things up in, has HAProxy judge them, and
// brings most changes to the running process without a reload. It is gateway-apply's side;
// what operators are offered is package proxy's, certificates are package pemfiles', and
// opening ports is the packet filter's.
package haproxyconf

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"sync"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/haproxy"
	"gateway/internal/rtnl"
	"gateway/internal/sys"
)

// Name is that of the component whose daemon this is.
const Name = "proxy"

// The verbs of gateway-apply.
const (
	VerbStats   = "stats"   // answers Stats
	VerbReload  = "reload"  // answers nothing
	VerbTraffic = "traffic" // answers Counted
	VerbTotals  = "totals"  // answers Totals
)

// Options are what HAProxy is managed with.
type Options struct {
	HAProxy *haproxy.Daemon // whoever else has files for it shares it
	Exec    sys.Runner      // sys.Run
	Log     LogPlaces       // empty: nobody looks
	Host    Host            // *sys.Host; nil for a node that has the loopback alone
	// Watch calls wake whenever the links of this machine change; nil means its kernel.
	Watch func(ctx context.Context, wake func()) error
}

// Host knows the links of this machine.
type Host interface {
	Interfaces() ([]sys.Interface, error)
}

// adapter leads from rows to the running HAProxy.
type adapter struct {
	Options
	domains *db.Versions[site] // those of the last time

	mu     sync.Mutex
	listed []netip.Addr // the addresses that there were when the rows were last read
}

// New returns what gateway-apply needs of HAProxy.
func New(o Options) daemon.Daemon { return newAdapter(o).daemon() }

func newAdapter(o Options) *adapter {
	if o.Watch == nil {
		o.Watch = rtnl.Watch
	}
	return &adapter{Options: o, domains: newVersions()}
}

func (a *adapter) daemon() daemon.Daemon {
	return daemon.Daemon{
		Config: daemon.Config{
			Name: Name, Tables: Tables(), Source: daemon.Steps[state]{Load: a.load, Render: renderState},
			Needs: daemon.Needs{Tables: []string{"proxy_ports"}, Openings: openings},
			Check: a.check, Plain: plain,
			Services: []daemon.Service{{
				Name: "reverse-proxy", Unit: haproxy.Unit, Title: "Reverse proxy (HAProxy)", Phrase: "the reverse proxy", Package: "haproxy",
				Required: true, Restart: true, Gentle: true, AccessLog: AccessLog, AccessSource: "access-log",
			}},
		},
		Units:   []string{haproxy.Unit},
		After:   []string{"cert"}, // which the configuration names
		Folders: []string{mapsDir},
		Apply:   a.apply,
		Verbs:   map[string]daemon.Verb{VerbStats: a.stats, VerbReload: a.reloadVerb, VerbTraffic: a.traffic, VerbTotals: a.totals},
		Waits:   []string{VerbReload},

		Background: a.background,
	}
}

// Tables are those of the component. Every value is of a kind that HAProxy takes wherever we
// put it, so that rows are judged one by one; it still has the last word before files are
// installed.
func Tables() []db.Table {
	return []db.Table{
		{Name: "proxy_settings", Scope: db.NodeLocal, RowsChecked: true, OneWay: []string{"ipv6"}},
		{Name: "proxy_backends", Scope: db.Replicated, RowsChecked: true},
		{Name: "proxy_servers", Scope: db.Replicated, RowsChecked: true},
		{Name: "proxy_domains", Scope: db.Replicated, RowsChecked: true},
		{Name: "proxy_headers", Scope: db.Replicated, RowsChecked: true},
		{Name: "proxy_users", Scope: db.Replicated, RowsChecked: true, Omit: []string{"digest"}},
		{Name: "proxy_rules", Scope: db.Replicated, RowsChecked: true},
		{Name: "proxy_ports", Scope: db.Replicated, RowsChecked: true},
		{Name: "proxy_traffic", Scope: db.History, API: &db.Rights{Insert: true, Delete: true}},
	}
}

func (a *adapter) load(ctx context.Context, q db.DB, _ daemon.Unseal) (state, error) {
	own, err := a.addresses()
	if err != nil {
		return state{}, err
	}
	a.mu.Lock()
	a.listed = own
	a.mu.Unlock()
	s, err := load(ctx, q, a.domains)
	s.own = own
	return s, err
}

// addresses are this node's own, in order.
func (a *adapter) addresses() ([]netip.Addr, error) {
	if a.Host == nil {
		return nil, nil
	}
	links, err := a.Host.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("list the interfaces: %w", err)
	}
	own := sys.Addresses(links)
	slices.SortFunc(own, netip.Addr.Compare)
	return slices.Compact(own), nil
}

// background has the rows rendered again when this node has other addresses: no server may be a service of its own.
func (a *adapter) background(ctx context.Context, again func()) error {
	return rtnl.OnChange(ctx, a.Watch, func() {
		now, err := a.addresses() // when it cannot be told, the next change of the links asks again
		a.mu.Lock()
		changed := err == nil && !slices.Equal(a.listed, now)
		a.mu.Unlock()
		if changed {
			again()
		}
	})
}

func renderState(s state) (daemon.Rendering, error) { return render(s), nil }
