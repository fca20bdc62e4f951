package ntp

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/api/apitest"
	"gateway/internal/component/ntp/chrony"
	"gateway/internal/fault"
	"gateway/internal/sys"
	"gateway/lab"
)

// noApplier is a gateway-apply that fails.
type noApplier struct{ err error }

func (a noApplier) Ask(context.Context, string, string, any, any) error { return a.err }

// syncUnit has every source asked, as the daemon's own user.
const syncUnit = "gateway-ntp-sync.service"

// syncUnitAt runs what the unit runs, as the unit's user, on a machine.
func syncUnitAt(t *testing.T, m machine) func(ctx context.Context, verb, unit string) error {
	t.Helper()
	script := "../../../packaging/daemons/ntp/root/usr/lib/gateway/ntp-sync"
	m.MustRun(t, "mkdir", "-p", "/usr/lib/gateway")
	m.copyIn(script, "/usr/lib/gateway/ntp-sync")
	return func(ctx context.Context, _, unit string) error {
		if unit != syncUnit {
			return errFake
		}
		if out, err := m.Run(ctx, "runuser", "-u", "_chrony", "--", "/usr/lib/gateway/ntp-sync"); err != nil {
			t.Logf("%s", out)
			return &sys.JobError{Result: "failed"}
		}
		return nil
	}
}

// shows NTP-11, AUDIT-21
func TestForceSync(t *testing.T) {
	t.Parallel()
	l := lab.New(t)
	gw, source := newMachine(t, l, "gw"), l.Client("time")
	server := newTimeServer(t, source)
	// It asks at its start, and not again for more than a minute.
	gw.use(chrony.State{Sources: []chrony.Source{{Kind: "server", Address: source.IP().String()}}})
	until(t, 10*time.Second, "the source was asked for the first time", func() bool { return server.asked.Load() == 1 })

	r := newRig(t, Options{Dial: gw.handlers().Dial})
	r.Units.Act = syncUnitAt(t, gw)
	began := time.Now()
	s := apitest.Data[Status](r.Do("POST", "/ntp/force-sync", nil).Want(200))
	t.Logf("synchronised after %v, by %d questions", time.Since(began).Round(time.Millisecond), server.asked.Load()-1)
	if !s.Synchronised || s.Stratum != 2 || s.SourceAddress != source.IP().String() {
		t.Errorf("status = %+v", s)
	}
	if got := server.asked.Load() - 1; got < 3 {
		t.Errorf("the source was asked %d times more, want 3", got)
	}
	if asked := r.Units.Asked(); !slices.Equal(asked, []string{"start " + syncUnit}) {
		t.Errorf("systemd was asked to %q", asked)
	}
	if got := r.Actions(); !slices.Equal(got, []string{"ntp.force_sync clock"}) {
		t.Errorf("audited: %q", got)
	}
	if a := r.As("viewer", "POST", "/ntp/force-sync", nil); a.Status != 403 {
		t.Errorf("a viewer's = %d", a.Status)
	}

	server.mute.Store(true)
	began = time.Now()
	if a := r.Do("POST", "/ntp/force-sync", nil).Want(503); a.Error.Code != "no_source" {
		t.Errorf("nobody answers: %+v", a.Error)
	}
	t.Logf("nobody answered, told after %v", time.Since(began).Round(time.Millisecond))
	gw.use(chrony.State{})
	if a := r.Do("POST", "/ntp/force-sync", nil).Want(503); a.Error.Code != "ntp_unavailable" {
		t.Errorf("without sources: %+v", a.Error)
	}
	gw.stop()
	if a := r.Do("POST", "/ntp/force-sync", nil).Want(503); a.Error.Code != "ntp_unavailable" {
		t.Errorf("while it is down: %+v", a.Error)
	}
	if got := strings.Join(r.Actions(), "\n"); strings.Count(got, "ntp.force_sync.failed clock") != 3 {
		t.Errorf("audited %q, want three that failed", got)
	}
}

func TestForceSyncWithoutAnApplier(t *testing.T) {
	for code, err := range map[string]error{
		"applier_unavailable": errFake, "timeout": context.DeadlineExceeded,
		"masked": fault.New(fault.Conflict, "masked").WithCode("masked"),
	} {
		r := newRig(t, Options{Applier: noApplier{err}})
		if a := r.As("admin", "POST", "/ntp/force-sync", nil); a.Error.Code != code {
			t.Errorf("%v: %d %+v, want %s", err, a.Status, a.Error, code)
		}
		if got := r.Actions(); len(got) != 2 || got[1] != "ntp.force_sync.failed clock" {
			t.Errorf("audited: %q, want the try and that it failed", got)
		}
	}
}
