package haproxyconf

import (
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gateway/internal/daemon"

	"github.com/google/go-cmp/cmp"
)

// words takes a line apart as HAProxy does: quotes, backslashes and comments.
func words(line string) []string {
	var out []string
	var word strings.Builder
	started, quote := false, byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == 0 && (c == ' ' || c == '\t'):
			if started {
				out = append(out, word.String())
				word.Reset()
			}
			started = false
			continue
		case quote == 0 && c == '#':
			i = len(line)
			continue
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote == c && quote != 0:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
		default:
			word.WriteByte(c)
		}
		started = true
	}
	if started {
		out = append(out, word.String())
	}
	return out
}

// block is a section of a configuration: "backend", its name, and its lines in words.
type block struct {
	kind, name string
	lines      [][]string
	texts      []string
}

func readConfig(text string) []block {
	var all []block
	for line := range strings.SplitSeq(text, "\n") {
		w := words(line)
		switch {
		case len(w) == 0:
		case !strings.HasPrefix(line, "\t"):
			all = append(all, block{kind: w[0], name: strings.Join(w[1:], " ")})
		case len(all) > 0:
			last := &all[len(all)-1]
			last.lines, last.texts = append(last.lines, w), append(last.texts, line)
		}
	}
	return all
}

// The places where a value of an operator's may stand outside of the sections of pools.
var (
	placeOfHeader  = regexp.MustCompile(`^(\thttp-after-response set-header )[A-Za-z0-9][A-Za-z0-9_-]*( %\[var\(txn\.hN\)\].*)$`)
	placeOfNumber  = regexp.MustCompile(`txn\.h[0-9]+`)
	placeOfMap     = regexp.MustCompile(`maps/header-[a-z0-9_-]+\.map`)
	placeOfPort    = regexp.MustCompile(`^\tbind (0\.0\.0\.0|\[::\]):[0-9]+( v6only)?$`)
	placeOfNets    = regexp.MustCompile(`^\tacl allowed_(four|six) src [0-9a-f.:/ ]+$`)
	placeOfBackend = regexp.MustCompile(`^\tdefault_backend gateway_backend_[0-9a-f-]{36}$`)
)

// shape is a line without the values of operators.
func shape(line string) string {
	line = placeOfMap.ReplaceAllString(placeOfNumber.ReplaceAllString(line, "txn.hN"), "maps/header-N.map")
	line = placeOfHeader.ReplaceAllString(line, "${1}N${2}")
	for _, p := range []*regexp.Regexp{placeOfPort, placeOfNets, placeOfBackend} {
		if p.MatchString(line) {
			return p.String()
		}
	}
	return line
}

// shapes are all lines that we ever write outside of the sections of pools.
var shapes = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	both := everything()
	both.ipv6 = false
	six := everything()
	six.ports[0].AllowFrom = []string{"2001:db8::/32", "10.0.0.0/8"}
	only := everything()
	only.ports[0].AllowFrom = []string{"2001:db8::/32"}
	for _, s := range []state{{}, {ipv6: true}, everything(), both, six, only} {
		for _, c := range readConfig(string(render(s).File(Path))) {
			for _, line := range c.texts {
				all[shape(line)] = true
			}
		}
	}
	return all
})

var (
	poolName    = regexp.MustCompile(`^gateway_backend_[0-9a-f-]{36}$`)
	serviceName = regexp.MustCompile(`^gateway_tcp_[0-9]+$`)
	fixedNames  = []string{
		"global", "defaults", "frontend gateway_https", "frontend gateway_http", "frontend management", "backend api", "backend pages", "backend gateway_unknown",
		"backend gateway_unavailable", "backend gateway_rates", "backend gateway_sites", "backend gateway_sampled", "resolvers gateway_names",
	}
)

// foreign finds something that we do not write.
func foreign(text string) string {
	for _, c := range readConfig(text) {
		title := strings.TrimSpace(c.kind + " " + c.name)
		switch {
		case c.kind == "backend" && poolName.MatchString(c.name):
			for i, line := range c.lines {
				if !ourPoolLine(line) {
					return c.texts[i]
				}
			}
			continue
		case c.kind == "frontend" && serviceName.MatchString(c.name), slices.Contains(fixedNames, title):
		default:
			return title
		}
		for _, line := range c.texts {
			if !shapes()[shape(line)] {
				return line
			}
		}
	}
	return ""
}

// ourPoolLine knows the words with which a line of a pool may begin, and all of a server's.
func ourPoolLine(line []string) bool {
	if line[0] == "server" {
		_, ok := readServer(line)
		return ok
	}
	begin := strings.Join(line[:min(2, len(line))], " ")
	return (line[0] == "balance" || line[0] == "id") && len(line) == 2 || line[0] == "dynamic-cookie-key" && len(line) == 2 ||
		slices.Contains([]string{"mode tcp", "timeout server", "timeout tunnel", "hash-type consistent", "cookie GATEWAY_SERVER", "option httpchk", "http-check send", "http-check expect"}, begin)
}

// readServer is a server's line as its options; those without a value have an empty one.
func readServer(line []string) (map[string]string, bool) {
	if len(line) < 3 {
		return nil, false
	}
	out := map[string]string{"name": line[1], "at": line[2]}
	for rest := line[3:]; len(rest) > 0; {
		switch rest[0] {
		case "disabled", "backup", "check", "ssl":
			out[rest[0]], rest = "", rest[1:]
		case "weight", "inter", "fastinter", "verify", "ca-file", "sni", "check-sni", "alpn", "check-alpn", "resolvers", "init-addr", "resolve-prefer":
			if len(rest) < 2 {
				return nil, false
			}
			out[rest[0]], rest = rest[1], rest[2:]
		default:
			return nil, false
		}
	}
	return out, !strings.Contains(line[2], canary) && !strings.ContainsAny(line[2], "/@")
}

// saysWhat reads the files back and holds them against the rows.
func saysWhat(t *testing.T, s state, out daemon.Rendering) {
	t.Helper()
	got, want := map[string][][]string{}, map[string][][]string{}
	for _, c := range readConfig(string(out.File(Path))) {
		if c.kind == "backend" && poolName.MatchString(c.name) || c.kind == "frontend" && serviceName.MatchString(c.name) {
			got[c.name] = c.lines
		}
	}
	for _, p := range s.backends {
		if p.Active {
			want[section(p.ID)] = append(p.lines(), membersOf(s, p)...)
		}
	}
	for _, p := range s.ports {
		if want[section(p.BackendID)] != nil {
			want["gateway_tcp_"+strconv.Itoa(p.Port)] = p.lines(s.ipv6)
		}
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("the configuration says (-) what the rows do not (+):\n%s", d)
	}
	saysWhere(t, s, out)
	saysWho(t, s, out)
}

// lines of a pool, in words.
func (p pool) lines() [][]string {
	var out [][]string
	add := func(on bool, words ...string) {
		if on {
			out = append(out, words)
		}
	}
	tcp := p.Scheme == "tcp"
	add(true, "id", number(p.ID))
	add(tcp, "mode", "tcp")
	add(tcp, "timeout", "server", "1h")
	add(true, "balance", p.Algorithm)
	add(p.Algorithm == "source", "hash-type", "consistent")
	add(p.Websocket && !tcp, "timeout", "tunnel", "1h")
	add(p.Sticky && !tcp, "cookie", "GATEWAY_SERVER", "insert", "indirect", "nocache", "httponly", "dynamic")
	add(p.Sticky && !tcp, "dynamic-cookie-key", p.ID)
	host, status := "localhost", strconv.Itoa(p.Status)
	for _, name := range []string{p.TLSName, p.Host} {
		if name != "" {
			host = name
		}
	}
	if p.Status == 0 {
		status = "200-399"
	}
	add(p.Checks && !tcp, "option", "httpchk")
	add(p.Checks && !tcp, "http-check", "send", "meth", "GET", "uri", p.Path, "ver", "HTTP/1.1", "hdr", "Host", host, "hdr", "User-Agent", "gateway-health-check")
	add(p.Checks && !tcp, "http-check", "expect", "status", status)
	return out
}

// membersOf are the servers' lines, in words.
func membersOf(s state, p pool) [][]string {
	var out [][]string
	for _, m := range s.servers[p.ID] {
		addr, err := netip.ParseAddr(m.Address)
		at := m.Address + ":" + strconv.Itoa(m.Port)
		if err == nil && addr.Is6() {
			at = "[" + m.Address + "]:" + strconv.Itoa(m.Port)
		}
		weight := m.Weight
		if m.Drain {
			weight = 0
		}
		w := []string{"server", m.Name, at, "weight", strconv.Itoa(weight)}
		add := func(on bool, words ...string) {
			if on {
				w = append(w, words...)
			}
		}
		add(!m.Active, "disabled")
		add(m.Backup, "backup")
		add(p.Checks, "check", "inter", strconv.Itoa(p.Interval)+"s", "fastinter", strconv.Itoa(p.Interval*500)+"ms")
		secure := p.Scheme == "https"
		add(secure, "ssl", "verify")
		add(secure && p.Verify, "required", "ca-file", "@system-ca")
		add(secure && !p.Verify, "none")
		add(secure && p.TLSName != "", "sni", "str("+p.TLSName+")", "check-sni", p.TLSName)
		add(secure && p.TLSName == "", "sni", "req.hdr(host),field(1,:)")
		add(secure && p.ForceHTTP1, "alpn", "http/1.1")
		add(secure && !p.ForceHTTP1, "alpn", "h2,http/1.1")
		add(secure && p.Checks, "check-alpn", "http/1.1")
		add(err != nil, "resolvers", "gateway_names", "init-addr", "libc,none", "resolve-prefer", "ipv4")
		out = append(out, w)
	}
	return out
}

// lines of a TCP service, in words.
func (p service) lines(ipv6 bool) [][]string {
	out := [][]string{{"no", "log"}, {"log", "/run/systemd/journal.gateway-access/dev-log", "local1"}, {"mode", "tcp"}, {"option", "tcplog"}, {"timeout", "client", "1h"}, {"bind", "0.0.0.0:" + strconv.Itoa(p.Port)}}
	if ipv6 {
		out = append(out, []string{"bind", "[::]:" + strconv.Itoa(p.Port), "v6only"})
	}
	if len(p.AllowFrom) == 0 {
		return append(out, []string{"default_backend", section(p.BackendID)})
	}
	four, six := []string{"acl", "allowed_four", "src"}, []string{"acl", "allowed_six", "src"}
	for _, n := range p.AllowFrom {
		if netip.MustParsePrefix(n).Addr().Is4() {
			four = append(four, n)
		} else {
			six = append(six, n)
		}
	}
	out = append(out, []string{"acl", "six", "src", "-m", "sub", ":"})
	for i, list := range [][]string{four, six} {
		who := []string{"!six", "six"}[i]
		if reject := []string{"tcp-request", "connection", "reject", "if", who}; len(list) > 3 {
			out = append(out, list, append(reject, "!"+list[1]))
		} else {
			out = append(out, reject)
		}
	}
	return append(out, []string{"default_backend", section(p.BackendID)})
}

// numbersOf are the numbers of the sections, by backend: each has one, and no two the same.
func numbersOf(t *testing.T, out daemon.Rendering) map[string]string {
	t.Helper()
	numbers, used, of := map[string]string{}, map[string]bool{unavailable: true}, ""
	for line := range strings.Lines(string(out.File(Path))) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "backend gateway_backend_"); ok {
			of = name
		} else if n, ok := strings.CutPrefix(line, "\tid "); ok && of != "" {
			n = strings.TrimSpace(n)
			if used[n] {
				t.Errorf("two sections have the number %s", n)
			}
			numbers[of], used[n], of = n, true, ""
		}
	}
	return numbers
}

// saysWhere is about the maps of sites and routes.
func saysWhere(t *testing.T, s state, out daemon.Rendering) {
	t.Helper()
	sections, numbers := map[string]string{}, numbersOf(t, out)
	for _, p := range s.backends {
		sections[p.ID] = unavailable
		if p.Active {
			sections[p.ID] = numbers[p.ID]
		}
	}
	rules, routes, users := map[string][]rankedRule{}, parseMap(out.File(routesMap)), map[string]bool{}
	for i, r := range s.rules {
		rules[r.DomainID] = append(rules[r.DomainID], rankedRule{i, r.Path, sections[r.BackendID]})
	}
	for _, u := range s.users {
		users[u.DomainID] = true
	}
	want := map[string]string{}
	for _, d := range s.domains {
		main, other := d.Name, ""
		switch d.WWW {
		case "to_www":
			main, other = "www."+d.Name, d.Name
		case "to_apex":
			other = "www." + d.Name
		}
		to := ""
		if d.BackendID != nil {
			to = sections[*d.BackendID]
		}
		want[main] = strings.Join([]string{letters(d, rules[d.ID] != nil, users[d.ID]), positive(int64(d.RateLimit)), positive(d.MaxBody), d.ID, "", d.hsts(), to}, "|")
		if other != "" {
			want[other] = strings.Join([]string{letters(site{HTTPS: d.HTTPS, DisableH3: d.DisableH3}, false, false) + "w", "", "", d.ID, main, "", ""}, "|")
		}
		for _, r := range rules[d.ID] {
			if got, want := longest(routes, d.ID+r.prefix), first(rules[d.ID], r.prefix); got != want {
				t.Errorf("%s%s leads to %s, want %s", d.Name, r.prefix, got, want)
			}
		}
	}
	got := map[string]string{}
	for _, e := range parseMap(out.File(sitesMap)) {
		got[e.Key] = e.Value
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("the map of sites says (-) what the rows do not (+):\n%s", d)
	}
}

func letters(d site, routed, guarded bool) string {
	out := ""
	for _, f := range []struct {
		letter string
		on     bool
	}{
		{"p", !d.HTTPS},
		{"q", d.DisableH3},
		{"m", d.Maintenance},
		{"a", len(d.AllowFrom) > 0},
		{"l", guarded},
		{"r", routed},
		{"c", d.RateLimit > 0},
		{"b", d.MaxBody > 0},
		{"s", d.HSTS > 0},
	} {
		if f.on {
			out += f.letter
		}
	}
	return out
}

func positive(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// saysWho is about the maps of headers, logins and networks.
func saysWho(t *testing.T, s state, out daemon.Rendering) {
	t.Helper()
	got, want := map[string]string{}, map[string]string{}
	for _, f := range out.Files {
		name := strings.TrimSuffix(strings.TrimPrefix(f.Path, mapsDir), ".map")
		if strings.HasPrefix(name, "header-") || name == "logins" {
			for _, e := range parseMap(f.Data) {
				got[name+" "+e.Key] = e.Value
			}
		}
	}
	active := map[string]bool{}
	for _, d := range s.domains {
		active[d.ID] = true
	}
	for _, h := range s.headers {
		if active[h.DomainID] {
			want["header-"+strings.ToLower(h.Name)+" "+h.DomainID] = h.Value
		}
	}
	for _, u := range s.users {
		if active[u.DomainID] {
			want["logins "+u.Digest] = "1"
		}
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("the maps say (-) what the rows do not (+):\n%s", d)
	}
	for _, d := range s.domains {
		for _, other := range s.domains {
			for _, n := range other.AllowFrom {
				addr := netip.MustParsePrefix(n).Addr()
				if got, want := allows(out, d.ID, addr), slices.ContainsFunc(d.AllowFrom, func(n string) bool { return netip.MustParsePrefix(n).Contains(addr) }); got != want {
					t.Errorf("%s admits %s: %v, want %v", d.Name, addr, got, want)
				}
			}
		}
	}
}

// allows does what HAProxy does with the two maps.
func allows(out daemon.Rendering, domain string, addr netip.Addr) bool {
	best := netip.Prefix{}
	for _, e := range parseMap(out.File(netsMap)) {
		if n := netip.MustParsePrefix(e.Key); n.Contains(addr) && (!best.IsValid() || n.Bits() > best.Bits()) {
			best = n
		}
	}
	_, found := parseMap(out.File(allowedMap)).find(domain + "|" + best.String())
	return best.IsValid() && found
}
