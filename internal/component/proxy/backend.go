package proxy

import (
	"context"
	"fmt"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component/proxy/haproxyconf"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/value"
)

// Backend is a pool of servers that do the same.
type Backend struct {
	resource.Meta
	Name           string         `json:"name" db:"name"`
	Scheme         string         `json:"scheme" db:"scheme"`
	LBAlgorithm    string         `json:"lb_algorithm" db:"lb_algorithm"`
	Websocket      bool           `json:"websocket" db:"websocket"`
	ForceHTTP1     bool           `json:"force_http1" db:"force_http1"`
	Active         bool           `json:"active" db:"active"`
	Sticky         bool           `json:"sticky" db:"sticky"`
	VerifyTLS      bool           `json:"verify_tls" db:"verify_tls"`
	TLSServerName  string         `json:"tls_server_name" db:"tls_server_name"`
	HealthCheck    bool           `json:"health_check" db:"health_check"`
	HealthPath     string         `json:"health_path" db:"health_path"`
	HealthHost     string         `json:"health_host" db:"health_host"`
	HealthInterval int            `json:"health_interval" db:"health_interval"`
	HealthStatus   int            `json:"health_status" db:"health_status"`
	Servers        []ServerOfPool `json:"servers" db:"servers" readOnly:"true" doc:"Its servers, by name"`
}

// ServerOfPool is a server as its pool shows it.
type ServerOfPool struct {
	ID      string `json:"id" doc:"Id of the server"`
	Name    string `json:"name" doc:"Name of the server, unique in the backend"`
	Address string `json:"address" doc:"IP address or host name"`
	Port    int    `json:"port" doc:"Port that the server listens on"`
	Weight  int    `json:"weight" doc:"Share of requests relative to the other servers"`
	Backup  bool   `json:"backup" doc:"Used only when no other server is up"`
	Active  bool   `json:"active" doc:"Whether it is configured in the proxy"`
	Drain   bool   `json:"drain" doc:"No new clients; existing ones can finish"`
}

const serversOfPool = `(select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'name', s.name, 'address', s.address, 'port', s.port,
	'weight', s.weight, 'backup', s.backup, 'active', s.active, 'drain', s.drain) order by s.name, s.id), '[]')
	from proxy_servers s where s.backend_id = proxy_backends.id)`

// BackendInput is what create and update take.
type BackendInput struct {
	Name           string `json:"name" db:"name" minLength:"1" maxLength:"100" example:"web servers" doc:"Unique name of the backend"`
	Scheme         string `json:"scheme,omitempty" db:"scheme" enum:"http,https,tcp" default:"http" doc:"Protocol to the servers; tcp forwards a port unchanged"`
	LBAlgorithm    string `json:"lb_algorithm,omitempty" db:"lb_algorithm" enum:"roundrobin,leastconn,source" default:"roundrobin" doc:"Load balancing: round robin, least connections, or a hash of the source address"`
	Websocket      bool   `json:"websocket,omitempty" db:"websocket" doc:"Allow upgraded connections to be idle for an hour"`
	ForceHTTP1     bool   `json:"force_http1,omitempty" db:"force_http1" doc:"Use HTTP/1.1 to the servers, even if they offer HTTP/2"`
	Active         *bool  `json:"active,omitempty" db:"active" doc:"Default: true. Domains with a disabled backend return 503"`
	Sticky         bool   `json:"sticky,omitempty" db:"sticky" doc:"Sticky sessions by cookie"`
	VerifyTLS      bool   `json:"verify_tls,omitempty" db:"verify_tls" doc:"https: verify the servers' TLS certificates against the system's trust store"`
	TLSServerName  string `json:"tls_server_name,omitempty" db:"tls_server_name" maxLength:"253" doc:"https: TLS server name (SNI), also verified; empty for the name of the domain"`
	HealthCheck    bool   `json:"health_check,omitempty" db:"health_check" doc:"Enable health checks"`
	HealthPath     string `json:"health_path,omitempty" db:"health_path" maxLength:"512" default:"/" doc:"Path of the health check; tcp only connects"`
	HealthHost     string `json:"health_host,omitempty" db:"health_host" maxLength:"253" doc:"Host of the health check; empty for tls_server_name, else localhost"`
	HealthInterval *int   `json:"health_interval,omitempty" db:"health_interval" minimum:"1" maximum:"3600" doc:"Seconds between two checks, half that while a server is about to go down or up; default 5"`
	HealthStatus   int    `json:"health_status,omitempty" db:"health_status" minimum:"0" maximum:"599" doc:"Expected status; 0 for any from 200 to 399"`
}

func (s *service) backends() resource.Resource[Backend, BackendInput] {
	return resource.Resource[Backend, BackendInput]{
		Component: "proxy", Noun: "backend", Path: "/backends", Table: "proxy_backends", Access: api.Viewer,
		Search: []string{"name", "scheme"}, Sort: []string{"name", "scheme", "active", "created_at", "updated_at"}, Filter: []string{"name", "scheme", "active"},
		Unique:   map[string]string{"proxy_backends_name": "name"},
		Computed: map[string]string{"servers": serversOfPool},
		Name:     func(b Backend) string { return b.Name },
		Validate: validateBackend,
		After:    afterBackend,
	}
}

// validateBackend also fills in what was not said.
func validateBackend(ctx context.Context, tx db.DB, old *Backend, in *BackendInput) error {
	var p fault.Problems
	if err := value.Line(in.Name); err != nil {
		p.AddError("name", err)
	}
	in.settle(&p)
	if err := p.Err(); err != nil {
		return err
	}
	if old == nil || (old.Scheme == "tcp") == (in.Scheme == "tcp") {
		return nil
	}
	return resource.RefuseUsed(ctx, tx, func(u fault.Uses) *fault.Fault {
		return fault.New(fault.Conflict, "%s uses this backend and cannot use the scheme %s", namedUsers(u), in.Scheme)
	}, backendUses, old.ID)
}

func (in *BackendInput) settle(p *fault.Problems) {
	in.Active = value.OrTrue(in.Active)
	if in.HealthInterval == nil {
		five := 5
		in.HealthInterval = &five
	}
	if err := haproxyconf.URLPath(in.HealthPath); err != nil {
		p.AddError("health_path", err)
	}
	if in.HealthStatus != 0 && in.HealthStatus < 100 {
		p.Add("health_status", "must be 0, or from 100 to 599")
	}
	in.TLSServerName = optionalName(p, "tls_server_name", in.TLSServerName)
	in.HealthHost = optionalName(p, "health_host", in.HealthHost)
	if in.VerifyTLS && in.Scheme != "https" {
		p.Add("verify_tls", "applies only to the scheme https")
	}
	if in.Sticky && in.Scheme == "tcp" {
		p.Add("sticky", "requires HTTP; for tcp, the lb_algorithm source keeps a client on the same server")
	}
}

func optionalName(p *fault.Problems, field, s string) string {
	if s == "" {
		return ""
	}
	name, err := value.HostName(s)
	if err != nil {
		p.AddError(field, err)
	}
	return name
}

// afterBackend refuses to delete what others point at, and says who.
func afterBackend(ctx context.Context, tx change.Tx, old, now *Backend, _ *BackendInput) error {
	if now != nil {
		return nil
	}
	return resource.RefuseUsed(ctx, tx, func(u fault.Uses) *fault.Fault {
		return resource.InUse("backend", u)
	}, backendUses, old.ID)
}

// backendUses is who points at a backend.
const backendUses = `select 'domain', id::text, name, '/proxy/sites/' || id from proxy_domains where backend_id = $1
	union all select 'routing-rule', r.id::text, d.name || r.path_prefix, '/proxy/sites/' || d.id || '?tab=rules&do=edit&id=' || r.id
		from proxy_rules r join proxy_domains d on d.id = r.domain_id where r.backend_id = $1
	union all select 'tcp-service', id::text, name, '/proxy?tab=services&do=edit&id=' || id from proxy_ports where backend_id = $1`

// namedUsers names one of those that point at a backend, and how many more there are.
func namedUsers(u fault.Uses) fault.Sentence {
	first := fault.Said("domain %s", u.UsedBy[0].Name)
	switch u.UsedBy[0].Kind {
	case "routing-rule":
		first = fault.Said("the routing rule %s", u.UsedBy[0].Name)
	case "tcp-service":
		first = fault.Said("TCP service %s", u.UsedBy[0].Name)
	}
	if u.UsedByTotal == 1 {
		return first
	}
	return fault.Said("%s (and %d more)", first, u.UsedByTotal-1)
}

// mustSpeak refuses a reference to a backend that is not there or speaks something else.
func mustSpeak(ctx context.Context, tx db.DB, p *fault.Problems, id string, tcp bool) error {
	if !db.ValidID(id) {
		p.Add("backend_id", "is not the id of a backend")
		return nil
	}
	var scheme string
	if err := tx.QueryRow(ctx, `select coalesce(max(scheme), '') from proxy_backends where id = $1`, id).Scan(&scheme); err != nil {
		return fmt.Errorf("read backend %s: %w", id, err)
	}
	switch {
	case scheme == "":
		p.Add("backend_id", "is not the id of a backend")
	case tcp && scheme != "tcp":
		p.Add("backend_id", "is a backend with the scheme %s; a TCP service requires the scheme tcp", scheme)
	case !tcp && scheme == "tcp":
		p.Add("backend_id", "is a backend with the scheme tcp, which only TCP services can use")
	}
	return nil
}
