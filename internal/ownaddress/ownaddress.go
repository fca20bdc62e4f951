// Package ownaddress knows which addresses this node is configured to have, whichever component keeps them.
package ownaddress

import (
	"context"
	"fmt"
	"net/netip"

	"gateway/internal/db"
	"gateway/internal/fault"
)

// Refuse refuses an address that another interface has, or whose network one has: which of them answers is chance, and a
// change that is reverted would not bring the same one back. The row id is what the address is stored in, and of is its
// interface. Addresses of the link itself are alike on purpose.
func Refuse(ctx context.Context, tx db.DB, field string, mine netip.Prefix, id, of string) error {
	if mine.Addr().IsLinkLocalUnicast() {
		return nil
	}
	others, err := db.List[struct{ Name, Address string }](ctx, tx, `select name, address from (
			select i.name, a.address || '/' || a.prefix as address from network_addresses a join network_interfaces i on i.id = a.interface_id
				where a.id::text <> $1
			union all select t.name, btrim(one) from tunnel_interfaces t, regexp_split_to_table(t.address_cidr, ',') one
				where t.active and t.id::text <> $1) every
		where name <> $2 order by name, address`, id, of)
	if err != nil {
		return fmt.Errorf("list the addresses beside %s: %w", mine, err)
	}
	for _, o := range others {
		theirs, err := netip.ParsePrefix(o.Address)
		switch {
		case err != nil: // which the rendering names
		case theirs.Addr() == mine.Addr():
			return fault.At(field, "is an address of %s already", o.Name)
		case theirs.Masked() == mine.Masked():
			return fault.At(field, "is in the network %s, which is on %s already", mine.Masked(), o.Name)
		}
	}
	return nil
}
