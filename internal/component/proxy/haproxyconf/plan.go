package haproxyconf

import (
	"bytes"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"gateway/internal/daemon"
	"gateway/internal/haproxy"
	"gateway/internal/longtext"
)

// plan is the difference between two renderings as what a running HAProxy can be told.
type plan struct {
	add, change, remove []serverStep
	maps                []mapStep
}

type mapStep struct {
	file    string
	changes []haproxy.MapChange
	remove  []haproxy.MapChange
	all     []haproxy.MapEntry // where it must be looked at as a whole
	replace bool               // by all, because changes are many
}

type serverStep struct {
	backend string
	was, is server
}

// manyChanges is from where on replacing a map as a whole is quicker.
const manyChanges = 300

func (p plan) empty() bool {
	return len(p.add)+len(p.change)+len(p.remove)+len(p.maps) == 0
}

// newPlan answers false where only a reload will do: a section or a rule is another one.
func newPlan(old, now daemon.Rendering) (plan, bool) {
	if len(old.Files) == 0 || len(old.Files) != len(now.Files) {
		return plan{}, false
	}
	var p plan
	for i, f := range now.Files {
		was := old.Files[i]
		switch {
		case was.Path != f.Path || was.Mode != f.Mode:
			return plan{}, false
		case bytes.Equal(was.Data, f.Data):
		case f.Path == Path:
			if !p.servers(sections(was.Data, f.Data)) {
				return plan{}, false
			}
		default:
			p.maps = append(p.maps, newMapStep(f.Path, was.Data, f.Data))
		}
	}
	return p, true
}

// plain lets a step pass that only changes what is looked up and who serves: each of
// those values was judged by itself.
func plain(old, now daemon.Rendering) bool {
	_, hot := newPlan(old, now)
	return hot
}

// newMapStep looks at the lines between the first and the last that differ: of ten
// thousand that is mostly one.
func newMapStep(file string, was, is []byte) mapStep {
	from, wasEnd, isEnd := longtext.Differing(was, is) // a line that moved within it is found there by its key
	before, after := parseMap(was[from:wasEnd]), parseMap(is[from:isEnd])
	step := mapStep{file: file}
	for _, e := range after {
		if v, ok := before.find(e.Key); !ok || v != e.Value {
			step.changes = append(step.changes, haproxy.MapChange{Key: e.Key, Value: e.Value, New: !ok})
		}
	}
	for _, e := range before {
		if _, ok := after.find(e.Key); !ok {
			step.remove = append(step.remove, haproxy.MapChange{Key: e.Key, Remove: true})
		}
	}
	step.replace = len(step.changes)+len(step.remove) > manyChanges
	if step.replace {
		step.remove = nil
	}
	if step.replace || !exact(file) {
		step.all = parseMap(is)
	}
	return step
}

// exact reports whether asking for a key finds that one or none: by a prefix or an address
// a wider entry is found as well.
func exact(file string) bool { return file != routesMap && file != netsMap }

// entries are those of a map, ordered by key.
type entries []haproxy.MapEntry

func (e entries) find(key string) (string, bool) {
	i, ok := slices.BinarySearchFunc(e, key, func(m haproxy.MapEntry, k string) int { return strings.Compare(m.Key, k) })
	if !ok {
		return "", false
	}
	return e[i].Value, true
}

func parseMap(data []byte) entries {
	out := make(entries, 0, bytes.Count(data, []byte("\n")))
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		out = append(out, haproxy.MapEntry{Key: key, Value: value})
	}
	// The lines are in order, but a key may be the beginning of another.
	slices.SortFunc(out, func(a, b haproxy.MapEntry) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// sections are the parts of two configurations that are not the same in both, from the
// beginning of a section: of ten thousand pools that is mostly one.
func sections(was, is []byte) (before, after config) {
	from, wasEnd, isEnd := longtext.Differing(was, is) // a line that moved within it is found there by its key
	inside := func(text []byte) bool { return from == len(text) || text[from] == '\t' || text[from] == '\n' }
	for from > 0 && (inside(was) || inside(is)) {
		from = bytes.LastIndexByte(is[:from-1], '\n') + 1
	}
	return parseConfig(was[from:wasEnd]), parseConfig(is[from:isEnd])
}

// config is haproxy.cfg with the servers of pools taken out.
type config struct {
	rest  string
	pools map[string]map[string]server
}

// server is a line of a pool, as member.line writes it.
type server struct {
	name, at string
	weight   int
	disabled bool
	settings string // all the rest
}

func (s server) line() string {
	line := s.at + " weight " + strconv.Itoa(s.weight)
	if s.disabled {
		line += " disabled"
	}
	return line + s.settings
}

func parseConfig(data []byte) config {
	c := config{pools: map[string]map[string]server{}}
	var rest strings.Builder
	pool := ""
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "\t") {
			pool = ""
			if name, ok := strings.CutPrefix(line, "backend gateway_backend_"); ok {
				pool = "gateway_backend_" + strings.TrimSuffix(name, "\n")
				c.pools[pool] = map[string]server{}
			}
		}
		if text, ok := strings.CutPrefix(line, "\tserver "); ok && pool != "" {
			s := parseServer(strings.TrimSuffix(text, "\n"))
			c.pools[pool][s.name] = s
			continue
		}
		rest.WriteString(line)
	}
	c.rest = rest.String()
	return c
}

func parseServer(text string) server {
	var s server
	s.name, text, _ = strings.Cut(text, " ")
	s.at, text, _ = strings.Cut(text, " weight ")
	end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(text)
	}
	s.weight, _ = strconv.Atoi(text[:end]) // our own line: it is a number
	s.settings, s.disabled = strings.CutPrefix(text[end:], " disabled")
	return s
}

// servers adds what must happen to servers. It answers false where that is not all, or not
// possible while running.
func (p *plan) servers(old, now config) bool {
	if old.rest != now.rest {
		return false
	}
	for _, pool := range slices.Sorted(maps.Keys(now.pools)) {
		was, is := old.pools[pool], now.pools[pool]
		for _, name := range slices.Sorted(maps.Keys(is)) {
			step := serverStep{pool, was[name], is[name]}
			if was[name] != is[name] && !p.server(step) {
				return false
			}
		}
		for _, name := range slices.Sorted(maps.Keys(was)) {
			if _, stays := is[name]; !stays {
				p.remove = append(p.remove, serverStep{backend: pool, was: was[name]})
			}
		}
	}
	return true
}

func (p *plan) server(s serverStep) bool {
	if _, err := netip.ParseAddrPort(s.is.at); err != nil {
		return false // names are looked up by a section that only a reload makes
	}
	if s.was.name == "" {
		p.add = append(p.add, s)
		// One that is added takes requests at once.
		return !s.is.disabled
	}
	p.change = append(p.change, s)
	return s.was.settings == s.is.settings
}
