package daemons_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"gateway/internal/component/daemons"
	"gateway/internal/daemon"
)

func TestEveryNameInAfterIsADaemonBeforeWhichItselfDoesNotCome(t *testing.T) {
	after := map[string][]string{}
	for _, d := range daemons.New(daemons.Deps{}).All {
		if _, twice := after[d.Name]; twice {
			t.Errorf("%s is there twice", d.Name)
		}
		after[d.Name] = d.After
	}
	var reaches func(from, to string, steps int) bool
	reaches = func(from, to string, steps int) bool {
		return steps < len(after) && slices.ContainsFunc(after[from], func(next string) bool { return next == to || reaches(next, to, steps+1) })
	}
	for name, others := range after {
		for _, other := range others {
			if _, there := after[other]; !there {
				t.Errorf("%s comes after %s, which is no daemon", name, other)
			}
		}
		if reaches(name, name, 0) {
			t.Errorf("%s comes after itself: each would wait for the other", name)
		}
	}
}

// Who needs what to be there first. One that goes from here, or joins, is a decision.
func TestTheOrderOfTheDaemons(t *testing.T) {
	want := map[string][]string{
		"tunnel": {"network"}, "uplink": {"network"}, "dhcp": {"network"}, "radius": {"network"}, "forwardproxy": {"network"},
		"proxy":    {"cert"},
		"firewall": {"dhcp", "dns", "forwardproxy", "network", "ntp", "proxy", "radius", "tunnel"}, // whoever needs openings
	}
	for _, d := range daemons.New(daemons.Deps{}).All {
		if got := slices.Sorted(slices.Values(d.After)); !slices.Equal(got, want[d.Name]) {
			t.Errorf("%s comes after %q, want %q", d.Name, got, want[d.Name])
		}
	}
}

// A name with a slip of the pen would have a verb wait among those that read.
func TestWhatWaitsOrIsUrgentIsAVerb(t *testing.T) {
	for _, d := range daemons.New(daemons.Deps{}).All {
		for _, name := range slices.Concat(d.Waits, d.Urgent) {
			if d.Verbs[name] == nil {
				t.Errorf("%s has no verb %q", d.Name, name)
			}
			if slices.Contains(d.Waits, name) && slices.Contains(d.Urgent, name) {
				t.Errorf("%s: %q waits and is urgent", d.Name, name)
			}
		}
	}
}

// What holds for all is tested in the folder of each.
func TestEveryDaemonIsHeldToTheContract(t *testing.T) {
	for _, d := range daemons.New(daemons.Deps{}).All {
		held := false
		err := fs.WalkDir(os.DirFS("../"+d.Name), ".", func(path string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, "_test.go") {
				text, readErr := os.ReadFile("../" + d.Name + "/" + path)
				held, err = held || strings.Contains(string(text), "componenttest.Contract("), readErr
			}
			return err
		})
		if err != nil || !held {
			t.Errorf("no test below component/%s calls componenttest.Contract: %v", d.Name, err)
		}
	}
}

// does is what may be done to a unit, as one line.
func does(s daemon.Service) string {
	out := s.Unit
	for _, word := range []struct {
		so   bool
		word string
	}{{s.Restart, " restart"}, {s.Toggle, " toggle"}, {s.Gentle, " gently"}} {
		if word.so {
			out += word.word
		}
	}
	return out
}

// The applier acts on these units as root: a change here is a decision. A daemon whose service is not named here may have
// nothing done to it beside its configuration.
func TestWhatMayBeDoneToWhichUnit(t *testing.T) {
	want := map[string]string{
		"api": "gateway-api.service", "scheduler": "gateway-scheduler.service restart", "apply": "gateway-apply.service",
		"database": "postgresql@17-main.service", "reverse-proxy": "haproxy.service restart gently", "ntp": "chrony.service restart",
		"dns": "unbound.service restart", "forward-proxy": "squid.service restart", "dhcp": "kea-dhcp4-server.service",
		"radius": "freeradius.service", "waf": "gateway-waf.service toggle", "ids": "crowdsec.service toggle",
		"ids-bouncer": "crowdsec-firewall-bouncer.service toggle", "virtual-ip": "keepalived.service",
	}
	managed := map[string]bool{}
	for _, d := range daemons.New(daemons.Deps{}).All {
		for _, s := range d.Services {
			managed[s.Name] = true
			if s.Unit != "" && (!slices.Contains(d.Units, s.Unit) || !ships(d.Name, s.Unit)) {
				t.Errorf("%s is a service of %s, whose daemon has the units %v: it is not among them, or packaging/daemons/%s neither has it nor a drop-in of it", s.Unit, d.Name, d.Units, d.Name)
			}
		}
	}
	seen := map[string]bool{}
	for _, s := range daemons.Services(daemon.Configs(daemons.New(daemons.Deps{}).All)) {
		may, named := want[s.Name]
		if !named && managed[s.Name] {
			may = s.Unit
		}
		if got := does(s); seen[s.Name] || got != may {
			t.Errorf("%s is %q, want %q, and once", s.Name, got, may)
		}
		if s.Title == "" || (s.Restart || s.Toggle) && s.Phrase == "" {
			t.Errorf("%s has no words", s.Name)
		}
		seen[s.Name] = true
	}
	for name := range want {
		if !seen[name] {
			t.Errorf("%s is gone", name)
		}
	}
}

// ships tells whether a component's part of the package has a unit, or changes one of Debian's.
func ships(component, unit string) bool {
	at := "../../../packaging/daemons/" + component + "/root/usr/lib/systemd/system/" + unit
	for _, path := range []string{at, at + ".d"} {
		if _, err := os.Stat(path); err == nil {
			return true
		}
	}
	return false
}

// The node's English and that of the browser are read beside each other: "Scheduler … Periodic jobs has failed".
func TestAServiceHasOneName(t *testing.T) {
	raw, err := os.ReadFile("../../../web/src/features/system/messages/en.json")
	if err != nil {
		t.Fatal(err)
	}
	var messages struct {
		Services map[string]struct{ Name string }
	}
	if err := json.Unmarshal(raw, &messages); err != nil {
		t.Fatal(err)
	}
	for _, s := range daemons.Services(daemon.Configs(daemons.New(daemons.Deps{}).All)) {
		if shown, there := messages.Services[s.Name]; there && shown.Name != s.Title {
			t.Errorf("%s is %q for the node and %q for the browser", s.Name, s.Title, shown.Name)
		}
	}
}
