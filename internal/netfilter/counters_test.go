package netfilter

import (
	"fmt"
	"maps"
	"net"
	"strings"
	"testing"
)

func TestCounters(t *testing.T) {
	r := newRig(t)
	if got := r.counters(); len(got) != 0 {
		t.Errorf("counters without a table = %v", got)
	}
	text := base + `add counter inet gateway r_1
add counter inet gateway r_2
add rule inet gateway input udp dport 9 counter name r_1 drop
`
	r.replace(text)
	r.nft("table inet other { counter r_1 { packets 5 bytes 5 }; }", "-f", "-")
	r.sendUDP("127.0.0.1:9", 3, 100)
	want := map[string]Count{"r_1": {3, 384}, "r_2": {}}
	if got := r.counters(); !maps.Equal(got, want) {
		t.Errorf("counters = %v, want %v", got, want)
	}
	for name, want := range want {
		r.must(func() error {
			got, err := r.table.Counter(t.Context(), name)
			if got != want {
				t.Errorf("%s alone is %v, want %v", name, got, want)
			}
			return err
		})
	}
	r.must(func() error {
		if got, err := r.table.Counter(t.Context(), "none"); err == nil {
			t.Errorf("a counter that there is not has %v", got)
		}
		return nil
	})
	r.replace(text)
	if got := r.counters(); !maps.Equal(got, want) {
		t.Errorf("counters after a replacement = %v, want %v", got, want)
	}
}

// sendUDP sends packets of so many bytes, besides the 28 of their headers.
func (r *rig) sendUDP(to string, packets, size int) {
	r.t.Helper()
	r.must(func() error {
		c, err := net.Dial("udp", to)
		if err != nil {
			return err
		}
		defer c.Close()
		for range packets {
			if _, err := c.Write(make([]byte, size)); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestManyCounters(t *testing.T) {
	r := newRig(t)
	const many = 10_000
	r.replace(base + manyCounters(many))
	got := r.counters()
	if len(got) != many {
		t.Errorf("there are %d counters, want %d", len(got), many)
	}
	if _, ok := got["r_9999"]; !ok {
		t.Error("the last one is missing")
	}
}

func manyCounters(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "add counter inet gateway r_%d\n", i)
	}
	return b.String()
}
