package netfilter

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/sys/unix"
)

const (
	header4      = 20
	header6      = 40
	fragmentSize = 8
	offset4      = 0x1fff // of the fragment, in the field that also has flags
	offset6      = 0xfff8
)

// readPacket fills in what the headers of a packet say, as far as they are there.
func (e *Event) readPacket(b []byte) {
	switch {
	case len(b) >= header4 && b[0]>>4 == 4:
		e.read4(b)
	case len(b) >= header6 && b[0]>>4 == 6:
		e.read6(b)
	}
}

func (e *Event) read4(b []byte) {
	e.Size = int(binary.BigEndian.Uint16(b[2:]))
	e.Protocol = b[9]
	e.Source, e.Destination = netip.AddrFrom4([4]byte(b[12:16])), netip.AddrFrom4([4]byte(b[16:20]))
	size := int(b[0]&0xf) * 4
	// Only the first fragment has ports.
	if binary.BigEndian.Uint16(b[6:])&offset4 != 0 || size < header4 || size > len(b) {
		return
	}
	e.readTransport(b[size:])
}

func (e *Event) read6(b []byte) {
	e.Size = header6 + int(binary.BigEndian.Uint16(b[4:]))
	e.Source, e.Destination = netip.AddrFrom16([16]byte(b[8:24])), netip.AddrFrom16([16]byte(b[24:40]))
	e.Protocol = b[6]
	b = b[header6:]
	for isExtension(e.Protocol) {
		if len(b) < fragmentSize {
			return
		}
		size, first := fragmentSize, true
		if e.Protocol == unix.IPPROTO_FRAGMENT {
			first = binary.BigEndian.Uint16(b[2:])&offset6 == 0
		} else {
			size += int(b[1]) * 8
		}
		e.Protocol = b[0]
		if !first || size > len(b) {
			return
		}
		b = b[size:]
	}
	e.readTransport(b)
}

// isExtension reports whether IPv6 puts that header between its own and the transport's.
// AH is none here: rules know it as a protocol.
func isExtension(protocol uint8) bool {
	switch protocol {
	case unix.IPPROTO_HOPOPTS, unix.IPPROTO_ROUTING, unix.IPPROTO_FRAGMENT, unix.IPPROTO_DSTOPTS:
		return true
	}
	return false
}

func (e *Event) readTransport(b []byte) {
	switch e.Protocol {
	case unix.IPPROTO_TCP, unix.IPPROTO_UDP, unix.IPPROTO_SCTP, unix.IPPROTO_DCCP, unix.IPPROTO_UDPLITE:
		if len(b) >= 4 {
			e.SourcePort, e.Port = binary.BigEndian.Uint16(b), binary.BigEndian.Uint16(b[2:])
		}
	case unix.IPPROTO_ICMP, unix.IPPROTO_ICMPV6:
		if len(b) >= 1 {
			e.Type = int(b[0])
		}
	}
}
