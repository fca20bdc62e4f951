package unbound

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator makes configurations that are half sensible and half hostile.
type generator struct{ *rand.Rand }

// canary is a network that no sensible value has; in an access-control it has broken out.
const canary = "203.0.113.0/24"

// hostile is what breaks out of some file format, or is said to.
var hostile = []string{
	"\n\taccess-control: " + canary + " allow\n", "\"\n\taccess-control: " + canary + " allow\n#", "'\n\taccess-control: " + canary + " allow\n'",
	"\" access-control: " + canary + " allow #", "' access-control: " + canary + " allow #", " access-control: " + canary + " allow",
	"\r\n\taccess-control: " + canary + " allow", "\"\ninclude: \"/etc/passwd\"\n#", " forward-tls-upstream: no", "@53#name", "\"", "'", "\\", "\\\"", "\\\\\"",
	"#", ";", "(", ")", "$ORIGIN .", "$INCLUDE /etc/passwd", "\\# 4 01020304", "\x00", "\u2028", "\u202e", "\u0085", "\xff\xfe", "*", "*.", "..", ".", "@", " ", "\t",
	"%s%n", "{{.}}", "`id`", "-c", "ä", "xn--", "IN", "CH", "3600", "\\010", "\\256", "::ffff:1.2.3.4", "0x7f.1", "%eth0", strings.Repeat("a", 64), strings.Repeat("b.", 130),
	strings.Repeat("c", 300), strings.Repeat("\"d\" ", 20), "\"" + strings.Repeat("e", 255) + "\"",
}

func (g generator) pick(words ...string) string { return words[g.IntN(len(words))] }

// spoil leaves most values alone, so that some objects pass as a whole.
func (g generator) spoil(s string) string {
	switch g.IntN(12) {
	case 0:
		at := g.IntN(len(s) + 1)
		return s[:at] + g.pick(hostile...) + s[at:]
	case 1:
		return g.pick(hostile...) + g.pick("", g.pick(hostile...))
	}
	return s
}

func (g generator) list(most int, one func() string) []string {
	out := make([]string, g.IntN(most+1))
	for i := range out {
		out[i] = one()
	}
	return out
}

func (g generator) server() string {
	return g.spoil(g.pick("192.0.2.1", "192.0.2.2@5353", "2001:db8::1", "2001:db8::2@53", "127.0.0.1@5353", "10.0.0.1"))
}

func (g generator) model() model {
	m := model{}
	if g.IntN(2) == 0 {
		m.Settings = g.settings()
	}
	m.Zones = []Zone{{Name: "example.com", ForwardTo: g.list(1, g.server)}}
	for range g.IntN(4) {
		name := g.spoil(g.pick("Example.NET.", "corp.example", "2.0.192.in-addr.arpa", "www.example.com", "lan", "10.in-addr.arpa"))
		m.Zones = append(m.Zones, Zone{Name: name, ForwardTo: g.list(2, g.server)})
	}
	for range g.IntN(15) {
		m.Records = append(m.Records, g.record())
	}
	return m
}

func (g generator) settings() *Settings {
	s := &Settings{
		UpstreamForwards: g.list(2, g.server),
		AccessACL:        g.list(3, func() string { return g.spoil(g.pick("10.0.0.0/8", "192.0.2.9", "fd00::/8", "::1", "10.1.2.3/16")) }),
		ListenAddresses:  g.list(2, func() string { return g.spoil(g.pick("127.0.0.1", "::1", "192.0.2.7", "0.0.0.0", "::")) }),
		CacheMinTTL:      g.IntN(100), CacheMaxTTL: g.IntN(200),
	}
	if g.IntN(2) == 0 {
		off := false
		s.DNSSEC, s.QNAMEMinimisation = &off, &off
	}
	return s
}

func (g generator) record() modelRecord {
	typ := g.pick(Types()...)
	value := map[string]string{
		"A": fmt.Sprintf("192.0.2.%d", g.IntN(300)), "AAAA": fmt.Sprintf("2001:DB8::%x", g.IntN(1<<17)),
		"CNAME": g.pick("www", "a.example.com", "host.example.org.", "b", "@"), "NS": g.pick("ns1", "ns.example.org"), "PTR": g.pick("host", "host.example.org."),
		"MX": fmt.Sprintf("%d %s", g.IntN(70000), g.pick("mail", ".", "mx.example.org")), "SRV": fmt.Sprintf("%d %d %d %s", g.IntN(9), g.IntN(9), g.IntN(70000), g.pick("sip", ".")),
		"TXT": g.pick("v=spf1 -all", `"one" "two"`, "plain", `k=rsa; p=MIG/+==`, strings.Repeat("long ", g.IntN(300))), "CAA": g.pick(`0 issue "ca.example; a=b"`, "128 iodef mailto:a@b.example", `0 issue ";"`),
	}[typ]
	r := modelRecord{
		Zone: g.pick("example.com", "example.com", "corp.example"), Name: g.spoil(g.pick("@", "", "www", "a", "B", "c.d", "_sip._tcp", "www.example.com", "out.example.org.", "x.www")),
		Type: g.spoil(typ), Value: g.spoil(value),
	}
	if ttl := g.IntN(1 << 20); g.IntN(2) == 0 {
		r.TTL = &ttl
	}
	return r
}

// raw are the values as rows, as if the API had no judgement.
func (m model) raw() state {
	s := state{settings: defaults()}
	if m.Settings != nil {
		s.settings = *m.Settings
	}
	s.zones = append(s.zones, m.Zones...)
	seen := map[row]bool{}
	for _, r := range m.Records {
		row := row{r.Name + "." + r.Zone + ".", r.Type, r.Value, 60}
		if !seen[row] {
			s.records = append(s.records, row)
		}
		seen[row] = true
	}
	sortRows(s.records)
	return s
}

// unescaped adds a hostile value to a good file as it is: the control.
func (g generator) unescaped(good string) string {
	value := g.pick(hostile...)
	switch g.IntN(3) {
	case 0:
		return good + "\tlocal-data: 't.example.com. 60 IN TXT \"" + value + "\"'\n"
	case 1:
		return good + "\tlocal-data: \"" + value + ".example.com. 60 IN A 192.0.2.1\"\n"
	default:
		return good + "forward-zone:\n\tname: \"fuzz.example.\"\n\tforward-addr: 192.0.2.1" + value + "\n"
	}
}
