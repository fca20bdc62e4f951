// Package ownaddress refuses an address that clashes with one this node is configured to have, whichever component keeps it.
package ownaddress

import (
	"context"
	"fmt"
	"net/netip"

	"gateway/internal/db"
	"gateway/internal/fault"
)

// Place is what is to have an address.
type Place struct {
	Field     string // of the request
	ID        string // of the row, which may have another address until now; empty for a new one
	Interface string
	Tunnel    bool
}

// Refuse refuses an address that another interface has, or of the very network that one has: which of them answers is chance, and a
// change that is reverted would not bring the same one back. Addresses of the link itself are alike on purpose, and
// providers of tunnels give the same one to everybody, without a network.
func (at Place) Refuse(ctx context.Context, tx db.DB, mine netip.Prefix) error {
	if mine.Addr().IsLinkLocalUnicast() {
		return nil
	}
	others, err := db.List[struct {
		Name, Address string
		Tunnel        bool
	}](ctx, tx, `select name, address, tunnel from (
			select i.name, a.address || '/' || a.prefix as address, false as tunnel
				from network_addresses a join network_interfaces i on i.id = a.interface_id where a.id::text <> $1
			union all select t.name, btrim(one), true from tunnel_interfaces t, regexp_split_to_table(t.address_cidr, ',') one
				where t.active and t.id::text <> $1) every
		where name <> $2 order by name, address`, at.ID, at.Interface)
	if err != nil {
		return fmt.Errorf("list the addresses beside %s: %w", mine, err)
	}
	for _, o := range others {
		theirs, err := netip.ParsePrefix(o.Address)
		switch {
		case err != nil: // which the rendering names
		case at.Tunnel && o.Tunnel && mine.IsSingleIP() && theirs.IsSingleIP():
		case theirs.Addr() == mine.Addr():
			return fault.At(at.Field, "is an address of %s already", o.Name)
		case theirs.Masked() == mine.Masked():
			return fault.At(at.Field, "is in the network %s, which is on %s already", mine.Masked(), o.Name)
		}
	}
	return nil
}
