// Package change declares the history of changes as a part of the product: its
// tables today, its pages with the change engine. Making changes is left to
// gateway/internal/change.
package change

import (
	"gateway/internal/change"
	"gateway/internal/component"
)

// New returns the component.
func New() component.Component {
	schema := change.Schema()
	return component.Component{Name: "change", Tables: schema.Tables, Migrations: schema.Migrations}
}
