package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gateway/tools/bar"
)

// switched is a daemon that its settings switch off and on.
type switched struct {
	component, path, unit, port string
}

var switchable = []switched{
	{"ntp", "/ntp/settings", "chrony.service", "123"},
	{"dns", "/dns/settings", "unbound.service", "53"},
}

// switching does that on a node, in all ways there are.
type switching struct {
	*appliance
	caller  *caller
	cycles  int
	reboots int
	slowest time.Duration
	wrong   []string
}

// set writes the setting, and answers the id of the change.
func (s *switching) set(c *caller, d switched, on bool) string {
	s.t.Helper()
	settings := c.settings(d.path)
	settings["enabled"] = on
	return c.put(d.path, settings).want(200).header.Get("Gateway-Change")
}

// state is what unit, next boot, port, packet filter and page say.
func (s *switching) state(d switched) string {
	units := s.trySh("systemctl is-active " + d.unit + "; systemctl is-enabled " + d.unit)
	listening, open := "closed", "shut"
	if strings.Contains(s.trySh("ss -Hlun"), ":"+d.port+" ") {
		listening = "listening"
	}
	if strings.Contains(s.trySh("nft list table inet gateway"), "udp dport "+d.port+" ") {
		open = "open"
	}
	page := "page: ?"
	r, err := s.caller.try("GET", "/system/services", nil)
	var all struct {
		Services []struct {
			Name        string
			ActiveState string `json:"active_state"`
			Required    bool
		}
	}
	if err == nil && r.status == 200 && r.decode(&all) {
		for _, one := range all.Services {
			if one.Name == d.component {
				page = fmt.Sprintf("page: %s, required %t", one.ActiveState, one.Required)
			}
		}
	}
	if standing := s.caller.standings()[d.component]; !standing.settled() {
		page += ", " + standing.Stage
	}
	return strings.Join(append(strings.Fields(units), listening, open, page), " ")
}

func (s *switching) trySh(line string) string {
	out, _ := s.node.Run(s.t.Context(), "sh", "-c", line) // systemctl answers "inactive" with an error
	return out
}

// agrees waits until all of it says the same.
func (s *switching) agrees(d switched, on bool, after string) {
	s.t.Helper()
	want := "inactive disabled closed shut page: inactive, required false"
	if on {
		want = "active enabled listening open page: active, required true"
	}
	began, got := time.Now(), ""
	for got != want && time.Since(began) < 30*time.Second {
		got = s.state(d)
	}
	s.slowest = max(s.slowest, time.Since(began))
	if got != want {
		s.wrong = append(s.wrong, fmt.Sprintf("%s after %s: %s, want %s", d.component, after, got, want))
	}
}

func (s *switching) cycle(d switched, way string) {
	s.t.Helper()
	s.cycles++
	switch way {
	case "revert":
		id := s.set(s.caller, d, false)
		s.agrees(d, false, way)
		s.caller.post("/changes/"+id+"/revert", nil).want(200)
	case "unconfirmed":
		c := s.caller.copy()
		c.header.Set("Gateway-Confirm-Within", "10")
		s.set(c, d, false)
		s.agrees(d, false, way)
		time.Sleep(10 * time.Second)
		s.eventually(patience, "the change is undone", func() bool { return s.caller.settings(d.path)["enabled"] == true })
	case "kill":
		s.trySh("(sleep 0.02; systemctl kill -s KILL gateway-apply.service) >/dev/null 2>&1 &")
		s.set(s.caller, d, false)
		s.trySh("systemctl reset-failed 'gateway-*'; systemctl start gateway-apply.service")
		s.agrees(d, false, way)
		s.set(s.caller, d, true)
	case "reboot":
		s.set(s.caller, d, false)
		s.lab.Must(s.node.Kill()) // the plug is pulled
		s.lab.Must(s.node.Boot())
		s.reboots++
		s.eventually(patience, "the API is back", func() bool { return len(s.caller.standings()) > 0 })
		s.agrees(d, false, way)
		s.set(s.caller, d, true)
	default:
		s.set(s.caller, d, false)
		s.agrees(d, false, way)
		s.set(s.caller, d, true)
	}
	s.agrees(d, true, way)
}

// ignored is the control: a setting that nobody applies is seen to disagree.
func (s *switching) ignored(d switched) bool {
	s.t.Helper()
	s.trySh("systemctl stop gateway-apply.socket gateway-apply.service")
	s.set(s.caller, d, false)
	unit := strings.Fields(s.state(d))
	s.trySh("systemctl start gateway-apply.socket gateway-apply.service")
	s.set(s.caller, d, true)
	return len(unit) > 1 && unit[0] == "active" && unit[1] == "enabled"
}

// NTP and DNS are switched off and on by their settings: unit, boot, port, packet filter and page agree.
func TestBarCarry03OffAndOn(t *testing.T) {
	a, c := alone(t)
	s := &switching{appliance: a, caller: c}
	a.opened(c)
	clock := c.settings("/ntp/settings")
	clock["serve_clients"], clock["listen_addresses"], clock["allow_acl"] = true, []string{}, []string{"10.0.0.0/8"}
	c.put("/ntp/settings", clock).want(200)
	for _, d := range switchable {
		s.agrees(d, true, "nothing")
	}
	s.slowest = 0
	n := bar.GateSize(10, 100, 1000)
	ways := []string{"setting", "revert", "kill", "unconfirmed", "reboot"}
	for i := range n {
		way := "setting"
		if i < 2*len(ways) {
			way = ways[i/2]
		} else if i%10 < 3 {
			way = ways[i%3]
		}
		s.cycle(switchable[i%2], way)
	}
	for _, w := range s.wrong {
		t.Error(w)
	}
	control := s.ignored(switchable[1])
	figure := fmt.Sprintf("%d cycles of NTP and DNS (settings, reverts, kills, unconfirmed ones, %d reboots): %d disagree, slowest %d ms; control with nobody to apply it: %t",
		s.cycles, s.reboots, len(s.wrong), s.slowest.Milliseconds(), control)
	bar.ReportTimed(t, "carry", 3, figure, "0 disagree, <=5000 ms, control disagrees", control && len(s.wrong) == 0 && s.cycles == n && s.reboots > 0, s.slowest.Milliseconds() <= 5000)
}
