package haproxyconf

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/value"
)

// sites is what differs between domains: map files, and which features are used at all,
// so that a request pays for no rule that nobody wants.
type sites struct {
	use     features
	records []string // name -> record; see site.record
	routes  []string // domain/path -> section
	nets    []string // network -> itself
	allowed []string // domain|network
	logins  []string // digest
	headers []header
}

type features struct {
	wildcard, plain, noH3, maintenance, allow, login, limit, body, redirect, hsts, routes bool
}

// header is one field name, and its value by domain.
type header struct {
	name    string
	entries []string
}

func (h header) path() string { return mapsDir + "header-" + strings.ToLower(h.name) + ".map" }

const (
	sitesMap   = mapsDir + "sites.map"
	routesMap  = mapsDir + "routes.map"
	netsMap    = mapsDir + "networks.map"
	allowedMap = mapsDir + "allowed.map"
	loginsMap  = mapsDir + "logins.map"
)

// sites works out the maps.
func (r *rendering) sites() sites {
	s := sites{records: make([]string, 0, len(r.domains)+16)}
	known, redirected := make(map[string]*site, len(r.domains)), r.redirected()
	for i := range r.domains {
		d := &r.domains[i]
		err := d.valid()
		if err == nil && redirected[d.Name] {
			err = fault.Say("its name is used by another domain's www redirect")
		}
		if err != nil {
			r.leaveOut("domain "+d.Name, err)
			continue
		}
		known[d.ID] = d
	}
	routed := r.routesOf(&s, known)
	guarded := r.loginsOf(&s, known)
	for i := range r.domains {
		if d := &r.domains[i]; known[d.ID] != nil {
			s.add(*d, r.leadsTo("domain "+d.Name, d.BackendID), routed[d.ID], guarded[d.ID])
		}
	}
	r.headersOf(&s, known)
	s.allowLists(known)
	slices.Sort(s.records)
	return s
}

func (d site) valid() error {
	if err := db.CheckID(d.ID); err != nil {
		return err
	}
	if name, err := DomainName(d.Name); err != nil || name != d.Name {
		return fault.Say("its name is not a valid host name")
	}
	for _, n := range d.AllowFrom {
		if got, err := value.Network(n); err != nil || got != n {
			return fault.Say("%q is not a valid network", n)
		}
	}
	if d.WWW != "off" && d.WWW != "to_www" && d.WWW != "to_apex" {
		return fault.Say("invalid redirect %q", d.WWW)
	}
	if d.WWW != "off" && (strings.HasPrefix(d.Name, "www.") || strings.HasPrefix(d.Name, "*.")) {
		return fault.Say("its name starts with www. or *., so the www redirect cannot be used")
	}
	if d.HSTS < 0 || d.RateLimit < 0 || d.MaxBody < 0 {
		return fault.Say("one of its limits is below zero")
	}
	return nil
}

// leadsTo is the section of a backend, for a site or a part of one.
func (r *rendering) leadsTo(subject string, backend *string) string {
	if backend == nil {
		return ""
	}
	if r.passing[*backend] {
		r.leaveOut(subject, fault.Say("its backend has the scheme tcp, which only TCP services can use"))
		return "gateway_unavailable"
	}
	if r.sections[*backend] == "" {
		r.leaveOut(subject, errNoBackend)
		return unavailable
	}
	return r.sections[*backend]
}

// domainOf is the domain that something belongs to, if that is served. One that is switched off
// is none to talk of; an id that is none is.
func (r *rendering) domainOf(known map[string]*site, id, subject string) *site {
	if err := db.CheckID(id); err != nil {
		r.leaveOut(subject, err)
	}
	return known[id]
}

// redirected are the names that domains without www. have with it.
func (r *rendering) redirected() map[string]bool {
	names := map[string]bool{}
	for i := range r.domains {
		if d := &r.domains[i]; d.WWW != "off" {
			names["www."+d.Name] = true
		}
	}
	return names
}

// add puts a domain into the map, under its name and, where it redirects, the one with www.
func (s *sites) add(d site, section string, routed, guarded bool) {
	s.note(d)
	record := d.record(section, routed, guarded)
	main, other := d.Name, ""
	switch d.WWW {
	case "to_www":
		main, other = "www."+d.Name, d.Name
	case "to_apex":
		other = "www." + d.Name
	}
	s.records = append(s.records, main+" "+record)
	if other != "" {
		s.use.redirect = true
		elsewhere := site{HTTPS: d.HTTPS, DisableH3: d.DisableH3}
		s.records = append(s.records, other+" "+string(elsewhere.flags(nil, false, false))+"w|||"+d.ID+"|"+main+"||")
	}
}

func (s *sites) note(d site) {
	u := &s.use
	u.wildcard = u.wildcard || strings.HasPrefix(d.Name, "*.")
	u.plain = u.plain || !d.HTTPS
	u.noH3 = u.noH3 || d.DisableH3
	u.maintenance = u.maintenance || d.Maintenance
	u.allow = u.allow || len(d.AllowFrom) > 0
	u.limit = u.limit || d.RateLimit > 0
	u.body = u.body || d.MaxBody > 0
	u.hsts = u.hsts || d.HSTS > 0
}

// record is all that a request needs to know of its site, in one lookup:
//
//	flags | rate limit | largest body | domain | redirect to | HSTS | number of the section
//
// HAProxy counts fields from one end, so what is asked for most comes first, or last.
func (d site) record(section string, routed, guarded bool) string {
	b := append(d.flags(make([]byte, 0, 96), routed, guarded), '|')
	if d.RateLimit > 0 {
		b = strconv.AppendInt(b, int64(d.RateLimit), 10)
	}
	b = append(b, '|')
	if d.MaxBody > 0 {
		b = strconv.AppendInt(b, d.MaxBody, 10)
	}
	b = append(append(b, '|'), d.ID...)
	b = append(append(b, "||"...), d.hsts()...)
	return string(append(append(b, '|'), section...))
}

// flags are letters: plain HTTP too, no HTTP/3 (q), maintenance, allow list, login, routes,
// requests are counted, bodies are limited, HSTS (s). A redirect has a w.
func (d site) flags(b []byte, routed, guarded bool) []byte {
	for _, f := range [...]struct {
		on     bool
		letter byte
	}{{!d.HTTPS, 'p'}, {d.DisableH3, 'q'}, {d.Maintenance, 'm'}, {len(d.AllowFrom) > 0, 'a'}, {guarded, 'l'}, {routed, 'r'}, {d.RateLimit > 0, 'c'}, {d.MaxBody > 0, 'b'}, {d.HSTS > 0, 's'}} {
		if f.on {
			b = append(b, f.letter)
		}
	}
	return b
}

func (d site) hsts() string {
	if d.HSTS == 0 {
		return ""
	}
	value := "max-age=" + strconv.Itoa(d.HSTS)
	if d.Subdomains {
		value += "; includeSubDomains"
	}
	if d.Preload {
		value += "; preload"
	}
	return value
}

// routesOf makes "the first rule that fits" out of a map that finds the longest prefix: a
// rule below one that comes before it and is a prefix of it never fits, so it is left out;
// of those that remain, the longest that fits is the first.
func (r *rendering) routesOf(s *sites, known map[string]*site) map[string]bool {
	routed := map[string]bool{}
	var before []string // prefixes of the same domain
	last := ""
	for _, rule := range r.rules {
		d := r.domainOf(known, rule.DomainID, "routing rule "+rule.Path)
		if d == nil {
			continue
		}
		if rule.DomainID != last {
			before, last = before[:0], rule.DomainID
		}
		if err := URLPath(rule.Path); err != nil {
			r.leaveOut("routing rule "+rule.Path+" of "+d.Name, err)
			continue
		}
		if slices.ContainsFunc(before, func(p string) bool { return strings.HasPrefix(rule.Path, p) }) {
			continue
		}
		before = append(before, rule.Path)
		routed[rule.DomainID], s.use.routes = true, true
		s.routes = append(s.routes, rule.DomainID+rule.Path+" "+r.leadsTo("routing rule "+rule.Path+" of "+d.Name, &rule.BackendID))
	}
	slices.Sort(s.routes)
	return routed
}

func (r *rendering) loginsOf(s *sites, known map[string]*site) map[string]bool {
	guarded := map[string]bool{}
	for _, u := range r.users {
		d := r.domainOf(known, u.DomainID, "a user of a domain")
		if d == nil {
			continue
		}
		// Also when the digest is damaged: nobody gets in rather than everybody.
		guarded[u.DomainID], s.use.login = true, true
		if len(u.Digest) != 64 || strings.Trim(u.Digest, "0123456789ABCDEF") != "" {
			r.leaveOut("a user of "+d.Name, fault.Say("the password has no digest"))
			continue
		}
		s.logins = append(s.logins, u.Digest+" 1")
	}
	slices.Sort(s.logins)
	s.logins = slices.Compact(s.logins)
	return guarded
}

// headersOf groups by name: a rule for each name there is, not for each domain.
func (r *rendering) headersOf(s *sites, known map[string]*site) {
	byName := map[string]*header{}
	for _, h := range r.headers {
		d := r.domainOf(known, h.DomainID, "header "+strconv.Quote(h.Name))
		if d == nil {
			continue
		}
		if err := errors.Join(HeaderName(h.Name), HeaderValue(h.Value)); err != nil || h.Value == "" {
			r.leaveOut("header "+strconv.Quote(h.Name)+" of "+d.Name, fault.Say("it is not a valid header"))
			continue
		}
		key := strings.ToLower(h.Name)
		if byName[key] == nil {
			byName[key] = &header{name: h.Name}
		}
		byName[key].name = min(byName[key].name, h.Name)
		byName[key].entries = append(byName[key].entries, h.DomainID+" "+h.Value)
	}
	for _, key := range slices.Sorted(maps.Keys(byName)) {
		slices.Sort(byName[key].entries)
		s.headers = append(s.headers, *byName[key])
	}
}

// files are the maps in use. sites.map is always there.
func (s *sites) files() []daemon.File {
	files := []daemon.File{mapFile(sitesMap, s.records)}
	for _, m := range []struct {
		used    bool
		path    string
		entries []string
	}{
		{s.use.routes, routesMap, s.routes},
		{s.use.allow, netsMap, s.nets},
		{s.use.allow, allowedMap, s.allowed},
		{s.use.login, loginsMap, s.logins},
	} {
		if m.used {
			files = append(files, mapFile(m.path, m.entries))
		}
		if m.path == loginsMap && m.used {
			files[len(files)-1].Mode = secretMode
		}
	}
	for _, h := range s.headers {
		files = append(files, mapFile(h.path(), h.entries))
	}
	return files
}

func mapFile(path string, entries []string) daemon.File {
	size := 0
	for _, e := range entries {
		size += len(e) + 1
	}
	data := make([]byte, 0, size)
	for _, e := range entries {
		data = append(append(data, e...), '\n')
	}
	return daemon.File{Path: path, Mode: fileMode, Data: data}
}
