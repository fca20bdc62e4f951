package netfilter

import (
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The beginnings of packets, in hex.
const (
	ip4        = "45000054 00004000 40PP0000 c0000201 c6336402"
	ip4Options = "46000054 00004000 40060000 c0000201 c6336402 01010101"
	ip4Later   = "45000054 000020b9 40110000 c0000201 c6336402"
	ip6        = "60000000 0020PP40 20010db8000000000000000000000001 20010db8000000000000000000000002"
	ports      = "04d20035 00000000"
)

func packet(t testing.TB, protocol string, parts ...string) []byte {
	t.Helper()
	text := strings.ReplaceAll(strings.Join(parts, ""), "PP", protocol)
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestReadPacket(t *testing.T) {
	four := Event{Source: netip.MustParseAddr("192.0.2.1"), Destination: netip.MustParseAddr("198.51.100.2"), Size: 84, Type: -1}
	six := Event{Source: netip.MustParseAddr("2001:db8::1"), Destination: netip.MustParseAddr("2001:db8::2"), Size: 72, Type: -1}
	of := func(e Event, protocol uint8, from, to uint16, kind int) Event {
		e.Protocol, e.SourcePort, e.Port, e.Type = protocol, from, to, kind
		return e
	}
	for _, tc := range []struct {
		name string
		b    []byte
		want Event
	}{
		{"UDP over IPv4", packet(t, "11", ip4, ports), of(four, 17, 1234, 53, -1)},
		{"TCP behind options", packet(t, "", ip4Options, ports), of(four, 6, 1234, 53, -1)},
		{"SCTP", packet(t, "84", ip4, ports), of(four, 132, 1234, 53, -1)},
		{"an ICMP message", packet(t, "01", ip4, "0800"), of(four, 1, 0, 0, 8)},
		{"a protocol without ports", packet(t, "2f", ip4, ports), of(four, 47, 0, 0, -1)},
		{"a later fragment has no ports", packet(t, "", ip4Later, ports), of(four, 17, 0, 0, -1)},
		{"ports that are cut off", packet(t, "11", ip4, "04d200"), of(four, 17, 0, 0, -1)},
		{"UDP over IPv6", packet(t, "11", ip6, ports), of(six, 17, 1234, 53, -1)},
		{"an ICMPv6 message", packet(t, "3a", ip6, "8700"), of(six, 58, 0, 0, 135)},
		{"behind hop-by-hop and destination options", packet(t, "00", ip6, "3c00000000000000", "0601000000000000 0000000000000000", ports), of(six, 6, 1234, 53, -1)},
		{"the first fragment has ports", packet(t, "2c", ip6, "11000001 00000000", ports), of(six, 17, 1234, 53, -1)},
		{"a later one has none", packet(t, "2c", ip6, "11000009 00000000", ports), of(six, 17, 0, 0, -1)},
		{"an extension that is cut off", packet(t, "00", ip6, "1103"), of(six, 0, 0, 0, -1)},
		{"an extension longer than the rest", packet(t, "00", ip6, "11ff000000000000", ports), of(six, 17, 0, 0, -1)},
		{"too short for IPv4", packet(t, "11", ip4)[:19], Event{Type: -1}},
		{"too short for IPv6", packet(t, "11", ip6)[:39], Event{Type: -1}},
		{"nothing", nil, Event{Type: -1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := Event{Type: -1}
			got.readPacket(tc.b)
			if diff := cmp.Diff(tc.want, got, addresses); diff != "" {
				t.Errorf("readPacket (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzReadPacket(f *testing.F) {
	f.Add(packet(f, "11", ip4, ports))
	f.Add(packet(f, "00", ip6, "3c00000000000000", "0601000000000000 0000000000000000", ports))
	f.Fuzz(func(t *testing.T, b []byte) {
		e := Event{Type: -1}
		e.readPacket(b)
		if e.Source.IsValid() != e.Destination.IsValid() || e.Type > 255 {
			t.Errorf("%x reads as %+v", b, e)
		}
	})
}

// The kernel is trusted, our reading of it is not.
func FuzzReadMessages(f *testing.F) {
	f.Add(request(logPacket, 0, 1, 0, 0, name(number(nil, logNumber, 3), logPrefix, "x")))
	f.Add(request(conntrackGet, 0, 1, 0, 0, attribute(nil, nested|ctTuple, attribute(nil, nested|tupleAddresses, attribute(nil, source4, make([]byte, 4))))))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := logReader{tell: func(Event) {}}
		for m := range messages(b) {
			_ = m.err()
			readConnection(m.payload)
			identity(m.payload)
			readCounter(m.payload)
			readSet(m.payload)
			r.read(m.payload)
		}
	})
}
