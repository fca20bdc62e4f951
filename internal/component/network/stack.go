package network

import (
	"context"
	"fmt"
	"slices"

	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
)

// layer is an interface as far as others are on it or in it.
type layer struct {
	ID, Name, Type, Parent string
	VLANID                 int
	Members                []string
}

func layers(ctx context.Context, q db.DB) ([]layer, error) {
	all, err := db.List[layer](ctx, q, `select id, name, type, parent, coalesce(vlan_id, 0), members from network_interfaces order by name`)
	if err != nil {
		return nil, fmt.Errorf("read the interfaces: %w", err)
	}
	return all, nil
}

// besideOthers refuses what does not go together with the other interfaces: a member of two,
// and a stack that is built on itself.
func besideOthers(ctx context.Context, tx db.DB, old *Interface, in *InterfaceInput) error {
	all, err := layers(ctx, tx)
	if err != nil {
		return err
	}
	if old != nil {
		if err := renamed(ctx, tx, all, old.Name, in.Name); err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(l layer) bool { return l.ID == old.ID })
	}
	var p fault.Problems
	if err := in.burdened(ctx, tx, old, &p); err != nil {
		return err
	}
	for i, m := range in.Members {
		field := fmt.Sprintf("members[%d]", i)
		for _, l := range all {
			if slices.Contains(l.Members, m) {
				p.Add(field, "is a member of %s already", l.Name)
			}
			if l.Name == m && l.Type == in.Type && in.Type != "vlan" {
				p.Add(field, "a %s cannot be a member of a %s", l.Type, in.Type)
			}
		}
	}
	self := layer{Name: in.Name, Type: in.Type, Parent: in.Parent, Members: in.Members}
	if circular(append(all, self), in.Name) {
		field := "members"
		if in.Parent != "" {
			field = "parent"
		}
		p.Add(field, "leads back to the interface itself")
	}
	for _, l := range all {
		if in.VLANID != nil && l.Parent == in.Parent && l.VLANID == *in.VLANID {
			p.Add("vlan_id", "is used on this parent by %s already", l.Name)
		}
	}
	return p.Err()
}

// renamed refuses another name where others go by the old one.
func renamed(ctx context.Context, tx db.DB, all []layer, old, now string) error {
	if old == now {
		return nil
	}
	if user := usedBy(all, old); user != "" {
		return fault.At("name", "is used by the interface %s; change that first", user)
	}
	b, err := burdenOf(ctx, tx, old, "")
	switch {
	case err != nil:
		return err
	case b.Routes > 0:
		return fault.At("name", "is used by %d routes; change those first", b.Routes)
	case b.Uplink != "":
		return fault.At("name", "is used by the uplink %s; change that first", b.Uplink)
	}
	return nil
}

// burden is what depends on packets that come and go by an interface itself.
type burden struct {
	Addresses, Routes int
	Uplink            string // the name of one; empty where none leaves by it
}

// burdenOf takes the id as well of an interface whose row is being deleted.
func burdenOf(ctx context.Context, q db.DB, name, id string) (b burden, err error) {
	err = q.QueryRow(ctx, `select (select count(*) from network_addresses a left join network_interfaces i on i.id = a.interface_id where i.name = $1 or a.interface_id::text = $2),
		(select count(*) from network_routes where dev = $1), (select coalesce(min(name), '') from uplink_uplinks where interface = $1)`, name, id).
		Scan(&b.Addresses, &b.Routes, &b.Uplink)
	if err != nil {
		return b, fmt.Errorf("look for what is on %s: %w", name, err)
	}
	return b, nil
}

// burdened refuses new members that have something of their own: their packets come in at the bridge or the bond.
func (in *InterfaceInput) burdened(ctx context.Context, tx db.DB, old *Interface, p *fault.Problems) error {
	for i, m := range in.Members {
		if old != nil && slices.Contains(old.Members, m) {
			continue
		}
		b, err := burdenOf(ctx, tx, m, "")
		if err != nil {
			return err
		}
		if b != (burden{}) {
			p.Add(fmt.Sprintf("members[%d]", i), "has addresses, routes or an uplink, which would stop working; move those to %s first", in.Name)
		}
	}
	return nil
}

// circular reports whether what an interface is built on leads back to it.
func circular(all []layer, name string) bool {
	seen := map[string]bool{}
	var below func(n string) bool
	below = func(n string) bool {
		for _, l := range all {
			if l.Name != n {
				continue
			}
			for _, next := range append(slices.Clone(l.Members), l.Parent) {
				if next == name {
					return true
				}
				if next != "" && !seen[next] {
					seen[next] = true
					if below(next) {
						return true
					}
				}
			}
		}
		return false
	}
	return below(name)
}

// usedBy is an interface that is built on another one.
func usedBy(all []layer, name string) string {
	for _, l := range all {
		if l.Parent == name || slices.Contains(l.Members, name) {
			return l.Name
		}
	}
	return ""
}

// refuseInUse keeps what others are built on, or have an address, a route or an uplink on.
func refuseInUse(ctx context.Context, tx change.Tx, old, now *Interface, _ *InterfaceInput) error {
	if now != nil || old == nil {
		return nil
	}
	all, err := layers(ctx, tx)
	if err != nil {
		return err
	}
	user := usedBy(all, old.Name)
	b, err := burdenOf(ctx, tx, old.Name, old.ID)
	if err != nil {
		return err
	}
	return resource.RefuseUsed(ctx, tx, func(fault.Uses) *fault.Fault {
		switch {
		case user != "":
			return fault.New(fault.Conflict, "the interface %s is built on %s; delete or change that first", user, old.Name)
		case b.Addresses+b.Routes > 0:
			return fault.New(fault.Conflict, "the interface %s has %d addresses and %d routes; delete those first", old.Name, b.Addresses, b.Routes)
		}
		return fault.New(fault.Conflict, "the uplink %s leaves by %s; delete or change that first", b.Uplink, old.Name)
	}, interfaceUses, old.Name, old.ID)
}

// interfaceUses is all that is on an interface, by its name and its id: who deletes it wants to see all of that at once.
const interfaceUses = `select 'network-interface', id::text, name, '/interfaces/' || id from network_interfaces where parent = $1 or $1 = any(members)
	union all select 'address', a.id::text, a.address || '/' || a.prefix, '/interfaces/' || a.interface_id || '?tab=addresses'
		from network_addresses a left join network_interfaces i on i.id = a.interface_id where i.name = $1 or a.interface_id::text = $2
	union all select 'route', id::text, destination, '/routes?do=edit&id=' || id from network_routes where dev = $1
	union all select 'uplink', id::text, name, '/uplinks/' || id from uplink_uplinks where interface = $1`
