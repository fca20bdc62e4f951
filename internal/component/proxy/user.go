package proxy

import (
	"context"
	"errors"
	"strings"

	"gateway/internal/api"
	"gateway/internal/component/proxy/haproxyconf"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/secret"
	"gateway/internal/value"
)

// User may use a domain that asks for a name and a password.
type User struct {
	resource.Meta
	DomainID string `json:"domain_id" db:"domain_id"`
	Name     string `json:"name" db:"name"`
}

// UserInput is what create and update take.
type UserInput struct {
	DomainID string      `json:"domain_id,omitempty" db:"domain_id" maxLength:"64" doc:"Id of the domain; not required below /domains/{id}/users"`
	Name     string      `json:"name" db:"name" minLength:"1" maxLength:"64" example:"ann" doc:"Login name for basic authentication"`
	Password secret.Text `json:"password,omitempty" db:"-" maxLength:"200" doc:"At least 12 characters; needed whenever the name changes"`
}

func (s *service) users() resource.Resource[User, UserInput] {
	return resource.Resource[User, UserInput]{
		Component: "proxy", Noun: "user", Path: "/domain-users", Table: "proxy_users", Access: api.Viewer,
		Search: []string{"name"}, Sort: []string{"name", "created_at", "updated_at"}, Filter: []string{"domain_id"},
		Unique:   map[string]string{"proxy_users_name": "name"},
		Name:     func(u User) string { return u.Name },
		Validate: validateUser,
		Derive:   deriveUser,
	}
}

func (s *service) usersOfDomain() resource.Under[User, UserInput] {
	return resource.Under[User, UserInput]{
		Path: "/domains/{id}/users", Column: "domain_id", Items: true,
		Owner:  func(u User) string { return u.DomainID },
		Give:   func(in *UserInput, id string) { in.DomainID = id },
		Exists: resource.Exists("proxy_domains", "domain"),
	}
}

func validateUser(ctx context.Context, tx db.DB, old *User, in *UserInput) error {
	var p fault.Problems
	if err := haproxyconf.HeaderValue(in.Name); err != nil || strings.Contains(in.Name, ":") {
		p.Add("name", "must be printable ASCII without a colon")
	}
	password := in.Password.Reveal()
	switch {
	case password == "" && (old == nil || old.Name != in.Name || old.DomainID != in.DomainID):
		p.Add("password", "is required")
	case password != "" && len(password) < 12:
		p.Add("password", "must have at least 12 characters")
	case strings.ContainsFunc(password, value.Unprintable):
		p.Add("password", "must not contain control characters")
	}
	if err := resource.MustBe(ctx, tx, &p, "domain_id", "proxy_domains", "domain", in.DomainID); err != nil {
		return err
	}
	return p.Err()
}

func deriveUser(_ context.Context, _ string, old *User, in *UserInput) (map[string]any, error) {
	if in.Password == "" {
		if old == nil {
			return nil, errors.New("a user without a password")
		}
		return nil, nil
	}
	return map[string]any{"digest": haproxyconf.Digest(in.DomainID, in.Name, in.Password.Reveal())}, nil
}
