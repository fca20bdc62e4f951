// Package toy is the smallest component there can be: one table, one resource. No
// process has it. The contract test adds it to the list and shows that nothing
// else is needed; read it to see what a new component takes.
package toy

import (
	"embed"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/db"
	"gateway/internal/resource"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Toy is a row.
type Toy struct {
	resource.Meta
	Input
}

// Input is what create and update take.
type Input struct {
	Name   string `json:"name" db:"name" minLength:"1" maxLength:"40"`
	Wheels int    `json:"wheels" db:"wheels" minimum:"0" maximum:"100"`
}

// New returns the component.
func New(q db.DB, run *change.Runner) component.Component {
	return component.Component{
		Name:       "toy",
		Tables:     []component.Table{{Name: "toys", Scope: component.Replicated}},
		Migrations: db.Files(migrations),
		Routes: func(r api.Router) {
			resource.Resource[Toy, Input]{
				Component: "toy", Noun: "toy", Path: "/toys", Table: "toys", Access: api.Viewer,
				Search: []string{"name"}, Sort: []string{"name", "wheels"},
				Unique: map[string]string{"toys_name_key": "name"},
				Name:   func(t Toy) string { return t.Name },
			}.Register(r, q, run)
		},
	}
}
