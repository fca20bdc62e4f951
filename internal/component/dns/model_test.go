package dns

import (
	"cmp"
	"slices"
	"strings"

	"gateway/internal/fault"
)

// model is a configuration as operators would send it: objects that the API takes or
// refuses one by one.
type model struct {
	Settings *SettingsInput
	Zones    []ZoneInput
	Records  []modelRecord
}

// modelRecord names its zone instead of pointing to it.
type modelRecord struct {
	Zone, Name, Type, Value string
	TTL                     *int
}

func defaults() SettingsInput {
	return SettingsInput{UpstreamForwards: []string{"9.9.9.9", "1.1.1.1"}, AccessACL: []string{"127.0.0.0/8", "::1"}, ListenAddresses: []string{"127.0.0.1"}, CacheMaxTTL: 86400}
}

// stored is what is in the database after all requests were made; refused counts those
// that failed. It does what the API does, without the database.
func (m model) stored() (s state, refused int) {
	s.settings = defaults()
	if m.Settings != nil {
		if in := *m.Settings; validateSettings(nil, nil, nil, &in) == nil { //nolint:staticcheck // it needs neither
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
	slices.SortFunc(s.zones, func(a, b storedZone) int { return strings.Compare(a.Name, b.Name) })
	sortRows(s.records)
	return s, refused
}

// sortRows does what the database does.
func sortRows(rows []row) {
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(strings.Compare(a.FQDN, b.FQDN), strings.Compare(a.Type, b.Type), strings.Compare(a.Value, b.Value))
	})
}

func (s *state) addZone(z ZoneInput) bool {
	var p fault.Problems
	name, err := zoneName(z.Name)
	forward := eachValue(&p, "forward_to", z.ForwardTo, parseForward)
	name = strings.TrimSuffix(name, ".")
	if err != nil || p.Err() != nil || slices.ContainsFunc(s.zones, func(o storedZone) bool { return o.Name == name }) {
		return false
	}
	s.zones = append(s.zones, storedZone{name, forward})
	return true
}

func (s *state) addRecord(r modelRecord) bool {
	if !slices.ContainsFunc(s.zones, func(z storedZone) bool { return z.Name == r.Zone }) || !slices.Contains(types, r.Type) {
		return false
	}
	in := RecordInput{Name: r.Name, Type: r.Type, Value: r.Value, TTL: r.TTL}
	if in.settle(r.Zone+".") != nil || in.beside(s.neighbours(in.FQDN)) != nil {
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

func (s *state) neighbours(fqdn string) []neighbours {
	byType := map[string]neighbours{}
	for _, r := range s.records {
		if n := byType[r.Type]; r.FQDN == fqdn {
			byType[r.Type] = neighbours{r.Type, n.N + 1, n.Size + len(r.Value)}
		}
	}
	for _, z := range s.zones {
		if z.Name+"." == fqdn {
			byType[zoneItself] = neighbours{Type: zoneItself}
		}
	}
	var out []neighbours
	for _, n := range byType {
		out = append(out, n)
	}
	return out
}
