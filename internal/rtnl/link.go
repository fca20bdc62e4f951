package rtnl

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// Attributes that package unix does not name: of a bond, a bridge and a VLAN.
const (
	vlanID           = 1
	bondMode         = 1
	bondMiimon       = 3
	bondPrimary      = 11
	bondHash         = 14
	bondMinLinks     = 18
	bondLACPRate     = 21
	bridgeSTP        = 5
	bridgeVLANFilter = 7
)

// Link is an interface as the kernel has it.
type Link struct {
	Index   int
	Name    string
	Kind    string // "vlan", "bond", "bridge"; empty for hardware
	Up      bool
	Carrier bool
	// PointToPoint has nobody on it but the other end, so that no gateway need be named.
	PointToPoint bool
	MTU          int
	Group        uint32
	Alias        string
	Parent       int // of a VLAN
	Master       int // the bond or bridge that it is a member of
	VLANID       int
	Bond         Bond
	Bridge       Bridge
}

// Bond is how a bond shares its members.
type Bond struct {
	Mode     uint8
	Miimon   uint32
	Hash     uint8
	LACPRate uint8
	MinLinks uint32
	Primary  int // index; 0 for none
}

// Bridge is how a bridge works.
type Bridge struct {
	STP        bool
	VLANFilter bool
}

// Links lists all interfaces.
func (c *Conn) Links() ([]Link, error) {
	var all []Link
	err := c.dump(unix.RTM_GETLINK, make([]byte, unix.SizeofIfInfomsg), func(data []byte) {
		if data == nil {
			all = nil
		}
		if l, ok := readLink(data); ok {
			all = append(all, l)
		}
	})
	return all, err
}

func readLink(data []byte) (l Link, ok bool) {
	if len(data) < unix.SizeofIfInfomsg {
		return l, false
	}
	l.Index = int(binary.NativeEndian.Uint32(data[4:]))
	flags := binary.NativeEndian.Uint32(data[8:])
	l.Up, l.Carrier = flags&unix.IFF_UP != 0, flags&unix.IFF_LOWER_UP != 0
	l.PointToPoint = flags&(unix.IFF_POINTOPOINT|unix.IFF_NOARP) != 0 && flags&unix.IFF_LOOPBACK == 0
	var info []byte
	readAttrs(data[unix.SizeofIfInfomsg:], func(kind uint16, v []byte) {
		switch kind {
		case unix.IFLA_IFNAME:
			l.Name = text(v)
		case unix.IFLA_MTU:
			l.MTU = int(number(v))
		case unix.IFLA_GROUP:
			l.Group = number(v)
		case unix.IFLA_IFALIAS:
			l.Alias = text(v)
		case unix.IFLA_LINK:
			l.Parent = int(number(v))
		case unix.IFLA_MASTER:
			l.Master = int(number(v))
		case unix.IFLA_LINKINFO:
			info = v
		}
	})
	l.readInfo(info)
	return l, l.Name != ""
}

func (l *Link) readInfo(info []byte) {
	var data []byte
	readAttrs(info, func(kind uint16, v []byte) {
		switch kind {
		case unix.IFLA_INFO_KIND:
			l.Kind = text(v)
		case unix.IFLA_INFO_DATA:
			data = v
		}
	})
	readAttrs(data, func(kind uint16, v []byte) {
		n := number(v)
		switch {
		case l.Kind == "vlan" && kind == vlanID:
			l.VLANID = int(n)
		case l.Kind == "bridge" && kind == bridgeSTP:
			l.Bridge.STP = n != 0
		case l.Kind == "bridge" && kind == bridgeVLANFilter:
			l.Bridge.VLANFilter = n != 0
		case l.Kind == "bond":
			l.Bond.read(kind, n)
		}
	})
}

func (b *Bond) read(kind uint16, n uint32) {
	switch kind {
	case bondMode:
		b.Mode = uint8(n)
	case bondMiimon:
		b.Miimon = n
	case bondHash:
		b.Hash = uint8(n)
	case bondLACPRate:
		b.LACPRate = uint8(n)
	case bondMinLinks:
		b.MinLinks = n
	case bondPrimary:
		b.Primary = int(n)
	}
}

// CreateLink makes a VLAN, bond or bridge, marked as ours in the same message: a kill right
// after it leaves nothing that nobody owns.
func CreateLink(l Link) Message {
	a := attrs(ifInfo(0, 0, 0)).text(unix.IFLA_IFNAME, l.Name).u32(unix.IFLA_GROUP, Group)
	if l.Parent != 0 {
		a = a.u32(unix.IFLA_LINK, uint32(l.Parent))
	}
	var data attrs
	switch l.Kind {
	case "vlan":
		data = data.u16(vlanID, uint16(l.VLANID))
	case "bond":
		data = l.Bond.attrs(l.Bond.LACPRate != 0)
	case "bridge":
		data = l.Bridge.attrs()
	}
	a = a.bytes(unix.IFLA_LINKINFO|unix.NLA_F_NESTED, info(l.Kind, data))
	return Message{unix.RTM_NEWLINK, unix.NLM_F_CREATE | unix.NLM_F_EXCL, a}
}

func info(kind string, data attrs) []byte {
	a := attrs{}.text(unix.IFLA_INFO_KIND, kind)
	if len(data) > 0 {
		a = a.bytes(unix.IFLA_INFO_DATA|unix.NLA_F_NESTED, data)
	}
	return a
}

// attrs are a bond's. The rate of LACP is refused by the kernel in other modes than its own.
func (b Bond) attrs(lacp bool) attrs {
	a := attrs{}.u8(bondMode, b.Mode).u32(bondMiimon, b.Miimon).u8(bondHash, b.Hash).u32(bondMinLinks, b.MinLinks)
	if lacp {
		a = a.u8(bondLACPRate, b.LACPRate)
	}
	return a
}

// attrs are a bridge's. A kernel without VLAN filtering refuses even to be told that it is off.
func (b Bridge) attrs() attrs {
	a := attrs{}.u32(bridgeSTP, flag(b.STP))
	if b.VLANFilter {
		a = a.u8(bridgeVLANFilter, 1)
	}
	return a
}

func flag(on bool) uint32 {
	if on {
		return 1
	}
	return 0
}

// DeleteLink removes a link, with everything that is on it.
func DeleteLink(index int) Message {
	return Message{unix.RTM_DELLINK, 0, ifInfo(index, 0, 0)}
}

// SetUp brings a link up or down.
func SetUp(index int, up bool) Message {
	return Message{unix.RTM_NEWLINK, 0, ifInfo(index, flag(up)*unix.IFF_UP, unix.IFF_UP)}
}

// SetMTU sets the largest packet.
func SetMTU(index, mtu int) Message {
	return set(index, attrs{}.u32(unix.IFLA_MTU, uint32(mtu)))
}

// SetAlias sets the text that others see beside the name.
func SetAlias(index int, alias string) Message {
	return set(index, attrs{}.bytes(unix.IFLA_IFALIAS, []byte(alias)))
}

// SetMaster makes a link a member of a bond or bridge; 0 of none.
func SetMaster(index, master int) Message {
	return set(index, attrs{}.u32(unix.IFLA_MASTER, uint32(master)))
}

// SetSTP switches a bridge's spanning tree.
func SetSTP(index int, on bool) Message { return setBridge(index, attrs{}.u32(bridgeSTP, flag(on))) }

// SetVLANFilter switches whether a bridge keeps its VLANs apart.
func SetVLANFilter(index int, on bool) Message {
	return setBridge(index, attrs{}.u8(bridgeVLANFilter, uint8(flag(on))))
}

func setBridge(index int, data attrs) Message {
	return set(index, attrs{}.bytes(unix.IFLA_LINKINFO|unix.NLA_F_NESTED, info("bridge", data)))
}

// SetBondMode changes the mode, which a bond takes without members and down only.
func SetBondMode(index int, mode uint8) Message { return setBond(index, attrs{}.u8(bondMode, mode)) }

// SetLACPRate changes how often LACP speaks, which a bond takes while it is down.
func SetLACPRate(index int, rate uint8) Message {
	return setBond(index, attrs{}.u8(bondLACPRate, rate))
}

// SetBond changes what a bond takes at any time.
func SetBond(index int, b Bond) Message {
	return setBond(index, attrs{}.u32(bondMiimon, b.Miimon).u8(bondHash, b.Hash).u32(bondMinLinks, b.MinLinks))
}

// SetPrimary names the member that is used while it works; 0 for none.
func SetPrimary(index, member int) Message {
	return setBond(index, attrs{}.u32(bondPrimary, uint32(member)))
}

func setBond(index int, data attrs) Message {
	return set(index, attrs{}.bytes(unix.IFLA_LINKINFO|unix.NLA_F_NESTED, info("bond", data)))
}

func set(index int, a attrs) Message {
	return Message{unix.RTM_NEWLINK, 0, append(ifInfo(index, 0, 0), a...)}
}

func ifInfo(index int, flags, change uint32) []byte {
	b := make([]byte, unix.SizeofIfInfomsg)
	binary.NativeEndian.PutUint32(b[4:], uint32(index))
	binary.NativeEndian.PutUint32(b[8:], flags)
	binary.NativeEndian.PutUint32(b[12:], change)
	return b
}
