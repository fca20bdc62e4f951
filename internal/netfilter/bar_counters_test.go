package netfilter

import (
	"fmt"
	"testing"

	"gateway/internal/packetfilter"
	"gateway/tools/bar"
)

func TestBarFirewall05Counters(t *testing.T) {
	bar.NotShort(t)
	f := newFlood(t)
	variants := []packetfilter.Text{
		packetfilter.Compile(floodPolicy(0, 200)), packetfilter.Compile(floodPolicy(1, 200)),
	}
	f.replace(string(variants[0].Rules), string(variants[0].Elements))
	before := f.counters()
	applies := bar.GateSize(60, 200, 200)
	backwards := 0
	stop := f.pour()
	for i, last := 0, before; i < applies; i++ {
		v := variants[(i+1)%2]
		f.replace(string(v.Rules), string(v.Elements))
		now := f.counters()
		backwards += wentBack(last, now)
		last = now
	}
	stop()
	sent := f.sent.Load()
	after := f.counters()
	allowed := after["r_a1"].Packets - before["r_a1"].Packets
	input := after["drop_input"].Packets - before["drop_input"].Packets
	forward := after["drop_forward"].Packets - before["drop_forward"].Packets
	// The control: a table that is deleted and made anew forgets, and that is noticed.
	f.replace("delete table inet gateway\n"+string(variants[0].Rules), string(variants[0].Elements))
	control := wentBack(after, f.counters())
	figure := fmt.Sprintf("%d applies: %d counters of %d went back; counted %d of %d let through, %d of %d and %d of %d dropped; control: deleted and made anew %d go back",
		applies, backwards, len(after), allowed, sent, input, sent, forward, 2*sent, control)
	ok := backwards == 0 && control > 0 && allowed == sent && input == sent && forward == 2*sent && len(after) == len(before) && sent > 0
	bar.Report(t, "firewall", 5, figure, "every counter monotone, nothing lost; the control is noticed", ok)
}

// wentBack is how many counters are missing now or have less than before.
func wentBack(before, now map[string]Count) int {
	n := 0
	for name, was := range before {
		if is, ok := now[name]; !ok || is.Packets < was.Packets || is.Bytes < was.Bytes {
			n++
		}
	}
	return n
}
