package firewall

import (
	"context"
	"fmt"
	"slices"

	"gateway/internal/api"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/packetfilter"
	"gateway/internal/resource"
	"gateway/internal/value"
)

// Settings narrow who may always reach the management of the gateway.
type Settings struct {
	resource.Meta
	LockoutZones    []string `json:"lockout_zones" db:"lockout_zones"`
	LockoutNetworks []string `json:"lockout_networks" db:"lockout_networks"`
}

// SettingsInput is what replaces them.
type SettingsInput struct {
	LockoutZones    []string `json:"lockout_zones" db:"lockout_zones" maxItems:"32" doc:"Zones from which SSH, HTTPS and the management are always reachable; empty for all zones" example:"[\"mgmt\"]"`
	LockoutNetworks []string `json:"lockout_networks" db:"lockout_networks" maxItems:"200" doc:"Networks from which they are always reachable; empty for all networks" example:"[\"192.0.2.0/24\"]"`
}

func settings() resource.Single[Settings, SettingsInput] {
	return resource.Single[Settings, SettingsInput]{
		Component: "firewall", Path: "/firewall/settings", Table: "firewall_settings", Access: api.Viewer, Summary: "the packet filter",
		Validate: validateSettings,
	}
}

func validateSettings(ctx context.Context, tx db.DB, _ *Settings, in *SettingsInput) error {
	var p fault.Problems
	for i, zone := range in.LockoutZones {
		if zone == packetfilter.Any {
			p.Add(fmt.Sprintf("lockout_zones[%d]", i), "must be a zone; leave the list empty for all zones")
			continue
		}
		if _, err := zoneColumn(ctx, tx, &p, fmt.Sprintf("lockout_zones[%d]", i), zone); err != nil {
			return err
		}
	}
	slices.Sort(in.LockoutZones)
	in.LockoutZones = append([]string{}, slices.Compact(in.LockoutZones)...)
	in.LockoutNetworks = value.Networks(&p, "lockout_networks", in.LockoutNetworks)
	return p.Err()
}
