// Package network manages the interfaces of this node with their zones, addresses and static
// routes. How the kernel is brought there is package netstate's, what a zone is for package
// firewall's.
package network

import (
	"context"
	"embed"

	"gateway/internal/api"
	"gateway/internal/apply"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/network/netstate"
	"gateway/internal/db"
	"gateway/internal/rtnl"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Options are what the component needs.
type Options struct {
	DB      db.DB
	Run     *change.Runner
	Applier applier // apply.Client
	// Open opens a socket to the kernel; nil means the one of this process's network.
	Open func() (*rtnl.Conn, error)
}

type applier interface {
	Ask(ctx context.Context, component, verb string, in, out any) error
	States(ctx context.Context) ([]apply.State, error)
}

type handlers struct{ Options }

// New returns the component.
func New(o Options) component.Component {
	if o.Open == nil {
		o.Open = rtnl.Open
	}
	h := &handlers{o}
	return component.Component{
		Name:       netstate.Name,
		Tables:     netstate.Tables(),
		Migrations: db.Files(migrations),
		Routes:     h.register,
		Problems:   h.problems(),
		Support: []component.Support{
			{File: "routes.json", Read: component.Answer("/routes/live")},
			{File: "neighbours.json", Read: component.Answer("/neighbours")},
		},
		Objects: []component.Object{
			{
				Key: "interfaces", Path: "/network-interfaces", Name: []string{"name"},
				Optional: []string{"role", "vlan_id", "mtu", "miimon"},
			},
			{Key: "addresses", Path: "/ip-addresses", Name: []string{"interface_id", "address"}, Refs: map[string]string{"interface_id": "interfaces"}},
			{Key: "routes", Path: "/routes", Name: []string{"table_name", "destination", "metric"}, Alike: true, Optional: []string{"metric"}},
		},
	}
}

func (h *handlers) register(r api.Router) {
	h.interfaces().Register(r, h.DB, h.Run)
	h.addresses().Register(r, h.DB, h.Run)
	h.addresses().RegisterUnder(r, h.DB, h.Run, underInterface())
	h.routes().Register(r, h.DB, h.Run)
	liveRoute(r)
	neighbourRoute(r)
}
