package system_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gateway/internal/apply"
	"gateway/internal/component/system"
	"gateway/internal/daemon"
	"gateway/internal/sys"
)

// shows (stand-in) SYS-15*
func TestEachOfTheFiveKindsIsRestarted(t *testing.T) {
	n := newNode(t)
	services := apply.Allowed(services(), apply.Restart)
	if len(services) != 5 {
		t.Fatalf("services = %v, want five", services)
	}
	var want []string
	for _, s := range services {
		status, got := n.as("admin", http.MethodPost, "/system/service-restart", fmt.Sprintf(`{"service":%q}`, s.Name))
		if status != http.StatusOK || got.Data["service"] != s.Name {
			t.Errorf("restart %s = %d %+v", s.Name, status, got)
		}
		verb := "restart "
		if s.Name == "reverse-proxy" {
			verb = "reload " // fresh workers, and nobody cut off
		}
		if took := n.systemd.took(); took != verb+s.Unit {
			t.Errorf("restart %s: systemd heard %q", s.Name, took)
		}
		want = append(want, "system.service_restart "+s.Name+" {} by ann@example.com")
	}
	if got := n.audited(); got != strings.Join(want, "\n") {
		t.Errorf("audit log = %q, want %q", got, want)
	}
}

// shows (stand-in) SYS-17
func TestEachOfTheThreeServicesIsSwitchedOnAndOff(t *testing.T) {
	n := newNode(t)
	toggled := apply.Allowed(services(), apply.On)
	if len(toggled) != 3 {
		t.Fatalf("services = %v, want three", toggled)
	}
	for _, s := range toggled {
		for on, want := range map[bool]string{
			true:  "enable " + s.Unit + ", start " + s.Unit,
			false: "stop " + s.Unit + ", disable " + s.Unit,
		} {
			status, got := n.as("admin", http.MethodPost, "/system/service-toggle", fmt.Sprintf(`{"service":%q,"on":%v}`, s.Name, on))
			if status != http.StatusOK || got.Data["on"] != on {
				t.Errorf("toggle %s %v = %d %+v", s.Name, on, status, got)
			}
			if took := n.systemd.took(); took != want {
				t.Errorf("toggle %s %v: systemd heard %q, want %q", s.Name, on, took, want)
			}
			entry := fmt.Sprintf(`system.service_toggle %s {"on":%v} by ann@example.com`, s.Name, on)
			if log := n.audited(); !strings.Contains(log, entry) {
				t.Errorf("audit log = %q, want %q", log, entry)
			}
		}
	}
}

func TestWhatHasASettingIsSwitchedByIt(t *testing.T) {
	n := newNode(t, func(o *system.Options) {
		toy := daemon.Service{Name: "toy", Unit: "toy.service", Setting: "toy_settings", Toggle: true}
		echo := daemon.Service{Name: "toy-echo", Unit: "toy-echo.service", Setting: "toy_settings", Column: "echo", Toggle: true}
		o.Services = append(o.Services, toy, echo)
	})
	if _, err := n.pool.Exec(t.Context(), `create table toy_settings (enabled boolean, echo boolean, revision bigint, updated_at timestamptz);
		insert into toy_settings values (true, true, 1, now())`); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"toy": true, "toy-echo": true}
	for _, to := range []struct {
		service string
		on      bool
	}{{"toy", false}, {"toy", false}, {"toy-echo", false}, {"toy", true}, {"toy-echo", true}} {
		if status, got := n.as("admin", http.MethodPost, "/system/service-toggle", fmt.Sprintf(`{"service":%q,"on":%v}`, to.service, to.on)); status != http.StatusOK {
			t.Fatalf("toggle %v = %d %+v", to, status, got)
		}
		want[to.service] = to.on
		var enabled, echo bool
		if err := n.pool.QueryRow(t.Context(), `select enabled, echo from toy_settings`).Scan(&enabled, &echo); err != nil || enabled != want["toy"] || echo != want["toy-echo"] {
			t.Errorf("after %v the settings are %v and %v (%v), want %v", to, enabled, echo, err, want)
		}
	}
	if took := n.systemd.took(); took != "" {
		t.Errorf("systemd was told %q: that is the applier's, who knows the setting", took)
	}
	if log := n.audited(); strings.Count(log, "system.service_toggle toy") != 5 {
		t.Errorf("audit log = %q", log)
	}
}

// shows SYS-16, SYS-18
func TestWhatMayNotBeActedUponIsRefused(t *testing.T) {
	n := newNode(t)
	for _, tc := range []struct{ path, body string }{
		{"/system/service-restart", `{"service":"waf"}`},
		{"/system/service-restart", `{"service":"database"}`},
		{"/system/service-restart", `{"service":"haproxy.service"}`},
		{"/system/service-restart", `{"service":"../ssh"}`},
		{"/system/service-restart", `{"service":""}`},
		{"/system/service-restart", `{"service":["dns"]}`},
		{"/system/service-restart", `{}`},
		{"/system/service-restart", `{"service":"dns","unit":"ssh.service"}`},
		{"/system/service-toggle", `{"service":"dns","on":true}`},
		{"/system/service-toggle", `{"service":"ssh","on":false}`},
		{"/system/service-toggle", `{"service":"waf"}`},
		{"/system/service-toggle", `{"service":"waf","on":"yes"}`},
	} {
		if status, got := n.as("admin", http.MethodPost, tc.path, tc.body); status != http.StatusBadRequest || got.Error.Code != "invalid" {
			t.Errorf("%s %s = %d %+v, want 400", tc.path, tc.body, status, got.Error)
		}
	}
	if took, log := n.systemd.took(), n.audited(); took != "" || log != "" {
		t.Errorf("systemd heard %q and the log says %q, want nothing", took, log)
	}
}

func TestAViewerChangesNothing(t *testing.T) {
	n := newNode(t)
	for _, tc := range []struct{ method, path, body string }{
		{http.MethodPost, "/system/service-restart", `{"service":"dns"}`},
		{http.MethodPost, "/system/service-toggle", `{"service":"waf","on":false}`},
		{http.MethodPost, "/system/ipv6", `{"enabled":false}`},
		{http.MethodPost, "/system/maintenance", `{"enabled":true}`},
		{http.MethodPost, "/system/auto-update", `{"enabled":true}`},
		{http.MethodPut, "/system/retention", `{"backups":1,"audit_days":1}`},
	} {
		for account, want := range map[string]int{"viewer": 403, "scraper": 403, "": 401} {
			if status, _ := n.as(account, tc.method, tc.path, tc.body); status != want {
				t.Errorf("%s as %q = %d, want %d", tc.path, account, status, want)
			}
		}
		n.up.Store(false)
		if status, _ := n.as("viewer", tc.method, tc.path, tc.body); status != 403 {
			t.Errorf("%s as a viewer, without a database = %d, want 403", tc.path, status)
		}
		n.up.Store(true)
	}
	n.up.Store(false)
	// The switch is also a row, which needs the database.
	if status, got := n.as("admin", http.MethodPost, "/system/ipv6", `{"enabled":false}`); status != 503 || got.Error.Code != "database_unavailable" {
		t.Errorf("the IPv6 switch without a database = %d %+v, want 503", status, got.Error)
	}
	n.up.Store(true)
	if took, log := n.systemd.took(), n.audited(); took != "" || log != "" {
		t.Errorf("systemd heard %q and the log says %q, want nothing", took, log)
	}
}

func TestAFailedRestartIsAuditedAsFailed(t *testing.T) {
	for _, tc := range []struct {
		name   string
		spoil  func(*node)
		adjust func(*system.Options)
		status int
		code   string
	}{
		{"not installed", func(n *node) { n.systemd.absent["unbound.service"] = true }, nil, 404, "not_found"},
		{"does not start", func(n *node) { n.systemd.failing = &sys.JobError{Result: "failed"} }, nil, 503, "unavailable"},
		{"no applier", nil, func(o *system.Options) { o.Applier = apply.Client{Socket: "/nonexistent/s"} }, 503, "applier_unavailable"},
		{"an applier we may not talk to", nil, func(o *system.Options) { o.Applier = deaf{errors.New("permission denied")} }, 503, "applier_unavailable"},
		{"an applier that hangs", nil, func(o *system.Options) { o.Applier = deaf{fmt.Errorf("wait: %w", context.DeadlineExceeded)} }, 503, "timeout"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			n := newNode(t, func(o *system.Options) {
				if tc.adjust != nil {
					tc.adjust(o)
				}
			})
			if tc.spoil != nil {
				tc.spoil(n)
			}
			status, got := n.as("admin", http.MethodPost, "/system/service-restart", `{"service":"dns"}`)
			if status != tc.status || got.Error.Code != tc.code {
				t.Errorf("restart = %d %+v, want %d %s", status, got.Error, tc.status, tc.code)
			}
			if log := n.audited(); !strings.Contains(log, "\nsystem.service_restart.failed dns {\"why\":") {
				t.Errorf("audit log = %q, want the try and that it failed", log)
			}
		})
	}
}

// deaf is an applier that cannot be talked to.
type deaf struct{ err error }

func (d deaf) PacketFilterLoaded(context.Context) (bool, error)    { return false, d.err }
func (d deaf) Service(context.Context, apply.Action, string) error { return d.err }
func (d deaf) States(context.Context) ([]apply.State, error)       { return nil, d.err }

// Restarting the reverse proxy cuts the connection that the request came by.
func TestARestartIsAuditedWhenTheCallerHangsUp(t *testing.T) {
	n := newNode(t)
	ctx, hangUp := context.WithCancel(context.Background())
	n.systemd.during = hangUp
	status, got := n.send(ctx, "admin", http.MethodPost, "/system/service-restart", `{"service":"reverse-proxy"}`)
	if status != http.StatusOK {
		t.Errorf("restart = %d %+v", status, got.Error)
	}
	if log := n.audited(); !strings.HasPrefix(log, "system.service_restart reverse-proxy ") {
		t.Errorf("audit log = %q, want the restart", log)
	}
}

func TestARestartThatCannotBeAuditedIsNotDone(t *testing.T) {
	n := newNode(t)
	n.breakAudit()
	if status, got := n.as("admin", http.MethodPost, "/system/service-restart", `{"service":"dns"}`); status != http.StatusInternalServerError {
		t.Errorf("restart = %d %+v, want 500", status, got.Error)
	}
	if took := n.systemd.took(); took != "" {
		t.Errorf("systemd heard %q, want nothing", took)
	}
}

func (n *node) breakAudit() {
	n.t.Helper()
	if _, err := n.pool.Exec(context.Background(), `alter table audit_entries add constraint broken check (action = '')`); err != nil {
		n.t.Fatal(err)
	}
}

func TestASlowRestartHoldsNoTransaction(t *testing.T) {
	n := newNode(t)
	held := -1
	n.systemd.during = func() {
		_ = n.pool.QueryRow(context.Background(), `select count(*) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`).Scan(&held)
	}
	n.as("admin", http.MethodPost, "/system/service-restart", `{"service":"ntp"}`)
	if held != 0 {
		t.Errorf("%d transactions are held meanwhile, want none", held)
	}
}

func TestASettingThatCannotBeAuditedIsNotSet(t *testing.T) {
	n := newNode(t)
	n.breakAudit()
	if status, got := n.as("admin", http.MethodPost, "/system/maintenance", `{"enabled":true}`); status != http.StatusInternalServerError {
		t.Errorf("maintenance = %d %+v, want 500", status, got.Error)
	}
	state, err := n.setup.Load()
	if err != nil || state.Maintenance {
		t.Errorf("maintenance is on in the store: %v, %v", state.Maintenance, err)
	}
}
