package forwardproxy

import (
	"context"
	"net/http"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component/forwardproxy/squid"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/value"
)

// ACL is an access rule: what happens to the requests that it matches.
type ACL struct {
	resource.Meta
	squid.Rule
	Priority    int    `json:"priority" db:"priority"`
	Enabled     bool   `json:"enabled" db:"enabled"`
	Description string `json:"description" db:"description"`
}

// ACLInput is what create and update take.
type ACLInput struct {
	squid.Rule
	Priority    *int   `json:"priority,omitempty" db:"priority" minimum:"-1000000" maximum:"1000000" doc:"The matching rule with the lowest number decides; default 100"`
	Enabled     *bool  `json:"enabled,omitempty" db:"enabled" default:"true" doc:"Whether the rule is asked"`
	Description string `json:"description,omitempty" db:"description" maxLength:"1000" doc:"Free text for other administrators"`
}

func (h *handlers) acls() resource.Resource[ACL, ACLInput] {
	return resource.Resource[ACL, ACLInput]{
		Component: squid.Name, Noun: "acl", Path: aclsPath, Table: "forwardproxy_acls", Access: api.Viewer,
		Search: []string{"value", "name", "description"}, Sort: []string{"priority", "type", "value", "name", "created_at", "updated_at"},
		Filter:   []string{"type", "action", "enabled"},
		Name:     func(a ACL) string { return a.Type + " " + a.Value },
		Validate: validateACL,
	}
}

const defaultPriority = 100

// validateACL also puts every value into the one form that is stored.
func validateACL(ctx context.Context, tx db.DB, _ *ACL, in *ACLInput) error {
	in.Enabled = value.OrTrue(in.Enabled)
	if in.Priority == nil {
		priority := defaultPriority
		in.Priority = &priority
	}
	var p fault.Problems
	in.Rule.Validate(&p)
	if err := mustBeList(ctx, tx, &p, in.Rule); err != nil {
		return err
	}
	if err := value.Text(in.Description); err != nil {
		p.AddError("description", err)
	}
	return p.Err()
}

// Order is the order in which the rules are to be asked.
type Order struct {
	Rules []string `json:"rules" maxItems:"20000" doc:"Ids of all access rules, in the new order"`
}

func (h *handlers) orderRoute(r api.Router) {
	api.Handle(r, api.Op{
		ID: "order-forwardproxy-acls", Method: http.MethodPost, Path: aclsPath + "/order", Config: true,
		Summary:     "Reorder the access rules of the forward proxy",
		Description: "Sets the priorities of all rules, as one change; every rule must be listed once.",
	}, h.order)
}

// order is one change: either all rules have their new places, or none.
func (h *handlers) order(ctx context.Context, in *struct{ Body Order }) (*api.Body[*api.None], error) {
	c := change.Change{Component: squid.Name, Action: "forwardproxy.acl.order", Subject: "order"}
	err := h.Run.Run(ctx, c, func(tx change.Tx) error {
		return resource.Reorder(ctx, tx, "forwardproxy_acls", "rule", in.Body.Rules, "true")
	})
	if err != nil {
		return nil, db.Fault(err, "access rule", nil)
	}
	return api.Done(), nil
}
