package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/tools/bar"
)

// lanServices are those for the people on the LAN. They are off until somebody switches them on.
func lanServices(t *testing.T) []switched {
	t.Helper()
	all := slices.DeleteFunc(switchable(t), func(d switched) bool {
		return !slices.Contains([]string{"dhcp", "radius", "forward-proxy"}, d.service)
	})
	if len(all) != 3 {
		t.Fatalf("%d of the three services can be switched", len(all))
	}
	return all
}

// round switches all three at once, in each way that is none of a kill. They are off before it, and
// on after it. It reports whether the control disagreed.
func (s *switching) round(i int, all []switched) (control bool) {
	s.t.Helper()
	one, two, three := all[i%3], all[(i+1)%3], all[(i+2)%3]
	s.switches(true, all...)
	s.switches(false, all...)
	s.reverts(true, all...)
	s.switches(true, all...)
	s.forgets(false, all...)
	slowest := s.slowest
	control = s.ignored(one, 2*time.Second)
	s.slowest = slowest
	s.reboots(false, []switched{one, two}, three)
	s.switches(true, all...)
	return control
}

// kill ends a daemon, or the applier while it switches one service off, or on. Three in a row are
// of one kind, one for each service, and after nine of them all are on.
func (s *switching) kill(i int, all []switched) {
	s.t.Helper()
	d := all[i%3]
	switch i / 3 % 3 {
	case 0:
		s.ends(victims[(i/9+i)%len(victims)], d)
	case 1:
		s.dies(false, d)
	default:
		s.dies(true, d)
	}
}

// The services of the LAN are off until they are switched on, and then are what their settings say:
// unit, boot, port, packet filter and page, whatever happens to the applier, the daemon or the node.
func TestBarServices01OffAndOn(t *testing.T) {
	all := lanServices(t)
	s := newSwitching(t)
	s.agrees(false, "installation", time.Now(), all...)
	byDefault := len(s.wrong) == 0
	s.prepare()
	s.slowest = 0
	n := bar.GateSize(6, 50, 500)
	rounds, controls := max(1, n/50), 0
	for i := range rounds {
		if i > 0 {
			s.switches(false, all...)
		}
		if s.round(i, all) {
			controls++
		}
		for k := i * n / rounds; k < (i+1)*n/rounds; k++ {
			s.kill(k, all)
		}
		s.switches(true, all...)
	}
	for _, w := range s.wrong {
		t.Error(w)
	}
	var names []string
	for _, d := range all {
		names = append(names, d.service)
	}
	figure := fmt.Sprintf("%s, off by default %t, each by %s; %d kills of a daemon, %d of the applier, of which %d ended a round: %d disagree, slowest %d ms, after a boot %d ms from power on; control with nobody to apply it: %d of %d",
		strings.Join(names, ", "), byDefault, s.each(), s.ended, s.kills, s.hits, len(s.wrong), s.slowest.Milliseconds(), s.booted.Milliseconds(), controls, rounds)
	bar.ReportTimed(t, "services", 1, figure, "0 disagree, off by default, settled <=5000 ms, control all",
		byDefault && len(s.wrong) == 0 && controls == rounds && s.ended+s.kills == n && 2*s.hits > s.kills, s.slowest.Milliseconds() <= 5000)
}
