// Package firewall manages the packet filter: zones, addresses, services, rules and their
// translation, as operators write them down. It reads them as a packetfilter.Policy and
// brings that into the kernel. What a policy means is package packetfilter's, how the kernel
// is spoken to package netfilter's, and which interfaces there are package network's.
package firewall

import (
	"context"
	"embed"
	"log/slog"
	"net/netip"
	"path/filepath"
	"sync/atomic"
	"time"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/netfilter"
	"gateway/internal/packetfilter"
	"gateway/internal/packetlog"
	"gateway/internal/sys"
)

// Name is the part's one word.
const Name = "firewall"

//go:embed migrations/*.sql
var migrations embed.FS

// Options are what the component needs. Run and Applier are for the process that has
// routes, Exec for the one that applies.
type Options struct {
	DB      db.Pool
	Run     *change.Runner
	Applier applier    // apply.Client
	Exec    sys.Runner // sys.Run
	Host    *sys.Host
	// Lookup resolves a name, in the process that speaks to the outside.
	Lookup func(ctx context.Context, name string) ([]netip.Addr, error)
	// Forward lets the kernel forward, which it must not before there are rules. It is for the
	// process that loads them when nobody could at boot; nil elsewhere.
	Forward func(ctx context.Context) error
	Now     func() time.Time
	Log     *slog.Logger
	// Needed is what the other parts need of the packet filter, and NeededTables whose rows
	// decide it.
	Needed       func(ctx context.Context, q db.DB) (daemon.Needed, error)
	NeededTables []string
}

type applier interface {
	Ask(ctx context.Context, component, verb string, in, out any) error
}

type part struct {
	Options
	known    *book
	compiler packetfilter.Compiler
	table    netfilter.Table
	marker   netfilter.Marker
	mark     string // of what was last applied
	forward  forwarding
	expiry   *expiry
	// rendered is what was last rendered, which in gateway-apply is what runs.
	rendered atomic.Pointer[state]
	hits     hits

	ring    *packetlog.Ring // in gateway-apply
	feed    *packetlog.Feed // in gateway-api
	actions actions
}

// New returns the component.
func New(o Options) component.Component { return newPart(o).component() }

func newPart(o Options) *part {
	table := netfilter.Table{Run: o.Exec}
	p := &part{Options: o, known: newBook(), table: table, marker: netfilter.Marker{Table: table}, expiry: newExpiry()}
	p.ring = packetlog.NewRing(time.Now().UnixNano())
	p.feed = &packetlog.Feed{Ask: p.askLog, Name: p.nameActions, Log: o.Log}
	return p
}

func (p *part) component() component.Component {
	return component.Component{
		Name:       Name,
		Tables:     tables(),
		Migrations: db.Files(migrations),
		Routes:     p.routes,
		Jobs: []component.Job{
			{Name: "firewall-names", Every: lookUpEvery, Run: p.lookUp},
			{Name: "firewall-touched", Every: time.Hour, Run: p.forget},
		},
		Objects: objects(),
	}
}

// NewDaemon returns what gateway-apply needs of the packet filter.
func NewDaemon(o Options) daemon.Daemon { return newPart(o).daemon() }

func (p *part) daemon() daemon.Daemon {
	return daemon.Daemon{
		Config: daemon.Config{
			Name: Name, Tables: tables(), Reads: append([]string{"network_interfaces"}, p.NeededTables...),
			Source: daemon.Steps[*state]{Load: p.loadUnsealed, Refresh: p.refresh, Render: p.render, Guard: p.guard, Keep: p.mayKeep},
			Check:  check, Plain: unchecked,
		},
		Apply:      p.apply,
		Observe:    p.marker.Mark,
		Live:       p.live,
		Background: p.background,
		Folders:    []string{filepath.Dir(RulesPath)},
		Verbs: map[string]daemon.Verb{
			countersVerb: p.counters, logVerb: p.logPage, connectionsVerb: p.listConnections, cutVerb: p.cut,
		},
	}
}

func tables() []component.Table {
	var all []component.Table
	for _, name := range []string{
		"firewall_zones", "firewall_address_objects", "firewall_address_groups", "firewall_address_members",
		"firewall_services", "firewall_service_groups", "firewall_service_members",
		"firewall_rules", "firewall_nat_rules", "firewall_assertions", "firewall_settings",
	} {
		all = append(all, component.Table{Name: name, Scope: component.Replicated})
	}
	return append(all,
		component.Table{Name: "firewall_resolved", Scope: component.History, API: &db.Rights{Insert: true, Delete: true}},
		component.Table{Name: "firewall_touched", Scope: component.History, API: &db.Rights{Delete: true}}) // written by triggers
}

func objects() []component.Object {
	services := map[string]string{"service_object_id": "services", "service_group_id": "service_groups"}
	rules := map[string]string{
		"src_object_id": "address_objects", "src_group_id": "address_groups", "dst_object_id": "address_objects", "dst_group_id": "address_groups",
		"service_object_id": "services", "service_group_id": "service_groups",
	}
	none := []string{"src_object_id", "src_group_id", "dst_object_id", "dst_group_id", "service_object_id", "service_group_id"}
	return []component.Object{
		{Key: "zones", Path: "/firewall/zones", Name: []string{"name"}, Derived: []string{"builtin"}},
		{Key: "address_objects", Path: "/firewall/address-objects", Name: []string{"name"}, Derived: []string{"addresses"}},
		{Key: "address_groups", Path: "/firewall/address-groups", Name: []string{"name"}, Derived: []string{"builtin", "members", "member_count"}},
		{Key: "address_members", Path: "/firewall/address-members", Name: []string{"group_id", "object_id"}, Derived: []string{"name", "value"}, Refs: map[string]string{"group_id": "address_groups", "object_id": "address_objects"}},
		{Key: "services", Path: "/firewall/services", Name: []string{"name"}, Derived: []string{"builtin"}},
		{Key: "service_groups", Path: "/firewall/service-groups", Name: []string{"name"}, Derived: []string{"builtin", "members", "member_count"}},
		{Key: "service_members", Path: "/firewall/service-members", Name: []string{"group_id", "object_id"}, Derived: []string{"name", "value"}, Refs: map[string]string{"group_id": "service_groups", "object_id": "services"}},
		{Key: "rules", Path: "/firewall/rules", Name: []string{"priority", "name"}, Refs: rules, Optional: none},
		{Key: "nat_rules", Path: "/nat-rules", Name: []string{"priority", "name"}},
		{Key: "assertions", Path: "/firewall/assertions", Name: []string{"name"}, Refs: services, Optional: none},
		{Key: "settings", Path: "/firewall/settings", Single: true},
	}
}

func (p *part) routes(r api.Router) {
	p.zones().Register(r, p.DB, p.Run)
	p.addresses().Register(r, p.DB, p.Run)
	p.services().Register(r, p.DB, p.Run)
	for _, g := range []grouping{addressGroups, serviceGroups} {
		g.groups().Register(r, p.DB, p.Run)
		g.memberships().Register(r, p.DB, p.Run)
		g.memberships().RegisterUnder(r, p.DB, p.Run, g.membersOfGroup())
	}
	p.ruleRoutes(r)
	p.natRoutes(r)
	p.assertions().Register(r, p.DB, p.Run)
	p.settings().Register(r, p.DB, p.Run)
	p.useRoutes(r)
	p.counterRoutes(r)
	p.logRoutes(r)
	p.connectionRoutes(r)
	p.explainRoute(r)
	p.overviewRoutes(r)
}
