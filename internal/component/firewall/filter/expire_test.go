package filter_test

import (
	"strings"
	"testing"
	"time"

	"gateway/internal/component/firewall/filter"
	"gateway/internal/component/firewall/firewalltest"
	"gateway/internal/daemon"
)

func TestAnExpiredRuleIsAsIfItWereNotThere(t *testing.T) {
	var wait func() time.Duration
	r := firewalltest.NewWith(t, firewalltest.Options{Daemon: func(o filter.Options) (d daemon.Daemon) {
		d, wait = filter.NewWithWait(o)
		return d
	}})
	text := func() string {
		t.Helper()
		now := r.Rendered()
		r.Daemon.Live(now)
		return string(now.File(filter.RulesPath))
	}
	soon := time.Now().Add(time.Hour)
	rule := r.Made("/firewall/rules", object{"name": "for now", "action": "accept", "expires_at": soon})
	if text := text(); !strings.Contains(text, "gid:"+rule) {
		t.Error("a rule that has not expired is left out")
	}
	if left := wait(); left < 59*time.Minute || left > time.Hour {
		t.Errorf("it is applied anew in %v, want an hour", left)
	}
	r.Restore(`update firewall_rules set expires_at = now() - interval '1 second'`)
	if text := text(); strings.Contains(text, rule) {
		t.Error("an expired rule is rendered")
	}
	if left := wait(); left < 1000*time.Hour {
		t.Errorf("it is applied anew in %v, want never", left)
	}
}
