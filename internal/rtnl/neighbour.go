package rtnl

import (
	"encoding/binary"
	"net"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Neighbour is a machine on a link, as far as the kernel knows it (ARP and NDP).
type Neighbour struct {
	Link    int
	Address netip.Addr
	MAC     string // empty while it is unknown
	State   uint16 // unix.NUD_REACHABLE, NUD_STALE, …
	Router  bool   // it said that it is one (IPv6)
}

// Neighbours lists them, of both families.
func (c *Conn) Neighbours() ([]Neighbour, error) {
	var all []Neighbour
	for _, f := range []uint8{unix.AF_INET, unix.AF_INET6} {
		before := len(all)
		body := make([]byte, unix.SizeofNdMsg)
		body[0] = f
		err := c.dump(unix.RTM_GETNEIGH, body, func(data []byte) {
			if data == nil {
				all = all[:before]
			}
			if n, ok := readNeighbour(data); ok {
				all = append(all, n)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func readNeighbour(data []byte) (n Neighbour, ok bool) {
	if len(data) < unix.SizeofNdMsg {
		return n, false
	}
	n.Link = int(binary.NativeEndian.Uint32(data[4:]))
	n.State, n.Router = binary.NativeEndian.Uint16(data[8:]), data[10]&unix.NTF_ROUTER != 0
	readAttrs(data[unix.SizeofNdMsg:], func(kind uint16, v []byte) {
		switch kind {
		case unix.NDA_DST:
			n.Address = address(v)
		case unix.NDA_LLADDR:
			n.MAC = net.HardwareAddr(v).String()
		}
	})
	return n, n.Address.IsValid()
}

// FDBEntry is one of a bridge's forwarding database: a machine behind one of its ports.
type FDBEntry struct {
	Bridge, Port int
	MAC          string
}

// FDB lists the entries of all bridges, without the ports themselves.
func (c *Conn) FDB() ([]FDBEntry, error) {
	var all []FDBEntry
	body := make([]byte, unix.SizeofNdMsg)
	body[0] = unix.AF_BRIDGE
	err := c.dump(unix.RTM_GETNEIGH, body, func(data []byte) {
		if data == nil {
			all = nil
		}
		if e, ok := readFDBEntry(data); ok {
			all = append(all, e)
		}
	})
	return all, err
}

func readFDBEntry(data []byte) (e FDBEntry, ok bool) {
	if len(data) < unix.SizeofNdMsg {
		return e, false
	}
	e.Port = int(binary.NativeEndian.Uint32(data[4:]))
	readAttrs(data[unix.SizeofNdMsg:], func(kind uint16, v []byte) {
		switch kind {
		case unix.NDA_MASTER:
			e.Bridge = int(number(v))
		case unix.NDA_LLADDR:
			e.MAC = net.HardwareAddr(v).String()
		}
	})
	own := binary.NativeEndian.Uint16(data[8:])&unix.NUD_PERMANENT != 0
	return e, e.Bridge != 0 && !own
}
