package sys

import (
	"context"
	"errors"
	"math"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gateway/internal/fault"
)

func newTestUnits(t *testing.T) *Units {
	t.Helper()
	u := NewUnits()
	t.Cleanup(u.Close)
	return u
}

// A clock that is set does not make a service look silent.
func TestASignOfLifeIsSoOldAsTheMonotonicClockSays(t *testing.T) {
	const second = uint64(time.Second / time.Microsecond)
	for name, tc := range map[string]struct {
		props map[string]any
		want  time.Duration
	}{
		"seven seconds ago":   {map[string]any{"WatchdogTimestampMonotonic": 93 * second}, 7 * time.Second},
		"just now":            {map[string]any{"WatchdogTimestampMonotonic": 100*second + 1}, 0},
		"without a watchdog":  {map[string]any{"WatchdogTimestampMonotonic": uint64(0)}, 0},
		"systemd has no time": {map[string]any{"WatchdogTimestampMonotonic": uint64(math.MaxUint64)}, 0},
		"a target":            {map[string]any{}, 0},
	} {
		if got := newUnitState("gateway-scheduler.service", tc.props, 100*time.Second).Quiet; got != tc.want {
			t.Errorf("%s: quiet for %v, want %v", name, got, tc.want)
		}
	}
	if monotonic() <= 0 {
		t.Error("there is no monotonic clock")
	}
}

func TestStates(t *testing.T) {
	const up, changed = uint64(1_700_000_000_000_001), uint64(1_700_000_500_000_000)
	at := func(usec uint64) *time.Time { v := time.UnixMicro(int64(usec)).UTC(); return &v }
	memory := uint64(4096)
	startBus(t).startSystemd(t, map[string]map[string]any{
		"haproxy.service": {
			"Description": "HAProxy Load Balancer", "LoadState": "loaded", "ActiveState": "active", "SubState": "running",
			"UnitFileState": "enabled", "MainPID": uint32(42), "MemoryCurrent": uint64(4096),
			"ActiveEnterTimestamp": up, "StateChangeTimestamp": changed,
		},
		"squid.service": {
			"LoadState": "loaded", "ActiveState": "failed", "SubState": "failed", "UnitFileState": "disabled",
			"MemoryCurrent": uint64(math.MaxUint64), "ActiveEnterTimestamp": up, "StateChangeTimestamp": changed,
			"NRestarts": uint32(3), "Result": "exit-code",
		},
		"crowdsec.service":   {"LoadState": "not-found", "ActiveState": "inactive", "SubState": "dead"},
		"getty@tty1.service": {"LoadState": "loaded", "ActiveState": "reloading", "ActiveEnterTimestamp": up},
	})
	got, err := newTestUnits(t).States(t.Context(), []string{"squid.service", "haproxy.service", "crowdsec.service", "getty@tty1.service"})
	if err != nil {
		t.Fatal(err)
	}
	want := []UnitState{
		{Name: "squid.service", LoadState: "loaded", ActiveState: "failed", SubState: "failed", UnitFileState: "disabled", EnteredAt: at(changed), Restarts: 3, Result: "exit-code"},
		{
			Name: "haproxy.service", Description: "HAProxy Load Balancer", LoadState: "loaded", ActiveState: "active", SubState: "running",
			UnitFileState: "enabled", EnteredAt: at(up), MainPID: 42, MemoryBytes: &memory,
		},
		{Name: "crowdsec.service", LoadState: "not-found", ActiveState: "inactive", SubState: "dead"},
		{Name: "getty@tty1.service", LoadState: "loaded", ActiveState: "reloading", EnteredAt: at(up)},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("States (-want +got):\n%s", d)
	}
	if got[2].Installed() || !got[0].Installed() {
		t.Error("Installed does not tell crowdsec from squid")
	}
}

func TestBriefStates(t *testing.T) {
	const began = uint64(1_700_000_000_000_001)
	at := time.UnixMicro(int64(began)).UTC()
	startBus(t).startSystemd(t, map[string]map[string]any{
		"haproxy.service": {
			"Description": "HAProxy Load Balancer", "LoadState": "loaded", "ActiveState": "active", "SubState": "running",
			"UnitFileState": "enabled", "MainPID": uint32(42), "ExecMainStartTimestamp": began, "MemoryCurrent": uint64(4096),
		},
		"squid.service":    {"LoadState": "loaded", "ActiveState": "inactive", "SubState": "dead", "UnitFileState": "disabled"},
		"gateway.socket":   {"LoadState": "loaded", "ActiveState": "active", "SubState": "listening", "UnitFileState": "enabled"},
		"crowdsec.service": {"LoadState": "not-found", "ActiveState": "inactive", "SubState": "dead"},
	})
	got, err := Brief{newTestUnits(t)}.States(t.Context(), []string{"squid.service", "haproxy.service", "crowdsec.service", "gateway.socket"})
	want := []UnitState{
		{Name: "squid.service", LoadState: "loaded", ActiveState: "inactive", SubState: "dead", UnitFileState: "disabled"},
		{Name: "haproxy.service", LoadState: "loaded", ActiveState: "active", SubState: "running", UnitFileState: "enabled", MainPID: 42, StartedAt: &at},
		{Name: "crowdsec.service", LoadState: "not-found", ActiveState: "inactive", SubState: "dead"},
		{Name: "gateway.socket", LoadState: "loaded", ActiveState: "active", SubState: "listening", UnitFileState: "enabled"},
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("States = %v (-want +got):\n%s", err, d)
	}
	if _, err := (Brief{newTestUnits(t)}).States(t.Context(), []string{"squid"}); !fault.Is(err, fault.Invalid) {
		t.Errorf("States of no unit = %v, want an invalid fault", err)
	}
}

func TestUnitVerbs(t *testing.T) {
	for verb, want := range map[string]string{
		"start":   "start squid.service replace",
		"stop":    "stop squid.service replace",
		"restart": "restart squid.service replace",
		"reload":  "reload squid.service replace",
		"enable":  "enable squid.service false false, daemon-reload",
		"disable": "disable squid.service false, daemon-reload",
	} {
		t.Run(verb+" tells systemd once", func(t *testing.T) {
			systemd := startBus(t).startSystemd(t, nil)
			if err := unitVerbs(newTestUnits(t))[verb](t.Context(), "squid.service"); err != nil {
				t.Fatal(err)
			}
			if got := systemd.heard(); got != want {
				t.Errorf("systemd heard %q, want %q", got, want)
			}
		})
	}
}

func TestAJobThatDoesNotEndWellIsAnError(t *testing.T) {
	systemd := startBus(t).startSystemd(t, nil)
	units := newTestUnits(t)
	for _, result := range []string{"failed", "timeout", "dependency", "canceled", "skipped"} {
		t.Run(result, func(t *testing.T) {
			systemd.ends(result)
			err := units.Restart(t.Context(), "squid.service")
			var job *JobError
			if !errors.As(err, &job) || job.Result != result {
				t.Errorf("err = %v, want a job error with %q", err, result)
			}
			if want := `restart squid.service: the job ended with "` + result + `"`; err.Error() != want {
				t.Errorf("err = %q, want %q", err, want)
			}
		})
	}
}

func TestAJobThatNeverEndsIsLeftWithTheContext(t *testing.T) {
	systemd := startBus(t).startSystemd(t, nil)
	systemd.ends("")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := newTestUnits(t).Stop(ctx, "squid.service"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err = %v, want the deadline", err)
	}
}

func TestSystemdsRefusalIsReported(t *testing.T) {
	startBus(t).startSystemd(t, nil)
	err := newTestUnits(t).Start(t.Context(), "missing.service")
	if err == nil || !strings.Contains(err.Error(), "start missing.service: Unit missing.service not found.") {
		t.Errorf("err = %v, want systemd's words", err)
	}
}

func TestUnitNamesAreChecked(t *testing.T) {
	units := newTestUnits(t) // no bus is needed to refuse
	for _, name := range []string{
		"", "squid", ".service", "-x.service", "../squid.service", "/etc/squid.service", "a b.service",
		"*.service", "squid.service\n", "squid.service x", "squid.mount", "ä.service", strings.Repeat("a", 300) + ".service",
	} {
		for verb, do := range unitVerbs(units) {
			if err := do(t.Context(), name); !fault.Is(err, fault.Invalid) {
				t.Errorf("%s %q = %v, want an invalid fault", verb, name, err)
			}
		}
		if _, err := units.States(t.Context(), []string{name}); !fault.Is(err, fault.Invalid) {
			t.Errorf("States(%q) = %v, want an invalid fault", name, err)
		}
	}
}

func TestTheBusIsOpenedAgainAfterItsRestart(t *testing.T) {
	bus := startBus(t)
	bus.startSystemd(t, nil)
	units := newTestUnits(t)
	if err := units.Start(t.Context(), "squid.service"); err != nil {
		t.Fatal(err)
	}
	bus.stop()
	if err := units.Start(t.Context(), "squid.service"); err == nil {
		t.Error("no error while the bus is away")
	}
	bus.start(t)
	bus.startSystemd(t, nil)
	if err := units.Start(t.Context(), "squid.service"); err != nil {
		t.Errorf("after the restart: %v", err)
	}
}

func TestTheConnectionOutlivesTheRequestThatOpenedIt(t *testing.T) {
	startBus(t).startSystemd(t, map[string]map[string]any{"squid.service": {"LoadState": "loaded"}})
	units := newTestUnits(t)
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := units.States(ctx, []string{"squid.service"}); err != nil {
		t.Fatal(err)
	}
	first := units.bus.conn
	cancel()
	if _, err := units.States(t.Context(), []string{"squid.service"}); err != nil {
		t.Fatal(err)
	}
	if units.bus.conn != first {
		t.Error("the second request dialled again")
	}
}

func TestManyCallersShareOneConnection(t *testing.T) {
	systemd := startBus(t).startSystemd(t, nil)
	units := newTestUnits(t)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if err := units.Restart(t.Context(), "squid.service"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := strings.Count(systemd.heard(), "restart"); got != 50 {
		t.Errorf("restarts = %d, want 50", got)
	}
}

func TestWithoutABusTheErrorSaysSo(t *testing.T) {
	t.Setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "none"))
	_, err := newTestUnits(t).States(t.Context(), []string{"squid.service"})
	if err == nil || !strings.HasPrefix(err.Error(), "read the state of squid.service: connect to the system bus: ") {
		t.Errorf("err = %v", err)
	}
}

func TestABusThatDoesNotAnswerIsLeftWithTheContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mute")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path="+path)
	units := newTestUnits(t)
	var wg sync.WaitGroup
	for range 3 { // one dials, the others wait for their turn
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if err := units.Start(ctx, "squid.service"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("err = %v, want the deadline", err)
			}
		})
	}
	wg.Wait()
}
