package packetfilter

import (
	"fmt"
	"strconv"
)

// String names what decided, for a person.
func (d Decider) String() string { return d.title() }

// String tells of a packet, for a person.
func (k Packet) String() string {
	return fmt.Sprintf("%s from %s on %s to %s", k.Protocol, k.Source, k.In, k.target())
}

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
