package packetfilter

import (
	"cmp"
	"slices"
)

// services is what the services of a rule ask for, by how nft asks for it. A part that is
// empty asks for nothing; all parts empty is every packet.
type services struct {
	every     bool
	ports     string // of either family
	protocols string
	icmp      string // of IPv4 alone
	icmp6     string // of IPv6 alone
	problem   string
}

// portRange is a part of the ports of a protocol.
type portRange struct {
	protocol Protocol
	from, to uint16
}

// readServices sorts services by how they are matched.
func readServices(list []Service) services {
	if len(list) == 0 {
		return services{every: true}
	}
	var some []portRange
	var whole []Protocol
	var types, types6 []int
	for _, s := range list {
		if problem := problemOfService(s); problem != "" {
			return services{problem: problem}
		}
		switch {
		case s.Protocol == ICMP:
			types = append(types, s.Type)
		case s.Protocol == ICMPv6:
			types6 = append(types6, s.Type)
		case s.From == 0 && s.To == 0:
			whole = append(whole, s.Protocol)
		default:
			some = append(some, portRange{s.Protocol, s.From, s.To})
		}
	}
	return services{
		ports:     matchPorts(joinPorts(some)),
		protocols: matchProtocols(whole),
		icmp:      matchTypes("icmp", ICMP, types),
		icmp6:     matchTypes("icmpv6", ICMPv6, types6),
	}
}

func problemOfService(s Service) string {
	switch {
	case s.Protocol == 0:
		return "its service has no protocol"
	case s.Protocol == ICMP || s.Protocol == ICMPv6:
		if s.Type < -1 || s.Type > 255 {
			return "its service has a message type that does not exist"
		}
	case (s.From != 0 || s.To != 0) && !hasPorts(s.Protocol):
		return "its service has ports, and a protocol without them"
	case s.To < s.From:
		return "its service ends at a lower port than it begins"
	}
	return ""
}

// lines is one match for each line that the services need in a family, or in both at once.
func (s services) lines(f *family) []string {
	if s.every {
		return []string{""}
	}
	lines := make([]string, 0, 4)
	for _, match := range []string{s.ports, s.protocols} {
		if match != "" {
			lines = append(lines, match)
		}
	}
	if s.icmp != "" {
		lines = appendTyped(lines, f, &families[0], s.icmp)
	}
	if s.icmp6 != "" {
		lines = appendTyped(lines, f, &families[1], s.icmp6)
	}
	return lines
}

// appendTyped adds a line about messages of one family: a line for both has to ask for it.
func appendTyped(lines []string, f, of *family, match string) []string {
	switch f {
	case nil:
		return append(lines, "meta nfproto "+of.proto+" "+match)
	case of:
		return append(lines, match)
	default:
		return lines
	}
}

// joinPorts merges what overlaps, which nft would refuse.
func joinPorts(list []portRange) []portRange {
	slices.SortFunc(list, func(a, b portRange) int {
		return cmp.Or(cmp.Compare(a.protocol, b.protocol), cmp.Compare(a.from, b.from))
	})
	joined := list[:0]
	for _, p := range list {
		if n := len(joined); n > 0 && joined[n-1].protocol == p.protocol && int(p.from) <= int(joined[n-1].to)+1 {
			joined[n-1].to = max(joined[n-1].to, p.to)
			continue
		}
		joined = append(joined, p)
	}
	return joined
}

func matchPorts(list []portRange) string {
	if len(list) == 0 {
		return ""
	}
	first := list[0].protocol
	if list[len(list)-1].protocol != first {
		return matchMixedPorts(list)
	}
	b := append(append([]byte{}, protocolName(first)...), " dport "...)
	if len(list) == 1 {
		return string(append(appendPorts(b, list[0].from, list[0].to), ' '))
	}
	b = append(b, "{ "...)
	for i, p := range list {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendPorts(b, p.from, p.to)
	}
	return string(append(b, " } "...))
}

func matchMixedPorts(list []portRange) string {
	b := []byte("meta l4proto . th dport { ")
	for i, p := range list {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(append(b, protocolName(p.protocol)...), " . "...)
		b = appendPorts(b, p.from, p.to)
	}
	return string(append(b, " } "...))
}

func appendPorts(b []byte, from, to uint16) []byte {
	b = appendNumber(b, int(from))
	if to == from {
		return b
	}
	return appendNumber(append(b, '-'), int(to))
}

func protocolName(p Protocol) string {
	switch p {
	case TCP:
		return "tcp"
	case UDP:
		return "udp"
	default:
		return "sctp"
	}
}

func matchProtocols(list []Protocol) string {
	numbers := make([]int, len(list))
	for i, p := range list {
		numbers[i] = int(p)
	}
	return matchNumbers("meta l4proto ", numbers)
}

// matchTypes asks for message types; -1 is all of them.
func matchTypes(name string, protocol Protocol, types []int) string {
	if slices.Contains(types, -1) {
		return matchNumbers("meta l4proto ", []int{int(protocol)})
	}
	return matchNumbers(name+" type ", types)
}

func matchNumbers(what string, numbers []int) string {
	if len(numbers) == 0 {
		return ""
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	b := []byte(what)
	if len(numbers) == 1 {
		return string(append(appendNumber(b, numbers[0]), ' '))
	}
	b = append(b, "{ "...)
	for i, n := range numbers {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendNumber(b, n)
	}
	return string(append(b, " } "...))
}
