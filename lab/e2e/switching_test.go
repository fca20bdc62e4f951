package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/component/daemons"
)

// switched is a service that a setting switches off and on, with the others that the same setting switches.
type switched struct {
	component, service, path, field, unit string
	ports                                 // while it is on
	also                                  []switched
}

// ports are those of a daemon: that clients ask, and that it has for this node alone.
type ports struct {
	protocol     string // "none" where it listens nowhere
	asked, inner []string
}

// switchedIn is what the samples of a component say of its services, by name; package app has all of them.
func switchedIn(t *testing.T, component string) map[string]switched {
	t.Helper()
	text, err := os.ReadFile("../../internal/component/" + component + "/testdata/samples.json")
	if err != nil {
		t.Fatal(err)
	}
	var samples struct {
		Switched map[string]struct {
			Path, Protocol string
			Ports, Inner   []string
		}
	}
	if err := json.Unmarshal(text, &samples); err != nil {
		t.Fatal(err)
	}
	all := map[string]switched{}
	for name, s := range samples.Switched {
		all[name] = switched{component: component, service: name, path: s.Path, ports: ports{s.Protocol, s.Ports, s.Inner}}
	}
	return all
}

// switchable are all services with a setting.
func switchable(t *testing.T) (all []switched) {
	t.Helper()
	for _, d := range daemons.New(daemons.Deps{}).All {
		for _, s := range d.Services {
			if s.Setting == "" {
				continue
			}
			one, known := switchedIn(t, d.Name)[s.Name]
			if !known {
				t.Fatalf(`%s can be switched off, and "switched" in the samples of %s does not say where, and which ports clients ask`, s.Name, d.Name)
			}
			one.field, one.unit = s.SettingColumn(), s.Unit
			all = append(all, one)
		}
	}
	return bySetting(all)
}

// bySetting puts those together that one setting switches.
func bySetting(services []switched) (all []switched) {
	for _, s := range services {
		i := slices.IndexFunc(all, func(o switched) bool { return o.path == s.path && o.field == s.field })
		if i < 0 {
			all = append(all, s)
		} else {
			all[i].also = append(all[i].also, s)
		}
	}
	return all
}

func TestServicesAreSwitchedBySetting(t *testing.T) {
	named := func(name, path, field string) switched { return switched{service: name, path: path, field: field} }
	var got []string
	for _, s := range bySetting([]switched{
		named("quote", "/quote/settings", "enabled"), named("ntp", "/ntp/settings", "enabled"),
		named("quote-udp", "/quote/settings", "enabled"), named("quote-tls", "/quote/settings", "tls"),
	}) {
		name := s.service
		for _, other := range s.also {
			name += " with " + other.service
		}
		got = append(got, name)
	}
	if want := []string{"quote with quote-udp", "ntp", "quote-tls"}; !slices.Equal(got, want) {
		t.Errorf("they are switched as %q, want %q", got, want)
	}
	if all := switchable(t); len(all) < 6 {
		t.Errorf("only %d services can be switched", len(all))
	}
}

// switching does that on a node, in all ways there are.
type switching struct {
	*appliance
	caller      *caller
	ways        map[string]int // how often something was done by each way
	kills, hits int            // of the applier, and those that ended a round
	ended       int            // kills of a daemon
	slowest     time.Duration  // from the request until all agree
	booted      time.Duration  // from power on until all agree, at worst
	wrong       []string
}

// newSwitching is a node at rest whose applier dies where it is told to.
func newSwitching(t *testing.T) *switching {
	t.Helper()
	a, c := alone(t)
	a.withFailpoints()
	s := &switching{appliance: a, caller: c, ways: map[string]int{}}
	a.settles(c, patience)
	return s
}

// prepare gives all of them somebody to serve, once they are on.
func (s *switching) prepare() {
	s.t.Helper()
	s.opened(s.caller)
	clock := s.caller.settings("/ntp/settings")
	clock["serve_clients"], clock["listen_addresses"], clock["allow_acl"] = true, []string{}, []string{"10.0.0.0/8"}
	s.caller.put("/ntp/settings", clock).want(200)
	s.prepareLAN()
	s.takeLogs()
}

// takeLogs has somebody take log entries, once they are sent.
func (s *switching) takeLogs() {
	s.t.Helper()
	r, certificate := s.receiver("logs.example.com")
	s.caller.setLogs(r.settings(object{"remote_ca": certificate, "remote_enabled": false}))
}

// prepareLAN is prepare for those that are off by default.
func (s *switching) prepareLAN() {
	s.t.Helper()
	s.caller.post("/network-interfaces", object{"name": "eth0", "type": "ethernet", "role": "lan"}).want(201)
	network := netip.PrefixFrom(s.node.IP(), 24).Masked()
	base := strings.TrimSuffix(network.Addr().String(), "0")
	s.caller.post("/dhcp/subnets", object{"interface": "eth0", "subnet": network.String(), "pools": []string{base + "200-" + base + "210"}}).want(201)
	s.caller.post("/radius/clients", object{"name": "ap-1", "address": s.client.IP().String(), "secret": "correct-horse-battery"}).want(201)
}

// set writes the settings as one change, and answers its id, and when that was asked for.
func (s *switching) set(c *caller, on bool, services ...switched) (change string, asked time.Time) {
	s.t.Helper()
	var operations []object
	for _, d := range services {
		settings := c.settings(d.path)
		settings[d.field] = on
		operations = append(operations, object{"method": "PUT", "path": d.path, "body": settings})
	}
	asked = time.Now()
	if len(operations) == 1 {
		return c.put(services[0].path, operations[0]["body"]).want(200).header.Get("Gateway-Change"), asked
	}
	return c.post("/batch", object{"operations": operations}).want(200).header.Get("Gateway-Change"), asked
}

// state is what unit, next boot, port, packet filter and page say, of all that the setting switches.
func (s *switching) state(d switched) string {
	first := s.stateOf(d)
	for _, other := range d.also {
		if now := s.stateOf(other); now != first {
			return first + ", but " + other.service + ": " + now
		}
	}
	return first
}

func (s *switching) stateOf(d switched) string {
	const line = "----\n"
	sockets := "ss -Hln --" + d.protocol
	if d.protocol == "none" {
		sockets = "true"
	}
	out := strings.Split(s.trySh(fmt.Sprintf("systemctl is-active %s; systemctl is-enabled %s; echo ----; %s; echo ----; nft list table inet gateway",
		d.unit, d.unit, sockets)), line)
	if len(out) != 3 {
		return "the node does not answer"
	}
	listening := howMany(slices.Concat(d.asked, d.inner), func(port string) bool { return strings.Contains(out[1], ":"+port+" ") }, "closed", "listening")
	open := howMany(d.asked, func(port string) bool {
		return regexp.MustCompile(d.protocol + ` dport (\{[^}]*)?\b` + port + `\b`).MatchString(out[2])
	}, "shut", "open")
	return strings.Join(append(strings.Fields(out[0]), listening, open, s.page(d)), " ")
}

// howMany is a word for none of the ports, one for all, or which they are.
func howMany(all []string, is func(string) bool, none, every string) string {
	var some []string
	for _, port := range all {
		if is(port) {
			some = append(some, port)
		}
	}
	switch len(some) {
	case 0:
		return none
	case len(all):
		return every
	}
	return every + " " + strings.Join(some, ",")
}

// denies are problems that a service has which is not as its setting wants it. Others, such as that
// no time server answers in a lab, are none of this.
var denies = regexp.MustCompile(`\.(service_failed|service_stopped|not_answering|not_running|not_listening|sockets_retrying|not_applied|applying)$`)

// page is what the API says of it: the list of services, the state of the component, and what is
// derived from both.
func (s *switching) page(d switched) string {
	var all struct {
		Services []struct {
			Name        string
			ActiveState string `json:"active_state"`
			Required    bool
		}
	}
	var states struct {
		Known  bool
		States map[string]struct{ State string }
	}
	var x told
	for path, into := range map[string]any{"/system/services": &all, "/problems/states/service": &states, "/problems": &x} {
		if r, err := s.caller.try("GET", path, nil); err != nil || r.status != 200 || !r.decode(into) {
			return "page: ?"
		}
	}
	page := "page: ?"
	if !states.Known {
		return page
	}
	for _, one := range all.Services {
		if one.Name == d.service {
			page = fmt.Sprintf("page: %s, required %t, state %q", one.ActiveState, one.Required, states.States[d.service].State)
		}
	}
	if standing := s.caller.standings()[d.component]; !standing.settled() {
		page += ", " + standing.Stage
	}
	for _, p := range x.Problems {
		if about := p.Subject.Kind == "service" && p.Subject.ID == d.service || strings.HasPrefix(p.Code, d.component+"."); about && denies.MatchString(p.Code) {
			page += ", " + p.Code
		}
	}
	return page
}

func (s *switching) trySh(line string) string {
	out, _ := s.node.Run(s.t.Context(), "sh", "-c", line) // systemctl answers "inactive" with an error
	return out
}

// wants is what all of it says when it agrees.
func (d switched) wants(on bool) string {
	if !on {
		return `inactive disabled closed shut page: inactive, required false, state "off"`
	}
	return d.up() + ` page: active, required true, state ""`
}

// up is what the node itself says of a service that is on.
func (d switched) up() string {
	if d.protocol == "none" {
		return "active enabled closed shut"
	}
	return "active enabled listening open"
}

// agree waits until all of it says the same, and answers what it said last, and when.
func (s *switching) agree(d switched, on bool, limit time.Duration) (got string, agreed bool, when time.Time) {
	want := d.wants(on)
	for end := time.Now().Add(limit); ; {
		if got = s.state(d); got == want || time.Now().After(end) {
			return got, got == want, time.Now()
		}
	}
}

// agrees notes whether, and how long after it was asked for, all of it says the same of each.
func (s *switching) agrees(on bool, after string, asked time.Time, services ...switched) {
	s.t.Helper()
	for _, d := range services {
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
}

// switches has services come to be on, or off, by their settings.
func (s *switching) switches(on bool, services ...switched) {
	s.t.Helper()
	s.ways["setting"]++
	_, asked := s.set(s.caller, on, services...)
	s.agrees(on, "setting", asked, services...)
}

// reverts has a change of the settings taken back.
func (s *switching) reverts(on bool, services ...switched) {
	s.t.Helper()
	s.ways["revert"]++
	id, asked := s.set(s.caller, on, services...)
	s.agrees(on, "revert", asked, services...)
	asked = time.Now()
	s.caller.post("/changes/"+id+"/revert", nil).want(200)
	s.agrees(!on, "revert", asked, services...)
}

// forgets has nobody confirm a change of the settings. Meanwhile is for what concerns other services.
func (s *switching) forgets(on bool, meanwhile func(), services ...switched) {
	s.t.Helper()
	s.ways["unconfirmed"]++
	c := s.caller.copy()
	c.header.Set("Gateway-Confirm-Within", fmt.Sprint(int(confirmWithin.Seconds())))
	_, asked := s.set(c, on, services...)
	s.agrees(on, "unconfirmed", asked, services...)
	over := asked.Add(confirmWithin) // at the earliest: the wait begins when the applier takes it
	meanwhile()
	if late := time.Now(); late.After(over) {
		over = late
	}
	time.Sleep(time.Until(over))
	s.agrees(!on, "unconfirmed", over, services...)
}

// reboots pulls the plug right after a change of the settings; others are as before that, and
// otherwise.
func (s *switching) reboots(on bool, services []switched, others ...switched) {
	s.t.Helper()
	s.ways["reboot"]++
	s.set(s.caller, on, services...)
	s.lab.Must(s.node.Kill())
	began := time.Now()
	s.lab.Must(s.node.Boot())
	s.eventually(patience, "the API is back", func() bool { return len(s.caller.standings()) > 0 })
	back := time.Now()
	s.agrees(on, "reboot", back, services...)
	s.agrees(!on, "reboot", back, others...)
	s.booted = max(s.booted, time.Since(began))
}

// dies switches while the applier dies in the round that does it, at one step after the
// other. Whether it came to that step is seen by the file that names it: it takes that away.
func (s *switching) dies(on bool, d switched) {
	s.t.Helper()
	s.settles(s.caller, patience)                 // no round but that of the change
	step := failpoints[4*s.kills%len(failpoints)] // so that few of them meet beginning, middle and end
	s.kills++
	s.ways["kill"]++
	s.sh("echo " + step + " >/run/gateway-apply/failpoint")
	_, asked := s.set(s.caller, on, d)
	missed := s.trySh(`n=0; while [ -e /run/gateway-apply/failpoint ] && [ $n -lt 300 ]; do sleep 0.01; n=$((n+1)); done
		if [ -e /run/gateway-apply/failpoint ]; then rm /run/gateway-apply/failpoint; echo missed; fi`)
	if missed == "" {
		s.hits++
	} else {
		s.t.Logf("switching %s to %t never came to %s", d.service, on, step)
	}
	s.trySh("systemctl reset-failed 'gateway-*'; systemctl start gateway-apply.service")
	s.agrees(on, "kill at "+step, asked, d)
}

// victims are which of a daemon's processes are killed: the first, all, or the last, which is
// another one where the first only starts and watches those that work.
var victims = []string{"first", "all", "last"}

// ends kills the daemons of services that are on, which nobody asked to be off.
func (s *switching) ends(victim string, services ...switched) {
	s.t.Helper()
	processes := map[string]string{}
	for _, d := range services {
		all := strings.Fields(s.sh("p=" + s.mainPID(d.unit) + "; echo $p; pgrep -P $p || true"))
		switch victim {
		case "first":
			all = all[:1]
		case "last":
			all = all[len(all)-1:]
		}
		processes[d.service] = strings.Join(all, " ")
	}
	began := time.Now()
	for _, d := range services {
		s.ended++
		s.sh("p='" + processes[d.service] + "'; kill -KILL $p || true; for q in $p; do while kill -0 $q 2>/dev/null; do sleep 0.01; done; done")
	}
	s.agrees(true, "the end of its daemon ("+victim+")", began, services...)
}

// ignored is the control: of a setting that nobody applies, the same judge sees that it
// disagrees, and by more than the page, which has nobody to ask. What was set holds once there is
// somebody again.
func (s *switching) ignored(d switched, limit time.Duration) bool {
	s.t.Helper()
	s.trySh("systemctl stop gateway-apply.socket gateway-apply.service")
	s.set(s.caller, false, d)
	got, agreed, _ := s.agree(d, false, limit)
	began := time.Now()
	s.trySh("systemctl start gateway-apply.socket gateway-apply.service")
	s.agrees(false, "the control", began, d)
	return !agreed && strings.HasPrefix(got, d.up()+" ")
}

// each is how often what was done, by way.
func (s *switching) each() string {
	var out []string
	for _, way := range slices.Sorted(maps.Keys(s.ways)) {
		out = append(out, fmt.Sprintf("%s %d", way, s.ways[way]))
	}
	return strings.Join(out, ", ")
}
