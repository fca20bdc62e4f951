package daemons_test

import (
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

// The applier acts on these units as root, and on no others: a change here is a decision.
func TestWhatMayBeDoneToWhichUnit(t *testing.T) {
	want := map[string]string{
		"api": "gateway-api.service", "scheduler": "gateway-scheduler.service restart", "apply": "gateway-apply.service",
		"database": "postgresql@17-main.service", "reverse-proxy": "haproxy.service restart gently", "forward-proxy": "squid.service restart",
		"dns": "unbound.service restart", "ntp": "chrony.service restart", "packet-filter": "", "dhcp": "kea-dhcp4-server.service",
		"radius": "freeradius.service", "waf": "gateway-waf.service toggle", "ids": "crowdsec.service toggle",
		"ids-bouncer": "crowdsec-firewall-bouncer.service toggle", "virtual-ip": "keepalived.service",
	}
	seen := map[string]bool{}
	for _, s := range daemons.Services(daemon.Configs(daemons.New(daemons.Deps{}).All)) {
		got := s.Unit
		for word, so := range map[string]bool{" restart": s.Restart, " toggle": s.Toggle} {
			if so {
				got += word
			}
		}
		if s.Gentle {
			got += " gently"
		}
		known, ours := want[s.Name]
		if seen[s.Name] || ours && got != known || !ours && (s.Restart || s.Toggle) {
			t.Errorf("%s is %q, want %q, and once", s.Name, got, known)
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
