package squid

import (
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gateway/internal/fault"
	"gateway/internal/value"
)

// Request is what a client asks the proxy for.
type Request struct {
	Source    netip.Addr
	Method    string
	URL       string // host:port where Method is CONNECT
	UserAgent string
	At        time.Time
}

// Why a request is allowed or denied.
const (
	ByRule       = "rule"
	ByDefault    = "default"
	ByNetwork    = "network"      // the client is in no allowed network
	ByPorts      = "port"         // the port may not be requested
	ByConnect    = "connect_port" // the port may not be tunnelled to
	ByOwnAddress = "own_address"  // the destination is this node, link-local, or where clouds hand out credentials
	ByManager    = "manager"      // the destination is the proxy's own manager
)

// Verdict is what becomes of a request.
type Verdict struct {
	Allowed bool
	Why     string
	Rule    string // id of the rule that decides
}

// target is a request's destination, as Squid reads it.
type target struct {
	url  string // as rules see it
	path string
	host string
	addr netip.Addr // where host is an address
	port int
}

var schemePorts = map[string]int{"http": 80, "https": 443}

// readTarget reads what follows the method in a request to a proxy.
func readTarget(method, text string) (target, error) {
	if method == "CONNECT" {
		return readAuthority(text)
	}
	scheme, rest, ok := strings.Cut(text, "://")
	scheme = strings.ToLower(scheme)
	port, known := schemePorts[scheme]
	if !ok || !known {
		return target{}, fault.Say("must be a URL that begins with http:// or https://")
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority, path := rest[:end], rest[end:]
	if path == "" || path[0] != '/' {
		path = "/" + path
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		authority = authority[i+1:]
	}
	t, err := readHost(authority, port)
	if err != nil {
		return target{}, err
	}
	t.path = unescape(path)
	t.url = scheme + "://" + t.host
	if t.port != port {
		t.url += ":" + strconv.Itoa(t.port)
	}
	t.url = unescape(t.url + path)
	return t, nil
}

func readAuthority(text string) (target, error) {
	t, err := readHost(text, 0)
	if err != nil {
		return target{}, err
	}
	if t.port == 0 {
		return target{}, fault.Say("must be a host and a port such as www.example.com:443")
	}
	t.url = t.host + ":" + strconv.Itoa(t.port)
	return t, nil
}

// readHost reads a host and perhaps a port. host has brackets where it is an IPv6 address.
func readHost(text string, port int) (target, error) {
	bad := fault.Say("has no host name or address that could be asked for")
	t := target{host: strings.ToLower(text), port: port}
	if i := strings.LastIndexByte(t.host, ':'); i >= 0 && !strings.HasSuffix(t.host, "]") {
		n, err := readPort(t.host[i+1:])
		if err != nil {
			return target{}, err
		}
		t.host, t.port = t.host[:i], n
	}
	if inner, ok := strings.CutPrefix(t.host, "["); ok {
		a, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		if err != nil || !a.Is6() || a.Zone() != "" {
			return target{}, bad
		}
		t.addr = a.Unmap()
		t.host = "[" + a.String() + "]"
		if t.addr.Is4() {
			t.host = t.addr.String()
		}
		return t, nil
	}
	t.host = strings.TrimRight(t.host, ".")
	if a, ok := oldAddress(t.host); ok {
		t.addr, t.host = a, a.String()
		return t, nil
	}
	if _, err := value.HostName(t.host); err != nil {
		return target{}, bad
	}
	return t, nil
}

// oldAddress reads an IPv4 address in the notations of old, in which 127.1 is one, as Squid does.
func oldAddress(text string) (netip.Addr, bool) {
	parts := strings.Split(text, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, p := range parts {
		n, err := strconv.ParseUint(octal(p), 0, 32)
		last := i == len(parts)-1
		if err != nil || strings.Contains(p, "_") || !last && n > 255 || last && n >= 1<<(8*(5-len(parts))) {
			return netip.Addr{}, false
		}
		if last {
			sum |= n
		} else {
			sum |= n << (8 * (3 - i))
		}
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), true
}

// octal keeps Go from taking 0b1 and 0o1 for numbers, which C does not.
func octal(part string) string {
	if strings.HasPrefix(part, "0b") || strings.HasPrefix(part, "0o") {
		return "x"
	}
	return part
}

// unescape is what Squid does before it compares a URL: %41 is A, %% is %, %00 stays.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		b.WriteByte(s[i])
		if s[i] != '%' || i+1 == len(s) {
			continue
		}
		if s[i+1] == '%' {
			i++
			continue
		}
		if i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil && n > 0 {
				text := b.String()
				b.Reset()
				b.WriteString(text[:len(text)-1])
				b.WriteByte(byte(n))
				i += 2
			}
		}
	}
	return b.String()
}

// loopback and linkLocal are what Squid's own lists to_localhost and to_linklocal hold.
var (
	loopback = prefixes("127.0.0.0/8", "0.0.0.0/32", "::1/128", "::/128")
	local    = prefixes("169.254.0.0/16", "fe80::/10")
)

func prefixes(texts ...string) (out []netip.Prefix) {
	for _, t := range texts {
		out = append(out, netip.MustParsePrefix(t))
	}
	return out
}

func contains(list []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
}

// CheckRequest refuses what is no request, naming the field.
func CheckRequest(r Request) error {
	var p fault.Problems
	if !slices.Contains(methods, r.Method) {
		p.Add("method", "must be one of %s", strings.Join(methods, ", "))
	}
	if _, err := readTarget(r.Method, r.URL); err != nil {
		p.AddError("url", err)
	}
	if !r.Source.IsValid() {
		p.Add("source", "must be an IP address")
	}
	return p.Err()
}

var manager = regexp.MustCompile(`(?i)^/squid-internal-mgr/`)

// Explain says what Squid does with a request, by the same rules that are rendered. Names are not
// looked up: only Squid finds out that one points to this node.
func (s State) Explain(r Request) (Verdict, error) {
	if err := CheckRequest(r); err != nil {
		return Verdict{}, err
	}
	t, err := readTarget(r.Method, r.URL)
	if err != nil {
		return Verdict{}, err
	}
	c := s.compile(nil)
	source := r.Source.Unmap().WithZone("")
	switch {
	case r.Method != "CONNECT" && manager.MatchString(t.path):
		return Verdict{Why: ByManager}, nil
	case t.host == ownName:
		return Verdict{Why: ByOwnAddress}, nil
	case !contains(c.networks, source):
		return Verdict{Why: ByNetwork}, nil
	case !inRanges(c.ports, t.port):
		return Verdict{Why: ByPorts}, nil
	case r.Method == "CONNECT" && !inRanges(c.connect, t.port):
		return Verdict{Why: ByConnect}, nil
	case t.addr.IsValid() && (contains(loopback, t.addr) || contains(local, t.addr) || value.IsMetadata(t.addr) || slices.Contains(c.own, t.addr)):
		return Verdict{Why: ByOwnAddress}, nil
	}
	for _, g := range c.groups {
		for _, m := range g.members {
			if m.matches(r, t, source) {
				return Verdict{Allowed: g.action == allow, Why: ByRule, Rule: m.id}, nil
			}
		}
	}
	return Verdict{Allowed: c.allows, Why: ByDefault}, nil
}

func inRanges(list []ports, port int) bool {
	return slices.ContainsFunc(list, func(r ports) bool { return r.contains(port) })
}

// matches reports whether all conditions of a rule are met.
func (m member) matches(r Request, t target, source netip.Addr) bool {
	if len(m.from) > 0 && !contains(m.from, source) {
		return false
	}
	if m.at != nil && !m.at.contains(r.At) {
		return false
	}
	switch m.rule.Type {
	case bySource:
		return m.network.Contains(source)
	case byDomain:
		return t.host == m.rule.Value || strings.HasSuffix(t.host, "."+m.rule.Value)
	case byList:
		return m.list.contains(t.host)
	case byPort:
		return m.ports.contains(t.port)
	case byURL:
		return goPattern(m.rule.Value, true).MatchString(t.url)
	case byUserAgent:
		return r.UserAgent != "" && goPattern(m.rule.Value, false).MatchString(r.UserAgent)
	case byMethod:
		return m.rule.Value == r.Method
	case byTime:
		return m.hours.contains(r.At)
	}
	return false
}

// goPattern is the pattern that posixPattern renders, for Go.
func goPattern(text string, whole bool) *regexp.Regexp {
	body, begins, ends := stars(text, whole)
	var b strings.Builder
	b.WriteString("(?is)")
	if begins {
		b.WriteString("^")
	}
	for i := range len(body) {
		switch body[i] {
		case '*':
			b.WriteString(".*")
		case ' ':
			b.WriteString(`[\t\n\v\f\r ]`)
		default:
			b.WriteString(regexp.QuoteMeta(body[i : i+1]))
		}
	}
	if ends {
		b.WriteString("$")
	}
	return regexp.MustCompile(b.String())
}

// stars is a pattern without the stars at its ends, and whether it begins and ends where the text
// does: Squid complains of wildcards that change nothing.
func stars(text string, whole bool) (body string, begins, ends bool) {
	body = strings.Trim(text, "*")
	return body, whole && !strings.HasPrefix(text, "*"), whole && !strings.HasSuffix(text, "*")
}
