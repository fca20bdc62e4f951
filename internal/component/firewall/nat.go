package firewall

import (
	"context"

	"gateway/internal/api"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/value"
)

// NATRule translates addresses: on the way in those that are asked for (dnat), on the way
// out those that ask (snat, masquerade).
type NATRule struct {
	resource.Meta
	Name            string   `json:"name" db:"name"`
	Kind            string   `json:"kind" db:"kind"`
	InZone          string   `json:"in_zone" db:"in_zone"`
	OutZone         string   `json:"out_zone" db:"out_zone"`
	Protocol        string   `json:"protocol" db:"protocol"`
	SourceCIDR      string   `json:"source_cidr" db:"source_cidr"`
	DestinationCIDR string   `json:"destination_cidr" db:"destination_cidr"`
	DestPort        *int     `json:"dest_port" db:"dest_port"`
	DestPortEnd     *int     `json:"dest_port_end" db:"dest_port_end"`
	TargetAddress   string   `json:"target_address" db:"target_address"`
	TargetPort      *int     `json:"target_port" db:"target_port"`
	TargetPortEnd   *int     `json:"target_port_end" db:"target_port_end"`
	Pass            bool     `json:"pass" db:"pass" doc:"dnat: whether translated packets are accepted without a rule; false for the other kinds"`
	Priority        int      `json:"priority" db:"priority"`
	Enabled         bool     `json:"enabled" db:"enabled"`
	Note            string   `json:"note" db:"note"`
	Labels          []string `json:"labels" db:"labels"`
	Warning         string   `json:"warning" db:"warning" readOnly:"true" doc:"Why the rule is skipped, if it is"`
}

// NATRuleInput is what create and update take.
type NATRuleInput struct {
	Name            string `json:"name" db:"name" minLength:"1" maxLength:"100" example:"Mail to the DMZ" doc:"Unique name of the rule"`
	Kind            string `json:"kind" db:"kind" enum:"dnat,snat,masquerade" doc:"dnat: port forward to another destination; snat: fixed source address; masquerade: source address of the outgoing interface"`
	InZone          string `json:"in_zone,omitempty" db:"-" maxLength:"32" default:"any" doc:"dnat: source zone, or any"`
	OutZone         string `json:"out_zone,omitempty" db:"-" maxLength:"32" default:"any" doc:"snat and masquerade: outgoing zone, or any"`
	Protocol        string `json:"protocol,omitempty" db:"protocol" enum:"tcp,udp,any" doc:"default any; tcp if ports are given"`
	SourceCIDR      string `json:"source_cidr,omitempty" db:"source_cidr" maxLength:"64" doc:"Source network or address"`
	DestinationCIDR string `json:"destination_cidr,omitempty" db:"destination_cidr" maxLength:"64" doc:"Destination network or address"`
	DestPort        *int   `json:"dest_port,omitempty" db:"dest_port" minimum:"1" maximum:"65535" doc:"Destination port, or the first of a range"`
	DestPortEnd     *int   `json:"dest_port_end,omitempty" db:"dest_port_end" minimum:"1" maximum:"65535" doc:"Last destination port of a range; omitted for a single port"`
	TargetAddress   string `json:"target_address,omitempty" db:"target_address" maxLength:"64" doc:"dnat and snat: the translated address"`
	TargetPort      *int   `json:"target_port,omitempty" db:"target_port" minimum:"1" maximum:"65535" doc:"dnat: the translated port; unchanged if omitted"`
	TargetPortEnd   *int   `json:"target_port_end,omitempty" db:"target_port_end" minimum:"1" maximum:"65535" doc:"dnat: last translated port of a range as long as that of the destination ports"`
	Pass            *bool  `json:"pass,omitempty" db:"pass" doc:"dnat: also accept the translated packets, unless a rule denies them; without it they require a rule. Default: true"`
	Priority        *int   `json:"priority,omitempty" db:"priority" minimum:"-1000000" maximum:"1000000" doc:"The matching rule with the lowest number applies; default 100"`
	Enabled         *bool  `json:"enabled,omitempty" db:"enabled" doc:"Default: true"`
	Annotation
	inZone, outZone *string
}

// natWarning tells in a list what the applier logs: a rule of two families is left out.
const natWarning = `case when (select count(distinct f) from unnest(array[nullif(source_cidr, ''), nullif(destination_cidr, ''), nullif(target_address, '')]) a,
	lateral (select position(':' in a) > 0 as f) as family where a is not null) > 1 then 'it mixes IPv4 and IPv6' else '' end`

func nat() resource.Resource[NATRule, NATRuleInput] {
	return resource.Resource[NATRule, NATRuleInput]{
		Component: "firewall", Noun: "nat-rule", Path: "/nat-rules", Table: "firewall_nat_rules", Access: api.Viewer,
		Search: []string{"name", "note", "labels", "target_address"}, Sort: []string{"priority", "name", "kind", "enabled", "created_at", "updated_at"},
		Filter:   []string{"kind", "in_zone", "out_zone", "enabled"},
		Computed: map[string]string{"in_zone": anyZone("in_zone"), "out_zone": anyZone("out_zone"), "pass": "(kind = 'dnat' and pass)", "warning": natWarning},
		Name:     func(r NATRule) string { return r.Name },
		Validate: validateNAT,
		Derive: func(_ context.Context, _ string, _ *NATRule, in *NATRuleInput) (map[string]any, error) {
			return map[string]any{"in_zone": in.inZone, "out_zone": in.outZone}, nil
		},
	}
}

func (f *firewall) natRoutes(r api.Router) {
	nat().Register(r, f.DB, f.Run)
	resource.RegisterPatch(nat(), r, f.DB, f.Run, "Set the note and the labels of a NAT rule", (*Annotation).settle)
	f.orderRoute(r, "/nat-rules/order", "nat-rule", "firewall_nat_rules")
}

// validateNAT also puts every value into the one form that is stored. That a rule mixes
// families is no mistake here: it is stored, left out of the kernel, and told.
func validateNAT(ctx context.Context, tx db.DB, old *NATRule, in *NATRuleInput) (err error) {
	var p fault.Problems
	line(&p, in.Name)
	in.Enabled, in.Priority = value.OrTrue(in.Enabled), orHundred(in.Priority)
	if old == nil {
		in.complete(&p, "", nil)
	} else {
		in.complete(&p, old.Note, old.Labels)
	}
	in.networks(&p)
	in.ports(&p)
	in.fits(&p)
	if in.inZone, err = zoneColumn(ctx, tx, &p, "in_zone", in.InZone); err != nil {
		return err
	}
	if in.outZone, err = zoneColumn(ctx, tx, &p, "out_zone", in.OutZone); err != nil {
		return err
	}
	return p.Err()
}

func (in *NATRuleInput) networks(p *fault.Problems) {
	for field, text := range map[string]*string{"source_cidr": &in.SourceCIDR, "destination_cidr": &in.DestinationCIDR} {
		optionalCIDR(p, field, text)
	}
	if in.TargetAddress == "" {
		return
	}
	addr, err := value.Host(in.TargetAddress)
	if err != nil {
		p.AddError("target_address", err)
		return
	}
	in.TargetAddress = addr.String()
}

func (in *NATRuleInput) ports(p *fault.Problems) {
	portEnd(p, "dest_port_end", in.DestPort, in.DestPortEnd)
	portEnd(p, "target_port_end", in.TargetPort, in.TargetPortEnd)
	ported := in.DestPort != nil || in.TargetPort != nil
	switch {
	case in.Protocol == "" && ported:
		in.Protocol = "tcp"
	case in.Protocol == "":
		in.Protocol = "any"
	case in.Protocol == "any" && ported:
		p.Add("protocol", "must be tcp or udp when ports are given")
	}
}

// fits refuses what the kind has no use for: it would look as if it were heeded.
func (in *NATRuleInput) fits(p *fault.Problems) {
	dnat := in.Kind == "dnat"
	if dnat && in.OutZone != "any" && in.OutZone != "" {
		p.Add("out_zone", "applies only to snat and masquerade: the outgoing interface is known only after dnat")
	}
	if !dnat && in.InZone != "any" && in.InZone != "" {
		p.Add("in_zone", "applies only to dnat")
	}
	if (in.TargetAddress == "") != (in.Kind == "masquerade") {
		p.Add("target_address", "is required for dnat and snat; masquerade uses the interface's address")
	}
	if !dnat && in.Pass != nil && *in.Pass {
		p.Add("pass", "applies only to dnat")
	}
	in.Pass = value.OrTrue(in.Pass)
	if !dnat && in.TargetPort != nil {
		p.Add("target_port", "applies only to dnat")
	}
	if dnat && in.DestPort == nil && in.DestinationCIDR == "" {
		p.Add("dest_port", "is required unless destination_cidr is given; otherwise nothing would reach the gateway")
	}
}
