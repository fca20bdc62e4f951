package wiretest

import (
	"encoding/binary"
	"hash/crc32"
	"net/netip"
)

// The protocols that a packet may begin a connection of.
const (
	ICMP   = 1
	TCP    = 6
	UDP    = 17
	AH     = 51
	ICMPv6 = 58
	SCTP   = 132
)

// Packet is the first one of a connection. Of a protocol that is not among the ones above it
// has a header of eight bytes that says nothing.
type Packet struct {
	Source, Target   netip.Addr
	Protocol         uint8
	SourcePort, Port uint16 // the former is the number of an ICMP message
	Kind             uint8  // of an ICMP message
}

// Bytes is the packet as it is on the wire. Its checksums are right: connection tracking
// calls a packet with a wrong one invalid.
func (p Packet) Bytes(data []byte) []byte {
	inner := p.transport(data)
	if p.Source.Is4() {
		ip := make([]byte, 20, 20+len(inner))
		ip[0], ip[8], ip[9] = 0x45, 64, p.Protocol
		binary.BigEndian.PutUint16(ip[2:], uint16(20+len(inner)))
		copy(ip[12:], p.Source.AsSlice())
		copy(ip[16:], p.Target.AsSlice())
		binary.BigEndian.PutUint16(ip[10:], checksum(0, ip))
		return append(ip, inner...)
	}
	ip := make([]byte, 40, 40+len(inner))
	ip[0], ip[6], ip[7] = 0x60, p.Protocol, 255
	binary.BigEndian.PutUint16(ip[4:], uint16(len(inner)))
	copy(ip[8:], p.Source.AsSlice())
	copy(ip[24:], p.Target.AsSlice())
	return append(ip, inner...)
}

// transport is everything behind the IP header.
func (p Packet) transport(data []byte) []byte {
	b, sum := p.header(len(data))
	b = append(b, data...)
	switch {
	case p.Protocol == SCTP:
		binary.LittleEndian.PutUint32(b[8:], crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
	case sum > 0:
		binary.BigEndian.PutUint16(b[sum:], checksum(p.pseudo(len(b)), b))
	}
	return b
}

// header is that of the protocol, and where its checksum belongs.
func (p Packet) header(data int) (b []byte, sum int) {
	switch p.Protocol {
	case TCP:
		b, sum = make([]byte, 20), 16
		b[12], b[13] = 5<<4, 2 // twenty bytes long, SYN
	case UDP:
		b, sum = make([]byte, 8), 6
		binary.BigEndian.PutUint16(b[4:], uint16(8+data))
	case SCTP: // the chunk that begins an association
		b = make([]byte, 32)
		b[12], b[19], b[23], b[25], b[27] = 1, 7, 0xff, 1, 1
		binary.BigEndian.PutUint16(b[14:], uint16(20+data))
	case ICMP, ICMPv6:
		b = make([]byte, 8)
		b[0] = p.Kind
		binary.BigEndian.PutUint16(b[4:], p.SourcePort)
		return b, 2
	case AH: // of something of UDP
		return []byte{UDP, 1, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0}, 0
	default:
		return []byte{0, 0, 0x88, 0xb5, 0, 0, 0, 1}, 0
	}
	binary.BigEndian.PutUint16(b[0:], p.SourcePort)
	binary.BigEndian.PutUint16(b[2:], p.Port)
	return b, sum
}

// pseudo is the sum of the header that ICMPv6, TCP and UDP count in.
func (p Packet) pseudo(length int) uint32 {
	if p.Protocol == ICMP {
		return 0
	}
	sum := uint32(p.Protocol) + uint32(length)
	for _, a := range []netip.Addr{p.Source, p.Target} {
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
