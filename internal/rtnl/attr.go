package rtnl

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/sys/unix"
)

const align = 4

func aligned(n int) int { return (n + align - 1) &^ (align - 1) }

func pad(b []byte) []byte {
	for len(b)%align != 0 {
		b = append(b, 0)
	}
	return b
}

func header(b []byte, body int, kind, flags uint16, seq uint32) []byte {
	b = binary.NativeEndian.AppendUint32(b, uint32(unix.NLMSG_HDRLEN+body))
	b = binary.NativeEndian.AppendUint16(b, kind)
	b = binary.NativeEndian.AppendUint16(b, flags)
	b = binary.NativeEndian.AppendUint32(b, seq)
	return binary.NativeEndian.AppendUint32(b, 0)
}

// attrs builds the attributes of a message.
type attrs []byte

func (a attrs) bytes(kind uint16, data []byte) attrs {
	a = binary.NativeEndian.AppendUint16(a, uint16(unix.SizeofRtAttr+len(data)))
	a = binary.NativeEndian.AppendUint16(a, kind)
	return pad(append(a, data...))
}

func (a attrs) text(kind uint16, s string) attrs { return a.bytes(kind, append([]byte(s), 0)) }
func (a attrs) u8(kind uint16, v uint8) attrs    { return a.bytes(kind, []byte{v}) }

func (a attrs) u16(kind, v uint16) attrs {
	return a.bytes(kind, binary.NativeEndian.AppendUint16(nil, v))
}

func (a attrs) u32(kind uint16, v uint32) attrs {
	a = binary.NativeEndian.AppendUint16(a, unix.SizeofRtAttr+4)
	a = binary.NativeEndian.AppendUint16(a, kind)
	return binary.NativeEndian.AppendUint32(a, v)
}

func (a attrs) addr(kind uint16, ip netip.Addr) attrs { return a.bytes(kind, ip.AsSlice()) }

// readAttrs calls each with the attributes of a message; the kernel's flags are off the kind.
func readAttrs(b []byte, each func(kind uint16, data []byte)) {
	for len(b) >= unix.SizeofRtAttr {
		n := int(binary.NativeEndian.Uint16(b))
		if n < unix.SizeofRtAttr || n > len(b) {
			return
		}
		each(binary.NativeEndian.Uint16(b[2:])&^(unix.NLA_F_NESTED|unix.NLA_F_NET_BYTEORDER), b[unix.SizeofRtAttr:n])
		b = b[min(aligned(n), len(b)):]
	}
}

// number is a value of one, two or four bytes.
func number(b []byte) uint32 {
	switch len(b) {
	case 1:
		return uint32(b[0])
	case 2:
		return uint32(binary.NativeEndian.Uint16(b))
	case 4:
		return binary.NativeEndian.Uint32(b)
	default:
		return 0
	}
}

func text(b []byte) string {
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}

// address is empty for what is none.
func address(b []byte) netip.Addr {
	ip, _ := netip.AddrFromSlice(b)
	return ip
}

func family(ip netip.Addr) uint8 {
	if ip.Is4() {
		return unix.AF_INET
	}
	return unix.AF_INET6
}
