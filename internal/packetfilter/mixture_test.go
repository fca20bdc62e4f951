package packetfilter

import (
	"sync/atomic"
	"testing"

	"gateway/lab/wiretest"
	"gateway/tools/bar"
)

// A packet that is under way while the table is replaced has begun with the old rules and may
// look into the new map of pairs. All tables here drop what is sent; only the rules of another
// pair, or the first one's last rule without those before it, would let it pass.
func TestAPacketUnderWayMeetsNoOtherPair(t *testing.T) {
	h := newHouse(t)
	zones := map[string][]string{"lan": {"if1"}, "dmz": {"if2"}, "wan": {"if0"}}
	drop := Rule{ID: "a1", Priority: 2, From: "lan", To: "dmz", Action: Drop}
	tables := []Text{
		Compile(&Policy{Zones: zones, Rules: []Rule{{ID: "a2", Priority: 1, From: "lan", To: "wan", Action: Accept}, drop, {ID: "a3", Priority: 3, From: Any, To: Any, Action: Accept}}}),
		Compile(&Policy{Zones: zones}),
		Compile(&Policy{Zones: zones, Rules: []Rule{drop}}),
	}
	h.mustLoad(t, tables[1])
	packet := wiretest.Packet{Source: houseAddress(1, 2, true), Target: houseAddress(2, 2, true), Protocol: wiretest.UDP, SourcePort: 1, Port: 9}.Bytes(nil)
	var end atomic.Bool
	flooded := make(chan int)
	go func() {
		n := 0
		for ; !end.Load(); n++ {
			if err := h.Write("if1", packet); err != nil {
				t.Error(err)
				break
			}
		}
		flooded <- n
	}()
	for i := range bar.Size(60, 3000) {
		h.mustLoad(t, tables[i%len(tables)])
	}
	end.Store(true)
	n := <-flooded
	passed := 0
	err := h.Drain(func(_ string, b []byte) {
		if b[0]>>4 == 4 {
			passed++
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if passed > 0 {
		t.Errorf("%d of %d packets passed", passed, n)
	}
	t.Logf("%d packets", n)
}
