package system

import (
	"testing"
	"time"
)

func TestAServiceThatKeepsFailingDoesNotBlink(t *testing.T) {
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	var f failing
	yes := true
	for i, step := range []struct {
		state, sub string
		want       bool
	}{
		{"active", "running", false},
		{"activating", "start", false}, // a restart by us
		{"activating", "auto-restart", true},
		{"activating", "start", true},
		{"active", "running", true}, // for less than two seconds
		{"failed", "failed", true},
		{"active", "running", true},
		{"active", "running", true},
		{"active", "running", false}, // for more
		{"inactive", "dead", false},  // stopped is another problem
	} {
		entered := now
		if step.state == "active" && i > 6 {
			entered = now.Add(-time.Duration(i-6) * time.Second)
		}
		s := Service{Name: "dns", Installed: &yes, Required: true, ActiveState: step.state, SubState: step.sub, EnteredAt: &entered}
		if got := f.is(s, now); got != step.want {
			t.Errorf("step %d, %s %s: %v", i, step.state, step.sub, got)
		}
		now = now.Add(time.Second)
	}
}
