// Package network manages the interfaces of this node, as far as they are configured here:
// what they are, and which zone they are in. What a zone is for is package firewall's.
package network

import (
	"embed"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/db"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Options are what the component needs.
type Options struct {
	DB  db.DB
	Run *change.Runner
}

type part struct{ Options }

// New returns the component.
func New(o Options) component.Component {
	p := &part{o}
	return component.Component{
		Name:       "network",
		Tables:     []component.Table{{Name: "network_interfaces", Scope: component.NodeLocal}},
		Migrations: db.Files(migrations),
		Routes:     func(r api.Router) { p.interfaces().Register(r, p.DB, p.Run) },
		Objects:    []component.Object{{Key: "interfaces", Path: "/network-interfaces", Name: []string{"name"}, Optional: []string{"role", "vlan_id"}}},
	}
}
