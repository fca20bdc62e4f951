package e2e

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"gateway/internal/component/daemons"
	"gateway/tools/bar"
)

// switched is a service that a setting switches off and on.
type switched struct {
	component, service, path, field, unit string
	protocol, port                        string // that clients ask, while it is on
}

// clientPorts are those that prepare has opened, by service.
var clientPorts = map[string][2]string{"ntp": {"udp", "123"}, "dns": {"udp", "53"}, "dhcp": {"udp", "67"}, "radius": {"udp", "1812"}, "forward-proxy": {"tcp", "3128"}}

// switchable are all services with a setting. The path is the table's name, as everywhere.
func switchable(t *testing.T) (all []switched) {
	t.Helper()
	for _, d := range daemons.New(daemons.Deps{}).All {
		for _, s := range d.Services {
			if s.Setting == "" {
				continue
			}
			port, known := clientPorts[s.Name]
			if !known {
				t.Fatalf("%s can be switched off, and nobody said here which port clients ask, nor opened it", s.Name)
			}
			all = append(all, switched{d.Name, s.Name, "/" + s.Name + "/settings", s.SettingColumn(), s.Unit, port[0], port[1]})
		}
	}
	return all
}

// switching does that on a node, in all ways there are.
type switching struct {
	*appliance
	caller      *caller
	cycles      map[string]int // by way
	kills, hits int            // of the applier, and those that ended a round
	slowest     time.Duration  // from the request until all agree
	booted      time.Duration  // from power on until all agree, at worst
	wrong       []string
}

// prepare has all of them serve clients.
func (s *switching) prepare() {
	s.t.Helper()
	s.opened(s.caller)
	clock := s.caller.settings("/ntp/settings")
	clock["serve_clients"], clock["listen_addresses"], clock["allow_acl"] = true, []string{}, []string{"10.0.0.0/8"}
	s.caller.put("/ntp/settings", clock).want(200)
	s.caller.post("/network-interfaces", object{"name": "eth0", "type": "ethernet", "role": "lan"}).want(201)
	network := netip.PrefixFrom(s.node.IP(), 24).Masked()
	base := strings.TrimSuffix(network.Addr().String(), "0")
	s.caller.post("/dhcp/subnets", object{"interface": "eth0", "subnet": network.String(), "pools": []string{base + "200-" + base + "210"}}).want(201)
	s.caller.post("/radius/clients", object{"name": "ap-1", "address": s.client.IP().String(), "secret": "correct-horse-battery"}).want(201)
	for _, path := range []string{"/dhcp/settings", "/radius/settings", "/forward-proxy/settings"} { // which are off by default
		settings := s.caller.settings(path)
		settings["enabled"] = true
		s.caller.put(path, settings).want(200)
	}
}

// set writes the setting, and answers the id of the change, and when that was asked for.
func (s *switching) set(c *caller, d switched, on bool) (change string, asked time.Time) {
	s.t.Helper()
	settings := c.settings(d.path)
	settings[d.field] = on
	asked = time.Now()
	return c.put(d.path, settings).want(200).header.Get("Gateway-Change"), asked
}

// state is what unit, next boot, port, packet filter and page say.
func (s *switching) state(d switched) string {
	units := s.trySh("systemctl is-active " + d.unit + "; systemctl is-enabled " + d.unit)
	listening, open := "closed", "shut"
	if strings.Contains(s.trySh("ss -Hln --"+d.protocol), ":"+d.port+" ") {
		listening = "listening"
	}
	if regexp.MustCompile(d.protocol + ` dport (\{[^}]*)?\b` + d.port + `\b`).MatchString(s.trySh("nft list table inet gateway")) {
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
			if one.Name == d.service {
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

const (
	allOff = "inactive disabled closed shut page: inactive, required false"
	allOn  = "active enabled listening open page: active, required true"
)

// agree waits until all of it says the same, and answers what it said last, and when.
func (s *switching) agree(d switched, on bool, limit time.Duration) (got string, agreed bool, when time.Time) {
	want := map[bool]string{true: allOn, false: allOff}[on]
	for end := time.Now().Add(limit); ; {
		if got = s.state(d); got == want || time.Now().After(end) {
			return got, got == want, time.Now()
		}
	}
}

// agrees notes whether, and how long after it was asked for, all of it says the same.
func (s *switching) agrees(d switched, on bool, after string, asked time.Time) {
	s.t.Helper()
	got, agreed, when := s.agree(d, on, 30*time.Second)
	took := when.Sub(asked)
	s.slowest = max(s.slowest, took)
	if took > 5*time.Second {
		s.t.Logf("%s after %s: %d ms", d.service, after, took.Milliseconds())
	}
	if !agreed {
		s.wrong = append(s.wrong, fmt.Sprintf("%s after %s, to be on: %t: %s", d.service, after, on, got))
	}
}

// ways are how a service comes to be off, and on again.
var ways = []string{"setting", "revert", "kill", "unconfirmed", "reboot"}

func (s *switching) cycle(d switched, way string) {
	s.t.Helper()
	s.cycles[way]++
	switch way {
	case "revert":
		s.reverted(d)
		return
	case "unconfirmed":
		s.unconfirmed(d)
		return
	case "kill":
		s.agrees(d, false, way, s.killed(d))
	case "reboot":
		s.rebooted(d)
	default:
		_, asked := s.set(s.caller, d, false)
		s.agrees(d, false, way, asked)
	}
	_, asked := s.set(s.caller, d, true)
	s.agrees(d, true, way, asked)
}

func (s *switching) reverted(d switched) {
	s.t.Helper()
	id, asked := s.set(s.caller, d, false)
	s.agrees(d, false, "revert", asked)
	asked = time.Now()
	s.caller.post("/changes/"+id+"/revert", nil).want(200)
	s.agrees(d, true, "revert", asked)
}

func (s *switching) unconfirmed(d switched) {
	s.t.Helper()
	c := s.caller.copy()
	c.header.Set("Gateway-Confirm-Within", fmt.Sprint(int(confirmWithin.Seconds())))
	_, asked := s.set(c, d, false)
	s.agrees(d, false, "unconfirmed", asked)
	over := asked.Add(confirmWithin) // at the earliest: the wait begins when the applier takes it
	time.Sleep(time.Until(over))
	s.agrees(d, true, "unconfirmed", over)
}

func (s *switching) rebooted(d switched) {
	s.t.Helper()
	s.set(s.caller, d, false)
	s.lab.Must(s.node.Kill()) // the plug is pulled
	began := time.Now()
	s.lab.Must(s.node.Boot())
	s.eventually(patience, "the API is back", func() bool { return len(s.caller.standings()) > 0 })
	s.agrees(d, false, "reboot", time.Now())
	s.booted = max(s.booted, time.Since(began))
}

// killed switches off while the applier dies in the round that does it, at one step after the
// other. Whether it came to that step is seen by the file that names it: it takes that away.
func (s *switching) killed(d switched) (asked time.Time) {
	s.t.Helper()
	s.settles(s.caller, patience) // no round but that of the change
	step := failpoints[s.kills%len(failpoints)]
	s.kills++
	settings := s.caller.settings(d.path)
	settings[d.field] = false
	s.sh("echo " + step + " >/run/gateway-apply/failpoint")
	asked = time.Now()
	s.caller.put(d.path, settings).want(200)
	missed := s.trySh(`n=0; while [ -e /run/gateway-apply/failpoint ] && [ $n -lt 300 ]; do sleep 0.01; n=$((n+1)); done
		if [ -e /run/gateway-apply/failpoint ]; then rm /run/gateway-apply/failpoint; echo missed; fi`)
	if missed == "" {
		s.hits++
	} else {
		s.t.Logf("switching %s off never came to %s", d.service, step)
	}
	s.trySh("systemctl reset-failed 'gateway-*'; systemctl start gateway-apply.service")
	return asked
}

// ignored is the control: of a setting that nobody applies, the same judge sees that it
// disagrees, and by more than the page, which has nobody to ask.
func (s *switching) ignored(d switched) bool {
	s.t.Helper()
	s.trySh("systemctl stop gateway-apply.socket gateway-apply.service")
	s.set(s.caller, d, false)
	got, agreed, _ := s.agree(d, false, 6*time.Second)
	s.trySh("systemctl start gateway-apply.socket gateway-apply.service")
	_, asked := s.set(s.caller, d, true)
	s.agrees(d, true, "the control", asked)
	return !agreed && strings.HasPrefix(got, "active enabled listening open ")
}

// Whatever has a setting is switched off and on by it: unit, boot, port, packet filter and page agree.
func TestBarCarry03OffAndOn(t *testing.T) {
	services := switchable(t)
	a, c := alone(t)
	a.withFailpoints()
	s := &switching{appliance: a, caller: c, cycles: map[string]int{}}
	a.settles(c, patience)
	s.prepare()
	for _, d := range services {
		s.agrees(d, true, "nothing", time.Now())
	}
	s.slowest = 0
	n := bar.GateSize(10, 100, 1000)
	for i := range n { // each way for one service after the other
		s.cycle(services[(i%len(ways)+i/len(ways))%len(services)], ways[i%len(ways)])
	}
	slowest := s.slowest
	control := s.ignored(services[len(services)-1])
	for _, w := range s.wrong {
		t.Error(w)
	}
	var names, each []string
	for _, d := range services {
		names = append(names, d.service)
	}
	for _, way := range ways {
		each = append(each, fmt.Sprintf("%s %d", way, s.cycles[way]))
	}
	figure := fmt.Sprintf("%d cycles of %s (%s; %d of %d kills ended a round): %d disagree, slowest %d ms after the request, after a boot %d ms from power on; control with nobody to apply it: %t",
		n, strings.Join(names, ", "), strings.Join(each, ", "), s.hits, s.kills, len(s.wrong), slowest.Milliseconds(), s.booted.Milliseconds(), control)
	bar.ReportTimed(t, "carry", 3, figure, "0 disagree, <=5000 ms, control disagrees",
		control && len(s.wrong) == 0 && s.cycles["reboot"] > 0 && 2*s.hits > s.kills, slowest.Milliseconds() <= 5000)
}
