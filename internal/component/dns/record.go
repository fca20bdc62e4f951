package dns

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gateway/internal/api"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/resource"
)

const (
	defaultTTL = 3600
	maxValue   = 2048  // bytes of a value as stored
	maxSetSize = 40000 // bytes of the values of one type at one name: they leave in one answer
)

// Record is one record of a zone.
type Record struct {
	resource.Meta
	ZoneID string `json:"zone_id" db:"zone_id"`
	Name   string `json:"name" db:"name"`
	Type   string `json:"type" db:"type"`
	Value  string `json:"value" db:"value"`
	TTL    int    `json:"ttl" db:"ttl"`
	FQDN   string `json:"fqdn" db:"fqdn" readOnly:"true" doc:"The complete name that name means in its zone"`
}

// RecordInput is what create and update take.
type RecordInput struct {
	ZoneID string `json:"zone_id" db:"zone_id" maxLength:"64" doc:"Id of the zone"`
	Name   string `json:"name" db:"name" maxLength:"254" required:"false" doc:"In the zone: @ or empty is the zone itself, a dot at the end makes it complete, and one that ends in the zone is complete too" example:"www"`
	Type   string `json:"type" db:"type" enum:"A,AAAA,CNAME,TXT,MX,SRV,NS,PTR,CAA"`
	Value  string `json:"value" db:"value" minLength:"1" maxLength:"4096" doc:"As in a zone file. Names in it: a single word is in the zone, one with a dot is complete. TXT: plain text, or quoted strings" example:"192.0.2.10"`
	TTL    *int   `json:"ttl,omitempty" db:"ttl" minimum:"0" maximum:"2147483647" doc:"Seconds that others may keep it; 3600 unless said otherwise"`
	FQDN   string `json:"-" db:"fqdn"`
}

func (p *part) records() resource.Resource[Record, RecordInput] {
	return resource.Resource[Record, RecordInput]{
		Component: "dns", Noun: "record", Path: "/dns/records", Table: "dns_records", Access: api.Viewer,
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
	if err := in.settle(zone); err != nil {
		return err
	}
	id := ""
	if old != nil {
		id = old.ID
	}
	if err := refuseNeighbours(ctx, tx, id, in); err != nil || in.Type != "CNAME" {
		return err
	}
	return refuseLoop(ctx, tx, id, in)
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

// settle judges what can be judged without a look at other records.
func (in *RecordInput) settle(zone string) error {
	var p fault.Problems
	owner, err := ownerName(in.Name, zone)
	if err != nil {
		p.Add("name", "%s", err)
	}
	rr, err := parseValue(in.Type, in.Value, zone)
	if err != nil {
		p.Add("value", "%s", err)
	} else if in.Value = operatorValue(rr); len(in.Value) > maxValue {
		p.Add("value", "must not have more than %d bytes in its stored form, not %d", maxValue, len(in.Value))
	} else if in.Type == "CNAME" && in.Value == owner {
		p.Add("value", "must not be the record's own name")
	}
	if err := p.Err(); err != nil {
		return err
	}
	ttl := defaultTTL
	if in.TTL == nil {
		in.TTL = &ttl
	}
	in.FQDN, in.Name = owner, strings.ToLower(in.Name)
	if in.Name == "" {
		in.Name = "@"
	}
	// The same way that the renderer goes: what passes here is rendered.
	if _, err := newEntry(in.FQDN, in.Type, in.Value, *in.TTL); err != nil {
		return fault.At("value", "%s", err)
	}
	return nil
}

// neighbours are the other records of a name, by type; a zone of that name counts as one.
type neighbours struct {
	Type string
	N    int
	Size int
}

const zoneItself = "zone"

// refuseNeighbours judges a record by those beside it.
func refuseNeighbours(ctx context.Context, tx db.DB, id string, in *RecordInput) error {
	others, err := db.List[neighbours](ctx, tx, `
		select type, count(id)::int, sum(octet_length(value))::int from dns_records where fqdn = $1 and id::text <> $2 group by type
		union all select '`+zoneItself+`', 1, 0 from dns_zones where name || '.' = $1 order by 1`, in.FQDN, id)
	if err != nil {
		return fmt.Errorf("look at the records of %s: %w", in.FQDN, err)
	}
	return in.beside(others)
}

func (in *RecordInput) beside(others []neighbours) error {
	if in.Type == "CNAME" && slices.ContainsFunc(others, func(n neighbours) bool { return n.Type == zoneItself }) {
		return fault.At("type", "must not be CNAME: %s is the name of a zone, and that cannot be an alias", in.FQDN)
	}
	for _, n := range others {
		switch {
		case n.Type == zoneItself:
		case in.Type == "CNAME" || n.Type == "CNAME":
			return fault.New(fault.Conflict, "%s has a record of type %s already, and an alias (CNAME) must be the only record of its name", in.FQDN, n.Type)
		case n.Type == in.Type && (n.N >= maxSet || n.Size+len(in.Value) > maxSetSize):
			return fault.New(fault.Conflict, "%s has %d records of type %s already; more would not fit into one answer", in.FQDN, n.N, n.Type)
		}
	}
	return nil
}

// refuseLoop follows an alias through others. What leads back to itself has no address.
func refuseLoop(ctx context.Context, tx db.DB, id string, in *RecordInput) error {
	var loop bool
	err := tx.QueryRow(ctx, `
		with recursive chain (target) as (
			select $1::text collate "C"
			union select r.value from chain c join dns_records r on r.fqdn = c.target and r.type = 'CNAME' and r.id::text <> $3
		) select exists (select from chain where target = $2)`, in.Value, in.FQDN, id).Scan(&loop)
	if err != nil {
		return fmt.Errorf("follow the alias %s: %w", in.FQDN, err)
	}
	if loop {
		return fault.At("value", "must not lead back to %s through other aliases", in.FQDN)
	}
	return nil
}
