package firewall

import (
	"context"
	"fmt"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component/firewall/policy"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/packetfilter"
	"gateway/internal/resource"
	"gateway/internal/value"
)

// Zone is a name for interfaces that are trusted alike.
type Zone struct {
	resource.Meta
	Name        string `json:"name" db:"name"`
	Description string `json:"description" db:"description"`
	Builtin     bool   `json:"builtin" db:"builtin" readOnly:"true" doc:"Built in: cannot be renamed or deleted"`
}

// ZoneInput is what create and update take.
type ZoneInput struct {
	Name        string `json:"name" db:"name" minLength:"1" maxLength:"32" doc:"Letters, digits, dashes and underscores" example:"guest"`
	Description string `json:"description,omitempty" db:"description" maxLength:"1000" doc:"Free text for other administrators"`
}

func (f *firewall) zones() resource.Resource[Zone, ZoneInput] {
	return resource.Resource[Zone, ZoneInput]{
		Component: "firewall", Noun: "zone", Path: "/firewall/zones", Table: "firewall_zones", Access: api.Viewer,
		Search: []string{"name", "description"}, Sort: []string{"name", "created_at", "updated_at"}, Filter: []string{"builtin"},
		Unique:   map[string]string{"firewall_zones_name": "name"},
		Name:     func(z Zone) string { return z.Name },
		Validate: validateZone,
		Derive: func(_ context.Context, _ string, old *Zone, _ *ZoneInput) (map[string]any, error) {
			return map[string]any{"builtin": old != nil && old.Builtin}, nil
		},
		After: f.afterZone,
	}
}

// gatewayZone stands for the gateway itself where a destination is asked for.
const gatewayZone = "gateway"

func validateZone(_ context.Context, _ db.DB, old *Zone, in *ZoneInput) error {
	var p fault.Problems
	switch {
	case !policy.ValidZone(in.Name):
		p.Add("name", "may contain only letters, digits, dashes and underscores")
	case in.Name == packetfilter.Any || in.Name == gatewayZone:
		p.Add("name", "is a reserved word in rules")
	}
	note(&p, "description", in.Description)
	if err := p.Err(); err != nil {
		return err
	}
	if old != nil && old.Builtin && old.Name != in.Name {
		return builtin(fault.Said("a built-in zone cannot be renamed"))
	}
	return nil
}

// note is text for people, of several lines if need be.
func note(p *fault.Problems, field, text string) {
	if err := value.Text(text); err != nil {
		p.AddError(field, err)
	}
}

// line is text for people that has one.
func line(p *fault.Problems, text string) {
	if err := value.Line(text); err != nil {
		p.AddError("name", err)
	}
}

func builtin(s fault.Sentence) error { return fault.With(fault.Conflict, s).WithCode("builtin") }

// afterZone lets the settings follow a new name. What else of ours names a zone follows by itself;
// other components that serve a zone keep its name in their settings, and must be told first.
func (f *firewall) afterZone(ctx context.Context, tx change.Tx, old, now *Zone, _ *ZoneInput) error {
	if now == nil {
		if old.Builtin {
			return builtin(fault.Said("a built-in zone cannot be deleted"))
		}
		if err := refuseUsed(ctx, tx, zoneUses, old.Name, "zone"); err != nil {
			return err
		}
		return f.refuseServed(ctx, tx, old.Name)
	}
	if old == nil || old.Name == now.Name {
		return nil
	}
	if err := f.refuseServed(ctx, tx, old.Name); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `update firewall_settings set lockout_zones = array_replace(lockout_zones, $1, $2), revision = revision + 1, updated_at = now()
		where $1 = any(lockout_zones)`, old.Name, now.Name)
	if err != nil {
		return fmt.Errorf("rename zone %s in the settings: %w", old.Name, err)
	}
	return nil
}

func (f *firewall) refuseServed(ctx context.Context, q db.DB, zone string) error {
	opened, err := f.Policy.ServedIn(ctx, q, zone)
	if err != nil || len(opened) == 0 {
		return err
	}
	var all []fault.Use
	for _, o := range opened {
		all = append(all, fault.Use{Kind: "settings", Name: o.Why, Link: o.Page})
	}
	return resource.InUse("zone", fault.UsesOf(all...))
}

// zoneColumn is how a zone is stored that somebody names: nil for any.
func zoneColumn(ctx context.Context, q db.DB, p *fault.Problems, field, zone string) (*string, error) {
	if zone == packetfilter.Any || zone == "" {
		return nil, nil
	}
	var there bool
	if err := q.QueryRow(ctx, `select exists (select from firewall_zones where name = $1)`, zone).Scan(&there); err != nil {
		return nil, fmt.Errorf("look for zone %s: %w", zone, err)
	}
	if !there {
		p.Add(field, "must be an existing zone or any")
	}
	return &zone, nil
}

// anyZone reads a zone that is stored.
func anyZone(column string) string { return "coalesce(" + column + ", 'any')" }
