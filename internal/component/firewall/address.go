package firewall

import (
	"context"
	"strings"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component/firewall/policy"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/value"
)

// Address is a host, a network, a range or a name that rules speak of.
type Address struct {
	resource.Meta
	Name        string   `json:"name" db:"name"`
	Kind        string   `json:"kind" db:"kind"`
	Value       string   `json:"value" db:"value"`
	Description string   `json:"description" db:"description"`
	Addresses   []string `json:"addresses" db:"addresses" readOnly:"true" doc:"fqdn: the addresses the name last resolved to"`
}

const resolvedTo = `(select coalesce(array_agg(host(r.address) order by r.address), '{}') from firewall_resolved r where r.object_id = firewall_address_objects.id)`

// AddressInput is what create and update take.
type AddressInput struct {
	Name        string `json:"name" db:"name" minLength:"1" maxLength:"100" example:"printers" doc:"Unique name, shown in rules"`
	Kind        string `json:"kind" db:"kind" enum:"host,network,range,fqdn" doc:"host: one address; network: CIDR; range: first to last address; fqdn: host name that is resolved"`
	Value       string `json:"value" db:"value" minLength:"1" maxLength:"253" doc:"An address, a network as 192.0.2.0/24, a range as 192.0.2.1-192.0.2.9, or a host name, which is resolved regularly" example:"192.0.2.0/24"`
	Description string `json:"description,omitempty" db:"description" maxLength:"1000" doc:"Free text for other administrators"`
}

func addresses() resource.Resource[Address, AddressInput] {
	return resource.Resource[Address, AddressInput]{
		Component: "firewall", Noun: "address-object", Path: "/firewall/address-objects", Table: "firewall_address_objects", Access: api.Viewer,
		Search: []string{"name", "value"}, Sort: []string{"name", "kind", "value", "created_at", "updated_at"}, Filter: []string{"kind"},
		Unique:   map[string]string{"firewall_address_objects_name": "name"},
		Computed: map[string]string{"addresses": resolvedTo},
		Name:     func(a Address) string { return a.Name },
		Validate: validateAddress,
		After: func(ctx context.Context, tx change.Tx, old, now *Address, _ *AddressInput) error {
			if now != nil {
				return nil
			}
			return refuseUsed(ctx, tx, addressUses, old.ID, "address object")
		},
	}
}

// validateAddress also puts the value into the one form that is stored.
func validateAddress(_ context.Context, _ db.DB, _ *Address, in *AddressInput) error {
	var p fault.Problems
	line(&p, in.Name)
	note(&p, "description", in.Description)
	stored, err := addressValue(in.Kind, strings.TrimSpace(in.Value))
	if err != nil {
		p.AddError("value", err)
	}
	in.Value = stored
	return p.Err()
}

// addressValue is a value in the form in which it is stored.
func addressValue(kind, s string) (string, error) {
	if kind == "fqdn" {
		return value.HostName(s)
	}
	r, err := policy.Range(kind, s)
	switch {
	case err != nil:
		return "", err
	case kind == "range":
		return r.From.String() + "-" + r.To.String(), nil
	case kind == "host":
		return r.From.String(), nil
	}
	return cidr(s)
}

// cidr is a network in the form in which it is stored.
func cidr(s string) (string, error) {
	n, err := value.Prefix(s)
	if err != nil {
		return "", err
	}
	return n.String(), nil
}
