package firewall

import (
	"context"

	"gateway/internal/api"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/value"
)

// Assertion is what must stay true, whatever the rules are: a change that breaks one is refused.
type Assertion struct {
	resource.Meta
	Name            string  `json:"name" db:"name"`
	Description     string  `json:"description" db:"description"`
	Expect          string  `json:"expect" db:"expect"`
	SrcZone         string  `json:"src_zone" db:"src_zone"`
	SrcCIDR         string  `json:"src_cidr" db:"src_cidr"`
	DstZone         string  `json:"dst_zone" db:"dst_zone"`
	DstCIDR         string  `json:"dst_cidr" db:"dst_cidr"`
	ServiceObjectID *string `json:"service_object_id" db:"service_object_id"`
	ServiceGroupID  *string `json:"service_group_id" db:"service_group_id"`
	Enabled         bool    `json:"enabled" db:"enabled"`
}

// AssertionInput is what create and update take.
type AssertionInput struct {
	Name            string  `json:"name" db:"name" minLength:"1" maxLength:"100" example:"Guests never reach the management" doc:"What must hold, in words"`
	Description     string  `json:"description,omitempty" db:"description" maxLength:"1000" doc:"Free text for other administrators"`
	Expect          string  `json:"expect" db:"expect" enum:"reach,never" doc:"reach: at least one matching packet is accepted; never: none is"`
	SrcZone         string  `json:"src_zone,omitempty" db:"-" maxLength:"32" default:"any" doc:"Source zone, or any"`
	SrcCIDR         string  `json:"src_cidr,omitempty" db:"src_cidr" maxLength:"64" doc:"Source network; default all"`
	DstZone         string  `json:"dst_zone,omitempty" db:"-" maxLength:"32" default:"any" doc:"Destination zone, any, or gateway for the gateway itself"`
	DstCIDR         string  `json:"dst_cidr,omitempty" db:"dst_cidr" maxLength:"64" doc:"Destination network; default all"`
	ServiceObjectID *string `json:"service_object_id,omitempty" db:"service_object_id" doc:"Id of a service; without a service and a group, all protocols match"`
	ServiceGroupID  *string `json:"service_group_id,omitempty" db:"service_group_id" doc:"Id of a service group"`
	Enabled         *bool   `json:"enabled,omitempty" db:"enabled" doc:"Default: true"`

	srcZone, dstZone *string
}

func assertions() resource.Resource[Assertion, AssertionInput] {
	return resource.Resource[Assertion, AssertionInput]{
		Component: "firewall", Noun: "assertion", Path: "/firewall/assertions", Table: "firewall_assertions", Access: api.Viewer,
		Search: []string{"name", "description"}, Sort: []string{"name", "expect", "enabled", "created_at", "updated_at"}, Filter: []string{"src_zone", "dst_zone", "expect", "enabled"},
		Unique:   map[string]string{"firewall_assertions_name": "name"},
		Computed: map[string]string{"src_zone": anyZone("src_zone"), "dst_zone": "case when dst_gateway then 'gateway' else coalesce(dst_zone, 'any') end"},
		Name:     func(a Assertion) string { return a.Name },
		Validate: validateAssertion,
		Derive: func(_ context.Context, _ string, _ *Assertion, in *AssertionInput) (map[string]any, error) {
			return map[string]any{"src_zone": in.srcZone, "dst_zone": in.dstZone, "dst_gateway": in.DstZone == gatewayZone}, nil
		},
	}
}

// validateAssertion also puts every value into the one form that is stored.
func validateAssertion(ctx context.Context, tx db.DB, _ *Assertion, in *AssertionInput) (err error) {
	var p fault.Problems
	line(&p, in.Name)
	note(&p, "description", in.Description)
	in.Enabled = value.OrTrue(in.Enabled)
	for field, text := range map[string]*string{"src_cidr": &in.SrcCIDR, "dst_cidr": &in.DstCIDR} {
		optionalCIDR(&p, field, text)
	}
	if in.srcZone, err = zoneColumn(ctx, tx, &p, "src_zone", in.SrcZone); err != nil {
		return err
	}
	if in.DstZone != gatewayZone {
		if in.dstZone, err = zoneColumn(ctx, tx, &p, "dst_zone", in.DstZone); err != nil {
			return err
		}
	}
	if err := serviceReferences(ctx, tx, &p, in.ServiceObjectID, in.ServiceGroupID); err != nil {
		return err
	}
	return p.Err()
}

// optionalCIDR puts a network, if there is one, into the form in which it is stored.
func optionalCIDR(p *fault.Problems, field string, text *string) {
	if *text == "" {
		return
	}
	n, err := cidr(*text)
	if err != nil {
		p.AddError(field, err)
	}
	*text = n
}
