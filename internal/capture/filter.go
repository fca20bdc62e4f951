package capture

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

const (
	protoTCP, protoUDP     = 6, 17
	protoICMP, protoICMPv6 = 1, 58

	etherHeader = 14
	vlanTag     = 4
)

// The two ends of every program; all else is a number of it.
const (
	yes = "yes"
	no  = "no"
)

// program is the filter for the kernel. Packets have an Ethernet header, or begin with that of IP.
func (r Request) program(ethernet bool) ([]bpf.RawInstruction, error) {
	four, six := true, true
	if r.Host.IsValid() {
		four, six = r.Host.Addr().Is4(), r.Host.Addr().Is6()
	}
	var protocols4, protocols6 []uint32
	switch r.Protocol {
	case "":
		if r.Port > 0 {
			protocols4 = []uint32{protoTCP, protoUDP}
		}
	case "tcp":
		protocols4 = []uint32{protoTCP}
	case "udp":
		protocols4 = []uint32{protoUDP}
	case "icmp":
		protocols4, protocols6 = []uint32{protoICMP}, []uint32{protoICMPv6}
	case "arp":
		if !four {
			return nil, errors.New("ARP knows no IPv6")
		}
		six = false
	default:
		return nil, fmt.Errorf("unknown protocol %q", r.Protocol)
	}
	if r.Port > 0 && (r.Protocol == "icmp" || r.Protocol == "arp") {
		return nil, fmt.Errorf("%s has no ports", r.Protocol)
	}
	if protocols6 == nil {
		protocols6 = protocols4
	}
	a := &assembler{labels: map[string]int{}}
	if r.Protocol == "" && r.Port == 0 && !r.Host.IsValid() {
		a.add(bpf.RetConstant{Val: longest})
		return bpf.Assemble(a.code)
	}
	q := question{r, a, four && r.Protocol != "arp", six, four && (r.Protocol == "" || r.Protocol == "arp") && r.Port == 0, protocols4, protocols6}
	if ethernet {
		a.add(bpf.LoadAbsolute{Off: 12, Size: 2})
		a.jump(bpf.JumpEqual, unix.ETH_P_8021Q, "tagged", "")
		q.at("plain", etherHeader)
		a.label("tagged") // where the tag is in the packet, and not beside it
		a.add(bpf.LoadAbsolute{Off: 16, Size: 2})
		q.at("inner", etherHeader+vlanTag)
	} else {
		q.bare()
	}
	a.label(yes)
	a.add(bpf.RetConstant{Val: longest})
	a.label(no)
	a.add(bpf.RetConstant{Val: 0})
	return a.assemble()
}

// question is which packets match, and where the answer goes.
type question struct {
	Request
	*assembler
	four, six, arp         bool
	protocols4, protocols6 []uint32
}

// at judges a packet whose kind of the network layer is loaded and whose network layer begins there.
func (q question) at(where string, base uint32) {
	kinds := []struct {
		kind  uint32
		asked bool
		judge func(base uint32)
	}{{unix.ETH_P_IP, q.four, q.ip4}, {unix.ETH_P_IPV6, q.six, q.ip6}, {unix.ETH_P_ARP, q.arp, q.arps}}
	for i, k := range kinds {
		if k.asked {
			next := fmt.Sprint(where, i)
			q.jump(bpf.JumpEqual, k.kind, "", next)
			k.judge(base)
			q.label(next)
		}
	}
	q.goTo(no)
}

// bare judges a packet without a link layer.
func (q question) bare() {
	q.add(bpf.LoadAbsolute{Off: 0, Size: 1}, bpf.ALUOpConstant{Op: bpf.ALUOpShiftRight, Val: 4})
	if q.four {
		q.jump(bpf.JumpEqual, 4, "", "six")
		q.ip4(0)
		q.label("six")
	}
	if q.six {
		q.jump(bpf.JumpEqual, 6, "", no)
		q.ip6(0)
	}
	q.goTo(no)
}

func (q question) ip4(base uint32) {
	q.host(base+12, base+16)
	q.protocol(base+9, q.protocols4)
	if q.Port > 0 {
		q.add(bpf.LoadAbsolute{Off: base + 6, Size: 2})
		q.jump(bpf.JumpBitsSet, 0x1fff, no, "") // a later fragment has no ports
		q.add(bpf.LoadMemShift{Off: base})
		q.ports(func(off uint32) bpf.Instruction { return bpf.LoadIndirect{Off: base + off, Size: 2} })
	}
	q.goTo(yes)
}

// ip6 looks at the first header behind IPv6's only, as tcpdump does.
func (q question) ip6(base uint32) {
	q.host(base+8, base+24)
	q.protocol(base+6, q.protocols6)
	if q.Port > 0 {
		q.ports(func(off uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: base + 40 + off, Size: 2} })
	}
	q.goTo(yes)
}

func (q question) arps(base uint32) {
	q.host(base+14, base+24)
	q.goTo(yes)
}

func (q question) protocol(off uint32, among []uint32) {
	if len(among) == 0 {
		return
	}
	here := q.fresh()
	q.add(bpf.LoadAbsolute{Off: off, Size: 1})
	for _, p := range among {
		q.jump(bpf.JumpEqual, p, here, "")
	}
	q.goTo(no)
	q.label(here)
}

func (q question) ports(load func(off uint32) bpf.Instruction) {
	q.add(load(0))
	q.jump(bpf.JumpEqual, uint32(q.Port), yes, "")
	q.add(load(2))
	q.jump(bpf.JumpEqual, uint32(q.Port), yes, no)
}

// host goes on where one of the two addresses is in the network.
func (q question) host(source, destination uint32) {
	if !q.Host.IsValid() {
		return
	}
	other, here := q.fresh(), q.fresh()
	q.address(source, other)
	q.goTo(here)
	q.label(other)
	q.address(destination, no)
	q.label(here)
}

// address compares one of them, word by word.
func (q question) address(off uint32, otherwise string) {
	want, left := q.Host.Addr().AsSlice(), q.Host.Bits()
	for at := 0; at < len(want) && left > 0; at, left = at+4, left-32 {
		q.add(bpf.LoadAbsolute{Off: off + uint32(at), Size: 4})
		if left < 32 {
			q.add(bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: ^uint32(0) << (32 - left)})
		}
		q.jump(bpf.JumpEqual, binary.BigEndian.Uint32(want[at:]), "", otherwise)
	}
}

// assembler knows where to jump once all is written.
type assembler struct {
	code   []bpf.Instruction
	labels map[string]int
	jumps  []jump
	made   int // labels without a name
}

// jump goes to a label on each side; empty is the next instruction.
type jump struct {
	at        int
	yes, no   string
	condition bpf.JumpTest
	value     uint32
}

func (a *assembler) add(all ...bpf.Instruction) { a.code = append(a.code, all...) }
func (a *assembler) label(name string)          { a.labels[name] = len(a.code) }

// fresh is a label that nobody has yet.
func (a *assembler) fresh() string {
	a.made++
	return fmt.Sprint("fresh ", a.made)
}

func (a *assembler) jump(condition bpf.JumpTest, value uint32, yes, no string) {
	a.jumps = append(a.jumps, jump{len(a.code), yes, no, condition, value})
	a.add(bpf.JumpIf{})
}

func (a *assembler) goTo(label string) {
	a.jumps = append(a.jumps, jump{at: len(a.code), yes: label})
	a.add(bpf.Jump{})
}

func (a *assembler) assemble() ([]bpf.RawInstruction, error) {
	for _, j := range a.jumps {
		skip := func(label string) int {
			if label == "" {
				return 0
			}
			return a.labels[label] - j.at - 1
		}
		if _, always := a.code[j.at].(bpf.Jump); always {
			a.code[j.at] = bpf.Jump{Skip: uint32(skip(j.yes))}
			continue
		}
		t, f := skip(j.yes), skip(j.no)
		if t < 0 || f < 0 || t > 255 || f > 255 {
			return nil, errors.New("a filter that is too long")
		}
		a.code[j.at] = bpf.JumpIf{Cond: j.condition, Val: j.value, SkipTrue: uint8(t), SkipFalse: uint8(f)}
	}
	return bpf.Assemble(a.code)
}
