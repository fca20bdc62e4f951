package dns

import (
	"context"
	"fmt"

	"gateway/internal/api"
	"gateway/internal/component/dns/unbound"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
)

// Record is one record of a zone.
type Record struct {
	resource.Meta
	ZoneID string `json:"zone_id" db:"zone_id"`
	Name   string `json:"name" db:"name"`
	Type   string `json:"type" db:"type"`
	Value  string `json:"value" db:"value"`
	TTL    int    `json:"ttl" db:"ttl"`
	FQDN   string `json:"fqdn" db:"fqdn" readOnly:"true" doc:"The fully qualified name"`
}

// RecordInput is what create and update take.
type RecordInput struct {
	ZoneID string `json:"zone_id" db:"zone_id" maxLength:"64" doc:"Id of the zone"`
	Name   string `json:"name" db:"name" maxLength:"254" required:"false" doc:"Relative to the zone; @ or empty is the zone itself. A name that ends in a dot or in the zone is fully qualified" example:"www"`
	Type   string `json:"type" db:"type" enum:"A,AAAA,CNAME,TXT,MX,SRV,NS,PTR,CAA" doc:"DNS record type"`
	Value  string `json:"value" db:"value" minLength:"1" maxLength:"4096" doc:"As in a zone file. A name without a dot is relative to the zone, one with a dot is fully qualified. TXT: plain text, or quoted strings" example:"192.0.2.10"`
	TTL    *int   `json:"ttl,omitempty" db:"ttl" minimum:"0" maximum:"2147483647" doc:"Seconds for which it may be cached; default 3600"`
	FQDN   string `json:"-" db:"fqdn"`
}

func (h *handlers) records() resource.Resource[Record, RecordInput] {
	return resource.Resource[Record, RecordInput]{
		Component: unbound.Name, Noun: "record", Path: "/dns/records", Table: "dns_records", Access: api.Viewer,
		Search: []string{"name", "value", "fqdn", "type"}, Filter: []string{"zone_id", "type"},
		Sort:     []string{"fqdn", "name", "type", "value", "ttl", "created_at", "updated_at"},
		Unique:   map[string]string{"dns_records_once": "value"},
		Name:     func(r Record) string { return r.Type + " " + r.FQDN },
		Validate: validateRecord,
	}
}

// validateRecord also puts every value into the one form that is stored.
func validateRecord(ctx context.Context, tx db.DB, old *Record, in *RecordInput) error {
	zone, err := zoneOf(ctx, tx, in.ZoneID)
	if err != nil {
		return err
	}
	r := unbound.Record{Name: in.Name, Type: in.Type, Value: in.Value, TTL: in.TTL}
	if err := r.Validate(zone); err != nil {
		return err
	}
	in.Name, in.Value, in.TTL, in.FQDN = r.Name, r.Value, r.TTL, r.FQDN
	id := ""
	if old != nil {
		id = old.ID
	}
	if err := refuseNeighbours(ctx, tx, id, r); err != nil || in.Type != "CNAME" {
		return err
	}
	return refuseLoop(ctx, tx, id, r)
}

func zoneOf(ctx context.Context, tx db.DB, id string) (string, error) {
	var name string
	if !db.ValidID(id) {
		return "", fault.At("zone_id", "is not the id of a zone")
	}
	if err := tx.QueryRow(ctx, `select coalesce(max(name), '') from dns_zones where id = $1`, id).Scan(&name); err != nil {
		return "", fmt.Errorf("read zone %s: %w", id, err)
	}
	if name == "" {
		return "", fault.At("zone_id", "is not the id of a zone")
	}
	return name + ".", nil
}

// refuseNeighbours judges a record by those beside it.
func refuseNeighbours(ctx context.Context, tx db.DB, id string, r unbound.Record) error {
	others, err := db.List[unbound.Neighbours](ctx, tx, `
		select type, count(id)::int, sum(octet_length(value))::int from dns_records where fqdn = $1 and id::text <> $2 group by type
		union all select '`+unbound.ZoneItself+`', 1, 0 from dns_zones where name || '.' = $1 order by 1`, r.FQDN, id)
	if err != nil {
		return fmt.Errorf("look at the records of %s: %w", r.FQDN, err)
	}
	return r.ValidateBeside(others)
}

// refuseLoop follows an alias through others. What leads back to itself has no address.
func refuseLoop(ctx context.Context, tx db.DB, id string, r unbound.Record) error {
	var loop bool
	err := tx.QueryRow(ctx, `
		with recursive chain (target) as (
			select $1::text collate "C"
			union select r.value from chain c join dns_records r on r.fqdn = c.target and r.type = 'CNAME' and r.id::text <> $3
		) select exists (select from chain where target = $2)`, r.Value, r.FQDN, id).Scan(&loop)
	if err != nil {
		return fmt.Errorf("follow the alias %s: %w", r.FQDN, err)
	}
	if loop {
		return fault.At("value", "must not point back to %s through other aliases", r.FQDN)
	}
	return nil
}
