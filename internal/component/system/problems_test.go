package system

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
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
	hangs string
	free  chan struct{}
	looks *atomic.Int64 // at the one that hangs
}

// Disks hangs at a folder of that name until it is freed.
func (f filled) Disks(folders ...string) ([]sys.Mounted, error) {
	if slices.Contains(folders, f.hangs) {
		f.looks.Add(1)
		<-f.free
	}
	return slices.DeleteFunc(slices.Clone(f.disks), func(m sys.Mounted) bool { return !slices.Contains(folders, m.Path) }), nil
}

func TestEveryFileSystemIsWatched(t *testing.T) {
	at := func(device uint64, path string, used uint64) sys.Mounted {
		return sys.Mounted{Path: path, Device: device, Disk: sys.Disk{Total: 100, Used: used, Free: 100 - used}}
	}
	disks := []sys.Mounted{at(1, "/", 89), at(2, "/var/log", 90), at(1, "/var/lib", 89), at(3, "/var/lib/postgresql", 97)}
	full := []string{"warning The file system /var/log is 90 % full", "critical The file system /var/lib/postgresql is 97 % full"}
	for _, tc := range []struct {
		name, hangs string
		want        []string
	}{
		{"all answer", "", full},
		{"one hangs", "/var/log", []string{"error A file system does not answer: /var/log", full[1]}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := filled{disks: disks, hangs: tc.hangs, free: make(chan struct{}), looks: new(atomic.Int64)}
				p := &part{Options: Options{Host: host}}
				for range 3 {
					begin := time.Now()
					if got := diskProblems(p); !slices.Equal(got, tc.want) || time.Since(begin) > diskTime {
						t.Errorf("after %v: %v, want %v", time.Since(begin), got, tc.want)
					}
				}
				if n := host.looks.Load(); n > 1 {
					t.Errorf("%d wait for the one that hangs", n)
				}
				close(host.free)
				synctest.Wait()
				if got := diskProblems(p); strings.Contains(fmt.Sprint(got), "does not answer") {
					t.Errorf("when it answers again: %v", got)
				}
			})
		})
	}
}

func diskProblems(p *part) (said []string) {
	var r problem.Report
	p.judgeDisks(&r)
	for _, one := range r.Problems {
		said = append(said, fmt.Sprint(one.Severity, " ", one.Message))
	}
	return said
}
