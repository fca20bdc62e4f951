package proxy

import (
	"context"

	"gateway/internal/api"
	"gateway/internal/component/proxy/haproxyconf"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/value"
)

// Server is one machine of a pool.
type Server struct {
	resource.Meta
	BackendID string `json:"backend_id" db:"backend_id"`
	Name      string `json:"name" db:"name"`
	ProxyName string `json:"proxy_name" db:"proxy_name" readOnly:"true" doc:"The name in the proxy's configuration and statistics"`
	Address   string `json:"address" db:"address"`
	Port      int    `json:"port" db:"port"`
	Weight    int    `json:"weight" db:"weight"`
	Backup    bool   `json:"backup" db:"backup"`
	Active    bool   `json:"active" db:"active"`
	Drain     bool   `json:"drain" db:"drain"`
}

// ServerInput is what create and update take.
type ServerInput struct {
	BackendID string `json:"backend_id,omitempty" db:"backend_id" maxLength:"64" doc:"Id of the backend; not required below /backends/{id}/servers"`
	Name      string `json:"name" db:"name" minLength:"1" maxLength:"64" example:"web-1" doc:"Name of the server, unique in the backend"`
	Address   string `json:"address" db:"address" minLength:"1" maxLength:"253" doc:"IP address or host name" example:"192.0.2.10"`
	Port      int    `json:"port" db:"port" minimum:"1" maximum:"65535" doc:"Port that the server listens on"`
	Weight    *int   `json:"weight,omitempty" db:"weight" minimum:"0" maximum:"256" doc:"Share of requests relative to the other servers; default 100"`
	Backup    bool   `json:"backup,omitempty" db:"backup" doc:"Used only when no other server is up"`
	Active    *bool  `json:"active,omitempty" db:"active" doc:"Default: true"`
	Drain     bool   `json:"drain,omitempty" db:"drain" doc:"No new clients; existing ones can finish"`
	ProxyName string `json:"-" db:"proxy_name"`
}

func (s *service) servers() resource.Resource[Server, ServerInput] {
	return resource.Resource[Server, ServerInput]{
		Component: "proxy", Noun: "server", Path: "/backend-servers", Table: "proxy_servers", Access: api.Viewer,
		Search: []string{"name", "address"}, Sort: []string{"name", "address", "port", "weight", "created_at", "updated_at"}, Filter: []string{"backend_id"},
		Unique:   map[string]string{"proxy_servers_name": "name"},
		Name:     func(s Server) string { return s.Name },
		Validate: s.validateServer,
	}
}

func (s *service) serversOfBackend() resource.Under[Server, ServerInput] {
	return resource.Under[Server, ServerInput]{
		Path: "/backends/{id}/servers", Column: "backend_id",
		Owner:  func(s Server) string { return s.BackendID },
		Give:   func(in *ServerInput, id string) { in.BackendID = id },
		Exists: resource.Exists("proxy_backends", "backend"),
	}
}

// validateServer also puts every value into the one form that is stored.
func (s *service) validateServer(ctx context.Context, tx db.DB, old *Server, in *ServerInput) error {
	var p fault.Problems
	name, err := haproxyconf.ProxyName(in.Name)
	if err != nil {
		p.AddError("name", err)
	}
	in.ProxyName = name
	if in.Address, err = value.HostOrName(in.Address); err != nil {
		p.AddError("address", err)
	}
	// What was stored before there was this rule stays editable; it is left out when it is rendered.
	if err == nil && (old == nil || old.Address != in.Address || old.Port != in.Port) {
		if err := s.placed(&p, in); err != nil {
			return err
		}
	}
	if in.Weight == nil {
		hundred := 100
		in.Weight = &hundred
	}
	in.Active = value.OrTrue(in.Active)
	if err := resource.MustBe(ctx, tx, &p, "backend_id", "proxy_backends", "backend", in.BackendID); err != nil {
		return err
	}
	return p.Err()
}

// placed refuses a server at which visitors would get what is for this node alone.
func (s *service) placed(p *fault.Problems, in *ServerInput) error {
	own, err := s.addresses()
	if err != nil {
		return err
	}
	if haproxyconf.HandsOut(in.Address) {
		p.Add("address", "must not be a link-local address or one at which clouds hand out credentials")
	}
	if who := haproxyconf.OwnService(in.Address, in.Port, own); who != "" {
		p.Add("port", "is reserved for %s on this node; a site must not lead there", who)
	}
	return nil
}
