package squid

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"gateway/internal/fault"
	"gateway/internal/namelist"
	"gateway/internal/value"
)

// What a rule compares.
const (
	bySource    = "source"
	byDomain    = "domain"
	byList      = "list"
	byPort      = "port"
	byURL       = "url"
	byMethod    = "method"
	byTime      = "time"
	byUserAgent = "user_agent"
)

const (
	allow = "allow"
	deny  = "deny"
)

// methods are those that a rule may name. PURGE is none of them: Squid would offer it to clients
// as soon as a rule speaks of it.
var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"}

// Validate reports everything that is wrong, and spells what is right the one way it is stored in.
func (s *Settings) Validate(p *fault.Problems) {
	s.ListenAddresses = addresses(p, "listen_addresses", s.ListenAddresses, value.Listen)
	s.DNSServers = addresses(p, "dns_servers", s.DNSServers, value.Host)
	s.AllowedNetworks = value.Networks(p, "allowed_networks", s.AllowedNetworks)
	for i, n := range s.AllowedNetworks {
		if parsed, err := netip.ParsePrefix(n); err == nil && tooWide(parsed) {
			p.Add(fmt.Sprintf("allowed_networks[%d]", i), "is too large: the proxy would be open to the internet")
		}
	}
	if s.Port < 1024 || s.Port > 65535 || s.Port == InternalPort {
		p.Add("port", "must be a port from 1024 to 65535 other than %d, where this node asks the proxy itself", InternalPort)
	}
	if who, taken := value.TakenPorts[s.Port]; taken && s.Port != ownPort {
		p.Add("port", "is reserved for %s", who)
	}
	if s.DefaultAction != allow && s.DefaultAction != deny {
		p.Add("default_action", "must be allow or deny")
	}
	s.Ports = portRanges(p, "ports", s.Ports)
	s.ConnectPorts = portRanges(p, "connect_ports", s.ConnectPorts)
	if c := s.cache(); c < 0 || c > 16384 {
		p.Add("cache_size", "must be between %d and %d", 0, 16384)
	}
	if s.ParentHost != "" {
		host, err := value.HostOrName(s.ParentHost)
		if err != nil {
			p.AddError("parent_host", err)
		}
		s.ParentHost = host
	}
	if s.ParentPort < 1 || s.ParentPort > 65535 {
		p.Add("parent_port", "must be between %d and %d", 1, 65535)
	}
	if s.LogRetention < 1 || s.LogRetention > 365 {
		p.Add("log_retention", "must be between %d and %d", 1, 365)
	}
	if err := value.Line(s.Contact); err != nil {
		p.AddError("contact", err)
	}
}

// ownPort is the one of the taken ports that is the proxy's.
const ownPort = 3128

// tooWide is what is larger than the largest private network, fc00::/7, or has all of IPv4 in it.
func tooWide(n netip.Prefix) bool {
	return n.Bits() < 7 || n.Contains(netip.MustParseAddr("::ffff:0:0")) && n.Bits() <= 96
}

func addresses(p *fault.Problems, field string, in []string, read func(string) (netip.Addr, error)) []string {
	out := make([]string, 0, len(in)) // never nil: a list of none is [] in JSON and in a row
	for i, text := range in {
		at := fmt.Sprintf("%s[%d]", field, i)
		a, err := read(text)
		switch {
		case err != nil:
			p.AddError(at, err)
		case slices.Contains(out, a.String()):
			p.Add(at, "is a duplicate")
		default:
			out = append(out, a.String())
		}
	}
	return out
}

// ports are from the first to the last.
type ports struct{ first, last int }

func (r ports) String() string {
	if r.first == r.last {
		return strconv.Itoa(r.first)
	}
	return fmt.Sprintf("%d-%d", r.first, r.last)
}

func (r ports) contains(port int) bool { return r.first <= port && port <= r.last }

func readPorts(text string) (ports, error) {
	first, last, isRange := strings.Cut(strings.TrimSpace(text), "-")
	a, errA := readPort(first)
	b := a
	var errB error
	if isRange {
		b, errB = readPort(last)
	}
	if errA != nil || errB != nil || b < a {
		return ports{}, fault.Say("must be a port such as 443 or a range such as 8000-8100")
	}
	return ports{a, b}, nil
}

func readPort(text string) (int, error) {
	text = strings.TrimSpace(text)
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 || text[0] == '+' {
		return 0, fault.Say("must be a port from 1 to 65535")
	}
	return int(n), nil
}

// portRanges is each range once, in order.
func portRanges(p *fault.Problems, field string, in []string) []string {
	var all []ports
	for i, text := range in {
		r, err := readPorts(text)
		if err != nil {
			p.AddError(fmt.Sprintf("%s[%d]", field, i), err)
			continue
		}
		all = append(all, r)
	}
	out := []string{}
	for _, r := range joined(all) {
		out = append(out, r.String())
	}
	return out
}

// joined is the same ports in the fewest ranges: Squid complains of overlapping ones.
func joined(all []ports) (out []ports) {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b ports) int { return a.first - b.first })
	for _, r := range all {
		if n := len(out); n > 0 && r.first <= out[n-1].last+1 {
			out[n-1].last = max(out[n-1].last, r.last)
			continue
		}
		out = append(out, r)
	}
	return out
}

// Validate is as for Settings.
func (r *Rule) Validate(p *fault.Problems) {
	if r.Action != allow && r.Action != deny {
		p.Add("action", "must be allow or deny")
	}
	if v, err := ruleValue(r.Type, r.Value); err != nil {
		p.AddError("value", err)
	} else {
		r.Value = v
	}
	r.OnlyFrom = value.Networks(p, "only_from", r.OnlyFrom)
	for i, n := range readPrefixes(r.OnlyFrom) {
		if n.Bits() == 0 {
			p.Add(fmt.Sprintf("only_from[%d]", i), "must not be all addresses")
		}
	}
	if r.OnlyDuring != "" {
		t, err := readTime(r.OnlyDuring)
		if err != nil {
			p.AddError("only_during", err)
		} else {
			r.OnlyDuring = t.String()
		}
	}
	if err := value.Line(r.Name); err != nil {
		p.AddError("name", err)
	}
}

func ruleValue(kind, text string) (string, error) {
	switch kind {
	case bySource:
		n, err := value.Prefix(text)
		if err == nil && n.Bits() == 0 {
			err = fault.Say("must not be all addresses")
		}
		return value.Short(n), err
	case byDomain:
		return value.HostName(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(text), "*"), "."))
	case byList:
		text = strings.ToLower(strings.TrimSpace(text))
		if !namelist.IsName(text) {
			return "", notAListName()
		}
		return text, nil
	case byPort:
		r, err := readPorts(text)
		return r.String(), err
	case byURL:
		text, ok := pattern(text, '!')
		if !ok {
			return "", fault.Say("must be printable ASCII without spaces, with more than * in it")
		}
		return text, nil
	case byUserAgent:
		text, ok := pattern(text, ' ')
		if !ok {
			return "", fault.Say("must be printable ASCII, with more than * in it")
		}
		return text, nil
	case byMethod:
		m := strings.ToUpper(strings.TrimSpace(text))
		if !slices.Contains(methods, m) {
			return "", fault.Say("must be one of %s", strings.Join(methods, ", "))
		}
		return m, nil
	case byTime:
		t, err := readTime(text)
		return t.String(), err
	}
	return "", fault.Say("has a type that is not known")
}

func notAListName() error {
	return fault.Say("must be 1 to 63 lower-case letters, digits, dashes and underscores, beginning with a letter or a digit")
}

// mostPattern bounds what a pattern becomes in the file, whose lines Squid reads up to 8,191 bytes.
const mostPattern = 512

// pattern is a text with stars, of characters from least on. Several stars in a row are one.
func pattern(text string, least rune) (string, bool) {
	text = strings.TrimSpace(text)
	for strings.Contains(text, "**") {
		text = strings.ReplaceAll(text, "**", "*")
	}
	bad := strings.ContainsFunc(text, func(c rune) bool { return c < least || c > '~' })
	return text, text != "" && text != "*" && len(text) <= mostPattern && !bad
}
