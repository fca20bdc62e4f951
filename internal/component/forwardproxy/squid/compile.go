package squid

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/namelist"
	"gateway/internal/value"
)

// compiled is what both the file and the model are made of.
type compiled struct {
	settings Settings
	networks []netip.Prefix
	ports    []ports
	connect  []ports
	own      []netip.Addr
	groups   []group
	lists    []List
	allows   bool // what no rule matches
	up       bool
}

// group is rules in a row that do the same to the same part of a request. Squid asks it as one:
// a thousand lines take it twice as long as one line with a thousand values.
type group struct {
	action, kind, at, name string
	from                   []string
	members                []member
}

// member is a rule whose value was read.
type member struct {
	id      string
	rule    Rule
	network netip.Prefix
	ports   ports
	hours   hours
	from    []netip.Prefix
	at      *hours
	list    List
}

// compile leaves out what the API would refuse today: a row may be older than the rule, or come
// from a node of another version. What was left out is added to r, unless that is nil.
func (s State) compile(r *daemon.Rendering) compiled {
	said := func(subject string, err error) {
		if r != nil {
			r.Problems = append(r.Problems, daemon.Invalid(subject, err))
		}
	}
	c := compiled{settings: s.Settings, own: sorted(s.Own), up: s.Settings.On()}
	var p fault.Problems
	if c.settings.Validate(&p); p.Err() != nil {
		// A network or a port less could mean something else altogether, so nobody is served instead.
		said("the settings of the forward proxy", p.Err())
		c.settings, c.up = closed(), false
	}
	c.allows = c.settings.DefaultAction == allow
	c.networks = readPrefixes(c.settings.AllowedNetworks)
	c.ports, c.connect = readRanges(c.settings.Ports), readRanges(c.settings.ConnectPorts)
	for _, l := range s.Lists {
		if err := l.valid(); err != nil {
			said(fmt.Sprintf("the list %q", l.Name), err)
			if !namelist.IsName(l.Name) {
				continue
			}
			l.lost = true // and stays, for its rules to deny
		} else if slices.ContainsFunc(l.Parts, l.lacks) {
			said(fmt.Sprintf("the list %q", l.Name), fault.At("names", "cannot be read; set them again"))
		}
		c.lists = append(c.lists, l)
	}
	for _, row := range s.Rules {
		if !row.Enabled {
			continue
		}
		m, err := c.newMember(row)
		if err != nil {
			said(fmt.Sprintf("the access rule %q", row.Value), err)
			continue
		}
		c.add(m)
	}
	return c
}

// closed are settings by which nobody is served.
func closed() Settings {
	return Settings{Port: 3128, ListenAddresses: []string{"127.0.0.1"}, DefaultAction: deny, ParentPort: 3128, LogRetention: 14}
}

func (c *compiled) newMember(row StoredRule) (member, error) {
	m := member{id: row.ID, rule: row.Rule}
	m.rule.OnlyFrom = slices.Clone(row.OnlyFrom)
	var p fault.Problems
	if m.rule.Validate(&p); p.Err() != nil {
		return member{}, p.Err()
	}
	switch m.rule.Type {
	case bySource:
		m.network, _ = value.Prefix(m.rule.Value) // validated above, as are the others
	case byList:
		i := slices.IndexFunc(c.lists, func(l List) bool { return l.Name == m.rule.Value })
		if i < 0 {
			return member{}, fault.At("value", "is not the name of an existing list")
		}
		m.list = c.lists[i]
	case byPort:
		m.ports, _ = readPorts(m.rule.Value)
	case byTime:
		m.hours, _ = readTime(m.rule.Value)
	}
	m.from = readPrefixes(m.rule.OnlyFrom)
	if m.rule.OnlyDuring != "" {
		at, _ := readTime(m.rule.OnlyDuring)
		m.at = &at
	}
	return m, nil
}

// add puts a rule into the last group, or into a new one.
func (c *compiled) add(m member) {
	r := m.rule
	name := r.Name
	if r.Action == allow {
		name = "" // nobody sees it
	}
	if n := len(c.groups); n > 0 {
		g := &c.groups[n-1]
		if g.action == r.Action && g.kind == r.Type && g.at == r.OnlyDuring && g.name == name && slices.Equal(g.from, r.OnlyFrom) {
			g.members = append(g.members, m)
			return
		}
	}
	c.groups = append(c.groups, group{action: r.Action, kind: r.Type, at: r.OnlyDuring, name: name, from: r.OnlyFrom, members: []member{m}})
}

// readPrefixes reads what was validated.
func readPrefixes(texts []string) (out []netip.Prefix) {
	for _, t := range texts {
		if p, err := value.Prefix(t); err == nil {
			out = append(out, p)
		}
	}
	return out
}

func readRanges(texts []string) (out []ports) {
	for _, t := range texts {
		if r, err := readPorts(t); err == nil {
			out = append(out, r)
		}
	}
	return joined(out)
}

// widest is the same addresses in the fewest networks: Squid complains of one within another.
func widest(all []netip.Prefix) (out []netip.Prefix) {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b netip.Prefix) int {
		if a.Bits() != b.Bits() {
			return a.Bits() - b.Bits()
		}
		return a.Addr().Compare(b.Addr())
	})
	for _, p := range all {
		if !slices.ContainsFunc(out, func(o netip.Prefix) bool { return o.Overlaps(p) }) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b netip.Prefix) int { return a.Addr().Compare(b.Addr()) })
	return out
}

// topmost is the same names without those below another one, of which Squid complains too.
func topmost(names []string) (out []string) {
	have := map[string]bool{}
	for _, n := range names {
		have[n] = true
	}
	for n := range have {
		covered := false
		for rest := n; !covered; {
			_, above, found := strings.Cut(rest, ".")
			if !found {
				break
			}
			covered, rest = have[above], above
		}
		if !covered {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}
