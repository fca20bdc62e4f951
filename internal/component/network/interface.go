package network

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"gateway/internal/api"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
	"gateway/internal/value"
)

// Interface is one network interface of this node.
type Interface struct {
	resource.Meta
	Name        string   `json:"name" db:"name"`
	Type        string   `json:"type" db:"type"`
	Role        *string  `json:"role" db:"role"`
	Parent      string   `json:"parent" db:"parent"`
	VLANID      *int     `json:"vlan_id" db:"vlan_id"`
	Members     []string `json:"members" db:"members"`
	Description string   `json:"description" db:"description"`
}

// InterfaceInput is what create and update take.
type InterfaceInput struct {
	Name        string   `json:"name" db:"name" minLength:"1" maxLength:"15" doc:"Name in the system" example:"eth0"`
	Type        string   `json:"type" db:"type" enum:"ethernet,vlan,bond,bridge,wireguard" doc:"Describes an existing interface: a VLAN, bond or bridge is stored but not created yet"`
	Role        *string  `json:"role,omitempty" db:"role" maxLength:"32" doc:"Zone of the interface; without one, only rules with zone any match" example:"lan"`
	Parent      string   `json:"parent,omitempty" db:"parent" maxLength:"15" doc:"vlan: parent interface"`
	VLANID      *int     `json:"vlan_id,omitempty" db:"vlan_id" minimum:"1" maximum:"4094" doc:"vlan: VLAN ID"`
	Members     []string `json:"members,omitempty" db:"members" maxItems:"64" doc:"bridge and bond: member interfaces"`
	Description string   `json:"description,omitempty" db:"description" maxLength:"1000" doc:"Free text for other administrators"`
}

func (p *part) interfaces() resource.Resource[Interface, InterfaceInput] {
	return resource.Resource[Interface, InterfaceInput]{
		Component: "network", Noun: "interface", Path: "/network-interfaces", Table: "network_interfaces", Access: api.Viewer,
		Search: []string{"name", "role", "description"}, Sort: []string{"name", "type", "role", "created_at", "updated_at"}, Filter: []string{"type", "role"},
		Unique:   map[string]string{"network_interfaces_name": "name"},
		Name:     func(i Interface) string { return i.Name },
		Validate: validateInterface,
	}
}

// nameForm is what the kernel takes, less what means something to nft or a shell.
var nameForm = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,15}$`)

func validateInterface(ctx context.Context, tx db.DB, _ *Interface, in *InterfaceInput) error {
	var p fault.Problems
	interfaceName(&p, "name", in.Name)
	if err := value.Text(in.Description); err != nil {
		p.AddError("description", err)
	}
	in.judge(&p)
	if in.Role != nil {
		var there bool
		if err := tx.QueryRow(ctx, `select exists (select from firewall_zones where name = $1)`, *in.Role).Scan(&there); err != nil {
			return fmt.Errorf("look for zone %s: %w", *in.Role, err)
		}
		if !there {
			p.Add("role", "must be an existing zone")
		}
	}
	return p.Err()
}

func interfaceName(p *fault.Problems, field, name string) {
	if !nameForm.MatchString(name) || name == "." || name == ".." {
		p.Add(field, "must be the name of an interface: at most 15 letters, digits, dots, dashes and underscores")
	}
}

// judge holds the fields against the type.
func (in *InterfaceInput) judge(p *fault.Problems) {
	vlan, several := in.Type == "vlan", in.Type == "bridge" || in.Type == "bond"
	switch {
	case vlan && in.Parent == "":
		p.Add("parent", "is required for a VLAN")
	case !vlan && in.Parent != "":
		p.Add("parent", "is allowed only for a VLAN")
	case vlan:
		interfaceName(p, "parent", in.Parent)
	}
	if vlan != (in.VLANID != nil) {
		p.Add("vlan_id", "is required for a VLAN and allowed only there")
	}
	if several != (len(in.Members) > 0) {
		p.Add("members", "are required for a bridge or a bond and allowed only there")
	}
	for i, m := range in.Members {
		field := fmt.Sprintf("members[%d]", i)
		interfaceName(p, field, m)
		if m == in.Name || slices.Index(in.Members, m) < i {
			p.Add(field, "is the interface itself, or a duplicate")
		}
	}
	if vlan && in.Parent == in.Name {
		p.Add("parent", "is the interface itself")
	}
	in.Members = append([]string{}, in.Members...)
}
