package rtnl

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/sys/unix"
)

// ifaProto is IFA_PROTO, since Linux 5.18.
const ifaProto = 11

// Addr is an address of a link.
type Addr struct {
	Link     int
	Prefix   netip.Prefix // the address itself with the length of its network
	Protocol uint8        // who made it; 0 for those before there was such a thing
	Flags    uint32
}

// Addrs lists the addresses of all links.
func (c *Conn) Addrs() ([]Addr, error) {
	var all []Addr
	err := c.dump(unix.RTM_GETADDR, make([]byte, unix.SizeofIfAddrmsg), func(data []byte) {
		if data == nil {
			all = nil
		}
		if a, ok := readAddr(data); ok {
			all = append(all, a)
		}
	})
	return all, err
}

func readAddr(data []byte) (a Addr, ok bool) {
	if len(data) < unix.SizeofIfAddrmsg {
		return a, false
	}
	bits := int(data[1])
	a.Flags = uint32(data[2])
	a.Link = int(binary.NativeEndian.Uint32(data[4:]))
	var local, peer netip.Addr
	readAttrs(data[unix.SizeofIfAddrmsg:], func(kind uint16, v []byte) {
		switch kind {
		case unix.IFA_LOCAL:
			local = address(v)
		case unix.IFA_ADDRESS:
			peer = address(v)
		case unix.IFA_FLAGS:
			a.Flags = number(v)
		case ifaProto:
			a.Protocol = uint8(number(v))
		}
	})
	if !local.IsValid() {
		local = peer // IPv6 has no other name for it
	}
	a.Prefix = netip.PrefixFrom(local, bits)
	return a, a.Prefix.IsValid()
}

// AddAddr gives a link an address that it does not have: another program's is not taken over.
func AddAddr(link int, p netip.Prefix, protocol uint8) Message {
	return Message{unix.RTM_NEWADDR, unix.NLM_F_CREATE | unix.NLM_F_EXCL, addrBody(link, p, protocol)}
}

// DelAddr takes one away.
func DelAddr(link int, p netip.Prefix) Message {
	return Message{unix.RTM_DELADDR, 0, addrBody(link, p, 0)}
}

func addrBody(link int, p netip.Prefix, protocol uint8) []byte {
	b := []byte{family(p.Addr()), uint8(p.Bits()), 0, unix.RT_SCOPE_UNIVERSE}
	b = binary.NativeEndian.AppendUint32(b, uint32(link))
	a := attrs(b).addr(unix.IFA_LOCAL, p.Addr()).addr(unix.IFA_ADDRESS, p.Addr()).u8(ifaProto, protocol)
	if p.Addr().Is6() {
		// Somebody configured it: a route with it as its source cannot wait for duplicate address detection.
		a = a.u32(unix.IFA_FLAGS, unix.IFA_F_NODAD)
	}
	return a
}
