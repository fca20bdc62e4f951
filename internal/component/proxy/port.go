package proxy

import (
	"context"

	"gateway/internal/api"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/value"
)

// Port is a TCP service: whatever comes in at a port is passed to a backend as it is.
type Port struct {
	resource.Meta
	Name      string   `json:"name" db:"name"`
	Port      int      `json:"port" db:"port"`
	BackendID string   `json:"backend_id" db:"backend_id"`
	AllowFrom []string `json:"allow_from" db:"allow_from"`
	Active    bool     `json:"active" db:"active"`
}

// PortInput is what create and update take.
type PortInput struct {
	Name      string   `json:"name" db:"name" minLength:"1" maxLength:"100" example:"mail" doc:"Unique name of the TCP service"`
	Port      int      `json:"port" db:"port" minimum:"1" maximum:"65535" example:"993" doc:"TCP port on which the gateway listens"`
	BackendID string   `json:"backend_id" db:"backend_id" maxLength:"64" doc:"Id of a backend whose scheme is tcp"`
	AllowFrom []string `json:"allow_from,omitempty" db:"allow_from" maxItems:"200" doc:"Allowed source networks; empty for everyone"`
	Active    *bool    `json:"active,omitempty" db:"active" doc:"Default: true"`
}

func (s *service) ports() resource.Resource[Port, PortInput] {
	return resource.Resource[Port, PortInput]{
		Component: "proxy", Noun: "tcp-service", Path: "/tcp-services", Table: "proxy_ports", Access: api.Viewer,
		Search: []string{"name", "port"}, Sort: []string{"name", "port", "created_at", "updated_at"}, Filter: []string{"backend_id"},
		Unique:   map[string]string{"proxy_ports_port": "port"},
		Name:     func(s Port) string { return s.Name },
		Validate: validatePort,
	}
}

func validatePort(ctx context.Context, tx db.DB, _ *Port, in *PortInput) error {
	var p fault.Problems
	if err := value.Line(in.Name); err != nil {
		p.AddError("name", err)
	}
	if who, ok := value.TakenPorts[in.Port]; ok {
		p.Add("port", "is reserved for %s", who)
	}
	in.AllowFrom, in.Active = value.Networks(&p, "allow_from", in.AllowFrom), value.OrTrue(in.Active)
	if err := mustSpeak(ctx, tx, &p, in.BackendID, true); err != nil {
		return err
	}
	return p.Err()
}
