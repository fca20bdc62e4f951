package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gateway/tools/bar"
)

// offAndOn are how a service comes to be off, and on again.
var offAndOn = []string{"setting", "revert", "kill", "unconfirmed", "reboot"}

func (s *switching) cycle(d switched, way string) {
	s.t.Helper()
	switch way {
	case "revert":
		s.reverts(false, d)
		return
	case "unconfirmed":
		s.forgets(false, func() {}, d)
		return
	case "kill":
		s.dies(false, d)
	case "reboot":
		s.reboots(false, []switched{d})
	default:
		s.switches(false, d)
	}
	s.switches(true, d)
}

// Whatever has a setting is switched off and on by it: unit, boot, port, packet filter and page agree.
func TestBarCarry03OffAndOn(t *testing.T) {
	services := switchable(t)
	s := newSwitching(t)
	s.prepare()
	_, asked := s.set(s.caller, true, services...)
	s.agrees(true, "nothing", asked, services...)
	s.slowest = 0
	n := bar.GateSize(10, 100, 1000)
	for i := range n { // each way for one service after the other
		s.cycle(services[(i%len(offAndOn)+i/len(offAndOn))%len(services)], offAndOn[i%len(offAndOn)])
	}
	slowest := s.slowest
	control := s.ignored(services[len(services)-1], 6*time.Second)
	for _, w := range s.wrong {
		t.Error(w)
	}
	var names []string
	for _, d := range services {
		names = append(names, d.service)
	}
	figure := fmt.Sprintf("%d cycles of %s (%s; %d of %d kills ended a round): %d disagree, slowest %d ms after the request, after a boot %d ms from power on; control with nobody to apply it: %t",
		n, strings.Join(names, ", "), s.each(), s.hits, s.kills, len(s.wrong), slowest.Milliseconds(), s.booted.Milliseconds(), control)
	bar.ReportTimed(t, "carry", 3, figure, "0 disagree, <=5000 ms, control disagrees",
		control && len(s.wrong) == 0 && s.ways["reboot"] > 0 && 2*s.hits > s.kills, slowest.Milliseconds() <= 5000)
}
