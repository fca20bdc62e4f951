package fault

import (
	"regexp"
	"strings"
)

// subjectTexts are how daemons and the kernel's keepers name what they could not apply, those
// that say more first. They stand here and not where each is said, because rows are found again
// by the same words.
var subjectTexts = []string{
	"interface %s: description", "interface %s: LACP rate", "interface %s: mode", "interface %s: MTU",
	"interface %s: parameters", "interface %s: primary", "interface %s: STP", "interface %s: VLAN filtering", "interface %s",
	"address %s on %s", "address %s of %s", "route %s",
	"uplink group %s", "uplink %s: network %s", "uplink %s",
	"the stored key of peer %s of tunnel %s", "the stored key of tunnel %s", "peer %s of tunnel %s", "tunnel %s",
	"server %s of backend %s", "server %s", "backend %s", "TCP service %s", "domain %s", "routing rule %s of %s", "header %s of %s", "a user of %s",
	"certificate %s", "%s record %s", "the DHCP subnet %s", "the DHCP reservation of %s", "the time source %s", "the client network %s",
	"zone %s that may always reach the management", "the network %s that may always reach the management", "zone %s",
	"NAT rule %s", "rule %s", "address object %s", "group %s",
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
			return Sentence{Message: subject, Words: Words{Text: s.format, Params: m[1:]}}
		}
	}
	return Sentence{Message: subject}
}
