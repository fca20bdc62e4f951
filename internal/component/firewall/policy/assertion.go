package policy

import (
	"gateway/internal/fault"
	"gateway/internal/packetfilter"
	"gateway/internal/value"
)

// Assertion is one that is enabled, as a question to the policy.
type Assertion struct {
	ID, Name, Expect string // Expect is reach or never
	Query            packetfilter.Query
	Unusable         fault.Sentence // why it cannot be asked
}

// assertRow is an assertion as it is stored.
type assertRow struct {
	ID, Name, Expect, From, To, Source, Destination string
	Service, Group                                  id
}

const assertQuery = `select id::text, name, expect, coalesce(src_zone, 'any'), case when dst_gateway then 'gateway' else coalesce(dst_zone, 'any') end,
	src_cidr, dst_cidr, service_object_id, service_group_id from firewall_assertions where enabled order by name`

// assertion reads one. What cannot be read is broken: nobody should rely on it.
func (b *builder) assertion(row assertRow) Assertion {
	a := Assertion{ID: row.ID, Name: row.Name, Expect: row.Expect, Query: packetfilter.Query{From: row.From, To: row.To}}
	a.Query.Services, a.Unusable.Message = b.servicesOf(row.Service, row.Group)
	for _, side := range []struct {
		text string
		to   *packetfilter.Addresses
	}{{row.Source, &a.Query.Source}, {row.Destination, &a.Query.Destination}} {
		if side.text == "" {
			continue
		}
		n, err := value.Prefix(side.text)
		if err != nil {
			a.Unusable = fault.Said("%q is not a valid network", side.text)
			continue
		}
		*side.to = packetfilter.Merge([]packetfilter.Range{packetfilter.RangeOf(n)})
	}
	return a
}
