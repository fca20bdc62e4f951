// Package filter brings the policy that package policy reads into the kernel: it renders it,
// refuses what would break an assertion or cut off whoever makes the change, applies it, and
// ends what rules had let in that expired. What a policy means is package packetfilter's, how
// the kernel is spoken to package netfilter's, and what is seen of it package live's.
package filter

import (
	"context"
	"log/slog"
	"net/netip"
	"path/filepath"
	"sync/atomic"

	"gateway/internal/component/firewall/live"
	"gateway/internal/component/firewall/policy"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/netfilter"
	"gateway/internal/packetfilter"
	"gateway/internal/rtnl/forecast"
	"gateway/internal/sys"
)

// Name is the component's one word.
const Name = "firewall"

// Options are what the packet filter needs.
type Options struct {
	After  []string // the components that need openings: a port opens when somebody listens
	Policy *policy.Reader
	Exec   sys.Runner // runs nft
	Host   host       // *sys.Host
	// Routing are those that manage the kernel's routes: assertions hold or not by these too. Nil
	// has them judged by the routes that the kernel has.
	Routing forecast.Sources
	// Network is what the kernel has of links, addresses and routes; nil for this machine's.
	Network func() (forecast.Network, error)
	// Forward lets the kernel forward, which it must not before there are rules: it is asked
	// after the first apply. Nil leaves it to gateway-firewall.service.
	Forward func(ctx context.Context) error
	Log     *slog.Logger
}

// host knows the kernel's routes.
type host interface {
	Route(to netip.Addr) (sys.Route, error)
	RouteMarked(to netip.Addr, mark uint32) (sys.Route, error)
	Routes() ([]sys.Hop, error)
}

type filter struct {
	Options
	compiler packetfilter.Compiler
	table    netfilter.Table
	marker   netfilter.Marker
	observer *live.Observer
	mark     string // of what was last applied
	forward  forwarding
	expiry   *expiry
	rendered atomic.Pointer[policy.State] // what runs
}

// New returns the packet filter.
func New(o Options) daemon.Daemon { return newFilter(o).daemon() }

func newFilter(o Options) *filter {
	table := netfilter.Table{Run: o.Exec}
	if o.Network == nil {
		o.Network = networkNow
	}
	return &filter{Options: o, table: table, marker: netfilter.Marker{Table: table}, observer: live.New(table, o.Log), expiry: newExpiry()}
}

func (f *filter) daemon() daemon.Daemon {
	return daemon.Daemon{
		Config: daemon.Config{
			Name: Name, Tables: policy.Tables(), Reads: f.Policy.Reads(), AlsoGuards: f.Routing.TablesBeside(Name), GuardsNow: policy.Asserts,
			Source: daemon.Steps[*policy.State]{Load: f.load, Refresh: f.Policy.Refresh, Render: f.render, Guard: f.guard, Keep: f.mayKeep},
			Check:  check, Plain: isPlain,
			Services: []daemon.Service{{Name: "packet-filter", Title: "Packet filter (nftables)", Phrase: "the packet filter", Package: "nftables", Required: true}},
		},
		After:      f.After,
		Apply:      f.apply,
		Observe:    f.marker.Mark,
		Live:       f.installed,
		Background: f.background,
		Folders:    []string{filepath.Dir(RulesPath)},
		Verbs:      f.observer.Verbs(),
		Waits:      []string{live.LogVerb},
	}
}

// load reads the policy, in which there are no secrets.
func (f *filter) load(ctx context.Context, q db.DB, _ daemon.Unseal) (*policy.State, error) {
	s, err := f.Policy.Load(ctx, q)
	if err == nil {
		s.Routing = forecast.Rows{Sources: f.Routing, DB: q}
	}
	return s, err
}
