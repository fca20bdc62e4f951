package rtnl

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"
)

// Attributes and flags of rules that package unix does not name.
const (
	fraDst      = 1
	fraSrc      = 2
	fraPriority = 6
	fraMark     = 10
	fraSuppress = 14
	fraTable    = 15
	fraMask     = 16
	fraOut      = 17
	fraProtocol = 21

	ruleToTable  = 1
	ruleInverted = 2
	ruleBytes    = 12 // of a fib_rule_hdr
)

// selectors are the attributes by which a rule chooses packets, beside their addresses, marks
// and the interface that they are bound to: the one they came in by, tunnels, users, protocol
// and ports.
var selectors = []uint16{3, 12, 19, 20, 22, 23, 24}

// Rule says which packets are looked up in which table.
type Rule struct {
	IPv6            bool
	Priority        uint32
	Protocol        uint8
	Src, Dst        netip.Prefix // invalid for any
	Mark, Mask      uint32
	Out             string // the interface that the sender chose; empty for any
	Not             bool   // what the rest does not describe
	OtherSelectors  bool   // it chooses by more than is here
	Table           uint32 // 0 for a rule that discards, or leads to no table
	MinPrefixLength int    // routes to shorter prefixes are passed over: suppress_prefixlength plus one, 0 for none
}

// ByAddress reports whether nothing but addresses decides which packets the rule is for.
func (r Rule) ByAddress() bool {
	return !r.OtherSelectors && !r.Not && r.Mark == 0 && r.Mask == 0 && r.Out == ""
}

// Rules lists the rules of a protocol, or of all (0), of both families, in the order in which
// they are asked.
func (c *Conn) Rules(protocol uint8) ([]Rule, error) {
	var all []Rule
	for _, f := range []uint8{unix.AF_INET, unix.AF_INET6} {
		before := len(all)
		body := make([]byte, ruleBytes)
		body[0] = f
		err := c.dump(unix.RTM_GETRULE, body, func(data []byte) {
			if data == nil {
				all = all[:before]
			}
			if r, ok := readRule(data); ok && (protocol == 0 || r.Protocol == protocol) {
				all = append(all, r)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(a, b Rule) int { return cmp.Compare(a.Priority, b.Priority) })
	return all, nil
}

func readRule(data []byte) (r Rule, ok bool) {
	if len(data) < ruleBytes {
		return r, false
	}
	r.IPv6, r.Table = data[0] == unix.AF_INET6, uint32(data[4])
	r.OtherSelectors = data[3] != 0
	r.Not = binary.NativeEndian.Uint32(data[8:])&ruleInverted != 0
	readAttrs(data[ruleBytes:], func(kind uint16, v []byte) {
		switch kind {
		case fraDst:
			r.Dst = netip.PrefixFrom(address(v), int(data[1]))
		case fraSrc:
			r.Src = netip.PrefixFrom(address(v), int(data[2]))
		case fraPriority:
			r.Priority = number(v)
		case fraMark:
			r.Mark = number(v)
		case fraMask:
			r.Mask = number(v)
		case fraOut:
			r.Out = text(v)
		case fraTable:
			r.Table = number(v)
		case fraSuppress:
			if n := int32(number(v)); n >= 0 {
				r.MinPrefixLength = int(n) + 1
			}
		case fraProtocol:
			r.Protocol = uint8(number(v))
		default:
			r.OtherSelectors = r.OtherSelectors || slices.Contains(selectors, kind)
		}
	})
	if data[7] != ruleToTable {
		r.Table = 0
	}
	return r, true
}

// AddRule adds a rule that is not there.
func AddRule(r Rule) Message {
	return Message{unix.RTM_NEWRULE, unix.NLM_F_CREATE | unix.NLM_F_EXCL, ruleBody(r)}
}

// DelRule removes one.
func DelRule(r Rule) Message { return Message{unix.RTM_DELRULE, 0, ruleBody(r)} }

func ruleBody(r Rule) []byte {
	b := make([]byte, ruleBytes)
	b[0] = unix.AF_INET
	if r.IPv6 {
		b[0] = unix.AF_INET6
	}
	b[7] = ruleToTable
	if r.Not {
		binary.NativeEndian.PutUint32(b[8:], ruleInverted)
	}
	if r.Src.IsValid() {
		b[2] = uint8(r.Src.Bits())
	}
	if r.Dst.IsValid() {
		b[1] = uint8(r.Dst.Bits())
	}
	a := attrs(b).u32(fraPriority, r.Priority).u32(fraTable, r.Table).u8(fraProtocol, r.Protocol)
	if r.Src.IsValid() {
		a = a.addr(fraSrc, r.Src.Addr())
	}
	if r.Dst.IsValid() {
		a = a.addr(fraDst, r.Dst.Addr())
	}
	if r.Mask != 0 {
		a = a.u32(fraMark, r.Mark).u32(fraMask, r.Mask)
	}
	if r.Out != "" {
		a = a.text(fraOut, r.Out)
	}
	if r.MinPrefixLength > 0 {
		a = a.u32(fraSuppress, uint32(r.MinPrefixLength-1))
	}
	return a
}

// Lookup asks the kernel for the route that a packet from one of our addresses takes. The
// answer is the route as it is in its table.
func (c *Conn) Lookup(to, from netip.Addr) (r Route, err error) {
	body := make([]byte, unix.SizeofRtMsg)
	body[0], body[1] = family(to), uint8(to.BitLen())
	flags := uint32(unix.RTM_F_FIB_MATCH)
	if to.Is4() {
		flags |= unix.RTM_F_LOOKUP_TABLE // IPv6 says the table by itself, and refuses this
	}
	binary.NativeEndian.PutUint32(body[8:], flags)
	if from.IsValid() {
		body[2] = uint8(from.BitLen())
		body = attrs(body).addr(unix.RTA_SRC, from)
	}
	body = attrs(body).addr(unix.RTA_DST, to)
	c.seq++
	seq := c.seq
	if err := c.write(append(header(nil, len(body), unix.RTM_GETROUTE, unix.NLM_F_REQUEST, seq), body...)); err != nil {
		return r, err
	}
	for {
		done, err := c.read(func(h unix.NlMsghdr, data []byte) (bool, error) {
			switch {
			case h.Seq != seq:
				return false, nil
			case h.Type == unix.NLMSG_ERROR:
				return true, errors.Join(failure(data), unix.EHOSTUNREACH)
			}
			found, ok := readRoute(data)
			if !ok {
				return true, fmt.Errorf("the kernel's route to %s cannot be read", to)
			}
			r = found
			return true, nil
		})
		if err != nil {
			return r, fmt.Errorf("look up the route to %s: %w", to, err)
		}
		if done {
			return r, nil
		}
	}
}
