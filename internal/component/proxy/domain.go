package proxy

import (
	"context"
	"fmt"
	"strings"

	"gateway/internal/api"
	"gateway/internal/component/proxy/haproxyconf"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/value"
)

// Domain is one site: a name, and what is done with requests for it.
type Domain struct {
	resource.Meta
	Name           string   `json:"name" db:"name"`
	BackendID      *string  `json:"backend_id" db:"backend_id"`
	Active         bool     `json:"active" db:"active"`
	HTTPToHTTPS    bool     `json:"http_to_https" db:"http_to_https"`
	DisableH3      bool     `json:"disable_h3" db:"disable_h3"`
	HSTSMaxAge     int      `json:"hsts_max_age" db:"hsts_max_age"`
	HSTSSubdomains bool     `json:"hsts_subdomains" db:"hsts_subdomains"`
	HSTSPreload    bool     `json:"hsts_preload" db:"hsts_preload"`
	RateLimit      int      `json:"rate_limit" db:"rate_limit"`
	Maintenance    bool     `json:"maintenance" db:"maintenance"`
	MaxBodySize    int64    `json:"max_body_size" db:"max_body_size"`
	WWWRedirect    string   `json:"www_redirect" db:"www_redirect"`
	AllowFrom      []string `json:"allow_from" db:"allow_from"`
	Notes          string   `json:"notes" db:"notes"`
}

// DomainInput is what create and update take.
type DomainInput struct {
	Name           string   `json:"name" db:"name" minLength:"1" maxLength:"255" doc:"The host name, or *.example.com for all names directly below it" example:"www.example.com"`
	BackendID      *string  `json:"backend_id,omitempty" db:"backend_id" doc:"Id of the default backend, used when no routing rule matches"`
	Active         *bool    `json:"active,omitempty" db:"active" doc:"Default: true"`
	HTTPToHTTPS    *bool    `json:"http_to_https,omitempty" db:"http_to_https" doc:"Redirect HTTP to HTTPS; default true. If false, both are served"`
	DisableH3      bool     `json:"disable_h3,omitempty" db:"disable_h3" doc:"Do not offer HTTP/3"`
	HSTSMaxAge     int      `json:"hsts_max_age,omitempty" db:"hsts_max_age" minimum:"0" maximum:"63072000" doc:"HSTS max-age in seconds (Strict-Transport-Security); 0 disables HSTS"`
	HSTSSubdomains bool     `json:"hsts_subdomains,omitempty" db:"hsts_subdomains" doc:"HSTS includeSubDomains: holds for all subdomains too"`
	HSTSPreload    bool     `json:"hsts_preload,omitempty" db:"hsts_preload" doc:"HSTS preload: consents to inclusion in the browsers' preload lists"`
	RateLimit      int      `json:"rate_limit,omitempty" db:"rate_limit" minimum:"0" maximum:"1000000" doc:"Requests per client address in 10 seconds; 0 for unlimited. Excess requests get 429"`
	Maintenance    bool     `json:"maintenance,omitempty" db:"maintenance" doc:"Show a maintenance page with status 503"`
	MaxBodySize    int64    `json:"max_body_size,omitempty" db:"max_body_size" minimum:"0" maximum:"1099511627776" doc:"Maximum request body in bytes; 0 for unlimited. Larger requests get 413, requests without Content-Length 411"`
	WWWRedirect    string   `json:"www_redirect,omitempty" db:"www_redirect" enum:"off,to_www,to_apex" default:"off" doc:"Redirect between the names with and without www."`
	AllowFrom      []string `json:"allow_from,omitempty" db:"allow_from" maxItems:"200" doc:"Allowed source networks; empty for everyone. Others get 403"`
	Notes          string   `json:"notes,omitempty" db:"notes" maxLength:"4000" doc:"Free text"`
}

func (s *service) domains() resource.Resource[Domain, DomainInput] {
	return resource.Resource[Domain, DomainInput]{
		Component: "proxy", Noun: "domain", Path: "/domains", Table: "proxy_domains", Access: api.Viewer,
		Search: []string{"name", "notes"}, Sort: []string{"name", "active", "created_at", "updated_at"}, Filter: []string{"name", "backend_id", "active", "maintenance"},
		Unique:   map[string]string{"proxy_domains_name": "name"},
		Name:     func(d Domain) string { return d.Name },
		Validate: validateDomain,
	}
}

// validateDomain also puts every value into the one form that is stored.
func validateDomain(ctx context.Context, tx db.DB, old *Domain, in *DomainInput) error {
	var p fault.Problems
	name, err := haproxyconf.DomainName(in.Name)
	if err != nil {
		p.AddError("name", err)
	}
	in.Name, in.Active, in.HTTPToHTTPS = name, value.OrTrue(in.Active), value.OrTrue(in.HTTPToHTTPS)
	in.AllowFrom = value.Networks(&p, "allow_from", in.AllowFrom)
	in.judge(&p)
	if in.BackendID != nil {
		if err := mustSpeak(ctx, tx, &p, *in.BackendID, false); err != nil {
			return err
		}
	}
	if err := p.Err(); err != nil {
		return err
	}
	return refuseSameName(ctx, tx, old, in)
}

func (in *DomainInput) judge(p *fault.Problems) {
	if err := value.Text(in.Notes); err != nil {
		p.AddError("notes", err)
	}
	if in.WWWRedirect != "off" && (strings.HasPrefix(in.Name, "www.") || strings.HasPrefix(in.Name, "*.")) {
		p.Add("www_redirect", "cannot be used with a name that starts with www. or *.")
	}
	if in.HSTSPreload && (!in.HSTSSubdomains || in.HSTSMaxAge < 31536000) {
		p.Add("hsts_preload", "requires hsts_subdomains and an hsts_max_age of at least one year (31536000)")
	}
	if in.HSTSMaxAge > 0 && !*in.HTTPToHTTPS {
		p.Add("hsts_max_age", "requires http_to_https, because HSTS does not allow plain HTTP")
	}
}

// refuseSameName keeps a name from being two sites by way of www.
func refuseSameName(ctx context.Context, tx db.DB, old *Domain, in *DomainInput) error {
	id := "00000000-0000-0000-0000-000000000000"
	if old != nil {
		id = old.ID
	}
	var other string
	without, _ := strings.CutPrefix(in.Name, "www.") // without it there is no other of that name
	err := tx.QueryRow(ctx, `select coalesce(min(name), '') from proxy_domains where id <> $1 and name in ($2, $3)
		and (name = $2 and $4 <> 'off' or name = $3 and www_redirect <> 'off')`, id, "www."+in.Name, without, in.WWWRedirect).Scan(&other)
	if err != nil {
		return fmt.Errorf("look for www.%s: %w", in.Name, err)
	}
	if other != "" {
		return fault.New(fault.Conflict, "the www redirect and the domain %s use the same name; disable the redirect or delete the domain", other)
	}
	return nil
}
