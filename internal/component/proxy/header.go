package proxy

import (
	"context"

	"gateway/internal/api"
	"gateway/internal/component/proxy/haproxyconf"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
)

// Header is a field that every answer of a domain carries.
type Header struct {
	resource.Meta
	HeaderInput
}

// HeaderInput is what create and update take.
type HeaderInput struct {
	DomainID string `json:"domain_id,omitempty" db:"domain_id" maxLength:"64" doc:"Id of the domain; not required below /domains/{id}/headers"`
	Name     string `json:"name" db:"name" minLength:"1" maxLength:"64" example:"X-Frame-Options" doc:"Name of the response header to set"`
	Value    string `json:"value" db:"value" minLength:"1" maxLength:"2000" example:"DENY" doc:"Value of the response header"`
}

func (s *service) headers() resource.Resource[Header, HeaderInput] {
	return resource.Resource[Header, HeaderInput]{
		Component: "proxy", Noun: "header", Path: "/domain-headers", Table: "proxy_headers", Access: api.Viewer,
		Search: []string{"name", "value"}, Sort: []string{"name", "created_at", "updated_at"}, Filter: []string{"domain_id"},
		Unique:   map[string]string{"proxy_headers_name": "name"},
		Name:     func(h Header) string { return h.Name },
		Validate: validateHeader,
	}
}

func (s *service) headersOfDomain() resource.Under[Header, HeaderInput] {
	return resource.Under[Header, HeaderInput]{
		Path: "/domains/{id}/headers", Column: "domain_id", Items: true,
		Owner:  func(h Header) string { return h.DomainID },
		Give:   func(in *HeaderInput, id string) { in.DomainID = id },
		Exists: resource.Exists("proxy_domains", "domain"),
	}
}

func validateHeader(ctx context.Context, tx db.DB, _ *Header, in *HeaderInput) error {
	var p fault.Problems
	if err := haproxyconf.HeaderName(in.Name); err != nil {
		p.AddError("name", err)
	}
	if err := haproxyconf.HeaderValue(in.Value); err != nil {
		p.AddError("value", err)
	}
	if err := resource.MustBe(ctx, tx, &p, "domain_id", "proxy_domains", "domain", in.DomainID); err != nil {
		return err
	}
	return p.Err()
}
