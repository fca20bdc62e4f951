package recorder

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"gateway/internal/capture"
)

// Line is what is shown of a packet. It has addresses, numbers and words of ours; nothing that the
// packet carries.
type Line struct {
	At      time.Time `json:"at" doc:"When the packet was seen"`
	Length  int       `json:"length" doc:"Its length in bytes"`
	Summary string    `json:"summary" doc:"Addresses, ports and kind of the packet"`
}

const ethernet = 1

// Summary is a packet in one line.
func Summary(link uint32, p capture.Packet) Line {
	b, kind, tag := p.Data, 0, ""
	switch {
	case link == ethernet && len(b) >= 14:
		kind, b = int(binary.BigEndian.Uint16(b[12:])), b[14:]
		if kind == 0x8100 && len(b) >= 4 {
			tag = fmt.Sprintf(" (VLAN %d)", binary.BigEndian.Uint16(b)&0xfff)
			kind, b = int(binary.BigEndian.Uint16(b[2:])), b[4:]
		}
	case link != ethernet && len(b) > 0 && b[0]>>4 == 6:
		kind = 0x86dd
	case link != ethernet && len(b) > 0:
		kind = 0x800
	}
	return Line{At: p.At, Length: p.Length, Summary: network(kind, b) + tag}
}

func network(kind int, b []byte) string {
	switch {
	case kind == 0x800 && len(b) >= 20 && int(b[0]&0xf)*4 <= len(b) && b[0]&0xf >= 5:
		from, to := address(b[12:16]), address(b[16:20])
		if binary.BigEndian.Uint16(b[6:])&0x1fff != 0 {
			return fmt.Sprintf("%s > %s: later fragment", from, to)
		}
		return transport(from, to, b[9], b[int(b[0]&0xf)*4:])
	case kind == 0x86dd && len(b) >= 40:
		return transport(address(b[8:24]), address(b[24:40]), b[6], b[40:])
	case kind == 0x806 && len(b) >= 28:
		if binary.BigEndian.Uint16(b[6:]) == 1 {
			return fmt.Sprintf("ARP who has %s, asks %s", address(b[24:28]), address(b[14:18]))
		}
		return fmt.Sprintf("ARP %s is at %s", address(b[14:18]), mac(b[8:14]))
	}
	return fmt.Sprintf("type 0x%04x", kind)
}

func transport(from, to netip.Addr, protocol byte, b []byte) string {
	word := map[byte]string{6: "TCP", 17: "UDP"}[protocol]
	switch {
	case word != "" && len(b) >= 4:
		ends := fmt.Sprintf("%s > %s: %s", netip.AddrPortFrom(from, binary.BigEndian.Uint16(b)), netip.AddrPortFrom(to, binary.BigEndian.Uint16(b[2:])), word)
		if protocol == 6 && len(b) >= 14 {
			ends += flags(b[13])
		}
		return ends
	case (protocol == 1 || protocol == 58) && len(b) >= 2:
		return fmt.Sprintf("%s > %s: %s type %d code %d", from, to, map[byte]string{1: "ICMP", 58: "ICMPv6"}[protocol], b[0], b[1])
	}
	return fmt.Sprintf("%s > %s: protocol %d", from, to, protocol)
}

func flags(set byte) string {
	var out strings.Builder
	for i, name := range []string{"FIN", "SYN", "RST", "PSH", "ACK", "URG"} {
		if set&(1<<i) != 0 {
			out.WriteString(" " + name)
		}
	}
	return out.String()
}

func address(b []byte) netip.Addr {
	a, _ := netip.AddrFromSlice(b) // it has the right length
	return a
}

func mac(b []byte) string {
	return fmt.Sprintf("%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4], b[5])
}
