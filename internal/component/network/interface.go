package network

import (
	"context"
	"fmt"
	"slices"

	"gateway/internal/api"
	"gateway/internal/component/network/netstate"
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
	MTU         *int     `json:"mtu" db:"mtu"`
	BondMode    string   `json:"bond_mode" db:"bond_mode"`
	LACPRate    string   `json:"lacp_rate" db:"lacp_rate"`
	HashPolicy  string   `json:"hash_policy" db:"hash_policy"`
	Primary     string   `json:"primary" db:"primary_member"`
	Miimon      *int     `json:"miimon" db:"miimon"`
	STP         bool     `json:"stp" db:"stp"`
	VLANFilter  bool     `json:"vlan_filtering" db:"vlan_filtering"`
}

// InterfaceInput is what create and update take.
type InterfaceInput struct {
	Name        string   `json:"name" db:"name" minLength:"1" maxLength:"15" doc:"Name in the system" example:"eth0"`
	Type        string   `json:"type" db:"type" enum:"ethernet,vlan,bond,bridge,wireguard" doc:"A VLAN, bond or bridge is created in the system and removed with this object; the others are used as they are found"`
	Role        *string  `json:"role,omitempty" db:"role" maxLength:"32" doc:"Zone of the interface; without one, only rules with zone any match" example:"lan"`
	Parent      string   `json:"parent,omitempty" db:"parent" maxLength:"15" doc:"vlan: parent interface"`
	VLANID      *int     `json:"vlan_id,omitempty" db:"vlan_id" minimum:"1" maximum:"4094" doc:"vlan: VLAN ID"`
	Members     []string `json:"members,omitempty" db:"members" maxItems:"64" doc:"bridge and bond: member interfaces"`
	Description string   `json:"description,omitempty" db:"description" maxLength:"1000" doc:"Free text for other administrators; the system shows its first line as the alias of what was created here"`
	MTU         *int     `json:"mtu,omitempty" db:"mtu" minimum:"68" maximum:"65535" doc:"Largest packet in bytes; without one it is left as it is" example:"1500"`
	BondMode    string   `json:"bond_mode,omitempty" db:"bond_mode" enum:",balance-rr,active-backup,balance-xor,broadcast,802.3ad,balance-tlb,balance-alb" doc:"bond: how the members share the traffic; default active-backup. 802.3ad is LACP"`
	LACPRate    string   `json:"lacp_rate,omitempty" db:"lacp_rate" enum:",slow,fast" doc:"bond in mode 802.3ad: how often LACP messages are requested, every 30 seconds or every second; default slow"`
	HashPolicy  string   `json:"hash_policy,omitempty" db:"hash_policy" enum:",layer2,layer3+4,layer2+3,encap2+3,encap3+4,vlan+srcmac" doc:"bond: what decides the member that a packet leaves by; default layer2"`
	Primary     string   `json:"primary,omitempty" db:"primary_member" maxLength:"15" doc:"bond in mode active-backup, balance-tlb or balance-alb: the member to use while it works"`
	Miimon      *int     `json:"miimon,omitempty" db:"miimon" minimum:"1" maximum:"60000" doc:"bond: milliseconds between checks of the members' carrier; default 100"`
	STP         bool     `json:"stp,omitempty" db:"stp" doc:"bridge: spanning tree protocol"`
	VLANFilter  bool     `json:"vlan_filtering,omitempty" db:"vlan_filtering" doc:"bridge: keep VLANs apart"`
}

func (h *handlers) interfaces() resource.Resource[Interface, InterfaceInput] {
	return resource.Resource[Interface, InterfaceInput]{
		Component: "network", Noun: "interface", Path: "/network-interfaces", Table: "network_interfaces", Access: api.Viewer,
		Search: []string{"name", "role", "description"}, Sort: []string{"name", "type", "role", "created_at", "updated_at"}, Filter: []string{"type", "role"},
		Unique:   map[string]string{"network_interfaces_name": "name"},
		Name:     func(i Interface) string { return i.Name },
		Validate: validateInterface,
		After:    refuseInUse,
	}
}

func validateInterface(ctx context.Context, tx db.DB, old *Interface, in *InterfaceInput) error {
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
	if err := p.Err(); err != nil {
		return err
	}
	if err := in.besideTunnels(ctx, tx, old); err != nil {
		return err
	}
	if err := in.turns(ctx, tx, old); err != nil {
		return err
	}
	return besideOthers(ctx, tx, old, in)
}

// besideTunnels refuses the name of a tunnel for anything else, as both would want the one link, and an MTU for one that
// has its own. An MTU that is stored may be older than the rule.
func (in *InterfaceInput) besideTunnels(ctx context.Context, tx db.DB, old *Interface) error {
	is := in.Type == netstate.WireGuard
	if is && (in.MTU == nil || old != nil && old.Name == in.Name && old.MTU != nil && *old.MTU == *in.MTU) {
		return nil
	}
	var tunnel bool
	if err := tx.QueryRow(ctx, `select exists (select from tunnel_interfaces where name = $1)`, in.Name).Scan(&tunnel); err != nil {
		return fmt.Errorf("look for a tunnel %s: %w", in.Name, err)
	}
	if tunnel && is {
		return fault.At("mtu", "the MTU of a tunnel belongs to the tunnel; set it there")
	}
	if tunnel {
		return fault.At("name", "is the name of a tunnel already; give it the type wireguard, or another name")
	}
	return nil
}

// turns refuses to make the interface of a tunnel of one that has what only others can have.
func (in *InterfaceInput) turns(ctx context.Context, tx db.DB, old *Interface) error {
	if old == nil || in.Type != netstate.WireGuard || old.Type == netstate.WireGuard {
		return nil
	}
	b, err := burdenOf(ctx, tx, old.Name, old.ID)
	if err == nil && (b.Addresses > 0 || b.Uplink != "") {
		err = fault.At("type", "cannot be wireguard while the interface has addresses or an uplink; delete those first")
	}
	return err
}

func interfaceName(p *fault.Problems, field, name string) {
	if !netstate.ValidName(name) {
		p.Add(field, "must be the name of an interface: at most 15 letters, digits, dots, dashes and underscores")
	}
}

// partName is the name of an interface that another one is built on.
func partName(p *fault.Problems, field, name string) {
	interfaceName(p, field, name)
	if name == netstate.Loopback {
		p.Add(field, "the loopback interface cannot be part of another one")
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
		partName(p, "parent", in.Parent)
	}
	if vlan != (in.VLANID != nil) {
		p.Add("vlan_id", "is required for a VLAN and allowed only there")
	}
	if several != (len(in.Members) > 0) {
		p.Add("members", "are required for a bridge or a bond and allowed only there")
	}
	for i, m := range in.Members {
		field := fmt.Sprintf("members[%d]", i)
		partName(p, field, m)
		if m == in.Name || slices.Index(in.Members, m) < i {
			p.Add(field, "is the interface itself, or a duplicate")
		}
	}
	if vlan && in.Parent == in.Name {
		p.Add("parent", "is the interface itself")
	}
	in.Members = append([]string{}, in.Members...)
	in.judgeBond(p)
	if in.Type != netstate.Bridge && (in.STP || in.VLANFilter) {
		p.Add("stp", "STP and VLAN filtering are allowed only for a bridge")
	}
}

// judgeBond holds what belongs to bonds against the mode.
func (in *InterfaceInput) judgeBond(p *fault.Problems) {
	if in.Type != netstate.Bond {
		for field, given := range map[string]bool{
			"bond_mode": in.BondMode != "", "lacp_rate": in.LACPRate != "", "hash_policy": in.HashPolicy != "",
			"primary": in.Primary != "", "miimon": in.Miimon != nil,
		} {
			if given {
				p.Add(field, "is allowed only for a bond")
			}
		}
		return
	}
	if in.BondMode == "" {
		in.BondMode = netstate.DefaultMode
	}
	if in.LACPRate != "" && in.BondMode != "802.3ad" {
		p.Add("lacp_rate", "is allowed only in mode 802.3ad")
	}
	switch {
	case in.Primary == "":
	case !slices.Contains([]string{"active-backup", "balance-tlb", "balance-alb"}, in.BondMode):
		p.Add("primary", "is allowed only in the modes active-backup, balance-tlb and balance-alb")
	case !slices.Contains(in.Members, in.Primary):
		p.Add("primary", "must be one of the members")
	}
}
