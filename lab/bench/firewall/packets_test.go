package firewall

import (
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gateway/lab/wiretest"
	"gateway/tools/bar"
)

func zoneName(i int) string      { return fmt.Sprint("zone", i) }
func interfaceName(i int) string { return fmt.Sprint("if", i) }

func networkOf(i int) []netip.Prefix {
	return []netip.Prefix{netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 1, byte(i), 1}), 24)}
}

// client is the sender that a rule is about.
func client(rule int) netip.Addr {
	return netip.AddrFrom4([4]byte{172, 16, byte(rule >> 8), byte(rule)})
}

// opening is the first packet of a connection that a rule is about.
func opening(rule int, sourcePort uint16) (in string, packet []byte) {
	to := netip.AddrFrom4([4]byte{10, 1, byte(rule % zones), 2})
	p := wiretest.Packet{Source: client(rule), Target: to, Protocol: wiretest.TCP, SourcePort: sourcePort, Port: 443}
	return interfaceName(rule / zones % zones), p.Bytes(nil)
}

// costs is what a first packet costs with few and with many rules.
type costs struct {
	micros [2]float64
	ratio  float64
}

// firstPackets sends packets about all rules alike, in turns of as many as an interface
// keeps until they are read.
func firstPackets(t *testing.T) costs {
	const turn = 400
	gateways := [2]*wiretest.Gateway{}
	for i, rules := range []int{few, many} {
		gateways[i], _ = loaded(t, rules)
	}
	var micros [2][]float64
	for round := range bar.Size(60, 600) {
		for i, rules := range []int{few, many} {
			micros[i] = append(micros[i], burst(t, gateways[i], rules, turn, round))
		}
	}
	var c costs
	for i := range micros {
		// What disturbs a turn makes it longer, never shorter.
		c.micros[i] = quantile(micros[i], 0.25)
	}
	c.ratio = c.micros[1] / c.micros[0]
	t.Logf("first packet: %.2f us with %d rules, %.2f us with %d", c.micros[0], few, c.micros[1], many)
	return c
}

// burst is the CPU that the first packet of a connection takes, in microseconds.
func burst(t *testing.T, g *wiretest.Gateway, rules, turn, round int) float64 {
	must(t, g.Forget())
	type one struct {
		in     string
		packet []byte
	}
	list := make([]one, turn)
	for i := range list {
		// A step that has no factor in common with the number of rules comes to all of them.
		list[i].in, list[i].packet = opening((i+round*turn)*7919%rules, uint16(1024+i))
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadTime()
	for _, o := range list {
		if err := g.Write(o.in, o.packet); err != nil {
			t.Fatal(err)
		}
	}
	took := threadTime() - before
	var out int
	must(t, g.Drain(func(_ string, packet []byte) {
		if len(packet) > 10 && packet[9] == wiretest.TCP {
			out++
		}
	}))
	if out != turn {
		t.Fatalf("%d of %d packets came through", out, turn)
	}
	return float64(took.Microseconds()) / float64(turn)
}

func threadTime() time.Duration { return clock(unix.CLOCK_THREAD_CPUTIME_ID) }

func clock(id int32) time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(id, &now); err != nil {
		panic(err) // a clock that every Linux has
	}
	return time.Duration(now.Nano())
}

func quantile(list []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[int(q*float64(len(sorted)-1))]
}
