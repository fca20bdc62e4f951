package system

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gateway/internal/daemon"
	"gateway/internal/problem"
	"gateway/internal/sys"
)

// What systemd says at one moment is enough: gateway-ctl, which looks once, agrees with
// gateway-api, which looks all the time.
func TestAServiceThatKeepsFailingDoesNotBlink(t *testing.T) {
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name       string
		state, sub string
		restarts   uint32
		result     string
		ago        time.Duration // since it is in its state
		want       bool
	}{
		{"it runs", "active", "running", 0, "success", time.Hour, false},
		{"a restart by us", "activating", "start", 0, "success", 0, false},
		{"it was just started by us", "active", "running", 0, "success", 0, false},
		{"it waits to be restarted", "activating", "auto-restart", 0, "exit-code", 0, true},
		{"or was just put there", "activating", "auto-restart-queued", 1, "success", 0, true},
		{"it is started once more", "activating", "start", 1, "success", 0, true},
		{"or prepares for that", "activating", "start-pre", 1, "success", 0, true},
		{"it runs for less than two seconds", "active", "running", 1, "success", time.Second, true},
		{"it failed", "failed", "failed", 1, "exit-code", time.Hour, true},
		{"systemd clears up behind it", "deactivating", "stop-post", 0, "core-dump", 0, true},
		{"it runs anew for less than two seconds", "active", "running", 2, "success", 1900 * time.Millisecond, true},
		{"it runs anew for more", "active", "running", 2, "success", 2 * time.Second, false},
		{"it reloads, long after it was restarted", "reloading", "reload", 2, "success", time.Hour, false},
		{"somebody stops it, long after it was restarted", "deactivating", "stop-sigterm", 2, "success", 0, false},
		{"stopped is another problem", "inactive", "dead", 2, "success", 0, false},
	} {
		yes, entered := true, now.Add(-tc.ago)
		s := Service{
			Name: "dns", Installed: &yes, Required: true, ActiveState: tc.state, SubState: tc.sub, EnteredAt: &entered,
			restarts: tc.restarts, result: tc.result,
		}
		if got := s.failing(now); got != tc.want {
			t.Errorf("%s: failing is %t, want %t", tc.name, got, tc.want)
		}
	}
	no := false
	for name, s := range map[string]Service{
		"not installed": {Installed: &no, Required: true, ActiveState: "failed"},
		"not to run":    {Boot: "disabled", ActiveState: "failed"},
	} {
		if s.failing(now) {
			t.Errorf("%s: it is failing, and nobody wants it", name)
		}
	}
}

// Not every service has a button to restart it.
func TestTheRemedyOfAServiceNamesACommandThatWorks(t *testing.T) {
	for kind, command := range map[string]string{"inactive": "systemctl start toy.service", "failed": "systemctl restart toy.service"} {
		var r problem.Report
		r.States = map[string]problem.States{"service": {}}
		(&handlers{Options: Options{Now: time.Now}}).judge(&r, Service{Name: "toy", Unit: "toy.service", Required: true, ActiveState: kind})
		if len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Remedy, command) {
			t.Errorf("%s: %+v, want one with %q", kind, r.Problems, command)
		}
	}
}

// What is in the kernel has no unit that a remedy could name.
func TestAServiceInTheKernelIsNoStoppedUnit(t *testing.T) {
	for state, want := range map[string]string{"kernel-loaded": "", "activating": "", "inactive": "failed", "failed": "failed"} {
		r := problem.Report{States: map[string]problem.States{"service": {}}}
		(&handlers{Options: Options{Now: time.Now}}).judge(&r, Service{Name: "tunnels", Required: true, ActiveState: state})
		if got := r.States["service"]["tunnels"].State; got != want || len(r.Problems) > 0 {
			t.Errorf("%s: it is %q with %v, want %q", state, got, r.Problems, want)
		}
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
				h := &handlers{Options: Options{Host: host}}
				for range 3 {
					begin := time.Now()
					if got := diskProblems(h); !slices.Equal(got, tc.want) || time.Since(begin) > diskTime {
						t.Errorf("after %v: %v, want %v", time.Since(begin), got, tc.want)
					}
				}
				if n := host.looks.Load(); n > 1 {
					t.Errorf("%d wait for the one that hangs", n)
				}
				close(host.free)
				synctest.Wait()
				if got := diskProblems(h); strings.Contains(fmt.Sprint(got), "does not answer") {
					t.Errorf("when it answers again: %v", got)
				}
			})
		})
	}
}

func diskProblems(h *handlers) (said []string) {
	var r problem.Report
	h.judgeDisks(&r)
	for _, one := range r.Problems {
		said = append(said, fmt.Sprint(one.Severity, " ", one.Message))
	}
	return said
}

// What is in the kernel is only unknown when the one that could look at it hangs.
func TestAnApplierThatHangsIsTheApplierProblem(t *testing.T) {
	r := problem.Report{States: map[string]problem.States{"service": {}}}
	h := &handlers{Options: Options{Now: time.Now}}
	services := []Service{
		{Name: "apply", Unit: "gateway-apply.service", Description: "Configuration applier", Required: true, ActiveState: "active"},
		{Name: "packet-filter", Description: "Packet filter (nftables)", Required: true, ActiveState: unknown},
		{Name: "tunnels", Description: "Tunnels (WireGuard)", ActiveState: unknown},
	}
	for _, s := range services {
		h.judge(&r, s)
	}
	h.judgeApplier(&r, services)
	want := problem.Subject{Kind: "service", ID: "apply", Name: "Configuration applier"}
	if len(r.Problems) != 1 || r.Problems[0].Code != "system.applier_down" || r.Problems[0].Subject != want {
		t.Errorf("problems = %+v, want one of the applier", r.Problems)
	}
	for name, want := range map[string]string{"apply": "failed", "packet-filter": "unknown", "tunnels": "unknown"} {
		if got := r.States["service"][name].State; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// away is a database that does not answer.
type away struct{}

func (away) Up() bool { return false }

func TestADatabaseThatHangsHasFailed(t *testing.T) {
	h := &handlers{Options: Options{Database: away{}}}
	for name, tc := range map[string]struct {
		states problem.States
		want   string
	}{
		"it runs":       {problem.States{}, "failed"},
		"it is stopped": {problem.States{"database": serviceStopped.Because("stopped", nil)}, "stopped"},
	} {
		r := problem.Report{States: map[string]problem.States{"service": tc.states}}
		h.judgeDatabase(&r)
		if got := r.States["service"]["database"].State; got != tc.want || len(r.Problems) != 1 {
			t.Errorf("%s: it is %q with %v, want %q", name, got, r.Problems, tc.want)
		}
	}
}

// systemd takes a scheduler that hangs for running until its watchdog bites, half a minute later.
func TestASchedulerThatHangsDoesNotAnswer(t *testing.T) {
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name       string
		active     string
		quiet, age time.Duration
		want, code string
	}{
		{"it gives signs of life", "active", 1100 * time.Millisecond, time.Hour, "", ""},
		{"it hangs", "active", 3 * time.Second, time.Hour, "failed", "system.service_silent"},
		{"it has only just started", "active", 4 * time.Second, 4 * time.Second, unknown, "system.service_silent"},
		{"it is on its way up", "activating", time.Hour, 0, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := problem.Report{States: map[string]problem.States{"service": {}}}
			h := &handlers{Options: Options{Now: func() time.Time { return now }}}
			entered := now.Add(-tc.age)
			s := newService(daemon.Service{Name: "scheduler", Unit: "gateway-scheduler.service", Title: "Scheduler", Required: true})
			s.take(sys.UnitState{ActiveState: tc.active, UnitFileState: "enabled", EnteredAt: &entered, Quiet: tc.quiet}, false)
			h.judge(&r, s)
			if got := r.States["service"]["scheduler"]; got.State != tc.want || got.Code != tc.code {
				t.Errorf("it is %q because of %q, want %q because of %q", got.State, got.Code, tc.want, tc.code)
			}
			if told := len(r.Problems) == 1; told != (tc.want == "failed") {
				t.Errorf("problems = %+v", r.Problems)
			}
		})
	}
}

// Other daemons with a watchdog give a sign of life as rarely as they please.
func TestOnlyTheSchedulerIsToGiveSignsOfLifeSoOften(t *testing.T) {
	s := newService(daemon.Service{Name: "dns", Unit: "unbound.service"})
	s.take(sys.UnitState{ActiveState: "active", Quiet: time.Minute}, false)
	if s.late() {
		t.Error("the resolver owes a sign of life")
	}
}
