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

// Client is what asks: an access point, a switch, a VPN gateway, or a network of them.
type Client struct {
	resource.Meta
	Name                        string `json:"name" db:"name"`
	Address                     string `json:"address" db:"address"`
	RequireMessageAuthenticator bool   `json:"require_message_authenticator" db:"require_message_authenticator"`
	Description                 string `json:"description" db:"description"`
	SecretConfigured            bool   `json:"secret_configured" db:"secret_configured" readOnly:"true" doc:"Whether there is a shared secret; it is never answered"`
}

// ClientInput is what create and update take.
type ClientInput struct {
	Name                        string      `json:"name" db:"name" minLength:"1" maxLength:"64" example:"ap-1" doc:"Letters, digits, dots, hyphens and underscores"`
	Address                     string      `json:"address" db:"address" minLength:"1" maxLength:"64" example:"192.0.2.10" doc:"IP address or network (CIDR) that it asks from"`
	Secret                      secret.Text `json:"secret,omitempty" db:"-" maxLength:"128" doc:"Shared secret, as the device has it: printable ASCII, best 16 or more random characters. Required on create; left out on update, the present one is kept"`
	RequireMessageAuthenticator *bool       `json:"require_message_authenticator,omitempty" db:"require_message_authenticator" default:"true" doc:"Ignore requests without a Message-Authenticator, which can be forged (BlastRADIUS). Switch it off only for a device that cannot send one"`
	Description                 string      `json:"description,omitempty" db:"description" maxLength:"1000" doc:"Free text for other administrators"`
}

func (h *handlers) clients() resource.Resource[Client, ClientInput] {
	return resource.Resource[Client, ClientInput]{
		Component: freeradius.Name, Noun: "client", Path: clientsPath, Table: "radius_clients", Access: api.Viewer,
		Search: []string{"name", "address", "description"}, Sort: []string{"name", "address", "created_at", "updated_at"},
		Unique:   map[string]string{"radius_clients_name": "name", "radius_clients_address": "address"},
		Computed: map[string]string{"secret_configured": "secret is not null"},
		Name:     func(c Client) string { return c.Name },
		Validate: validateClient,
		Derive:   h.deriveClient,
	}
}

// validateClient also puts every value into the one form that is stored.
func validateClient(_ context.Context, _ db.DB, old *Client, in *ClientInput) error {
	in.RequireMessageAuthenticator = value.OrTrue(in.RequireMessageAuthenticator)
	var p fault.Problems
	c := freeradius.Client{Name: in.Name, Address: in.Address, Secret: in.Secret}
	if in.Secret == "" && old != nil {
		c.Secret = "the present one"
	}
	c.Validate(&p)
	in.Address = c.Address
	if err := value.Text(in.Description); err != nil {
		p.AddError("description", err)
	}
	return p.Err()
}

func (h *handlers) deriveClient(_ context.Context, id string, _ *Client, in *ClientInput) (map[string]any, error) {
	if in.Secret == "" {
		return nil, nil
	}
	return map[string]any{"secret": h.Box.Seal([]byte(in.Secret.Reveal()), freeradius.SecretPlace(id))}, nil
}
