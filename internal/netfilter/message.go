package netfilter

import (
	"encoding/binary"
	"iter"

	"golang.org/x/sys/unix"
)

const (
	headerSize    = unix.NLMSG_HDRLEN
	genericSize   = 4 // family, version, and the number of a resource
	attributeSize = 4
	// The upper bits of an attribute's type say how it is encoded, which we know.
	typeMask = 0x3fff
	nested   = 0x8000
)

// message is one netlink message: its header, and what follows the netfilter header.
type message struct {
	kind, flags uint16
	seq         uint32
	payload     []byte
}

// err is the error that a message of kind NLMSG_ERROR or NLMSG_DONE carries, if any.
func (m message) err() error {
	if len(m.payload) < 4 {
		return nil
	}
	if code := int32(binary.NativeEndian.Uint32(m.payload)); code < 0 {
		return unix.Errno(-code)
	}
	return nil
}

// messages are those of one datagram. What is cut off ends it.
func messages(b []byte) iter.Seq[message] {
	return func(yield func(message) bool) {
		for len(b) >= headerSize {
			size := int(binary.NativeEndian.Uint32(b))
			if size < headerSize || size > len(b) {
				return
			}
			m := message{
				kind: binary.NativeEndian.Uint16(b[4:]), flags: binary.NativeEndian.Uint16(b[6:]),
				seq: binary.NativeEndian.Uint32(b[8:]), payload: b[headerSize:size],
			}
			if m.kind >= unix.NLMSG_MIN_TYPE && len(m.payload) >= genericSize {
				m.payload = m.payload[genericSize:]
			}
			if !yield(m) {
				return
			}
			b = b[min(aligned(size), len(b)):]
		}
	}
}

// attributes are those of a payload or of a nested attribute, by type.
func attributes(b []byte) iter.Seq2[uint16, []byte] {
	return func(yield func(uint16, []byte) bool) {
		for len(b) >= attributeSize {
			size := int(binary.NativeEndian.Uint16(b))
			if size < attributeSize || size > len(b) {
				return
			}
			if !yield(binary.NativeEndian.Uint16(b[2:])&typeMask, b[attributeSize:size]) {
				return
			}
			b = b[min(aligned(size), len(b)):]
		}
	}
}

func aligned(n int) int { return (n + 3) &^ 3 }

// request is a message to netfilter: netlink's header, netfilter's own, and attributes.
func request(kind, flags uint16, seq uint32, family uint8, resource uint16, attributes []byte) []byte {
	size := headerSize + genericSize + len(attributes)
	b := make([]byte, 0, aligned(size))
	b = binary.NativeEndian.AppendUint32(b, uint32(size))
	b = binary.NativeEndian.AppendUint16(b, kind)
	b = binary.NativeEndian.AppendUint16(b, flags|unix.NLM_F_REQUEST)
	b = binary.NativeEndian.AppendUint32(b, seq)
	b = binary.NativeEndian.AppendUint32(b, 0)
	b = append(b, family, 0)
	b = binary.BigEndian.AppendUint16(b, resource)
	return append(b, attributes...)
}

// attribute appends one attribute, padded.
func attribute(b []byte, kind uint16, value []byte) []byte {
	size := attributeSize + len(value)
	b = binary.NativeEndian.AppendUint16(b, uint16(size))
	b = binary.NativeEndian.AppendUint16(b, kind)
	b = append(b, value...)
	return append(b, make([]byte, aligned(size)-size)...)
}

func number(b []byte, kind uint16, value uint32) []byte {
	return attribute(b, kind, binary.BigEndian.AppendUint32(nil, value))
}

func name(b []byte, kind uint16, value string) []byte {
	return attribute(b, kind, append([]byte(value), 0))
}

// text, u16, u32 and u64 read attributes as the kernel writes them; one of another
// length reads as nothing.
func text(v []byte) string {
	if n := len(v); n > 0 && v[n-1] == 0 {
		return string(v[:n-1])
	}
	return string(v)
}

func u16(v []byte) uint16 {
	if len(v) != 2 {
		return 0
	}
	return binary.BigEndian.Uint16(v)
}

func u32(v []byte) uint32 {
	if len(v) != 4 {
		return 0
	}
	return binary.BigEndian.Uint32(v)
}

func u64(v []byte) uint64 {
	if len(v) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(v)
}
