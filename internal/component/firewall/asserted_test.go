package firewall_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway/internal/apply"
	"gateway/internal/component/firewall"
	"gateway/internal/component/firewall/firewalltest"
	"gateway/internal/fault"
	"gateway/internal/problem"
)

// engine is gateway-apply, as far as problems ask it.
type engine struct {
	states []apply.State
	err    error
}

func (*engine) Ask(context.Context, string, string, any, any) error { return nil }

func (e *engine) States(context.Context) ([]apply.State, error) { return e.states, e.err }

func TestAnAssertionIsGreenOnlyWhileItHolds(t *testing.T) {
	r, applier := firewalltest.New(t), &engine{}
	for zone, name := range map[string]string{"wan": "eth0", "lan": "eth1", "dmz": "eth2"} {
		r.Iface(name, zone)
	}
	never := r.Made("/firewall/assertions", object{"name": "Nobody from outside", "expect": "never", "src_zone": "wan", "dst_zone": "lan"})
	reach := r.Made("/firewall/assertions", object{"name": "Mail arrives", "expect": "reach", "src_zone": "wan", "dst_zone": "dmz"})
	off := r.Made("/firewall/assertions", object{"name": "Off", "expect": "never", "src_zone": "lan", "dst_zone": "wan", "enabled": false})
	mail := r.Made("/firewall/rules", object{"name": "Mail", "src_zone": "wan", "dst_zone": "dmz", "action": "accept"})
	find := func() (problem.Report, error) {
		return firewall.New(firewall.Options{DB: r.Pool, Applier: applier, Policy: r.Policy, Now: time.Now}).Problems.Find(t.Context())
	}
	judged := func(want map[string]string, problems ...string) problem.Report {
		t.Helper()
		found, err := find()
		if err != nil {
			t.Fatal(err)
		}
		for id, state := range want {
			if got := found.States["assertion"][id].State; got != state {
				t.Errorf("the state of %s is %q, want %q", id, got, state)
			}
		}
		var subjects []string
		for _, p := range found.Problems {
			if p.Code == "firewall.assertion_broken" {
				subjects = append(subjects, p.Subject.Name)
			}
		}
		if strings.Join(subjects, ", ") != strings.Join(problems, ", ") {
			t.Errorf("broken are %q, want %q", subjects, problems)
		}
		return found
	}

	judged(map[string]string{never: "", reach: "", off: "disabled"})
	r.Restore(`update firewall_rules set dst_zone = 'lan' where id = $1`, mail) // as a restore or a replication would
	found := judged(map[string]string{never: "broken", reach: "broken", off: "disabled"}, "Mail arrives", "Nobody from outside")
	if why := found.States["assertion"][never].Message; !strings.Contains(why, `"Mail"`) {
		t.Errorf("it is broken because %q, want the rule in it", why)
	}
	for id, want := range map[string]string{never: "%s would be accepted by %s", reach: "no such packet would be accepted"} {
		words, _ := found.States["assertion"][id].Params["reason_words"].(*fault.Words)
		if words == nil || words.Text != want || (id == never && words.Nested["1"].Text != "rule %q") {
			t.Errorf("the reason has the words %+v, want those of %q", words, want)
		}
	}
	applier.states = []apply.State{{Component: "dns", Error: "no"}, {Component: "firewall", Error: "the kernel refused it"}}
	judged(map[string]string{never: "broken", reach: "broken", off: "disabled"}, "Mail arrives", "Nobody from outside")
	r.Do("DELETE", "/firewall/rules/"+mail, nil).Want(http.StatusOK)
	judged(map[string]string{never: "unknown", reach: "broken", off: "disabled"}, "Mail arrives") // the kernel may still accept it
	applier.err = errors.New("gateway-apply does not answer")
	if _, err := find(); err == nil {
		t.Error("nobody knows what the kernel has, and the states are told all the same")
	}
}
