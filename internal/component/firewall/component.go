// Package firewall is what operators write down about the packet filter, zones, addresses,
// services, rules and their translation, and what they are shown of it. Package policy reads
// it, package filter brings it into the kernel, and package live looks at what runs there.
// Which interfaces there are is package network's.
package firewall

import (
	"context"
	"embed"
	"log/slog"
	"net/netip"
	"time"

	"gateway/internal/api"
	"gateway/internal/apply"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/firewall/filter"
	"gateway/internal/component/firewall/policy"
	"gateway/internal/db"
	"gateway/internal/packetlog"
	"gateway/internal/sys"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Options are what the component needs.
type Options struct {
	DB      db.Pool
	Run     *change.Runner
	Applier applier // apply.Client
	Host    *sys.Host
	Policy  *policy.Reader // the one of the process
	Lookup  func(ctx context.Context, name string) ([]netip.Addr, error)
	Now     func() time.Time
	Log     *slog.Logger
}

type applier interface {
	Ask(ctx context.Context, component, verb string, in, out any) error
	States(ctx context.Context) ([]apply.State, error)
}

type firewall struct {
	Options
	feed     *packetlog.Feed
	actions  actions
	matrices chan struct{} // one is computed at a time
	verdicts verdicts      // about the assertions
}

// New returns the component.
func New(o Options) component.Component {
	f := &firewall{Options: o, matrices: make(chan struct{}, 1)}
	f.feed = &packetlog.Feed{Ask: f.askLog, Name: f.nameActions, Log: o.Log}
	return component.Component{
		Name:       filter.Name,
		Tables:     policy.Tables(),
		Migrations: db.Files(migrations),
		Routes:     f.routes,
		Jobs: []component.Job{
			{Name: "firewall.resolve", Where: component.OnEveryNode, Every: lookUpEvery, Run: f.lookUp},
			{Name: "firewall.forget", Where: component.OnEveryNode, Every: time.Hour, Run: f.forget},
		},
		Objects:  objects(),
		Problems: f.problems(),
		Values:   f.values(),
		Support: []component.Support{
			{File: "counters.json", Read: component.Answer("/firewall/counters")},
			{File: "findings.json", Read: component.Answer("/firewall/findings")},
		},
	}
}

func objects() []component.Object {
	services := map[string]string{"service_object_id": "services", "service_group_id": "service_groups"}
	rules := map[string]string{
		"src_object_id": "address_objects", "src_group_id": "address_groups", "dst_object_id": "address_objects", "dst_group_id": "address_groups",
		"service_object_id": "services", "service_group_id": "service_groups", "uplink_group_id": "uplink.groups",
	}
	none := []string{"src_object_id", "src_group_id", "dst_object_id", "dst_group_id", "service_object_id", "service_group_id", "uplink_group_id"}
	return []component.Object{
		{Key: "zones", Path: "/firewall/zones", Name: []string{"name"}, Derived: []string{"builtin"}},
		{Key: "address_objects", Path: "/firewall/address-objects", Name: []string{"name"}, Derived: []string{"addresses"}},
		{Key: "address_groups", Path: "/firewall/address-groups", Name: []string{"name"}, Derived: []string{"builtin", "members", "member_count"}},
		{Key: "address_members", Path: "/firewall/address-members", Name: []string{"group_id", "object_id"}, Derived: []string{"name", "value"}, Refs: map[string]string{"group_id": "address_groups", "object_id": "address_objects"}},
		{Key: "services", Path: "/firewall/services", Name: []string{"name"}, Derived: []string{"builtin"}},
		{Key: "service_groups", Path: "/firewall/service-groups", Name: []string{"name"}, Derived: []string{"builtin", "members", "member_count"}},
		{Key: "service_members", Path: "/firewall/service-members", Name: []string{"group_id", "object_id"}, Derived: []string{"name", "value"}, Refs: map[string]string{"group_id": "service_groups", "object_id": "services"}},
		{Key: "rules", Path: "/firewall/rules", Name: []string{"priority", "name"}, Alike: true, Refs: rules, Optional: none, Expires: "expires_at"},
		{Key: "nat_rules", Path: "/nat-rules", Name: []string{"priority", "name"}, Alike: true},
		{Key: "assertions", Path: "/firewall/assertions", Name: []string{"name"}, Refs: services, Optional: none},
		{Key: "settings", Path: "/firewall/settings", Single: true},
	}
}

func (f *firewall) routes(r api.Router) {
	f.zones().Register(r, f.DB, f.Run)
	addresses().Register(r, f.DB, f.Run)
	services().Register(r, f.DB, f.Run)
	for _, g := range []grouping{addressGroups, serviceGroups} {
		g.groups().Register(r, f.DB, f.Run)
		g.memberships().Register(r, f.DB, f.Run)
		g.memberships().RegisterUnder(r, f.DB, f.Run, g.membersOfGroup())
	}
	f.ruleRoutes(r)
	f.natRoutes(r)
	assertions().Register(r, f.DB, f.Run)
	settings().Register(r, f.DB, f.Run)
	f.useRoutes(r)
	f.counterRoutes(r)
	f.logRoutes(r)
	f.connectionRoutes(r)
	f.explainRoute(r)
	f.overviewRoutes(r)
}
