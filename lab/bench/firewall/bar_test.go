// Package firewall measures what the packet filter costs with many rules: a connection's
// first packet, a stream of TCP, loading the rules, and reading their counters. Whether it
// does what it should is left to packages packetfilter and netfilter.
//
// What is compared takes turns, so that whatever else the machine does meets both. CPU is
// the kernel's count of the thread, or of this process and its children.
package firewall

import (
	"fmt"
	"testing"

	"gateway/internal/netfilter"
	"gateway/internal/packetfilter"
	"gateway/lab/wiretest"
	"gateway/tools/bar"
)

const (
	many  = 10_000
	few   = 10
	zones = 10
)

func TestBarFirewall03Cost(t *testing.T) {
	bar.NotShort(t)
	first := firstPackets(t)
	load := loads(t)
	poll := polls(t)
	stream, least := streams(t)
	figure := fmt.Sprintf("%.2f of the throughput without a table (a table of one rule: %.2f); first packet %.2f of that with %d rules (%.1f and %.1f us); loading %.2f of bare nft; a poll %.3f of nft -j",
		stream, least, first.ratio, few, first.micros[1], first.micros[0], load, poll)
	bar.ReportTimed(t, "firewall", 3, figure, ">= 0.95; <= 2.0; <= 1.25; <= 0.15",
		!t.Failed(), stream >= 0.95 && first.ratio <= 2.0 && load <= 1.25 && poll <= 0.15)
}

// estate is a policy with rules spread evenly over the hundred pairs of ten zones.
func estate(rules int) *packetfilter.Policy {
	p := &packetfilter.Policy{Zones: map[string][]string{}}
	for i := range zones {
		p.Zones[zoneName(i)] = []string{interfaceName(i)}
	}
	for i := range rules {
		p.Rules = append(p.Rules, packetfilter.Rule{
			ID: fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i), Name: fmt.Sprint("rule ", i), Priority: i,
			From: zoneName(i / zones % zones), To: zoneName(i % zones), Action: packetfilter.Accept,
			Source:   packetfilter.Selector{Listed: packetfilter.Merge([]packetfilter.Range{{From: client(i), To: client(i)}})},
			Services: []packetfilter.Service{{Protocol: packetfilter.TCP, From: 443, To: 443, Type: -1}},
		})
	}
	return p
}

// newGateway is a gateway with an interface in each zone.
func newGateway(t testing.TB) (*wiretest.Gateway, netfilter.Table) {
	var interfaces []wiretest.Interface
	for i := range zones {
		interfaces = append(interfaces, wiretest.Interface{Name: interfaceName(i), Addresses: networkOf(i)})
	}
	g := wiretest.New(t, interfaces...)
	return g, netfilter.Table{Run: g.Run}
}

// loaded is a gateway with a policy of so many rules.
func loaded(t testing.TB, rules int) (*wiretest.Gateway, netfilter.Table) {
	g, table := newGateway(t)
	text := packetfilter.Compile(estate(rules))
	must(t, g.Do(func() error { return table.Replace(t.Context(), text.Rules, text.Elements) }))
	return g, table
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
