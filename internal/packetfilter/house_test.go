package packetfilter

import (
	"fmt"
	"net/netip"
	"os/exec"
	"strings"
	"testing"

	"gateway/lab/wiretest"
)

// house is a gateway in the kernel, of which this process is every host around it.
type house struct {
	*kernel
	count   *counterReader
	number  uint64
	decided map[string]int // how many probes each part of the order decided
}

// observer counts what the table under test lets through to the gateway, and keeps it from
// answering.
const observer = `table inet observer {
	counter passed { }
	chain input {
		type filter hook input priority 100; policy drop;
		counter name passed
	}
}
`

func newHouse(t testing.TB) *house {
	t.Helper()
	var interfaces []wiretest.Interface
	for _, name := range houseInterfaces {
		interfaces = append(interfaces, wiretest.Interface{Name: name, Addresses: []netip.Prefix{
			netip.PrefixFrom(ownAddress(name, true), 24), netip.PrefixFrom(ownAddress(name, false), 64), netip.PrefixFrom(linkLocal, 64),
		}})
	}
	h := &house{kernel: newKernel(t, interfaces...), decided: map[string]int{}}
	if _, err := h.Nft(t.Context(), []byte(observer), "-f", "-"); err != nil {
		t.Fatal(err)
	}
	h.groups(t)
	h.count = newCounterReader(t, h.Space)
	return h
}

// groups makes the kernel's rules and tables of the groups of uplinks, as package multiwan does:
// what the main table knows better comes first, and one whose table is empty is passed over.
func (h *house) groups(t testing.TB) {
	t.Helper()
	for _, f := range []string{"-4", "-6"} {
		h.ip(t, f, "rule add priority 100 lookup main suppress_prefixlength 0")
	}
	for i, g := range houseGroups {
		f, table := "-6", 1000+i
		if g.V4 {
			f = "-4"
		}
		h.ip(t, f, fmt.Sprintf("rule add priority 101 fwmark %#x/%#x lookup %d", g.Mark, uplinkBits, table))
		if g.out != houseInterfaces[0] {
			h.ip(t, f, fmt.Sprintf("route add default dev %s table %d", g.out, table))
		}
	}
}

func (h *house) ip(t testing.TB, family, line string) {
	t.Helper()
	var out []byte
	err := h.Do(func() (err error) {
		out, err = exec.CommandContext(t.Context(), "ip", append([]string{family}, strings.Fields(line)...)...).CombinedOutput()
		return err
	})
	if err != nil {
		t.Fatalf("ip %s %s: %v: %s", family, line, err, out)
	}
}

// send puts a probe on its interface and answers what came out, and which counters rose.
func (h *house) send(k probe) ([]seen, []string, error) {
	h.number++
	if err := h.Write(k.in, bytesOf(k, h.number)); err != nil {
		return nil, nil, err
	}
	var all []seen
	err := h.Drain(func(name string, packet []byte) {
		if s, ok := read(packet, name, h.number); ok {
			all = append(all, s)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	rose, err := h.count.rose()
	return all, rose, err
}
