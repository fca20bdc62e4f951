package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/tools/bar"
)

// offAndOn are how a service comes to be off, and on again.
var offAndOn = []string{"setting", "revert", "kill", "unconfirmed", "reboot"}

// cycle has one of the services off and on again. What is killed or loses its power does so while it switches off, or on.
func (s *switching) cycle(all []switched, d switched, way string, killedOn bool) {
	s.t.Helper()
	switch way {
	case "revert":
		s.reverts(false, d)
		return
	case "unconfirmed":
		s.forgets(false, func() {}, d)
		return
	}
	for _, on := range []bool{false, true} {
		switch {
		case way == "kill" && on == killedOn:
			s.dies(on, d)
		case way == "reboot" && on == killedOn:
			s.reboots(on, []switched{d})
			s.on(slices.DeleteFunc(slices.Clone(all), func(o switched) bool { return o.path == d.path }))
		default:
			s.switches(on, d)
		}
	}
}

// on notes which of those services is not on, whenever it came to be so.
func (s *switching) on(services []switched) {
	s.t.Helper()
	for _, d := range services {
		if got, agreed, _ := s.agree(d, true, 30*time.Second); !agreed {
			s.wrong = append(s.wrong, fmt.Sprintf("%s after the reboot of another one: %s", d.service, got))
		}
	}
}

// Whatever has a setting is switched off and on by it: unit, boot, port, packet filter and page agree. Tunnels have none; what
// theirs opens, the cold boots of area network show by a phone that gets through.
//
// shows FW-32
func TestBarCarry03OffAndOn(t *testing.T) {
	services := switchable(t)
	s := newSwitching(t)
	s.prepare()
	_, asked := s.set(s.caller, true, services...)
	s.agrees(true, "nothing", asked, services...)
	s.slowest = 0
	n := bar.GateSize(10, 100, 1000)
	for i := range n { // each way for one service after the other
		s.cycle(services, services[(i%len(offAndOn)+i/len(offAndOn))%len(services)], offAndOn[i%len(offAndOn)], i/len(offAndOn)%2 == 1)
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
