package squid

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"gateway/internal/daemon"
	"gateway/internal/value"
)

// What Squid reads. AppArmor lets it read below /etc/squid only, where Debian's own file stays
// beside it; it may write logs below /var/log/squid, of which Debian rotates those that end in .log.
const (
	Folder      = "/etc/squid/gateway"
	ConfFile    = Folder + "/squid.conf"
	PagesFolder = Folder + "/errors"
	// ListsFolder is what the program that Squid asks about lists of names reads.
	ListsFolder = Folder + "/lists"
	// RetentionFile says for how many days the log of requests is kept.
	RetentionFile = Folder + "/retention"
	AccessLog     = "/var/log/squid/gateway-access"
	PIDFile       = "/run/squid/gateway.pid"

	// ownName is what the proxy calls itself; nobody else can have it.
	ownName = "gateway.invalid"
	// mostConnections is what one client may hold: more than browsers do, and far less than there are.
	mostConnections = 1024

	// generationURL is where Squid sends whoever asks it on its internal port for anything but the
	// manager. What follows is the hash of the file: so one can ask which file it runs on.
	generationURL = "http://generation.invalid/"
)

// ManagerPages are what this node asks the proxy's manager for.
var ManagerPages = []string{"info", "counters", "server_list", "filedescriptors", "idns"}

const madeBy = "# Made by gateway from its database. Edits are undone; change it through the API instead.\n"

// Render is a pure function of the rows and of the node's addresses.
func (s State) Render() (daemon.Rendering, error) {
	return s.render(quoting{word, posixPattern, pageText})
}

// quoting is what every value of an operator passes on its way into a file.
type quoting struct {
	word    func(string) (string, error)
	pattern func(text string, whole bool) string
	page    func(string) string
}

func (s State) render(q quoting) (daemon.Rendering, error) {
	r := daemon.Rendering{}
	c := s.compile(&r)
	r.Units = []daemon.Unit{{Name: Unit, Up: c.up}}
	w := &writer{quoting: q, pages: map[string]string{}}
	w.settings(c)
	w.hard(c)
	w.lists(c)
	w.rules(c)
	if w.err != nil {
		return daemon.Rendering{}, w.err
	}
	// A page is read when Squid reads its file, so it belongs to the generation.
	w.page("ERR_ACCESS_DENIED", "", c.settings.Contact)
	names := slices.Sorted(maps.Keys(w.pages))
	sum := sha256.New()
	sum.Write([]byte(w.b.String()))
	for _, n := range names {
		sum.Write([]byte(w.pages[n]))
	}
	w.line("deny_info", generationURL+hex.EncodeToString(sum.Sum(nil)[:16]), "internal")
	add := func(path, text string) {
		r.Files = append(r.Files, daemon.File{Path: path, Mode: 0o644, Data: []byte(text)})
	}
	add(ConfFile, madeBy+w.b.String())
	for _, n := range names {
		add(PagesFolder+"/"+n, w.pages[n])
	}
	add(RetentionFile, fmt.Sprintf("%s%d\n", madeBy, c.settings.LogRetention))
	for _, l := range c.lists {
		r.Files = append(r.Files, l.files()...)
	}
	return r, w.err
}

// writer writes the file, a value per line.
type writer struct {
	quoting
	b     strings.Builder
	pages map[string]string
	err   error
}

// line writes one directive. Each word passes word.
func (w *writer) line(words ...string) {
	for i, text := range words {
		text, err := w.word(text)
		if err != nil {
			w.err = err
			return
		}
		if i > 0 {
			w.b.WriteByte(' ')
		}
		w.b.WriteString(text)
	}
	w.b.WriteByte('\n')
}

func (w *writer) settings(c compiled) {
	s := c.settings
	w.line("visible_hostname", ownName)
	w.line("pid_filename", PIDFile)
	w.line("cache_log", "/dev/null") // the journal has it
	w.line("coredump_dir", "none")
	w.line("pinger_enable", "off")
	w.line("shutdown_lifetime", "1", "seconds")
	w.line("logfile_rotate", "0")
	w.line("forwarded_for", "delete")
	w.line("client_ip_max_connections", fmt.Sprint(mostConnections))
	w.line(append([]string{"cachemgr_passwd", "none"}, ManagerPages...)...)
	w.line("cachemgr_passwd", "disable", "all") // any user of this machine could ask for the others
	w.line("error_directory", PagesFolder)
	w.line("acl", "internal", "myportname", "internal")
	if s.logs() {
		w.line("access_log", "stdio:"+AccessLog, "logformat=squid", "on-error=drop", "!internal") // a full disk ends the log only
	} else {
		w.line("access_log", "none")
	}
	if s.cache() == 0 {
		w.line("cache", "deny", "all")
	} else {
		w.line("cache_mem", fmt.Sprint(s.cache()), "MB")
		w.line("maximum_object_size_in_memory", fmt.Sprint(max(512, s.cache()*1024/16)), "KB")
	}
	if len(s.DNSServers) > 0 {
		w.line(append([]string{"dns_nameservers"}, s.DNSServers...)...)
	}
	if s.ParentHost != "" {
		w.line("cache_peer", s.ParentHost, "parent", fmt.Sprint(s.ParentPort), "0", "no-query", "no-digest", "no-netdb-exchange", "default")
		w.line("never_direct", "allow", "all")
	}
	w.line("http_port", fmt.Sprintf("127.0.0.1:%d", InternalPort), "name=internal")
	for _, at := range listeners(s) {
		w.line("http_port", at)
	}
}

// listeners are the addresses to listen on, all of them where none is named. Beside all of a
// family, one of it would be taken already; Squid's :: is both families.
func listeners(s Settings) (out []string) {
	var all []netip.Addr
	for _, text := range s.ListenAddresses {
		if a, err := netip.ParseAddr(text); err == nil {
			all = append(all, a)
		}
	}
	if len(all) == 0 || slices.Contains(all, netip.IPv6Unspecified()) {
		return []string{fmt.Sprint(s.Port)}
	}
	every := slices.Contains(all, netip.IPv4Unspecified())
	for _, a := range all {
		if !every || a.Is6() || a.IsUnspecified() {
			out = append(out, netip.AddrPortFrom(a, uint16(s.Port)).String())
		}
	}
	return out
}

// hard is what no rule can allow. What needs no name to be looked up comes first.
func (w *writer) hard(c compiled) {
	w.line("acl", "connect", "method", "CONNECT")
	w.prefixes("networks", "src", c.networks)
	w.ranges("ports", c.ports)
	w.ranges("connect_ports", c.connect)
	w.line("http_access", "allow", "internal", "manager")
	w.line("http_access", "deny", "internal")
	w.line("http_access", "deny", "manager")
	// What is addressed to the proxy itself reaches its manager, whatever manager matches.
	w.line("acl", "self", "dstdomain", "-n", ownName)
	w.line("http_access", "deny", "self")
	w.line("acl", "web", "proto", "HTTP", "HTTPS")
	w.line("http_access", "deny", "!connect", "!web")
	w.only("networks", len(c.networks))
	w.only("ports", len(c.ports))
	if len(c.connect) == 0 {
		w.line("http_access", "deny", "connect")
	} else {
		w.line("http_access", "deny", "connect", "!connect_ports")
	}
	w.line("http_access", "deny", "to_localhost")
	w.line("http_access", "deny", "to_linklocal")
	// Squid's list has the link-local address that most clouds hand out credentials at, and not the others.
	w.prefixes("metadata", "dst", value.Metadata)
	w.line("http_access", "deny", "metadata")
	if len(c.own) > 0 {
		for _, a := range c.own {
			w.line("acl", "own", "dst", a.String())
		}
		w.line("http_access", "deny", "own")
	}
}

// only denies what is in no value of a list; an empty list has nothing.
func (w *writer) only(name string, values int) {
	if values == 0 {
		w.line("http_access", "deny", "all")
	} else {
		w.line("http_access", "deny", "!"+name)
	}
}

func (w *writer) prefixes(name, kind string, list []netip.Prefix) {
	for _, p := range widest(list) {
		w.line("acl", name, kind, p.String())
	}
}

func (w *writer) ranges(name string, list []ports) {
	for _, r := range joined(list) {
		w.line("acl", name, "port", r.String())
	}
}

func (w *writer) rules(c compiled) {
	for i, g := range c.groups {
		name := fmt.Sprintf("rule%d", i)
		var conditions []string
		if len(g.from) > 0 {
			w.prefixes(name+"_from", "src", readPrefixes(g.from))
			conditions = append(conditions, name+"_from")
		}
		if g.at != "" {
			at, _ := readTime(g.at) // validated
			w.hours(name+"_at", at)
			conditions = append(conditions, name+"_at")
		}
		w.values(name, g)
		// The value comes last: by the last one Squid finds the page.
		conditions = append(conditions, name)
		w.line(append([]string{"http_access", g.action}, conditions...)...)
		if g.action == deny && g.name != "" {
			w.page(pageOf(g.name), g.name, c.settings.Contact)
			w.line("deny_info", pageOf(g.name), name)
		}
	}
	if c.allows {
		w.line("http_access", "allow", "all")
	} else {
		w.line("http_access", "deny", "all")
	}
}

func (w *writer) values(name string, g group) {
	var networks []netip.Prefix
	var ranges []ports
	var texts []string
	for _, m := range g.members {
		networks, ranges, texts = append(networks, m.network), append(ranges, m.ports), append(texts, m.rule.Value)
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(texts)))
	switch g.kind {
	case bySource:
		w.prefixes(name, "src", networks)
	case byPort:
		w.ranges(name, ranges)
	case byDomain:
		for _, n := range topmost(texts) {
			w.line("acl", name, "dstdomain", "-n", "."+n)
		}
	case byList:
		w.line(append([]string{"acl", name, "external", "lists"}, distinct...)...)
	case byMethod:
		for _, m := range distinct {
			w.line("acl", name, "method", m)
		}
	case byTime:
		for _, t := range distinct {
			at, _ := readTime(t) // validated
			w.hours(name, at)
		}
	case byURL:
		w.patterns(name, "url_regex", distinct, true)
	case byUserAgent:
		w.patterns(name, "browser", distinct, false)
	}
}

func (w *writer) patterns(name, kind string, texts []string, whole bool) {
	for _, t := range texts {
		w.line("acl", name, kind, "-i", w.pattern(t, whole))
	}
}

// squidDays are Squid's letters, in the order of time.Weekday.
const squidDays = "SMTWHFA"

func (w *writer) hours(name string, h hours) {
	for _, s := range h.spans() {
		days := ""
		for d, on := range s.days {
			if on {
				days += squidDays[d : d+1]
			}
		}
		w.line("acl", name, "time", days, fmt.Sprintf("%02d:%02d-%02d:%02d", s.first/60, s.first%60, s.last/60, s.last%60))
	}
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_.:/,=!*?+()|\[\]\\^$"'#%&;<>@{}~` + "`" + `-]+$`)

// word fails the rendering on what Squid would not read as one word, and as that word.
func word(s string) (string, error) {
	if !plainWord.MatchString(s) || strings.HasPrefix(s, "#") || strings.HasPrefix(s, `"`) || strings.HasPrefix(s, "'") ||
		strings.HasSuffix(s, `\`) || strings.Contains(s, "${") {
		return "", fmt.Errorf("%q is not one word", s)
	}
	return s, nil
}

// posixPattern is a pattern as an extended regular expression: whatever could mean something is in
// brackets, where it does not.
func posixPattern(text string, whole bool) string {
	body, begins, ends := stars(text, whole)
	var b strings.Builder
	if begins {
		b.WriteByte('^')
	}
	for i := range len(body) {
		switch c := body[i]; {
		case c == '*':
			b.WriteString(".*")
		case c == ' ':
			b.WriteString("[[:space:]]")
		case c == '^': // in brackets it would mean "none of"
			b.WriteString(`\^`)
		case c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '/' || c == ':':
			b.WriteByte(c)
		default:
			b.WriteString("[" + string(rune(c)) + "]")
		}
	}
	if ends {
		b.WriteByte('$')
	}
	return b.String()
}

var pageEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "%", "&#37;", "@", "&#64;")

// pageText is text on a page: neither HTML nor one of Squid's codes, which begin with % and @.
func pageText(s string) string {
	return pageEscapes.Replace(s)
}

// pageOf is the file of the page of rules with this name.
func pageOf(rule string) string {
	sum := sha256.Sum256([]byte(rule))
	return "GATEWAY_" + strings.ToUpper(hex.EncodeToString(sum[:8]))
}

// page has what a client sees of a denied request. The last line opens a comment: the engine adds
// a line to each file, which is none of the reader's business.
func (w *writer) page(name, rule, contact string) {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Access denied</title></head>\n<body>\n")
	b.WriteString("<h1>Access denied</h1>\n<p>The proxy of this network does not allow this request: <code>%U</code></p>\n")
	if rule != "" {
		b.WriteString("<p>Rule: <strong>" + w.quoting.page(rule) + "</strong></p>\n")
	}
	if contact != "" {
		b.WriteString("<p>Questions: " + w.quoting.page(contact) + "</p>\n")
	}
	b.WriteString("<h1 lang=\"de\">Zugriff verweigert</h1>\n<p lang=\"de\">Der Proxy dieses Netzes erlaubt diese Anfrage nicht.</p>\n")
	if rule != "" {
		b.WriteString("<p lang=\"de\">Regel: <strong>" + w.quoting.page(rule) + "</strong></p>\n")
	}
	if contact != "" {
		b.WriteString("<p lang=\"de\">Fragen: " + w.quoting.page(contact) + "</p>\n")
	}
	b.WriteString("</body>\n</html>\n<!--\n")
	w.pages[name] = b.String()
}
