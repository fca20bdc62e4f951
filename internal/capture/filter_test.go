package capture

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/bpf"

	"gateway/internal/value"
)

// frame is a packet with an Ethernet header.
func frame(kind uint16, network []byte) []byte {
	return append(binary.BigEndian.AppendUint16(make([]byte, 12), kind), network...)
}

func ip4(from, to string, protocol byte, fragment uint16, payload ...byte) []byte {
	b := make([]byte, 24) // with an option, so that the header is longer than usual
	b[0], b[9] = 0x46, protocol
	binary.BigEndian.PutUint16(b[6:], fragment)
	copy(b[12:], netip.MustParseAddr(from).AsSlice())
	copy(b[16:], netip.MustParseAddr(to).AsSlice())
	return append(b, payload...)
}

func ip6(from, to string, protocol byte, payload ...byte) []byte {
	b := make([]byte, 40)
	b[0], b[6] = 0x60, protocol
	copy(b[8:], netip.MustParseAddr(from).AsSlice())
	copy(b[24:], netip.MustParseAddr(to).AsSlice())
	return append(b, payload...)
}

func arp(from, to string) []byte {
	b := make([]byte, 28)
	copy(b[14:], netip.MustParseAddr(from).AsSlice())
	copy(b[24:], netip.MustParseAddr(to).AsSlice())
	return b
}

func ports(from, to uint16) []byte {
	return append(binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, from), to), make([]byte, 16)...)
}

func prefix(t *testing.T, s string) netip.Prefix {
	t.Helper()
	p, err := value.Prefix(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAFilterTakesWhatItNames(t *testing.T) {
	const a4, b4, c4, a6, b6 = "192.0.2.1", "192.0.2.9", "198.51.100.1", "2001:db8::1", "2001:db8:1::1"
	packets := map[string][]byte{
		"tcp4":   frame(0x800, ip4(a4, b4, protoTCP, 0, ports(1024, 443)...)),
		"back4":  frame(0x800, ip4(b4, a4, protoTCP, 0, ports(443, 1024)...)),
		"udp4":   frame(0x800, ip4(a4, c4, protoUDP, 0, ports(443, 53)...)),
		"part4":  frame(0x800, ip4(a4, c4, protoUDP, 7, ports(443, 53)...)),
		"icmp4":  frame(0x800, ip4(c4, b4, protoICMP, 0, ports(443, 443)...)),
		"arp":    frame(0x806, arp(a4, b4)),
		"tcp6":   frame(0x86dd, ip6(a6, b6, protoTCP, ports(1024, 443)...)),
		"icmp6":  frame(0x86dd, ip6(b6, a6, protoICMPv6, ports(443, 443)...)),
		"tagged": frame(0x8100, append([]byte{0, 9}, frame(0x800, ip4(a4, b4, protoTCP, 0, ports(1024, 443)...))[12:]...)),
		"other":  frame(0x88cc, make([]byte, 60)),
		"short":  frame(0x800, []byte{0x45}),
	}
	for _, tc := range []struct {
		name string
		r    Request
		want string
	}{
		{"all", Request{}, "arp back4 icmp4 icmp6 other part4 short tagged tcp4 tcp6 udp4"},
		{"tcp", Request{Protocol: "tcp"}, "back4 tagged tcp4 tcp6"},
		{"udp", Request{Protocol: "udp"}, "part4 udp4"},
		{"icmp", Request{Protocol: "icmp"}, "icmp4 icmp6"},
		{"arp", Request{Protocol: "arp"}, "arp"},
		{"a port of any", Request{Port: 443}, "back4 tagged tcp4 tcp6 udp4"},
		{"a port of udp", Request{Protocol: "udp", Port: 443}, "udp4"},
		{"a port as destination", Request{Port: 53}, "udp4"},
		{"no such port", Request{Port: 444}, ""},
		{"a host", Request{Host: prefix(t, b4)}, "arp back4 icmp4 tagged tcp4"},
		{"a network", Request{Host: prefix(t, "198.51.0.0/16")}, "icmp4 part4 udp4"},
		{"an odd network", Request{Host: prefix(t, "192.0.2.8/29"), Protocol: "icmp"}, "icmp4"},
		{"all of IPv4", Request{Host: prefix(t, "0.0.0.0/0")}, "arp back4 icmp4 part4 short tagged tcp4 udp4"},
		{"a host of IPv6", Request{Host: prefix(t, b6)}, "icmp6 tcp6"},
		{"a network of IPv6", Request{Host: prefix(t, "2001:db8:1::/33")}, "icmp6 tcp6"},
		{"another of IPv6", Request{Host: prefix(t, "2001:db8:2::/48")}, ""},
		{"all at once", Request{Host: prefix(t, a4), Protocol: "tcp", Port: 443}, "back4 tagged tcp4"},
		{"asking for ARP", Request{Host: prefix(t, a4), Protocol: "arp"}, "arp"},
	} {
		for _, ethernet := range []bool{true, false} {
			code, err := tc.r.program(ethernet)
			if err != nil {
				t.Fatalf("%s: %v", tc.name, err)
			}
			instructions, _ := bpf.Disassemble(code)
			vm, err := bpf.NewVM(instructions)
			if err != nil {
				t.Fatalf("%s: %v", tc.name, err)
			}
			var got []string
			want := strings.Fields(tc.want)
			for name, p := range packets {
				if !ethernet {
					p = p[etherHeader:]
				}
				if n, err := vm.Run(p); err == nil && n > 0 {
					got = append(got, name)
				}
			}
			slices.Sort(got)
			if !ethernet && tc.name != "all" { // there are no tags and no ARP
				want = slices.DeleteFunc(want, func(s string) bool { return s == "tagged" || s == "arp" })
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s (Ethernet: %t) takes %q, want %q", tc.name, ethernet, got, want)
			}
		}
	}
}

func good() Request {
	return Request{Interface: "lan", Packets: 1, Bytes: LeastBytes, Time: time.Second}
}

func TestWhatCannotBeRecordedIsRefused(t *testing.T) {
	if err := good().Check(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Request){
		"no interface":     func(r *Request) { r.Interface = "" },
		"an option":        func(r *Request) { r.Interface = "-w" },
		"a path":           func(r *Request) { r.Interface = "../x" },
		"a long name":      func(r *Request) { r.Interface = strings.Repeat("a", 16) },
		"no packets":       func(r *Request) { r.Packets = 0 },
		"too many packets": func(r *Request) { r.Packets = MostPackets + 1 },
		"too few bytes":    func(r *Request) { r.Bytes = LeastBytes - 1 },
		"too many bytes":   func(r *Request) { r.Bytes = MostBytes + 1 },
		"no time":          func(r *Request) { r.Time = 0 },
		"too long":         func(r *Request) { r.Time = MostTime + 1 },
		"a language":       func(r *Request) { r.Protocol = "tcp or udp" },
		"a port of ICMP":   func(r *Request) { r.Protocol, r.Port = "icmp", 1 },
		"ARP of IPv6":      func(r *Request) { r.Protocol, r.Host = "arp", prefix(t, "::1") },
		"host bits":        func(r *Request) { r.Host = netip.MustParsePrefix("192.0.2.1/24") },
	} {
		r := good()
		change(&r)
		if r.Check() == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

// Whatever packets hold, the kernel's rules for programs hold too: no jump leaves it.
func TestFiltersOfAllFormsAssemble(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 5_000 {
		q := Request{Protocol: Protocols[r.IntN(len(Protocols))], Port: uint16(r.IntN(3))}
		if r.IntN(3) > 0 {
			var b [16]byte
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			a := netip.AddrFrom16(b)
			if r.IntN(2) > 0 {
				a = netip.AddrFrom4([4]byte(b[:4]))
			}
			q.Host = netip.PrefixFrom(a, r.IntN(a.BitLen()+1)).Masked()
		}
		code, err := q.program(r.IntN(2) > 0)
		if err != nil {
			continue // told apart above
		}
		instructions, whole := bpf.Disassemble(code)
		if vm, err := bpf.NewVM(instructions); err != nil || !whole {
			t.Fatalf("%+v: %v", q, err)
		} else if _, err := vm.Run(make([]byte, 128)); err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
	}
}
