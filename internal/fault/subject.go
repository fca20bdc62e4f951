package fault

import (
	"regexp"
	"strings"
)

// openings begins the subjects whose first parameter is what a port is open for, a text itself.
const openings = "the opening for "

// subjectTexts are how daemons and the kernel's keepers name what they could not apply, those
// that say more first. They stand here and not where each is said, because rows are found again
// by the same words; the house rules hold the list against those.
var subjectTexts = []string{
	"interface %s: description", "interface %s: LACP rate", "interface %s: mode", "interface %s: MTU",
	"interface %s: parameters", "interface %s: primary", "interface %s: STP", "interface %s: VLAN filtering", "interface %s",
	"address %s on %s", "address %s of %s", "route %s of tunnel %s", "route %s of table %s", "route %s",
	"uplink group %s", "uplink %s: network %s", "uplink %s", "member %s of a group",
	"the stored key of peer %s of tunnel %s", "the stored key of tunnel %s", "peer %s of tunnel %s", "network %s of tunnel %s",
	"tunnel %s: description", "tunnel %s: MTU", "tunnel %s",
	"server %s of backend %s", "server of zone %s %s", "server %s", "backend %s", "TCP service %s", "domain %s",
	"routing rule %s of %s", "routing rule %s", "header %s of %s", "header %s", "a user of a domain", "a user of %s",
	"certificate %s", "a certificate", "copied record %s", "%s record %s", "listen address %s", "upstream %s", "the cache TTL limits",
	"the DHCP subnet %s", "the DHCP reservation of %s", "the time source %s", "the client network %s", "serving clients",
	"the RADIUS client %s", "the RADIUS user %s", "the RADIUS settings", "the secret by which this node asks the RADIUS server",
	"the settings of the forward proxy", "the list %s", "the access rule %s", "the retention of the logs", "the log receiver",
	"zone %s that may always reach the management", "the network %s that may always reach the management", "zone %s", "network %s",
	"NAT rule %s", "rule %s of uplinks", "rule %s", "address object %s", "group %s", "anti-lockout setting", "cluster peer",
	"the opening for %s in zone %s", "the opening for %s",
	"DHCP for clients", "DNS for clients", "NTP for clients", "RADIUS for clients", "RADIUS accounting", "forward proxy for clients",
	"sites by HTTP", "sites by HTTPS", "sites by HTTP/3", "the tunnel %s",
}

type shape struct {
	format  string
	pattern *regexp.Regexp
}

var shapes = func() (all []shape) {
	for _, format := range subjectTexts {
		all = append(all, shape{format, regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(format), "%s", "(.+)") + "$")})
	}
	return all
}()

// Named is what a daemon names as a sentence, so that its nouns are translated too. What it does
// not know stays as it is.
func Named(subject string) Sentence {
	for _, s := range shapes {
		if m := s.pattern.FindStringSubmatch(subject); m != nil {
			words := Words{Text: s.format, Params: m[1:]}
			if strings.HasPrefix(s.format, openings) {
				words.Nested = nested([]any{Named(m[1])})
			}
			return Sentence{Message: subject, Words: words}
		}
	}
	return Sentence{Message: subject}
}
