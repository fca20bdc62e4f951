package system

import (
	"fmt"
	"testing"
	"time"

	"gateway/internal/problem"
	"gateway/internal/sys"
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

// filled is a host whose file systems are as full as a test wants.
type filled struct {
	host
	disks []sys.Mounted
}

func (f filled) Disks(...string) ([]sys.Mounted, error) { return f.disks, nil }

func TestEveryFileSystemIsWatched(t *testing.T) {
	at := func(path string, used uint64) sys.Mounted {
		return sys.Mounted{Path: path, Disk: sys.Disk{Total: 100, Used: used, Free: 100 - used}}
	}
	p := &part{Options: Options{Host: filled{disks: []sys.Mounted{at("/", 89), at("/var/log", 90), at("/var/lib/postgresql", 97)}}}}
	var r problem.Report
	p.judgeDisks(&r)
	var got []string
	for _, one := range r.Problems {
		got = append(got, fmt.Sprint(one.Severity, " ", one.Message))
	}
	want := "[warning The file system /var/log is 90 % full critical The file system /var/lib/postgresql is 97 % full]"
	if fmt.Sprint(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
}
