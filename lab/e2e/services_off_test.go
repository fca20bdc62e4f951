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

// round has the services take turns: all are off before it, and on after it. It reports whether the
// control disagreed.
func (s *switching) round(i int, all []switched) (control bool) {
	s.t.Helper()
	one, two, three := all[i%3], all[(i+1)%3], all[(i+2)%3]
	s.reverts(true, all...)
	s.switches(true, all...)
	s.forgets(false, func() { s.ends(victims[i%len(victims)], two, three) }, one)
	slowest := s.slowest
	control = s.ignored(two, time.Second) // which is off then, by its setting
	s.slowest = slowest
	s.reboots(false, []switched{two, three}, one)
	s.dies(true, two)
	s.dies(true, three)
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
// unit, boot, ports, packet filter and page, whatever happens to the applier, the daemon or the node.
func TestBarServices01OffAndOn(t *testing.T) {
	all := lanServices(t)
	s := newSwitching(t)
	s.agrees(false, "installation", time.Now(), all...)
	byDefault := len(s.wrong) == 0
	s.prepareLAN()
	s.slowest = 0
	n, rounds := bar.GateSize(4, 50, 500), bar.GateSize(1, 3, 9)
	controls := 0
	for i, k := 0, 0; i < rounds; i++ {
		if i > 0 {
			s.switches(true, all...)
			s.switches(false, all...)
		}
		if s.round(i, all) {
			controls++
		}
		for ; s.ended+s.kills < n*(i+1)/rounds; k++ {
			s.kill(k, all)
		}
	}
	for _, w := range s.wrong {
		t.Error(w)
	}
	var names []string
	for _, d := range all {
		names = append(names, d.service)
	}
	figure := fmt.Sprintf("%s, off by default %t, by %s; %d kills of a daemon, %d of the applier, of which %d ended a round: %d disagree, slowest %d ms, after a boot %d ms from power on; control with nobody to apply it: %d of %d",
		strings.Join(names, ", "), byDefault, s.each(), s.ended, s.kills, s.hits, len(s.wrong), s.slowest.Milliseconds(), s.booted.Milliseconds(), controls, rounds)
	bar.ReportTimed(t, "services", 1, figure, "0 disagree, off by default, settled <=5000 ms, control all",
		byDefault && len(s.wrong) == 0 && controls == rounds && s.ended+s.kills >= n && 2*s.hits > s.kills, s.slowest.Milliseconds() <= 5000)
}
