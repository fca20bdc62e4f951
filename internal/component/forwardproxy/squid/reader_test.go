package squid

import (
	"fmt"
	"html"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gateway/internal/daemon"
	"gateway/internal/fault"
)

// The first half of this file says what rows mean, the second what files say, in the same lines.
// What the API would take, and how it spells that, is asked of it; all else is written here anew.

// meant is what the files have to say.
func (s State) meant() []string {
	set := s.Settings
	var p fault.Problems
	up := set.On()
	if set.Validate(&p); p.Err() != nil { // nobody is served
		none := 0
		set, up = Settings{Port: 3128, ListenAddresses: []string{"127.0.0.1"}, DefaultAction: "deny", CacheSize: &none, LogRetention: 14}, false
	}
	out := []string{
		fmt.Sprint("up ", up), "listen 127.0.0.1:13128 name=internal", "cache " + fmt.Sprint(*set.CacheSize), fmt.Sprint("log ", set.AccessLog == nil || *set.AccessLog),
		fmt.Sprint("kept ", set.LogRetention), "dns " + strings.Join(set.DNSServers, " "), "networks " + outermost(set.AllowedNetworks),
		"ports " + portSet(set.Ports), "connect " + portSet(set.ConnectPorts), "page  | " + set.Contact,
		"metadata 100.100.100.200/32 fd00:c1::a9fe:a9fe/128 fd00:ec2::23/128 fd00:ec2::254/128 fd20:ce::254/128",
	}
	if set.ParentHost != "" {
		out = append(out, fmt.Sprint("parent ", set.ParentHost, " ", set.ParentPort))
	}
	for _, at := range s.meantListen(set) {
		out = append(out, "listen "+at)
	}
	for _, a := range s.Own {
		out = append(out, "own "+a.String())
	}
	names, lists := s.meantLists()
	out = append(out, lists...)
	slices.Sort(out)
	return slices.Concat(out, s.meantFirst(set), s.meantRules(names, set.Contact), []string{"http_access " + set.DefaultAction + " all"})
}

// meantFirst is what is refused before any rule is asked, in this order.
func (s State) meantFirst(set Settings) []string {
	unless := func(name string, values []string) string {
		if len(values) == 0 {
			return "all"
		}
		return "!" + name
	}
	connect := "connect !connect_ports"
	if len(set.ConnectPorts) == 0 {
		connect = "connect"
	}
	out := []string{"http_access allow internal manager"}
	for _, refused := range []string{
		"internal", "manager", "self", "!connect !web", unless("networks", set.AllowedNetworks), unless("ports", set.Ports), connect, "to_localhost", "to_linklocal", "metadata", "own",
	} {
		if refused != "own" || len(s.Own) > 0 {
			out = append(out, "http_access deny "+refused)
		}
	}
	return out
}

// meantListen is without what another address has in it.
func (s State) meantListen(set Settings) (out []string) {
	if len(set.ListenAddresses) == 0 || slices.Contains(set.ListenAddresses, "::") {
		return []string{fmt.Sprint(set.Port)}
	}
	for _, text := range set.ListenAddresses {
		a := netip.MustParseAddr(text)
		if a.Is4() && text != "0.0.0.0" && slices.Contains(set.ListenAddresses, "0.0.0.0") {
			continue
		}
		out = append(out, netip.AddrPortFrom(a, uint16(set.Port)).String())
	}
	return out
}

// meantLists is which names of lists rules may say, and the hashes that the files have.
func (s State) meantLists() (names, lines []string) {
	for _, l := range s.Lists {
		if !regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`).MatchString(l.Name) {
			continue
		}
		names = append(names, l.Name)
		parts := l.Parts
		readable := slices.Contains([]int{0, 1, 2, 4, 8}, len(parts))
		for _, hash := range parts {
			readable = readable && regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(hash)
		}
		if !readable {
			continue
		}
		if len(parts) == 0 {
			parts = []string{""}
		}
		for i, hash := range parts {
			lines = append(lines, fmt.Sprintf("list %s.%d.%d %s", l.Name, len(parts), i, hash))
		}
	}
	return names, lines
}

// meantRules has neighbours in one that differ in their values only.
func (s State) meantRules(lists []string, contact string) (out []string) {
	before, values := "", []string(nil)
	end := func() {
		if kind, _, found := strings.Cut(before, " "); found {
			out = append(out, before+" of "+valueSet(kind, values))
		}
		values = nil
	}
	for _, row := range s.Rules {
		r := row.Rule
		r.OnlyFrom = slices.Clone(r.OnlyFrom)
		var p fault.Problems
		if r.Validate(&p); !row.Enabled || p.Err() != nil || r.Type == "list" && !slices.Contains(lists, r.Value) {
			continue
		}
		at := ""
		if r.OnlyDuring != "" {
			at = weekOf(r.OnlyDuring)
		}
		this := fmt.Sprintf("%s %s from [%s] at [%s]", r.Type, r.Action, outermost(r.OnlyFrom), at)
		if r.Action == "deny" && r.Name != "" {
			this += " page " + r.Name + " | " + contact
		}
		if this != before {
			end()
			before = this
		}
		values = append(values, r.Value)
	}
	end()
	return out
}

// valueSet is the values of one kind in the one way to say them.
func valueSet(kind string, values []string) string {
	switch kind {
	case "source":
		return outermost(values)
	case "port":
		return portSet(values)
	case "time":
		return weekOf(values...)
	case "domain":
		below := func(n string) bool {
			return slices.ContainsFunc(values, func(o string) bool { return strings.HasSuffix(n, "."+o) })
		}
		values = slices.DeleteFunc(slices.Clone(values), below)
	case "user_agent":
		values = slices.Clone(values)
		for i, v := range values {
			values[i] = strings.Trim(v, "*") // it is looked for anywhere
		}
	}
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(values))), " | ")
}

// outermost is the networks that are in none of the others.
func outermost(texts []string) string {
	var all []netip.Prefix
	for _, t := range texts {
		p, err := netip.ParsePrefix(t)
		if err != nil {
			a := netip.MustParseAddr(t)
			p = netip.PrefixFrom(a, a.BitLen())
		}
		all = append(all, p)
	}
	var out []string
	for _, p := range all {
		if !slices.ContainsFunc(all, func(o netip.Prefix) bool { return o.Bits() < p.Bits() && o.Contains(p.Addr()) }) {
			out = append(out, p.String())
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

func portSet(texts []string) string {
	var have [65537]bool
	for _, t := range texts {
		first, last, isRange := strings.Cut(t, "-")
		a, _ := strconv.Atoi(first)
		b := a
		if isRange {
			b, _ = strconv.Atoi(last)
		}
		for p := a; p <= b; p++ {
			have[p] = true
		}
	}
	return runs(have[:])
}

// runs is where a list is true, from here to there.
func runs(have []bool) string {
	var out []string
	for i := 0; i < len(have); i++ {
		first := i
		for i < len(have) && have[i] {
			i++
		}
		if i > first {
			out = append(out, fmt.Sprintf("%d-%d", first, i-1))
		}
	}
	return strings.Join(out, " ")
}

const day = 24 * 60

// weekOf reads times as they are stored: days, hours, or both; hours that end before they begin end
// on the day after.
func weekOf(texts ...string) string {
	var have [7 * day]bool
	for _, t := range texts {
		days, clock, both := strings.Cut(t, " ")
		if !both && strings.Contains(days, ":") {
			days, clock = "sun,mon,tue,wed,thu,fri,sat", days
		}
		first, last := 0, day
		if clock != "" {
			var h1, m1, h2, m2 int
			_, _ = fmt.Sscanf(clock, "%d:%d-%d:%d", &h1, &m1, &h2, &m2)
			if first, last = h1*60+m1, h2*60+m2; last <= first {
				last += day
			}
		}
		for name := range strings.SplitSeq(days, ",") {
			begin := slices.Index([]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}, name) * day
			for m := begin + first; m < begin+last; m++ {
				have[m%(7*day)] = true
			}
		}
	}
	return runs(have[:])
}

// squidWeek reads the days and hours of Squid's, whose last minute belongs to them.
func squidWeek(lines [][]string) string {
	var have [7 * day]bool
	for _, words := range lines {
		var h1, m1, h2, m2 int
		_, _ = fmt.Sscanf(words[1], "%d:%d-%d:%d", &h1, &m1, &h2, &m2)
		for _, letter := range words[0] {
			begin := strings.IndexRune("SMTWHFA", letter) * day
			for m := h1*60 + m1; m <= h2*60+m2; m++ {
				have[begin+m] = true
			}
		}
	}
	return runs(have[:])
}

// reading is what is read of the files.
type reading struct {
	r         daemon.Rendering
	acls      map[string][][]string // by name, the type and the values of each line
	pages     map[string]string     // by acl
	out, last []string
}

// readBack reads the files into the lines of meant.
func readBack(r daemon.Rendering) []string {
	d := &reading{r: r, acls: map[string][][]string{}, pages: map[string]string{}}
	d.out = append(d.out, fmt.Sprint("up ", r.Units[0].Up), "kept "+strings.TrimSpace(strings.TrimPrefix(string(r.File(RetentionFile)), madeBy)))
	var lines [][]string
	for line := range strings.Lines(strings.TrimPrefix(string(r.File(ConfFile)), madeBy)) {
		words := strings.Fields(line)
		lines = append(lines, words)
		switch words[0] {
		case "acl":
			d.acls[words[1]] = append(d.acls[words[1]], words[2:])
		case "deny_info":
			d.pages[words[2]] = words[1]
		}
	}
	cache, dns := "cache 0", "dns "
	for _, words := range lines {
		switch words[0] {
		case "http_port":
			d.out = append(d.out, "listen "+strings.Join(words[1:], " "))
		case "cache_mem":
			cache = "cache " + words[1]
		case "dns_nameservers":
			dns += strings.Join(words[1:], " ")
		case "cache_peer":
			d.out = append(d.out, fmt.Sprint("parent ", words[1], " ", words[3]))
		case "access_log":
			d.out = append(d.out, fmt.Sprint("log ", words[1] != "none"))
		case "http_access":
			d.access(words)
		}
	}
	d.out = append(d.out, cache, dns, "networks "+outermost(d.words("networks")), "ports "+portSet(d.words("ports")), "connect "+portSet(d.words("connect_ports")), "page "+d.page("ERR_ACCESS_DENIED"), "metadata "+outermost(d.words("metadata")))
	for _, a := range d.words("own") {
		d.out = append(d.out, "own "+a)
	}
	for _, f := range r.Files {
		if name, ok := strings.CutPrefix(f.Path, ListsFolder+"/"); ok {
			d.out = append(d.out, fmt.Sprintf("list %s %s", name, strings.TrimPrefix(strings.TrimSuffix(string(f.Data), "\n"), "# ")))
		}
	}
	slices.Sort(d.out)
	return append(d.out, d.last...)
}

// words are the values of an acl, without its type and flags.
func (d *reading) words(acl string) (out []string) {
	for _, line := range d.acls[acl] {
		for _, w := range line[1:] {
			if w != "-n" && w != "-i" {
				out = append(out, w)
			}
		}
	}
	return out
}

func (d *reading) times(acl string) (out [][]string) {
	for _, line := range d.acls[acl] {
		out = append(out, line[1:])
	}
	return out
}

var typesOf = map[string]string{
	"src": "source", "dstdomain": "domain", "external": "list", "port": "port", "url_regex": "url", "method": "method", "time": "time", "browser": "user_agent",
}

// access takes a line that allows or denies. Of a rule it tells what its conditions are.
func (d *reading) access(words []string) {
	name := words[len(words)-1]
	if !strings.HasPrefix(name, "rule") {
		d.last = append(d.last, strings.Join(words, " "))
		return
	}
	kind := typesOf[d.acls[name][0][0]]
	from, at, page := "", "", ""
	for _, condition := range words[2 : len(words)-1] {
		if condition == name+"_from" {
			from = outermost(d.words(condition))
		} else {
			at = squidWeek(d.times(condition))
		}
	}
	if file := d.pages[name]; file != "" {
		page = " page " + d.page(file)
	}
	d.last = append(d.last, fmt.Sprintf("%s %s from [%s] at [%s]%s of %s", kind, words[1], from, at, page, d.values(kind, name)))
}

func (d *reading) values(kind, acl string) string {
	values := d.words(acl)
	switch kind {
	case "time":
		return squidWeek(d.times(acl))
	case "list":
		values = values[1:] // the first is who is asked
	}
	for i, v := range values {
		switch kind {
		case "domain":
			values[i] = strings.TrimPrefix(v, ".")
		case "url", "user_agent":
			values[i] = unescaped(v, kind == "url")
		}
	}
	return valueSet(kind, values)
}

// unescaped is the text that a regular expression looks for.
func unescaped(expression string, whole bool) string {
	text := expression
	begins, ends := strings.HasPrefix(text, "^"), strings.HasSuffix(text, "$")
	text = strings.TrimSuffix(strings.TrimPrefix(text, "^"), "$")
	var b strings.Builder
	for text != "" {
		read := 1
		switch {
		case strings.HasPrefix(text, ".*"):
			b.WriteByte('*')
			read = 2
		case strings.HasPrefix(text, `\^`):
			b.WriteByte('^')
			read = 2
		case strings.HasPrefix(text, "[[:space:]]"):
			b.WriteByte(' ')
			read = len("[[:space:]]")
		case text[0] == '[':
			b.WriteByte(text[1])
			read = 3
		default:
			b.WriteByte(text[0])
		}
		text = text[read:]
	}
	out := b.String()
	if whole && !begins {
		out = "*" + out
	}
	if whole && !ends {
		out += "*"
	}
	return out
}

var (
	ruleOf    = regexp.MustCompile(`<p>Rule: <strong>(.*)</strong></p>`)
	contactOf = regexp.MustCompile(`<p>Questions: (.*)</p>`)
)

// page is what a page says of the rule, and whom to ask.
func (d *reading) page(name string) string {
	text := string(d.r.File(PagesFolder + "/" + name))
	found := func(form *regexp.Regexp) string {
		if m := form.FindStringSubmatch(text); m != nil {
			return html.UnescapeString(m[1])
		}
		return ""
	}
	return found(ruleOf) + " | " + found(contactOf)
}
