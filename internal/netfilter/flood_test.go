package netfilter

import (
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"gateway/internal/packetfilter"
	"gateway/lab/wiretest"
)

// flow is one kind of packet that the flood has.
type flow struct {
	name    string
	source  string
	to      string
	port    uint16
	allowed bool
}

// Each is judged in another place: by a rule with a group, by no rule, by a rule whose
// group the sender is not in, by an opening, by none, and by being known.
func flows() []flow {
	return []flow{
		{"through_allowed", "10.1.0.7", "198.51.100.9", 6000, true},
		{"through_forbidden", "10.1.0.7", "198.51.100.9", 6001, false},
		{"through_stranger", "172.16.0.7", "198.51.100.9", 6002, false},
		{"input_allowed", "10.1.0.7", "10.0.0.1", 5000, true},
		{"input_forbidden", "10.1.0.7", "10.0.0.1", 5001, false},
		{"through_known", "10.1.0.7", "198.51.100.9", knownPort, true},
	}
}

// No rule allows a connection to this port; there is one from before.
const knownPort = 6003

func (w flow) packet() wiretest.Packet {
	return wiretest.Packet{
		Source: netip.MustParseAddr(w.source), Target: netip.MustParseAddr(w.to),
		Protocol: wiretest.UDP, SourcePort: 40000, Port: w.port,
	}
}

// flood is a gateway that packets are poured into.
type flood struct {
	*rig
	packets [][]byte
	sent    atomic.Uint64 // rounds, in each of which every flow has a packet
}

func newFlood(t testing.TB) *flood {
	t.Helper()
	in := func(name, address string) wiretest.Interface {
		return wiretest.Interface{Name: name, Addresses: []netip.Prefix{netip.MustParsePrefix(address)}}
	}
	f := &flood{rig: newRig(t, in("wan0", "198.51.100.1/24"), in("lan0", "10.0.0.1/8"), in("lan1", "172.16.0.1/12"))}
	for _, w := range flows() {
		f.packets = append(f.packets, w.packet().Bytes(nil))
	}
	f.nft(probe(), "-f", "-")
	f.getKnown()
	return f
}

// clients are the interfaces that packets come in by.
func clients() []string { return []string{"lan0", "lan1"} }

// probe is a table of somebody else that counts every flow before and behind the product's.
// It stops what it has counted, so that nothing answers and every packet is one of a new
// connection, but for those that are known.
func probe() string {
	var counters, before, behind strings.Builder
	for _, w := range flows() {
		fmt.Fprintf(&counters, "counter %s_in {}\ncounter %s_out {}\n", w.name, w.name)
		fmt.Fprintf(&before, "udp dport %d counter name %s_in\n", w.port, w.name)
		fmt.Fprintf(&behind, "udp dport %d counter name %s_out\n", w.port, w.name)
	}
	fmt.Fprintf(&behind, "udp dport 5000-7000 udp dport != %d drop\n", knownPort)
	return fmt.Sprintf(`table inet probe {
%schain before { type filter hook prerouting priority raw; %s}
chain through { type filter hook postrouting priority 300; %s}
chain input { type filter hook input priority 300; %s}
}
`, counters.String(), before.String(), behind.String(), behind.String())
}

// getKnown lets one connection come about, by a policy that is not there for long.
func (f *flood) getKnown() {
	f.t.Helper()
	p := floodPolicy(0, 10)
	p.Rules = append(p.Rules, packetfilter.Rule{ID: "c1", From: packetfilter.Any, To: packetfilter.Any, Action: packetfilter.Accept})
	f.load(p)
	there := flows()[len(flows())-1].packet()
	back := there
	back.Source, back.Target, back.SourcePort, back.Port = there.Target, there.Source, there.Port, there.SourcePort
	if err := f.Write("lan0", there.Bytes(nil)); err != nil {
		f.t.Fatal(err)
	}
	if err := f.Write("wan0", back.Bytes(nil)); err != nil {
		f.t.Fatal(err)
	}
	f.nft("", "reset", "counters", "table", "inet", "probe")
}

func (f *flood) load(p *packetfilter.Policy) {
	f.t.Helper()
	text := packetfilter.Compile(p)
	f.replace(string(text.Rules), string(text.Elements))
}

// pour sends all flows as fast as it goes, from all clients, until stop is called.
func (f *flood) pour() (stop func()) {
	var ended atomic.Bool
	var senders sync.WaitGroup
	for _, name := range clients() {
		senders.Go(func() {
			for !ended.Load() {
				f.round(name)
			}
		})
	}
	return func() {
		ended.Store(true)
		senders.Wait()
	}
}

// round sends one packet of every flow.
func (f *flood) round(name string) {
	for _, b := range f.packets {
		if err := f.Write(name, b); err != nil {
			f.t.Error(err)
		}
	}
	f.sent.Add(1)
}

// outcome is what became of a flood.
type outcome struct {
	allowed, lost      uint64
	forbidden, through uint64
}

var probeCounter = regexp.MustCompile(`counter (\w+)_(in|out) \{\s+packets (\d+)`)

// outcome reads the probe and makes it count from zero again.
func (f *flood) outcome() outcome {
	f.t.Helper()
	seen := map[string]uint64{}
	for _, m := range probeCounter.FindAllStringSubmatch(f.nft("", "reset", "counters", "table", "inet", "probe"), -1) {
		n, err := strconv.ParseUint(m[3], 10, 64)
		if err != nil {
			f.t.Fatal(err)
		}
		seen[m[1]+"_"+m[2]] = n
	}
	var o outcome
	sent := f.sent.Swap(0)
	for _, w := range flows() {
		in, out := seen[w.name+"_in"], seen[w.name+"_out"]
		if in != sent {
			f.t.Errorf("%s: %d came in of %d that were sent", w.name, in, sent)
		}
		if w.allowed {
			o.allowed, o.lost = o.allowed+in, o.lost+in-out
		} else {
			o.forbidden, o.through = o.forbidden+in, o.through+out
		}
	}
	return o
}

// floodPolicy judges the flows as they say. The two variants mean the same, but are laid
// out differently: what comes first in one comes last in the other, and the group has
// another member.
func floodPolicy(variant, rules int) *packetfilter.Policy {
	listed := func(networks ...string) (a packetfilter.Addresses) {
		var ranges []packetfilter.Range
		for _, n := range networks {
			ranges = append(ranges, packetfilter.RangeOf(netip.MustParsePrefix(n)))
		}
		return packetfilter.Merge(ranges)
	}
	udp := func(port uint16) []packetfilter.Service {
		return []packetfilter.Service{{Protocol: packetfilter.UDP, From: port, To: port, Type: -1}}
	}
	group := listed("10.1.0.0/16", fmt.Sprintf("10.2.%d.0/24", variant))
	p := &packetfilter.Policy{
		Zones:    map[string][]string{"lan": {"lan0", "lan1"}, "wan": {"wan0"}, "dmz": {"dmz0"}, "guest": {"guest0"}},
		Sets:     map[string]*packetfilter.Addresses{"a": &group},
		Openings: []packetfilter.Opening{{Protocol: packetfilter.UDP, Port: 5000, Why: "the flood"}},
	}
	in := packetfilter.Selector{Set: "a"}
	p.Rules = []packetfilter.Rule{
		{ID: "a1", Priority: 500, From: "lan", To: "wan", Source: in, Services: udp(6000), Action: packetfilter.Accept},
		{ID: "a2", Priority: 500, From: "lan", To: "wan", Source: in, Services: udp(6002), Action: packetfilter.Accept},
		{ID: "a3", Priority: 1 + 998*variant, From: "wan", To: "lan", Action: packetfilter.Accept},
		{ID: "a4", Priority: 2 + 996*variant, From: "guest", To: "dmz", Action: packetfilter.Accept},
	}
	zones := []string{"lan", "wan", "dmz", "guest", packetfilter.Any}
	for i := range rules - len(p.Rules) {
		p.Rules = append(p.Rules, packetfilter.Rule{
			ID: fmt.Sprintf("b%d", i), Priority: 10 + (i*7+variant*13)%900, From: zones[i%4], To: zones[i/4%5],
			Source: packetfilter.Selector{Listed: listed(fmt.Sprintf("203.0.113.%d/32", i%256))}, Services: udp(uint16(7001 + i)), Action: packetfilter.Accept,
		})
	}
	return p
}
