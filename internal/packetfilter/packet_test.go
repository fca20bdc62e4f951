package packetfilter

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"net/netip"
)

// bytesOf is a probe as it is on the wire. Its payload begins with the number of the probe,
// by which it is known when it comes out, whole or within an error message.
func bytesOf(k probe, number uint64) []byte {
	inner := transport(k, payload(number))
	if k.source.Is4() {
		ip := make([]byte, 20, 20+len(inner))
		ip[0], ip[8], ip[9] = 0x45, 64, byte(k.protocol)
		binary.BigEndian.PutUint16(ip[2:], uint16(20+len(inner)))
		copy(ip[12:], k.source.AsSlice())
		copy(ip[16:], k.target.AsSlice())
		binary.BigEndian.PutUint16(ip[10:], checksum(0, ip))
		return append(ip, inner...)
	}
	ip := make([]byte, 40, 40+len(inner))
	ip[0], ip[6], ip[7] = 0x60, byte(k.protocol), 255
	binary.BigEndian.PutUint16(ip[4:], uint16(len(inner)))
	copy(ip[8:], k.source.AsSlice())
	copy(ip[24:], k.target.AsSlice())
	return append(ip, inner...)
}

func payload(number uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte("a probe "), number)
}

// transport is everything behind the IP header. Checksums are right: connection tracking
// calls a packet with a wrong one invalid.
func transport(k probe, data []byte) []byte {
	var b []byte
	sum := -1
	switch k.protocol {
	case TCP:
		b, sum = make([]byte, 20), 16
		b[12], b[13] = 5<<4, 2 // twenty bytes long, SYN
	case UDP:
		b, sum = make([]byte, 8), 6
		binary.BigEndian.PutUint16(b[4:], uint16(8+len(data)))
	case SCTP:
		return sctp(k, data)
	case ICMP, ICMPv6:
		b, sum = make([]byte, 8), 2
		b[0] = byte(k.kind)
		binary.BigEndian.PutUint16(b[4:], k.sourcePort)
	case AH:
		b = make([]byte, 12)
		b[0], b[1], b[7] = byte(UDP), 1, 9
	default: // GRE of something unheard of, or ESP with a key of its own
		b = []byte{0, 0, 0x88, 0xb5, 0, 0, 0, 1}
	}
	if k.protocol == TCP || k.protocol == UDP {
		binary.BigEndian.PutUint16(b[0:], k.sourcePort)
		binary.BigEndian.PutUint16(b[2:], k.port)
	}
	b = append(b, data...)
	if sum >= 0 {
		binary.BigEndian.PutUint16(b[sum:], checksum(pseudo(k, len(b)), b))
	}
	return b
}

// sctp is the INIT chunk that begins an association.
func sctp(k probe, data []byte) []byte {
	b := make([]byte, 32, 32+len(data))
	binary.BigEndian.PutUint16(b[0:], k.sourcePort)
	binary.BigEndian.PutUint16(b[2:], k.port)
	b[12] = 1
	binary.BigEndian.PutUint16(b[14:], uint16(20+len(data)))
	b[19], b[23], b[25], b[27] = 7, 0xff, 1, 1
	b = append(b, data...)
	binary.LittleEndian.PutUint32(b[8:], crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
	return b
}

// pseudo is the sum of the header that ICMPv6, TCP and UDP count in.
func pseudo(k probe, length int) uint32 {
	if k.protocol == ICMP {
		return 0
	}
	sum := uint32(k.protocol) + uint32(length)
	for _, a := range []netip.Addr{k.source, k.target} {
		raw := a.AsSlice()
		for i := 0; i < len(raw); i += 2 {
			sum += uint32(binary.BigEndian.Uint16(raw[i:]))
		}
	}
	return sum
}

func checksum(sum uint32, b []byte) uint16 {
	for i := 0; i+1 < len(b); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(b[i:]))
	}
	if len(b)%2 == 1 {
		sum += uint32(b[len(b)-1]) << 8
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
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
