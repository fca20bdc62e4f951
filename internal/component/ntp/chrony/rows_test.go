package chrony_test

import (
	"testing"

	"gateway/internal/component/componenttest"
	"gateway/internal/component/ntp"
	"gateway/internal/component/ntp/chrony"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/fault"
)

// newRig has the daemon without the API, as gateway-apply does.
func newRig(t *testing.T) *componenttest.Rig {
	t.Helper()
	return componenttest.New(t, componenttest.Setup{
		Schemas: []db.Schema{ntp.New(ntp.Options{}).Schema()},
		Daemon: func(r *componenttest.Rig) daemon.Daemon {
			return chrony.New(chrony.Options{Units: r.Units, Exec: componenttest.Exec(t)})
		},
	})
}

func TestOfAFreshInstallation(t *testing.T) {
	r := newRig(t)
	r.MustSync()
	if r.Checked != 1 || string(r.OnDisk(chrony.ConfFile)) != r.Text(chrony.ConfFile) {
		t.Errorf("checked %d times; on disk:\n%s", r.Checked, r.OnDisk(chrony.ConfFile))
	}
	if asked := r.Units.Asked(); len(asked) != 1 || asked[0] != "restart chrony.service" {
		t.Errorf("systemd was asked to %q", asked)
	}
}

func TestMissingSettingsAreNoGuess(t *testing.T) {
	r := newRig(t)
	r.Restore(`drop table ntp_settings`)
	if _, err := r.Daemon.Render(t.Context(), r.Pool, nil); err == nil || fault.Is(err, fault.Invalid) {
		t.Errorf("render = %v, want an error of ours", err)
	}
}
