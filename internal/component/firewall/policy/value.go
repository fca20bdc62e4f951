package policy

import (
	"regexp"
	"strings"

	"gateway/internal/fault"
	"gateway/internal/packetfilter"
	"gateway/internal/value"
)

// Range reads the value of an address object that is not a name.
func Range(kind, s string) (packetfilter.Range, error) {
	switch kind {
	case "host":
		addr, err := value.Address(s)
		return packetfilter.Range{From: addr, To: addr}, err
	case "network":
		n, err := value.Prefix(s)
		if err != nil {
			return packetfilter.Range{}, err
		}
		return packetfilter.RangeOf(n), nil
	case "range":
		return span(s)
	}
	return packetfilter.Range{}, fault.Say("has an invalid kind")
}

// span reads a range.
func span(s string) (packetfilter.Range, error) {
	first, last, two := strings.Cut(s, "-")
	from, errFrom := value.Address(first)
	to, errTo := value.Address(last)
	switch {
	case !two || errFrom != nil || errTo != nil:
		return packetfilter.Range{}, fault.Say("must be two addresses, such as 192.0.2.1-192.0.2.9")
	case from.Is4() != to.Is4():
		return packetfilter.Range{}, fault.Say("must have two addresses of the same family")
	case to.Less(from):
		return packetfilter.Range{}, fault.Say("must have the lower address first")
	}
	return packetfilter.Range{From: from, To: to}, nil
}

var zoneForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$`)

// ValidZone reports whether a zone can have that name.
func ValidZone(name string) bool { return zoneForm.MatchString(name) }

// protocols are the numbers of what the database has by name.
var protocols = map[string]packetfilter.Protocol{
	"tcp": packetfilter.TCP, "udp": packetfilter.UDP, "sctp": packetfilter.SCTP, "icmp": packetfilter.ICMP, "icmpv6": packetfilter.ICMPv6,
	"gre": packetfilter.GRE, "esp": packetfilter.ESP, "ah": packetfilter.AH,
}

// Protocol is the number of one that the database has by name; 0 for none that is known.
func Protocol(name string) packetfilter.Protocol { return protocols[name] }
