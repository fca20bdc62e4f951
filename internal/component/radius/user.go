package radius

import (
	"context"

	"gateway/internal/api"
	"gateway/internal/component/radius/freeradius"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/secret"
	"gateway/internal/value"
)

// User may sign in, by PAP or CHAP.
type User struct {
	resource.Meta
	Name               string `json:"name" db:"name"`
	Enabled            bool   `json:"enabled" db:"enabled"`
	VLAN               *int   `json:"vlan" db:"vlan"`
	Description        string `json:"description" db:"description"`
	PasswordConfigured bool   `json:"password_configured" db:"password_configured" readOnly:"true" doc:"Whether there is a password; it is never answered"`
}

// UserInput is what create and update take.
type UserInput struct {
	Name        string      `json:"name" db:"name" minLength:"1" maxLength:"64" example:"ann" doc:"Letters, digits, dots, hyphens, underscores and @"`
	Password    secret.Text `json:"password,omitempty" db:"-" maxLength:"128" doc:"At most 128 bytes, without control characters. Required on create; left out on update, the present one is kept"`
	Enabled     *bool       `json:"enabled,omitempty" db:"enabled" default:"true" doc:"May sign in"`
	VLAN        *int        `json:"vlan,omitempty" db:"vlan" nullable:"true" minimum:"1" maximum:"4094" doc:"VLAN that the switch or access point puts the device into (RFC 3580); null for none"`
	Description string      `json:"description,omitempty" db:"description" maxLength:"1000" doc:"Free text for other administrators"`
}

func (h *handlers) users() resource.Resource[User, UserInput] {
	return resource.Resource[User, UserInput]{
		Component: freeradius.Name, Noun: "user", Path: usersPath, Table: "radius_users", Access: api.Viewer,
		Search: []string{"name", "description"}, Sort: []string{"name", "enabled", "vlan", "created_at", "updated_at"}, Filter: []string{"enabled", "vlan"},
		Unique:   map[string]string{"radius_users_name": "name"},
		Computed: map[string]string{"password_configured": "password is not null"},
		Name:     func(u User) string { return u.Name },
		Validate: validateUser,
		Derive:   h.deriveUser,
	}
}

func validateUser(_ context.Context, _ db.DB, old *User, in *UserInput) error {
	in.Enabled = value.OrTrue(in.Enabled)
	var p fault.Problems
	u := freeradius.User{Name: in.Name, Password: in.Password, VLAN: in.VLAN}
	if in.Password == "" && old != nil {
		u.Password = "the present one"
	}
	u.Validate(&p)
	if err := value.Text(in.Description); err != nil {
		p.AddError("description", err)
	}
	return p.Err()
}

func (h *handlers) deriveUser(_ context.Context, id string, _ *User, in *UserInput) (map[string]any, error) {
	if in.Password == "" {
		return nil, nil
	}
	return map[string]any{"password": h.Box.Seal([]byte(in.Password.Reveal()), freeradius.PasswordPlace(id))}, nil
}
