package packetfilter

import (
	"strconv"

	"gateway/internal/fault"
)

// otherProtocols are all that a service cannot have.
const otherProtocols = "other"

// serviceNames words flows as people write services, beside all flows that there are. Messages that
// begin nothing are no flows there, so four types can be all of ICMP.
func serviceNames(flows, all []Span[flow]) []string {
	var list []string
	rest, others := flows, all
	for _, p := range []Protocol{TCP, UDP, SCTP, ICMP, ICMPv6, GRE, ESP, AH} {
		whole := []Span[flow]{Service{Protocol: p, Type: -1}.span()}
		list = append(list, namesOf(p, common(flows, whole), common(all, whole))...)
		rest, others = without(rest, whole), without(others, whole)
	}
	if len(rest) > 0 && covers(rest, others) {
		list = append(list, otherProtocols)
	}
	return list
}

// namesOf are those of one protocol.
func namesOf(p Protocol, flows, all []Span[flow]) []string {
	if len(flows) > 0 && covers(flows, all) {
		return []string{p.String()}
	}
	var list []string
	for _, s := range flows {
		from, to := int(s.From&0xffff), int(s.To&0xffff)
		if hasTypes(p) {
			from, to = from>>8, to>>8
		}
		text := p.String() + "/" + strconv.Itoa(from)
		if from != to {
			text += "-" + strconv.Itoa(to)
		}
		list = append(list, text)
	}
	return list
}

// String names what decided, for a person.
func (d Decider) String() string { return d.title() }

// Said tells of a packet, with its words for translations.
func (k Packet) Said() fault.Sentence {
	return fault.Said("%s from %s on %s to %s", k.Protocol, k.Source, k.In, k.target())
}

func (k Packet) String() string { return k.Said().Message }

// String is the protocol's usual name, or its number.
func (p Protocol) String() string {
	switch p {
	case ICMP:
		return "icmp"
	case TCP:
		return "tcp"
	case UDP:
		return "udp"
	case GRE:
		return "gre"
	case ESP:
		return "esp"
	case AH:
		return "ah"
	case ICMPv6:
		return "icmpv6"
	case SCTP:
		return "sctp"
	}
	return "protocol " + strconv.Itoa(int(p))
}
