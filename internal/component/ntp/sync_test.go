package ntp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway/internal/component/ntp/chrony"
	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/sys"
	"gateway/lab"
)

// systemd remembers what it was asked for.
type systemd struct {
	mu    sync.Mutex
	asked []string
	act   func(unit string) error
}

func (s *systemd) do(verb, unit string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, verb+" "+unit)
	return s.act(unit)
}

func (s *systemd) Start(_ context.Context, unit string) error   { return s.do("start", unit) }
func (s *systemd) Restart(_ context.Context, unit string) error { return s.do("restart", unit) }

// applierOf is the socket between the two processes, cut short: the component that has the
// routes asks the daemon that has the verbs.
type applierOf struct {
	verbs map[string]daemon.Verb
	err   error
}

func (a applierOf) Ask(ctx context.Context, component, verb string, in, out any) error {
	do := a.verbs[verb]
	if a.err != nil || component != chrony.Name || do == nil {
		return errors.Join(a.err, errFake)
	}
	line, err := json.Marshal(in)
	if err != nil {
		return err
	}
	got, err := do(ctx, line)
	if err != nil {
		return err
	}
	if line, err = json.Marshal(got); err != nil {
		return err
	}
	return json.Unmarshal(line, out)
}

// syncUnit has every source asked, as the daemon's own user.
const syncUnit = "gateway-ntp-sync.service"

// syncUnitAt runs what the unit runs, as the unit's user, on a machine.
func syncUnitAt(t *testing.T, m machine) *systemd {
	t.Helper()
	script := "../../../packaging/daemons/ntp/root/usr/lib/gateway/ntp-sync"
	m.MustRun(t, "mkdir", "-p", "/usr/lib/gateway")
	m.copyIn(script, "/usr/lib/gateway/ntp-sync")
	return &systemd{act: func(unit string) error {
		if unit != syncUnit {
			return errFake
		}
		if out, err := m.Run(t.Context(), "runuser", "-u", "_chrony", "--", "/usr/lib/gateway/ntp-sync"); err != nil {
			t.Logf("%s", out)
			return &sys.JobError{Result: "failed"}
		}
		return nil
	}}
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

	units := syncUnitAt(t, gw)
	g := newGateway(t, Options{Dial: gw.handlers().Dial, Applier: applierOf{verbs: chrony.New(chrony.Options{Units: units}).Verbs}})
	began := time.Now()
	s := data[Status](t, g.admin("POST", "/ntp/force-sync", nil, 200))
	t.Logf("synchronised after %v, by %d questions", time.Since(began).Round(time.Millisecond), server.asked.Load()-1)
	if !s.Synchronised || s.Stratum != 2 || s.SourceAddress != source.IP().String() {
		t.Errorf("status = %+v", s)
	}
	if got := server.asked.Load() - 1; got < 3 {
		t.Errorf("the source was asked %d times more, want 3", got)
	}
	if !slices.Equal(units.asked, []string{"start " + syncUnit}) {
		t.Errorf("systemd was asked to %q", units.asked)
	}
	if got := g.actions(); !slices.Equal(got, []string{"admin@example.com ntp.force_sync clock"}) {
		t.Errorf("audited: %q", got)
	}
	if r := g.call("viewer", "POST", "/ntp/force-sync", nil); r.status != 403 {
		t.Errorf("a viewer's = %d", r.status)
	}

	server.mute.Store(true)
	began = time.Now()
	if r := g.admin("POST", "/ntp/force-sync", nil, 503); r.Error.Code != "no_source" {
		t.Errorf("nobody answers: %+v", r.Error)
	}
	t.Logf("nobody answered, told after %v", time.Since(began).Round(time.Millisecond))
	gw.use(chrony.State{})
	if r := g.admin("POST", "/ntp/force-sync", nil, 503); r.Error.Code != "ntp_unavailable" {
		t.Errorf("without sources: %+v", r.Error)
	}
	gw.stop()
	if r := g.admin("POST", "/ntp/force-sync", nil, 503); r.Error.Code != "ntp_unavailable" {
		t.Errorf("while it is down: %+v", r.Error)
	}
	if got := strings.Join(g.actions(), "\n"); strings.Count(got, "ntp.force_sync.failed clock") != 3 {
		t.Errorf("audited %q, want three that failed", got)
	}
}

func TestForceSyncWithoutAnApplier(t *testing.T) {
	for code, err := range map[string]error{
		"applier_unavailable": errFake, "timeout": context.DeadlineExceeded,
		"masked": fault.New(fault.Conflict, "masked").WithCode("masked"),
	} {
		g := newGateway(t, Options{Applier: applierOf{err: err}})
		if r := g.call("admin", "POST", "/ntp/force-sync", nil); r.Error == nil || r.Error.Code != code {
			t.Errorf("%v: %d %+v, want %s", err, r.status, r.Error, code)
		}
		if got := g.actions(); len(got) != 2 || got[1] != "admin@example.com ntp.force_sync.failed clock" {
			t.Errorf("audited: %q, want the try and that it failed", got)
		}
	}
}
