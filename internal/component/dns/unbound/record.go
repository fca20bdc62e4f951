package unbound

import (
	"slices"
	"strings"

	"gateway/internal/fault"
)

const (
	defaultTTL = 3600
	maxValue   = 2048  // bytes of a value as stored
	maxSetSize = 40000 // bytes of the values of one type at one name: they leave in one answer
)

// Record is a record of a zone as an operator writes it and, once valid, as it is stored.
type Record struct {
	Name, Type, Value string
	TTL               *int   // nil for the usual one
	FQDN              string // the complete name that Name means in its zone
}

// Validate judges what can be judged without a look at other records, and puts every value
// into the one form that is stored.
func (r *Record) Validate(zone string) error {
	var p fault.Problems
	owner, err := OwnerName(r.Name, zone)
	if err != nil {
		p.AddError("name", err)
	}
	rr, err := parseValue(r.Type, r.Value, zone)
	if err != nil {
		p.AddError("value", err)
	} else if r.Value = OperatorValue(rr); len(r.Value) > maxValue {
		p.Add("value", "must not have more than %d bytes in its stored form, not %d", maxValue, len(r.Value))
	} else if r.Type == "CNAME" && r.Value == owner {
		p.Add("value", "must not be the record's own name")
	}
	if err := p.Err(); err != nil {
		return err
	}
	ttl := defaultTTL
	if r.TTL == nil {
		r.TTL = &ttl
	}
	r.FQDN, r.Name = owner, strings.ToLower(r.Name)
	if r.Name == "" {
		r.Name = "@"
	}
	// The same way that the renderer goes: what passes here is rendered.
	if _, err := newEntry(r.FQDN, r.Type, r.Value, *r.TTL); err != nil {
		return fault.Fields(fault.Field{Name: "value", Sentence: fault.SentenceOf(err)})
	}
	return nil
}

// Neighbours are the other records of a name, by type; a zone of that name counts as one.
type Neighbours struct {
	Type string
	N    int
	Size int
}

// ZoneItself is the type that a zone counts as among neighbours.
const ZoneItself = "zone"

// ValidateBeside judges a record by those beside it.
func (r *Record) ValidateBeside(others []Neighbours) error {
	if r.Type == "CNAME" && slices.ContainsFunc(others, func(n Neighbours) bool { return n.Type == ZoneItself }) {
		return fault.At("type", "must not be CNAME: %s is the name of a zone, which cannot be an alias", r.FQDN)
	}
	for _, n := range others {
		switch {
		case n.Type == ZoneItself:
		case r.Type == "CNAME" || n.Type == "CNAME":
			return fault.New(fault.Conflict, "%s already has a record of type %s; an alias (CNAME) must be the only record of its name", r.FQDN, n.Type)
		case n.Type == r.Type && (n.N >= MaxSet || n.Size+len(r.Value) > maxSetSize):
			return fault.New(fault.Conflict, "%s already has %d records of type %s; more would not fit into one answer", r.FQDN, n.N, n.Type)
		}
	}
	return nil
}
