package packetfilter

import (
	"net/netip"
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
	h.count = newCounterReader(t, h.Space)
	return h
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
