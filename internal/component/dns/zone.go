package dns

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/component/dns/unbound"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
)

// Zone is a part of the name space that is treated in its own way.
type Zone struct {
	resource.Meta
	ZoneInput
	Records []RecordOfZone `json:"records" db:"records" readOnly:"true" doc:"The first 1000 records, by name; all are at /dns/records?filter=zone_id:<id>"`
}

// RecordOfZone is a record as its zone shows it.
type RecordOfZone struct {
	ID    string `json:"id" doc:"Id of the record"`
	Name  string `json:"name" doc:"Relative to the zone; @ is the zone itself"`
	Type  string `json:"type" doc:"DNS record type, such as A or MX"`
	Value string `json:"value" doc:"Record data as in a zone file"`
	TTL   int    `json:"ttl" doc:"Seconds for which it may be cached"`
}

const recordsOfZone = `(select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'type', r.type, 'value', r.value, 'ttl', r.ttl) order by r.name, r.type, r.id), '[]')
	from (select id, name, type, value, ttl from dns_records where zone_id = dns_zones.id order by name, type, id limit 1000) r)`

// ZoneInput is what create and update take. It has a name of its own since the API's document
// names it so.
type ZoneInput unbound.Zone

func (h *handlers) zones() resource.Resource[Zone, ZoneInput] {
	return resource.Resource[Zone, ZoneInput]{
		Component: unbound.Name, Noun: "zone", Path: "/dns/zones", Table: "dns_zones", Access: api.Viewer,
		Search: []string{"name", "forward_to"}, Sort: []string{"name", "created_at", "updated_at"},
		Unique:   map[string]string{"dns_zones_name": "name"},
		Computed: map[string]string{"records": recordsOfZone},
		Name:     func(z Zone) string { return z.Name },
		Validate: validateZone,
		After:    afterZone,
	}
}

// validateZone also puts every value into the one form that is stored.
func validateZone(ctx context.Context, tx db.DB, _ *Zone, in *ZoneInput) error {
	if err := (*unbound.Zone)(in).Validate(); err != nil {
		return err
	}
	name := in.Name + "."
	var alias bool
	if err := tx.QueryRow(ctx, `select exists (select from dns_records where fqdn = $1 and type = 'CNAME')`, name).Scan(&alias); err != nil {
		return fmt.Errorf("look for an alias %s: %w", name, err)
	}
	if alias {
		return fault.New(fault.Conflict, "%s is an alias (CNAME), which a zone name cannot be; delete that record first", in.Name)
	}
	return nil
}

// afterZone moves the records along when a zone is renamed. Those of a deleted zone go
// with it, by the database.
func afterZone(ctx context.Context, tx change.Tx, old, now *Zone, _ *ZoneInput) error {
	if old == nil || now == nil || old.Name == now.Name {
		return nil
	}
	moved, err := renamed(ctx, tx, *old, *now)
	if err != nil {
		return err
	}
	if err := refuseCollisions(ctx, tx, moved); err != nil {
		return err
	}
	var b pgx.Batch
	for _, m := range moved {
		b.Queue(`update dns_records set name = $2, fqdn = $3, revision = revision + 1, updated_at = $4 where id = $1`, m.ID, m.Name, m.FQDN, now.UpdatedAt)
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("move the records of %s: %w", old.Name, err)
	}
	return nil
}

type movedRecord struct{ ID, Name, FQDN string }

// renamed works out what the names of a zone's records mean in the renamed one.
func renamed(ctx context.Context, tx change.Tx, old, now Zone) ([]movedRecord, error) {
	all, err := db.List[movedRecord](ctx, tx, `select id::text, name, fqdn from dns_records where zone_id = $1 order by fqdn, type, value`, now.ID)
	if err != nil {
		return nil, fmt.Errorf("list the records of %s: %w", old.Name, err)
	}
	var moved []movedRecord
	for _, m := range all {
		// "www.example.com" in the zone example.com was short for www.
		if rest, spelled := strings.CutSuffix(m.Name+".", "."+old.Name+"."); spelled {
			m.Name = rest
		} else if m.Name == old.Name {
			m.Name = "@"
		}
		was := m.FQDN
		if m.FQDN, err = unbound.OwnerName(m.Name, now.Name+"."); err != nil {
			return nil, fault.At("name", "makes the name of record %s invalid: it %s", m.Name, err)
		}
		if m.FQDN != was {
			moved = append(moved, m)
		}
	}
	return moved, nil
}

// refuseCollisions keeps names from meeting others, where they could be twice the same or
// an alias beside an address.
func refuseCollisions(ctx context.Context, tx pgx.Tx, moved []movedRecord) error {
	names := make([]string, len(moved))
	for i, m := range moved {
		names[i] = m.FQDN
	}
	var taken string
	err := tx.QueryRow(ctx, `select coalesce(min(fqdn), '') from dns_records where fqdn = any($1)`, names).Scan(&taken)
	if err != nil {
		return fmt.Errorf("look for names that are taken: %w", err)
	}
	if taken != "" {
		return fault.New(fault.Conflict, "%s already has records; move or delete those first", taken)
	}
	return nil
}
