package netfilter

import (
	"fmt"
	"testing"

	"gateway/internal/packetfilter"
	"gateway/tools/bar"
)

func TestBarFirewall02ReplaceUnderFlood(t *testing.T) {
	bar.NotShort(t)
	f := newFlood(t)
	variants := []packetfilter.Text{
		packetfilter.Compile(floodPolicy(0, 200)), packetfilter.Compile(floodPolicy(1, 200)),
	}
	f.replace(string(variants[0].Rules), string(variants[0].Elements))
	f.oneRoundIsRight()
	replaces := bar.GateSize(150, 400, 10_000)
	stop := f.pour()
	for i := range replaces {
		v := variants[(i+1)%2]
		f.replace(string(v.Rules), string(v.Elements))
	}
	stop()
	got := f.outcome()
	control := f.deleteAndAddAgain(variants[0], 20)
	figure := fmt.Sprintf("%d replaces: %d of %d forbidden through, %d of %d allowed lost (control: %d through, %d lost in 20)",
		replaces, got.through, got.forbidden, got.lost, got.allowed, control.through, control.lost)
	ok := got.through == 0 && got.lost == 0 && got.forbidden > 0 && got.allowed > 0 && control.through+control.lost > 0
	bar.Report(t, "firewall", 2, figure, "0 forbidden through, 0 allowed lost; the control leaks", ok)
}

// oneRoundIsRight makes sure that the flood can tell both kinds apart.
func (f *flood) oneRoundIsRight() {
	f.t.Helper()
	for _, name := range clients() {
		f.round(name)
	}
	if got, want := f.outcome(), (outcome{allowed: 6, forbidden: 6}); got != want {
		f.t.Fatalf("a calm round gives %+v, want %+v", got, want)
	}
}

// deleteAndAddAgain is what others do: two commands, and a moment in between.
func (f *flood) deleteAndAddAgain(text packetfilter.Text, times int) outcome {
	f.t.Helper()
	stop := f.pour()
	for range times {
		f.nft("", "delete", "table", "inet", "gateway")
		f.replace(string(text.Rules), string(text.Elements))
	}
	stop()
	return f.outcome()
}
