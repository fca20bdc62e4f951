package rtnl

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Multipath is a route with all of its next hops, in a table that is its owner's alone: there the
// kernel's own method to replace one, which asks nobody, is safe.
type Multipath struct {
	Key
	Protocol uint8
	NextHops []NextHop
}

// NextHop is one of a route.
type NextHop struct {
	Link    int
	Gateway netip.Addr // none for what is on the link
	Weight  int        // its share is this part of the sum, from 1 to 256
	Onlink  bool       // the gateway is on the link, whatever the addresses say
}

// Multipaths lists the unicast routes of a protocol in all tables, also those with one next hop.
func (c *Conn) Multipaths(protocol uint8) ([]Multipath, error) {
	var all []Multipath
	for _, f := range []uint8{unix.AF_INET, unix.AF_INET6} {
		before := len(all)
		body := make([]byte, unix.SizeofRtMsg)
		body[0], body[5] = f, protocol
		err := c.dump(unix.RTM_GETROUTE, body, func(data []byte) {
			if data == nil {
				all = all[:before]
			}
			if r, ok := readRoute(data); ok && r.Protocol == protocol && r.Type == unix.RTN_UNICAST {
				all = append(all, Multipath{r.Key(), r.Protocol, nextHopsOf(r, data)})
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// nextHopsOf are all next hops of a route that was read.
func nextHopsOf(r Route, data []byte) (hops []NextHop) {
	readAttrs(data[unix.SizeofRtMsg:], func(kind uint16, v []byte) {
		if kind != unix.RTA_MULTIPATH {
			return
		}
		for len(v) >= unix.SizeofRtNexthop {
			n := int(binary.NativeEndian.Uint16(v))
			if n < unix.SizeofRtNexthop || n > len(v) {
				return
			}
			hops = append(hops, readNextHop(v[:n]))
			v = v[min(aligned(n), len(v)):]
		}
	})
	if hops == nil {
		hops = []NextHop{{Link: r.Link, Gateway: r.Gateway, Weight: 1, Onlink: r.Onlink}}
	}
	return hops
}

func readNextHop(b []byte) NextHop {
	h := NextHop{Onlink: b[2]&unix.RTNH_F_ONLINK != 0, Weight: int(b[3]) + 1, Link: int(binary.NativeEndian.Uint32(b[4:]))}
	readAttrs(b[unix.SizeofRtNexthop:], func(kind uint16, v []byte) {
		if kind == unix.RTA_GATEWAY {
			h.Gateway = address(v)
		}
	})
	return h
}

// ReplaceMultipath makes the route of a key this one, whatever it was before.
func ReplaceMultipath(m Multipath) Message {
	return Message{unix.RTM_NEWROUTE, unix.NLM_F_CREATE | unix.NLM_F_REPLACE, m.body()}
}

// DelMultipath removes one, of its protocol, with all of its next hops.
func DelMultipath(m Multipath) Message {
	m.NextHops = nil
	return Message{unix.RTM_DELROUTE, 0, m.body()}
}

func (m Multipath) body() []byte {
	scope := uint8(unix.RT_SCOPE_UNIVERSE)
	if len(m.NextHops) == 0 {
		scope = unix.RT_SCOPE_NOWHERE // any, of what is removed
	} else if m.Dst.Addr().Is4() && !m.NextHops[0].Gateway.IsValid() {
		scope = unix.RT_SCOPE_LINK
	}
	b := make([]byte, 0, 64)
	b = append(b, family(m.Dst.Addr()), uint8(m.Dst.Bits()), 0, 0, unix.RT_TABLE_UNSPEC, m.Protocol, scope, unix.RTN_UNICAST, 0, 0, 0, 0)
	a := attrs(b).u32(unix.RTA_TABLE, m.Table)
	if m.Dst.Bits() > 0 {
		a = a.addr(unix.RTA_DST, m.Dst.Addr())
	}
	if m.Metric != 0 {
		a = a.u32(unix.RTA_PRIORITY, m.Metric)
	}
	switch len(m.NextHops) {
	case 0:
		return a
	case 1:
		h := m.NextHops[0]
		if h.Gateway.IsValid() {
			a = a.addr(unix.RTA_GATEWAY, h.Gateway)
		}
		if h.Onlink {
			binary.NativeEndian.PutUint32(a[8:], unix.RTNH_F_ONLINK)
		}
		return a.u32(unix.RTA_OIF, uint32(h.Link))
	}
	var hops []byte
	for _, h := range m.NextHops {
		hops = append(hops, h.body()...)
	}
	return a.bytes(unix.RTA_MULTIPATH, hops)
}

func (h NextHop) body() []byte {
	b := make(attrs, unix.SizeofRtNexthop)
	if h.Onlink {
		b[2] = unix.RTNH_F_ONLINK
	}
	b[3] = uint8(max(h.Weight, 1) - 1)
	binary.NativeEndian.PutUint32(b[4:], uint32(h.Link))
	if h.Gateway.IsValid() {
		b = b.addr(unix.RTA_GATEWAY, h.Gateway)
	}
	binary.NativeEndian.PutUint16(b, uint16(len(b)))
	return b
}
