// Package firewall manages the packet filter: zones, addresses, services, rules and their
// translation, as operators write them down. It reads them as a packetfilter.Policy and
// brings that into the kernel. What a policy means is package packetfilter's, how the kernel
// is spoken to package netfilter's, and which interfaces there are package network's.
package firewall

import (
	"context"
	"embed"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/db"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Options are what the component needs. Run and Applier are for the process that has routes.
type Options struct {
	DB      db.DB
	Run     *change.Runner
	Applier applier // apply.Client
	// Needed is what the other parts need of the packet filter, and NeededTables whose rows
	// decide it.
	Needed       func(ctx context.Context, q db.DB) (component.Needed, error)
	NeededTables []string
}

type applier interface {
	Ask(ctx context.Context, component, verb string, in, out any) error
}

type part struct {
	Options
}

// New returns the component.
func New(o Options) component.Component { return newPart(o).component() }

func newPart(o Options) *part { return &part{Options: o} }

func (p *part) component() component.Component {
	return component.Component{
		Name:       "firewall",
		Tables:     tables(),
		Migrations: db.Files(migrations),
		Routes:     p.routes,
		Objects:    objects(),
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
		component.Table{Name: "firewall_resolved", Scope: component.History},
		component.Table{Name: "firewall_touched", Scope: component.History})
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
}
