package sys

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/coreos/go-systemd/v22/dbus"
)

// needSystemd skips unless the test runs as root under a real systemd, as in a lab node.
func needSystemd(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/run/systemd/system"); err != nil || os.Geteuid() != 0 {
		t.Skip("needs root and a running systemd")
	}
}

func TestUnitsOfARealSystemd(t *testing.T) {
	needSystemd(t)
	const name = "gateway-sys-test.service"
	install(t, name, "[Service]\nExecStart=/bin/sleep 600\n[Install]\nWantedBy=multi-user.target\n")
	units := newTestUnits(t)
	for _, step := range []struct {
		verb, active, file string
		forgotten          bool // a unit that is down and not enabled is unloaded, with its history
	}{
		{verb: "start", active: "active", file: "disabled"},
		{verb: "enable", active: "active", file: "enabled"},
		{verb: "restart", active: "active", file: "enabled"},
		{verb: "stop", active: "inactive", file: "enabled"},
		{verb: "disable", active: "inactive", file: "disabled", forgotten: true},
	} {
		if err := unitVerbs(units)[step.verb](t.Context(), name); err != nil {
			t.Fatal(err)
		}
		s := oneState(t, units, name)
		if s.ActiveState != step.active || s.UnitFileState != step.file {
			t.Errorf("after %s: %s, %s, want %s, %s", step.verb, s.ActiveState, s.UnitFileState, step.active, step.file)
		}
		if running := step.active == "active"; running != (s.MainPID > 0) {
			t.Errorf("after %s: main pid %d", step.verb, s.MainPID)
		}
		if step.forgotten {
			continue
		}
		if s.EnteredAt == nil || time.Since(*s.EnteredAt) > time.Minute || s.EnteredAt.Location() != time.UTC {
			t.Errorf("after %s: entered at %v, want just now", step.verb, s.EnteredAt)
		}
	}
}

func TestARealUnitThatCannotStart(t *testing.T) {
	needSystemd(t)
	const name = "gateway-sys-broken.service"
	install(t, name, "[Service]\nType=oneshot\nExecStart=/bin/false\n")
	units := newTestUnits(t)
	err := units.Start(t.Context(), name)
	var job *JobError
	if !errors.As(err, &job) || job.Result != "failed" {
		t.Errorf("err = %v, want a failed job", err)
	}
	if s := oneState(t, units, name); s.ActiveState != "failed" {
		t.Errorf("active state = %s, want failed", s.ActiveState)
	}
}

func TestAUnitThatARealSystemdLacks(t *testing.T) {
	needSystemd(t)
	units := newTestUnits(t)
	if s := oneState(t, units, "gateway-sys-missing.service"); s.Installed() || s.EnteredAt != nil {
		t.Errorf("state = %+v, want not installed", s)
	}
	if err := units.Start(t.Context(), "gateway-sys-missing.service"); err == nil {
		t.Error("starting it is no error")
	}
}

func oneState(t *testing.T, u *Units, name string) UnitState {
	t.Helper()
	s, err := u.States(t.Context(), []string{name})
	if err != nil {
		t.Fatal(err)
	}
	return s[0]
}

func install(t *testing.T, name, file string) {
	t.Helper()
	path := "/etc/systemd/system/" + name
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	reload(t)
	t.Cleanup(func() {
		_ = NewUnits().Stop(t.Context(), name)
		_ = os.Remove(path)
	})
}

func reload(t *testing.T) {
	t.Helper()
	conn, err := dbus.NewSystemConnectionContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.ReloadContext(t.Context()); err != nil {
		t.Fatal(err)
	}
}
