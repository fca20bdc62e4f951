package packetfilter

import (
	"bytes"
	"encoding/binary"
	"net/netip"

	"gateway/lab/wiretest"
)

// bytesOf is a probe as it is on the wire. Its payload has the number of the probe, by which
// it is known when it comes out, whole or within an error message.
func bytesOf(k probe, number uint64) []byte {
	p := wiretest.Packet{Source: k.source, Target: k.target, Protocol: uint8(k.protocol), SourcePort: k.sourcePort, Port: k.port, Kind: uint8(k.kind)}
	return p.Bytes(payload(number))
}

func payload(number uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte("a probe "), number)
}

// seen is a packet that came out of the gateway.
type seen struct {
	out              string
	source, target   netip.Addr
	sourcePort, port uint16
	rejects          bool // it is the error message that a reject sends
}

// read tells what a packet is to the probe of that number, if anything. Hints of the gateway
// about other routes are nothing.
func read(b []byte, out string, number uint64) (s seen, ok bool) {
	if len(b) < 40 || !bytes.Contains(b, payload(number)) {
		return s, false
	}
	s.out = out
	head, protocol := 20, Protocol(b[9])
	if b[0]>>4 == 6 {
		head, protocol = 40, Protocol(b[6])
		s.source, s.target = netip.AddrFrom16([16]byte(b[8:24])), netip.AddrFrom16([16]byte(b[24:40]))
	} else {
		s.source, s.target = netip.AddrFrom4([4]byte(b[12:16])), netip.AddrFrom4([4]byte(b[16:20]))
	}
	inner := b[head:]
	switch {
	case protocol == TCP || protocol == UDP || protocol == SCTP:
		s.sourcePort, s.port = binary.BigEndian.Uint16(inner), binary.BigEndian.Uint16(inner[2:])
	case protocol == ICMP && b[0]>>4 == 4 && inner[0] == 3 && inner[1] == 3, protocol == ICMPv6 && b[0]>>4 == 6 && inner[0] == 1 && inner[1] == 4:
		s.rejects = true
	case protocol == ICMP && inner[0] == 5, protocol == ICMPv6 && (inner[0] == 137 || inner[0] == 1):
		return s, false
	case protocol == ICMP || protocol == ICMPv6:
		s.sourcePort = binary.BigEndian.Uint16(inner[4:])
	}
	return s, true
}
