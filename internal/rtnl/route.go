package rtnl

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Route is one route of one table.
type Route struct {
	Table     uint32
	Dst       netip.Prefix
	Metric    uint32
	Type      uint8 // unix.RTN_UNICAST, RTN_BLACKHOLE, …
	Protocol  uint8
	Gateway   netip.Addr // none for what is on the link
	Link      int        // 0 for none
	Source    netip.Addr // ours, for what we send ourselves
	Onlink    bool       // the gateway is on the link, whatever the addresses say
	Multipath bool       // it has more next hops than one, of which this is the first
}

// Key is what the kernel tells routes apart by.
type Key struct {
	Table  uint32
	Dst    netip.Prefix
	Metric uint32
}

// Key is the route's.
func (r Route) Key() Key { return Key{r.Table, r.Dst, r.Metric} }

// DefaultMetric6 is what the kernel makes of none for IPv6.
const DefaultMetric6 = 1024

// Routes lists the routes of a protocol, or of all with 0, in all tables.
func (c *Conn) Routes(protocol uint8) ([]Route, error) {
	var all []Route
	for _, f := range []uint8{unix.AF_INET, unix.AF_INET6} {
		before := len(all)
		body := make([]byte, unix.SizeofRtMsg)
		body[0], body[5] = f, protocol
		err := c.dump(unix.RTM_GETROUTE, body, func(data []byte) {
			if data == nil {
				all = all[:before]
			}
			if r, ok := readRoute(data); ok && (protocol == 0 || r.Protocol == protocol) {
				all = append(all, r)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func readRoute(data []byte) (r Route, ok bool) {
	if len(data) < unix.SizeofRtMsg {
		return r, false
	}
	fam, bits := data[0], int(data[1])
	r.Table, r.Protocol, r.Type = uint32(data[4]), data[5], data[7]
	flags := binary.NativeEndian.Uint32(data[8:])
	if flags&unix.RTM_F_CLONED != 0 {
		return r, false // what the kernel remembers of a lookup
	}
	r.Onlink = flags&unix.RTNH_F_ONLINK != 0
	dst := netip.IPv6Unspecified()
	if fam == unix.AF_INET {
		dst = netip.IPv4Unspecified()
	}
	readAttrs(data[unix.SizeofRtMsg:], func(kind uint16, v []byte) {
		switch kind {
		case unix.RTA_DST:
			dst = address(v)
		case unix.RTA_GATEWAY:
			r.Gateway = address(v)
		case unix.RTA_OIF:
			r.Link = int(number(v))
		case unix.RTA_PRIORITY:
			r.Metric = number(v)
		case unix.RTA_TABLE:
			r.Table = number(v)
		case unix.RTA_PREFSRC:
			r.Source = address(v)
		case unix.RTA_VIA:
			if len(v) > 2 {
				r.Gateway = address(v[2:])
			}
		case unix.RTA_MULTIPATH:
			r.firstHop(v)
		}
	})
	r.Dst = netip.PrefixFrom(dst, bits)
	return r, r.Dst.IsValid()
}

// firstHop takes the first of several.
func (r *Route) firstHop(b []byte) {
	if len(b) < unix.SizeofRtNexthop {
		return
	}
	n := int(binary.NativeEndian.Uint16(b))
	r.Link = int(binary.NativeEndian.Uint32(b[4:]))
	if n >= unix.SizeofRtNexthop && n <= len(b) {
		r.Multipath = n < len(b)
		readAttrs(b[unix.SizeofRtNexthop:n], func(kind uint16, v []byte) {
			if kind == unix.RTA_GATEWAY {
				r.Gateway = address(v)
			}
		})
	}
}

// AddRoute adds a route where there is none of its key: another program's is not replaced.
func AddRoute(r Route) Message {
	return Message{unix.RTM_NEWROUTE, unix.NLM_F_CREATE | unix.NLM_F_EXCL, routeBody(r)}
}

// AppendRoute adds a route of IPv4 behind those of its key, whoever's those are. IPv6 makes
// them next hops of one route instead, so it is not for that.
func AppendRoute(r Route) Message {
	return Message{unix.RTM_NEWROUTE, unix.NLM_F_CREATE | unix.NLM_F_APPEND, routeBody(r)}
}

// DelRoute removes one, of its protocol.
func DelRoute(r Route) Message { return Message{unix.RTM_DELROUTE, 0, routeBody(r)} }

func routeBody(r Route) []byte {
	var flags uint32
	if r.Onlink {
		flags = unix.RTNH_F_ONLINK
	}
	scope := uint8(unix.RT_SCOPE_UNIVERSE)
	if r.Type == unix.RTN_UNICAST && !r.Gateway.IsValid() && r.Dst.Addr().Is4() {
		scope = unix.RT_SCOPE_LINK
	}
	b := make([]byte, 0, 64) // enough for all of IPv4
	b = append(b, family(r.Dst.Addr()), uint8(r.Dst.Bits()), 0, 0, unix.RT_TABLE_UNSPEC, r.Protocol, scope, r.Type)
	b = binary.NativeEndian.AppendUint32(b, flags)
	a := attrs(b).u32(unix.RTA_TABLE, r.Table)
	if r.Dst.Bits() > 0 {
		a = a.addr(unix.RTA_DST, r.Dst.Addr())
	}
	if r.Gateway.IsValid() {
		a = a.addr(unix.RTA_GATEWAY, r.Gateway)
	}
	if r.Link != 0 {
		a = a.u32(unix.RTA_OIF, uint32(r.Link))
	}
	if r.Metric != 0 {
		a = a.u32(unix.RTA_PRIORITY, r.Metric)
	}
	if r.Source.IsValid() {
		a = a.addr(unix.RTA_PREFSRC, r.Source)
	}
	return a
}
