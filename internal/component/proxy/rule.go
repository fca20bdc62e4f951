package proxy

import (
	"context"
	"net/http"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component/proxy/haproxyconf"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/value"
)

// Rule sends a part of a site to another backend.
type Rule struct {
	resource.Meta
	DomainID   string `json:"domain_id" db:"domain_id"`
	PathPrefix string `json:"path_prefix" db:"path_prefix"`
	BackendID  string `json:"backend_id" db:"backend_id"`
	Priority   int    `json:"priority" db:"priority"`
	Active     bool   `json:"active" db:"active"`
}

// RuleInput is what create and update take.
type RuleInput struct {
	DomainID   string `json:"domain_id" db:"domain_id" maxLength:"64" doc:"Id of the domain"`
	PathPrefix string `json:"path_prefix" db:"path_prefix" minLength:"1" maxLength:"512" doc:"Path prefix of the request" example:"/api/"`
	BackendID  string `json:"backend_id" db:"backend_id" maxLength:"64" doc:"Id of the backend"`
	Priority   *int   `json:"priority,omitempty" db:"priority" minimum:"-1000000" maximum:"1000000" doc:"The matching rule with the lowest number applies, among equals the one with the longest prefix; default 100"`
	Active     *bool  `json:"active,omitempty" db:"active" doc:"Default: true"`
}

func (s *service) rules() resource.Resource[Rule, RuleInput] {
	return resource.Resource[Rule, RuleInput]{
		Component: "proxy", Noun: "routing-rule", Path: "/routing-rules", Table: "proxy_rules", Access: api.Viewer,
		Search: []string{"path_prefix"}, Sort: []string{"priority", "path_prefix", "created_at", "updated_at"}, Filter: []string{"domain_id", "backend_id"},
		Name:     func(r Rule) string { return r.PathPrefix },
		Validate: validateRule,
	}
}

func validateRule(ctx context.Context, tx db.DB, _ *Rule, in *RuleInput) error {
	var p fault.Problems
	if err := haproxyconf.URLPath(in.PathPrefix); err != nil {
		p.AddError("path_prefix", err)
	}
	if in.Priority == nil {
		hundred := 100
		in.Priority = &hundred
	}
	in.Active = value.OrTrue(in.Active)
	if err := resource.MustBe(ctx, tx, &p, "domain_id", "proxy_domains", "domain", in.DomainID); err != nil {
		return err
	}
	if err := mustSpeak(ctx, tx, &p, in.BackendID, false); err != nil {
		return err
	}
	return p.Err()
}

// Order is the order in which a domain's rules are to be looked at.
type Order struct {
	DomainID string   `json:"domain_id" maxLength:"64" doc:"Id of the domain whose rules are reordered"`
	Rules    []string `json:"rules" maxItems:"1000" doc:"Ids of all rules of the domain, in the new order"`
}

func (s *service) orderRoute(r api.Router) {
	api.Handle(r, api.Op{
		ID: "order-proxy-routing-rules", Method: http.MethodPost, Path: "/routing-rules/order", Config: true,
		Summary:     "Reorder the routing rules of a domain",
		Description: "Sets the priorities of all rules of the domain, as one change; every rule must be listed once.",
	}, s.order)
}

// order is one change: either all rules have their new places, or none.
func (s *service) order(ctx context.Context, in *struct{ Body Order }) (*api.Body[*api.None], error) {
	if !db.ValidID(in.Body.DomainID) {
		return nil, fault.At("domain_id", "is not the id of a domain")
	}
	c := change.Change{Component: "proxy", Action: "proxy.routing_rule.order", Subject: in.Body.DomainID}
	err := s.Run.Run(ctx, c, func(tx change.Tx) error {
		return resource.Reorder(ctx, tx, "proxy_rules", "rule", in.Body.Rules, "domain_id = $1", in.Body.DomainID)
	})
	if err != nil {
		return nil, db.Fault(err, "routing rule", nil)
	}
	return api.Done(), nil
}
