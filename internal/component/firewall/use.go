package firewall

import (
	"context"
	"fmt"
	"net/http"

	"gateway/internal/api"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
)

// Who refers to what, by its id, and where that is; zones are referred to by their name.
const (
	zoneUses = `select 'rule' as kind, id::text as id, name, ` + rulePage + ` as link from firewall_rules where src_zone = $1 or dst_zone = $1
		union all select 'nat-rule', id::text, name, '/firewall?tab=nat&do=edit&id=' || id from firewall_nat_rules where in_zone = $1 or out_zone = $1
		union all select 'assertion', id::text, name, ` + assertionPage + ` from firewall_assertions where src_zone = $1 or dst_zone = $1
		union all select 'settings', id::text, 'who may always reach the management', '/firewall?tab=settings' from firewall_settings where $1 = any(lockout_zones)
		union all select 'network-interface', id::text, name, '/interfaces/' || id from network_interfaces where role = $1`
	addressUses = `select 'address-group' as kind, g.id::text as id, g.name, '/objects/address-groups/' || g.id as link
			from firewall_address_members m join firewall_address_groups g on g.id = m.group_id where m.object_id = $1
		union all select 'rule', id::text, name, ` + rulePage + ` from firewall_rules where src_object_id = $1 or dst_object_id = $1`
	addressGroupUses = `select 'rule' as kind, id::text as id, name, ` + rulePage + ` as link from firewall_rules where src_group_id = $1 or dst_group_id = $1`
	serviceUses      = `select 'service-group' as kind, g.id::text as id, g.name, '/objects/service-groups/' || g.id as link
			from firewall_service_members m join firewall_service_groups g on g.id = m.group_id where m.object_id = $1
		union all select 'rule', id::text, name, ` + rulePage + ` from firewall_rules where service_object_id = $1
		union all select 'assertion', id::text, name, ` + assertionPage + ` from firewall_assertions where service_object_id = $1`
	serviceGroupUses = `select 'rule' as kind, id::text as id, name, ` + rulePage + ` as link from firewall_rules where service_group_id = $1
		union all select 'assertion', id::text, name, ` + assertionPage + ` from firewall_assertions where service_group_id = $1`

	rulePage      = `'/firewall?do=edit&id=' || id`
	assertionPage = `'/firewall?tab=assertions&do=edit&id=' || id`
)

// shownUses bounds the list: nobody reads more.
const shownUses = 1000

func (f *firewall) useRoutes(r api.Router) {
	for _, o := range []struct{ noun, table, key, uses string }{
		{"zone", "firewall_zones", "name", zoneUses},
		{"address-object", "firewall_address_objects", "id", addressUses},
		{"address-group", "firewall_address_groups", "id", addressGroupUses},
		{"service", "firewall_services", "id", serviceUses},
		{"service-group", "firewall_service_groups", "id", serviceGroupUses},
	} {
		api.Handle(r, api.Op{
			ID: "list-firewall-" + o.noun + "-uses", Method: http.MethodGet, Path: "/firewall/" + o.noun + "s/{id}/used-by", Access: api.Viewer,
			Summary: "List where it is used", Description: "The first 1000.",
		}, func(ctx context.Context, in *resource.One) (*api.Body[[]fault.Use], error) {
			if !db.ValidID(in.ID) {
				return nil, fault.New(fault.NotFound, "there is no such object")
			}
			var key string
			if err := f.DB.QueryRow(ctx, `select `+o.key+`::text from `+o.table+` where id = $1`, in.ID).Scan(&key); err != nil {
				return nil, db.Fault(err, "object", nil)
			}
			uses, err := usesOf(ctx, f.DB, o.uses, key)
			if err != nil {
				return nil, err
			}
			return api.OK(uses), nil
		})
	}
}

func usesOf(ctx context.Context, q db.DB, uses, key string) ([]fault.Use, error) {
	all, err := db.List[fault.Use](ctx, q, fmt.Sprintf("select kind, id, name, link from (%s) u order by kind, name, id limit %d", uses, shownUses), key)
	if err != nil {
		return nil, fmt.Errorf("look who uses %s: %w", key, err)
	}
	return all, nil
}

// refuseUsed keeps what others refer to from being deleted, and says who they are.
func refuseUsed(ctx context.Context, q db.DB, uses, key, noun string) error {
	return resource.RefuseUsed(ctx, q, func(u fault.Uses) *fault.Fault { return resource.InUse(noun, u) }, uses, key)
}
