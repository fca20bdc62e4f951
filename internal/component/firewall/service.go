package firewall

import (
	"context"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
)

// Service is a protocol, and its port or message type.
type Service struct {
	resource.Meta
	Name        string `json:"name" db:"name"`
	Protocol    string `json:"protocol" db:"protocol"`
	Port        *int   `json:"port" db:"port"`
	PortEnd     *int   `json:"port_end" db:"port_end"`
	ICMPType    *int   `json:"icmp_type" db:"icmp_type"`
	Description string `json:"description" db:"description"`
	Builtin     bool   `json:"builtin" db:"builtin" readOnly:"true" doc:"Built in: only its description can be changed"`
}

// ServiceInput is what create and update take.
type ServiceInput struct {
	Name        string `json:"name" db:"name" minLength:"1" maxLength:"100" example:"Git" doc:"Unique name, shown in rules"`
	Protocol    string `json:"protocol" db:"protocol" enum:"tcp,udp,sctp,icmp,icmpv6,gre,esp,ah" doc:"IP protocol"`
	Port        *int   `json:"port,omitempty" db:"port" minimum:"1" maximum:"65535" doc:"tcp, udp and sctp: the port, or the first of a range; default all ports" example:"9418"`
	PortEnd     *int   `json:"port_end,omitempty" db:"port_end" minimum:"1" maximum:"65535" doc:"The last port"`
	ICMPType    *int   `json:"icmp_type,omitempty" db:"icmp_type" minimum:"0" maximum:"255" doc:"icmp and icmpv6: the type; default all types"`
	Description string `json:"description,omitempty" db:"description" maxLength:"1000" doc:"Free text for other administrators"`
}

func services() resource.Resource[Service, ServiceInput] {
	return resource.Resource[Service, ServiceInput]{
		Component: "firewall", Noun: "service", Path: "/firewall/services", Table: "firewall_services", Access: api.Viewer,
		Search: []string{"name", "protocol", "port", "description"}, Sort: []string{"name", "protocol", "port", "created_at", "updated_at"}, Filter: []string{"protocol", "builtin"},
		Unique:   map[string]string{"firewall_services_name": "name"},
		Name:     func(s Service) string { return s.Name },
		Validate: validateService,
		Derive: func(_ context.Context, _ string, old *Service, _ *ServiceInput) (map[string]any, error) {
			return map[string]any{"builtin": old != nil && old.Builtin}, nil
		},
		After: func(ctx context.Context, tx change.Tx, old, now *Service, _ *ServiceInput) error {
			switch {
			case now != nil:
				return nil
			case old.Builtin:
				return builtin(fault.Said("a built-in service cannot be deleted"))
			}
			return refuseUsed(ctx, tx, serviceUses, old.ID, "service")
		},
	}
}

func validateService(_ context.Context, _ db.DB, old *Service, in *ServiceInput) error {
	var p fault.Problems
	line(&p, in.Name)
	note(&p, "description", in.Description)
	in.judge(&p)
	if err := p.Err(); err != nil {
		return err
	}
	if old != nil && old.Builtin && !old.same(in) {
		return builtin(fault.Said("a built-in service cannot be changed, except for its description"))
	}
	return nil
}

func (in *ServiceInput) judge(p *fault.Problems) {
	ports := in.Protocol == "tcp" || in.Protocol == "udp" || in.Protocol == "sctp"
	if in.Port != nil && !ports {
		p.Add("port", "applies only to tcp, udp and sctp")
	}
	portEnd(p, "port_end", in.Port, in.PortEnd)
	if in.ICMPType != nil && in.Protocol != "icmp" && in.Protocol != "icmpv6" {
		p.Add("icmp_type", "applies only to icmp and icmpv6")
	}
}

// portEnd holds the end of a range against its beginning.
func portEnd(p *fault.Problems, field string, from, to *int) {
	switch {
	case to == nil:
	case from == nil:
		p.Add(field, "requires the first port of the range")
	case *to < *from:
		p.Add(field, "must not be lower than the first port of the range")
	}
}

// same reports whether nothing but the description differs.
func (s *Service) same(in *ServiceInput) bool {
	return s.Name == in.Name && s.Protocol == in.Protocol && equal(s.Port, in.Port) && equal(s.PortEnd, in.PortEnd) && equal(s.ICMPType, in.ICMPType)
}

func equal(a, b *int) bool { return a == b || a != nil && b != nil && *a == *b }
