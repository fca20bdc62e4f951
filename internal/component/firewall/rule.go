package firewall

import (
	"context"
	"net/http"
	"time"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/value"
)

// Rule says what happens to packets of a kind.
type Rule struct {
	resource.Meta
	Name            string     `json:"name" db:"name"`
	SrcZone         string     `json:"src_zone" db:"src_zone"`
	SrcKind         string     `json:"src_kind" db:"src_kind"`
	SrcObjectID     *string    `json:"src_object_id" db:"src_object_id"`
	SrcGroupID      *string    `json:"src_group_id" db:"src_group_id"`
	SrcCIDR         string     `json:"src_cidr" db:"src_cidr"`
	DstZone         string     `json:"dst_zone" db:"dst_zone"`
	DstKind         string     `json:"dst_kind" db:"dst_kind"`
	DstObjectID     *string    `json:"dst_object_id" db:"dst_object_id"`
	DstGroupID      *string    `json:"dst_group_id" db:"dst_group_id"`
	DstCIDR         string     `json:"dst_cidr" db:"dst_cidr"`
	ServiceObjectID *string    `json:"service_object_id" db:"service_object_id"`
	ServiceGroupID  *string    `json:"service_group_id" db:"service_group_id"`
	UplinkGroupID   *string    `json:"uplink_group_id" db:"uplink_group_id"`
	Action          string     `json:"action" db:"action"`
	Log             bool       `json:"log" db:"log"`
	Priority        int        `json:"priority" db:"priority"`
	Enabled         bool       `json:"enabled" db:"enabled"`
	Comment         string     `json:"comment" db:"comment"`
	Note            string     `json:"note" db:"note"`
	Labels          []string   `json:"labels" db:"labels"`
	ExpiresAt       *time.Time `json:"expires_at" db:"expires_at"`
}

// RuleInput is what create and update take.
type RuleInput struct {
	Name            string     `json:"name" db:"name" minLength:"1" maxLength:"100" example:"Guests to the internet" doc:"Display name of the rule"`
	SrcZone         string     `json:"src_zone,omitempty" db:"-" maxLength:"32" default:"any" doc:"Source zone, or any"`
	SrcKind         string     `json:"src_kind,omitempty" db:"src_kind" enum:"any,object,group,cidr" default:"any" doc:"How the source address is given"`
	SrcObjectID     *string    `json:"src_object_id,omitempty" db:"src_object_id" doc:"Id of an address object, for kind object"`
	SrcGroupID      *string    `json:"src_group_id,omitempty" db:"src_group_id" doc:"Id of an address group, for kind group"`
	SrcCIDR         string     `json:"src_cidr,omitempty" db:"src_cidr" maxLength:"64" doc:"A network or an address of either family, for kind cidr" example:"192.0.2.0/24"`
	DstZone         string     `json:"dst_zone,omitempty" db:"-" maxLength:"32" default:"any" doc:"Destination zone, or any, which includes the gateway itself"`
	DstKind         string     `json:"dst_kind,omitempty" db:"dst_kind" enum:"any,object,group,cidr" default:"any" doc:"How the destination address is given"`
	DstObjectID     *string    `json:"dst_object_id,omitempty" db:"dst_object_id" doc:"Id of an address object, for kind object"`
	DstGroupID      *string    `json:"dst_group_id,omitempty" db:"dst_group_id" doc:"Id of an address group, for kind group"`
	DstCIDR         string     `json:"dst_cidr,omitempty" db:"dst_cidr" maxLength:"64" doc:"A network or an address of either family, for kind cidr"`
	ServiceObjectID *string    `json:"service_object_id,omitempty" db:"service_object_id" doc:"Id of a service; without a service and a group, all protocols match"`
	ServiceGroupID  *string    `json:"service_group_id,omitempty" db:"service_group_id" doc:"Id of a service group"`
	UplinkGroupID   *string    `json:"uplink_group_id,omitempty" db:"uplink_group_id" doc:"Id of the uplink group that connections of this rule leave by, those of the group's address family; only for action accept. Default: the routes and the default group decide"`
	Action          string     `json:"action" db:"action" enum:"accept,drop,reject" doc:"accept: let the packet through; drop: discard it silently; reject: refuse it with an ICMP error or a TCP reset"`
	Log             bool       `json:"log,omitempty" db:"log" doc:"Log its packets"`
	Priority        *int       `json:"priority,omitempty" db:"priority" minimum:"-1000000" maximum:"1000000" doc:"The matching rule with the lowest number applies; default 100"`
	Enabled         *bool      `json:"enabled,omitempty" db:"enabled" doc:"Default: true"`
	Comment         string     `json:"comment,omitempty" db:"comment" maxLength:"1000" doc:"Free text for other administrators"`
	ExpiresAt       *time.Time `json:"expires_at,omitempty" db:"expires_at" doc:"The rule no longer applies after this time"`
	Annotation
	srcZone, dstZone *string
}

// Annotation is what rules carry for people. What is not given stays as it is.
type Annotation struct {
	Note   *string   `json:"note,omitempty" db:"note" maxLength:"4000" doc:"Free text"`
	Labels *[]string `json:"labels,omitempty" db:"labels" maxItems:"20" doc:"Keywords to search for"`
}

func rules() resource.Resource[Rule, RuleInput] {
	return resource.Resource[Rule, RuleInput]{
		Component: "firewall", Noun: "rule", Path: "/firewall/rules", Table: "firewall_rules", Access: api.Viewer,
		Search: []string{"name", "comment", "note", "labels"}, Sort: []string{"priority", "name", "action", "enabled", "created_at", "updated_at", "expires_at"},
		Filter:   []string{"src_zone", "dst_zone", "action", "enabled", "log", "src_group_id", "dst_group_id", "src_object_id", "dst_object_id", "service_object_id", "service_group_id", "uplink_group_id"},
		Computed: map[string]string{"src_zone": anyZone("src_zone"), "dst_zone": anyZone("dst_zone")},
		Name:     func(r Rule) string { return r.Name },
		Validate: validateRule,
		Derive: func(_ context.Context, _ string, _ *Rule, in *RuleInput) (map[string]any, error) {
			return map[string]any{"src_zone": in.srcZone, "dst_zone": in.dstZone}, nil
		},
	}
}

func (f *firewall) ruleRoutes(r api.Router) {
	rules().Register(r, f.DB, f.Run)
	resource.RegisterPatch(rules(), r, f.DB, f.Run, "Set the note and the labels of a rule", (*Annotation).settle)
	f.orderRoute(r, "/firewall/rules/order", "rule", "firewall_rules")
}

// validateRule also puts every value into the one form that is stored.
func validateRule(ctx context.Context, tx db.DB, old *Rule, in *RuleInput) (err error) {
	var p fault.Problems
	line(&p, in.Name)
	note(&p, "comment", in.Comment)
	in.Enabled, in.Priority = value.OrTrue(in.Enabled), orHundred(in.Priority)
	if old == nil {
		in.complete(&p, "", nil)
	} else {
		in.complete(&p, old.Note, old.Labels)
	}
	if in.ExpiresAt != nil && (old == nil || old.ExpiresAt == nil || !old.ExpiresAt.Equal(*in.ExpiresAt)) && in.ExpiresAt.Before(time.Now()) {
		p.Add("expires_at", "is in the past")
	}
	if in.srcZone, err = zoneColumn(ctx, tx, &p, "src_zone", in.SrcZone); err != nil {
		return err
	}
	if in.dstZone, err = zoneColumn(ctx, tx, &p, "dst_zone", in.DstZone); err != nil {
		return err
	}
	if err := in.references(ctx, tx, &p); err != nil {
		return err
	}
	return p.Err()
}

// references looks at what the rule points at.
func (in *RuleInput) references(ctx context.Context, tx db.DB, p *fault.Problems) error {
	for _, s := range []selector{
		{"src_", in.SrcKind, in.SrcObjectID, in.SrcGroupID, &in.SrcCIDR},
		{"dst_", in.DstKind, in.DstObjectID, in.DstGroupID, &in.DstCIDR},
	} {
		if err := s.judge(ctx, tx, p); err != nil {
			return err
		}
	}
	if err := in.uplinks(ctx, tx, p); err != nil {
		return err
	}
	return serviceReferences(ctx, tx, p, in.ServiceObjectID, in.ServiceGroupID)
}

// uplinks looks at the group that the rule's connections leave by.
func (in *RuleInput) uplinks(ctx context.Context, tx db.DB, p *fault.Problems) error {
	switch {
	case in.UplinkGroupID == nil:
		return nil
	case in.Action != "accept":
		p.Add("uplink_group_id", "applies only to the action accept")
	}
	return resource.MustBe(ctx, tx, p, "uplink_group_id", "uplink_groups", "uplink group", *in.UplinkGroupID)
}

func serviceReferences(ctx context.Context, tx db.DB, p *fault.Problems, service, group *string) error {
	if service != nil && group != nil {
		p.Add("service_group_id", "cannot be combined with service_object_id")
	}
	if service != nil {
		if err := resource.MustBe(ctx, tx, p, "service_object_id", "firewall_services", "service", *service); err != nil {
			return err
		}
	}
	if group != nil {
		return resource.MustBe(ctx, tx, p, "service_group_id", "firewall_service_groups", "service group", *group)
	}
	return nil
}

// selector is one side of a rule, as it was typed.
type selector struct {
	side          string // what its fields begin with
	kind          string
	object, group *string
	cidr          *string
}

// judge refuses what the kind has no use for: it would look as if it were heeded.
func (s selector) judge(ctx context.Context, tx db.DB, p *fault.Problems) error {
	for field, stray := range map[string]bool{
		"object_id": s.object != nil && s.kind != "object", "group_id": s.group != nil && s.kind != "group", "cidr": *s.cidr != "" && s.kind != "cidr",
	} {
		if stray {
			p.Add(s.side+field, "is ignored while %skind is %s; leave it out", s.side, s.kind)
		}
	}
	switch s.kind {
	case "object":
		return resource.MustBe(ctx, tx, p, s.side+"object_id", "firewall_address_objects", "address object", orNone(s.object))
	case "group":
		return resource.MustBe(ctx, tx, p, s.side+"group_id", "firewall_address_groups", "address group", orNone(s.group))
	case "cidr":
		n, err := cidr(*s.cidr)
		if err != nil {
			p.AddError(s.side+"cidr", err)
		}
		*s.cidr = n
	}
	return nil
}

func orNone(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func orHundred(n *int) *int {
	if n == nil {
		hundred := 100
		return &hundred
	}
	return n
}

// Order is the order in which rules are to be asked.
type Order struct {
	Rules []string `json:"rules" maxItems:"20000" doc:"Ids of all rules, in the new order"`
}

// orderRoute is one change: either all rules have their new places, or none.
func (f *firewall) orderRoute(r api.Router, path, noun, table string) {
	api.Handle(r, api.Op{
		ID: "order-firewall-" + noun + "s", Method: http.MethodPost, Path: path, Config: true,
		Summary:     "Reorder the rules",
		Description: "Sets the priorities of all rules, as one change; every rule must be listed once.",
	}, func(ctx context.Context, in *struct{ Body Order }) (*api.Body[*api.None], error) {
		c := change.Change{Component: "firewall", Action: "firewall." + table[len("firewall_"):len(table)-1] + ".order", Subject: "order"}
		err := f.Run.Run(ctx, c, func(tx change.Tx) error { return resource.Reorder(ctx, tx, table, "rule", in.Body.Rules, "true") })
		if err != nil {
			return nil, db.Fault(err, "rule", nil)
		}
		return api.Done(), nil
	})
}
