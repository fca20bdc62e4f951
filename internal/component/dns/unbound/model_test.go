package unbound

import (
	"cmp"
	"slices"
	"strings"
)

// model is a configuration as operators would send it: objects that the API takes or
// refuses one by one.
type model struct {
	Settings *Settings
	Zones    []Zone
	Records  []modelRecord
}

// modelRecord names its zone instead of pointing to it.
type modelRecord struct {
	Zone, Name, Type, Value string
	TTL                     *int
}

func defaults() Settings {
	return Settings{UpstreamForwards: []string{"9.9.9.9", "1.1.1.1"}, AccessACL: []string{"127.0.0.0/8", "::1"}, ListenAddresses: []string{"127.0.0.1"}, CacheMaxTTL: 86400}
}

// stored is what is in the database after all requests were made; refused counts those
// that failed. It does what the API does, without the database.
func (m model) stored() (s state, refused int) {
	s.settings = defaults()
	if m.Settings != nil {
		if in := *m.Settings; in.Validate() == nil {
			s.settings = in
		} else {
			refused++
		}
	}
	for _, z := range m.Zones {
		if !s.addZone(z) {
			refused++
		}
	}
	for _, r := range m.Records {
		if !s.addRecord(r) {
			refused++
		}
	}
	slices.SortFunc(s.zones, func(a, b Zone) int { return strings.Compare(a.Name, b.Name) })
	sortRows(s.records)
	return s, refused
}

// sortRows does what the database does.
func sortRows(rows []row) {
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(strings.Compare(a.FQDN, b.FQDN), strings.Compare(a.Type, b.Type), strings.Compare(a.Value, b.Value))
	})
}

func (s *state) addZone(z Zone) bool {
	if z.Validate() != nil || slices.ContainsFunc(s.zones, func(o Zone) bool { return o.Name == z.Name }) {
		return false
	}
	s.zones = append(s.zones, z)
	return true
}

func (s *state) addRecord(r modelRecord) bool {
	if !slices.ContainsFunc(s.zones, func(z Zone) bool { return z.Name == r.Zone }) || !slices.Contains(Types(), r.Type) {
		return false
	}
	in := Record{Name: r.Name, Type: r.Type, Value: r.Value, TTL: r.TTL}
	if in.Validate(r.Zone+".") != nil || in.ValidateBeside(s.neighbours(in.FQDN)) != nil {
		return false
	}
	row := row{in.FQDN, in.Type, in.Value, int32(*in.TTL)}
	if slices.ContainsFunc(s.records, func(o stored) bool { return o.FQDN == row.FQDN && o.Type == row.Type && o.Value == row.Value }) {
		return false
	}
	s.records = append(s.records, row)
	return true
}

// stored is row where a variable hides that name.
type stored = row

func (s *state) neighbours(fqdn string) []Neighbours {
	byType := map[string]Neighbours{}
	for _, r := range s.records {
		if n := byType[r.Type]; r.FQDN == fqdn {
			byType[r.Type] = Neighbours{r.Type, n.N + 1, n.Size + len(r.Value)}
		}
	}
	for _, z := range s.zones {
		if z.Name+"." == fqdn {
			byType[ZoneItself] = Neighbours{Type: ZoneItself}
		}
	}
	var out []Neighbours
	for _, n := range byType {
		out = append(out, n)
	}
	return out
}
