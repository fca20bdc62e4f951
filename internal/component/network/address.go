package network

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/netip"

	"gateway/internal/api"
	"gateway/internal/component/network/netstate"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/ownaddress"
	"gateway/internal/resource"
	"gateway/internal/value"
)

// Address is one IP address of an interface.
type Address struct {
	resource.Meta
	InterfaceID string `json:"interface_id" db:"interface_id"`
	Address     string `json:"address" db:"address"`
	Prefix      int    `json:"prefix" db:"prefix"`
	IsVIP       bool   `json:"is_vip" db:"is_vip"`
	VIPPriority int    `json:"vip_priority" db:"vip_priority"`
	Description string `json:"description" db:"description"`
}

// AddressInput is what create and update take.
type AddressInput struct {
	InterfaceID string `json:"interface_id,omitempty" db:"interface_id" maxLength:"64" doc:"Id of the interface; required, except below an interface"`
	Address     string `json:"address" db:"address" minLength:"2" maxLength:"64" doc:"IPv4 or IPv6 address" example:"192.0.2.1"`
	Prefix      int    `json:"prefix" db:"prefix" minimum:"1" maximum:"128" doc:"Prefix length of its network" example:"24"`
	IsVIP       bool   `json:"is_vip,omitempty" db:"is_vip" doc:"A virtual address, which moves to another node of a cluster; a single node has it itself"`
	VIPPriority *int   `json:"vip_priority,omitempty" db:"vip_priority" minimum:"1" maximum:"254" doc:"The node with the highest number has a virtual address; default 100"`
	Description string `json:"description,omitempty" db:"description" maxLength:"1000" doc:"Free text for other administrators"`
}

func (h *handlers) addresses() resource.Resource[Address, AddressInput] {
	return resource.Resource[Address, AddressInput]{
		Component: netstate.Name, Noun: "address", Path: "/ip-addresses", Table: "network_addresses", Access: api.Viewer,
		Search: []string{"address", "description"}, Sort: []string{"address", "prefix", "created_at", "updated_at"}, Filter: []string{"interface_id", "is_vip"},
		Unique:   map[string]string{"network_addresses_once": "address"},
		Name:     func(a Address) string { return fmt.Sprintf("%s/%d", a.Address, a.Prefix) },
		Validate: validateAddress,
	}
}

func underInterface() resource.Under[Address, AddressInput] {
	return resource.Under[Address, AddressInput]{
		Path: "/network-interfaces/{id}/ip-addresses", Column: "interface_id", Owner: func(a Address) string { return a.InterfaceID },
		Give:   func(in *AddressInput, owner string) { in.InterfaceID = owner },
		Exists: resource.Exists("network_interfaces", "interface"),
	}
}

func validateAddress(ctx context.Context, tx db.DB, old *Address, in *AddressInput) error {
	var p fault.Problems
	if in.VIPPriority == nil {
		usual := 100
		in.VIPPriority = &usual
	}
	if err := value.Text(in.Description); err != nil {
		p.AddError("description", err)
	}
	ip, err := netstate.ParseAddress(in.Address, in.Prefix)
	if err != nil {
		if ip, err = netstate.ParseAddress(in.Address, 1); err != nil {
			p.Add("address", "must be an IPv4 or IPv6 address that an interface can have")
		} else {
			p.Add("prefix", "must be at most %d for this address", ip.Addr().BitLen())
		}
	}
	other := old == nil || old.Address != in.Address || old.Prefix != in.Prefix // one that is stored may be older than the rule
	if other && ofNetwork(ip) {
		p.Add("address", "is the address of the network itself, or its broadcast address; enter that of a host")
	}
	if err := resource.MustBe(ctx, tx, &p, "interface_id", "network_interfaces", "interface", in.InterfaceID); err != nil {
		return err
	}
	if err := p.Err(); err != nil {
		return err
	}
	in.Address = ip.Addr().String()
	var name, kind, master string
	err = tx.QueryRow(ctx, `select i.name, i.type, coalesce((select min(m.name) from network_interfaces m where i.name collate "C" = any(m.members)), '')
		from network_interfaces i where i.id = $1`, in.InterfaceID).Scan(&name, &kind, &master)
	moves := old == nil || old.InterfaceID != in.InterfaceID
	switch {
	case err != nil:
		return fmt.Errorf("look for the interface of %s: %w", in.Address, err)
	case kind == netstate.WireGuard:
		return fault.At("interface_id", "the address of a tunnel belongs to the tunnel; set it there")
	case master != "" && moves:
		return fault.At("interface_id", "is a member of %s, where its packets arrive; give the address to that", master)
	}
	if !other && !moves {
		return nil
	}
	at := ownaddress.Place{Field: "address", Interface: name}
	if old != nil {
		at.ID = old.ID
	}
	return at.Refuse(ctx, tx, ip)
}

// ofNetwork reports whether an IPv4 address is the first or the last one of its network: the kernel takes both, and nobody
// answers there.
func ofNetwork(p netip.Prefix) bool {
	if !p.Addr().Is4() || p.Bits() > 30 {
		return false
	}
	host := binary.BigEndian.Uint32(p.Addr().AsSlice()) << p.Bits()
	return host == 0 || host>>p.Bits() == 1<<(32-p.Bits())-1
}
