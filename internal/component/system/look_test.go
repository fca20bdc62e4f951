package system_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gateway/internal/apply"
	"gateway/internal/component/system"
	"gateway/internal/daemon"
	"gateway/internal/setupstate"
)

// shows SYS-07
func TestHealthNamesTheNode(t *testing.T) {
	n := newNode(t)
	status, got := n.as("", http.MethodGet, "/system/health", "")
	want := map[string]any{
		"version": "1.2.3", "hostname": "gw1", "os": "Debian GNU/Linux 13 (trixie)", "kernel": "6.12.0",
		"database": true, "setup_complete": true,
	}
	if d := cmp.Diff(got.Data, want); status != http.StatusOK || d != "" {
		t.Errorf("health = %d, %s", status, d)
	}
}

func TestHealthAnswersWhateverIsBroken(t *testing.T) {
	for _, tc := range []struct {
		name  string
		spoil func(*node)
		field string
		want  any
	}{
		{"before setup", func(n *node) { n.update(func(s *setupstate.State) { s.Complete = false }) }, "setup_complete", false},
		{"without a database", func(n *node) { n.up.Store(false) }, "database", false},
		{"with an unreadable host", func(n *node) { n.host.err = errors.New("no /proc") }, "hostname", ""},
		{"with a damaged setup store, which is no new node's", func(n *node) { n.damage() }, "setup_complete", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			n := newNode(t)
			tc.spoil(n)
			status, got := n.as("", http.MethodGet, "/system/health", "")
			if status != http.StatusOK || got.Data[tc.field] != tc.want {
				t.Errorf("health = %d %v, want %s %v", status, got.Data, tc.field, tc.want)
			}
		})
	}
}

func (n *node) update(fn func(*setupstate.State)) {
	n.t.Helper()
	if _, err := n.setup.Update(func(s *setupstate.State) error { fn(s); return nil }); err != nil {
		n.t.Fatal(err)
	}
}

func (n *node) damage() {
	n.t.Helper()
	if err := os.WriteFile(n.file, []byte("{"), 0o600); err != nil {
		n.t.Fatal(err)
	}
}

// shows (stand-in) SYS-12, SYS-13, SYS-14
func TestResourcesAreThoseOfTheHost(t *testing.T) {
	n := newNode(t)
	status, got := n.as("viewer", http.MethodGet, "/system/resources", "")
	if status != http.StatusOK {
		t.Fatalf("resources = %d %+v", status, got)
	}
	want := map[string]any{
		"load1": 0.5, "load5": 0.25, "load15": 0.125, "num_cpus": 4.0, "uptime_seconds": 3600.0,
		"conntrack": map[string]any{"count": 12.0, "max": 262144.0},
		"disk":      map[string]any{"total": 1000.0, "used": 300.0, "free": 650.0},
	}
	for key, value := range want {
		if d := cmp.Diff(got.Data[key], value); d != "" {
			t.Errorf("%s: %s", key, d)
		}
	}
	if memory, _ := got.Data["memory"].(map[string]any); memory["total"] != 100.0 || memory["used"] != 40.0 {
		t.Errorf("memory = %v", got.Data["memory"])
	}
}

func TestInterfacesAreThoseOfTheKernel(t *testing.T) {
	n := newNode(t)
	w := n.raw(context.Background(), "viewer", http.MethodGet, "/system/interfaces", "")
	for _, want := range []string{`"ifname":"eth0"`, `"rx_bytes":7`, `"local":"192.0.2.1"`} {
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("interfaces = %d %s, want %s", w.Code, w.Body, want)
		}
	}
}

func TestAHostThatCannotBeReadIsAnError(t *testing.T) {
	n := newNode(t)
	n.host.err = errors.New("no /proc")
	for _, path := range []string{"/system/resources", "/system/interfaces"} {
		if status, got := n.as("viewer", http.MethodGet, path, ""); status != http.StatusInternalServerError || strings.Contains(got.Error.Message, "/proc") {
			t.Errorf("%s = %d %q, want 500 without the reason", path, status, got.Error.Message)
		}
	}
}

// services returns the list by name.
func (n *node) services() map[string]map[string]any {
	n.t.Helper()
	status, got := n.as("viewer", http.MethodGet, "/system/services", "")
	list, _ := got.Data["services"].([]any)
	if status != http.StatusOK || len(list) == 0 {
		n.t.Fatalf("services = %d %+v", status, got)
	}
	out := map[string]map[string]any{}
	for _, s := range list {
		service, _ := s.(map[string]any)
		name, _ := service["name"].(string)
		out[name] = service
	}
	return out
}

// shows SYS-09
func TestServicesHaveNameStateAndEnterTimestamp(t *testing.T) {
	n := newNode(t)
	n.systemd.absent["freeradius.service"] = true
	got := n.services()
	dns := map[string]any{
		"name": "dns", "component": "dns", "unit": "unbound.service", "description": "DNS resolver (Unbound)", "installed": true,
		"active_state": "active", "sub_state": "running", "boot": "enabled", "entered_at": "2025-05-01T00:00:00Z", "memory_bytes": nil, "required": true, "off": false,
		"restart": true, "toggle": false,
	}
	if d := cmp.Diff(got["dns"], dns); d != "" {
		t.Error(d)
	}
	for name, component := range map[string]string{"reverse-proxy": "proxy", "packet-filter": "firewall", "database": "", "virtual-ip": ""} {
		if got[name]["component"] != component {
			t.Errorf("component of %s = %v, want %q", name, got[name]["component"], component)
		}
	}
	if s := got["radius"]; s["installed"] != false || s["active_state"] != "inactive" || s["entered_at"] != nil {
		t.Errorf("a service that is not installed = %v", s)
	}
	for _, name := range []string{
		"api", "scheduler", "apply", "database", "reverse-proxy", "forward-proxy", "ntp", "dhcp", "waf", "ids", "ids-bouncer", "virtual-ip", "packet-filter",
	} {
		if got[name] == nil {
			t.Errorf("%s is not in the list", name)
		}
	}
}

// shows SYS-10, SYS-11
func TestThePacketFilterIsItsTable(t *testing.T) {
	n := newNode(t)
	for loaded, want := range map[bool]string{true: "kernel-loaded", false: "no-table"} {
		n.systemd.mu.Lock()
		n.systemd.loaded = loaded
		n.systemd.mu.Unlock()
		if s := n.services()["packet-filter"]; s["active_state"] != want || s["installed"] != true || s["unit"] != "" {
			t.Errorf("packet filter = %v, want %s", s, want)
		}
	}
}

// tells is an applier that says how components stand.
type tells struct {
	deaf
	states []apply.State
}

func (tells) PacketFilterLoaded(context.Context) (bool, error) { return true, nil }
func (a tells) States(context.Context) ([]apply.State, error)  { return a.states, nil }

// A service without a unit is not the packet filter, which is loaded here.
func TestAServiceInTheKernelIsAsItsComponent(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		state      apply.State
	}{
		{"the kernel has it", "kernel-loaded", apply.State{Component: "tunnel", Stage: apply.LiveStage, Wanted: "a", Observed: "a"}},
		{"it failed", "failed", apply.State{Component: "tunnel", Stage: apply.FailedIt, Wanted: "a", Observed: "b"}},
		{"somebody took it away", "inactive", apply.State{Component: "tunnel", Stage: apply.LiveStage, Wanted: "a"}},
		{"it is on its way", "activating", apply.State{Component: "tunnel", Stage: apply.Rendering, Wanted: "a"}},
		{"nobody knows", "unknown", apply.State{Component: "dns", Stage: apply.LiveStage, Wanted: "a", Observed: "a"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			n := newNode(t, func(o *system.Options) {
				o.Services = append(o.Services, daemon.Service{Name: "tunnels", Component: "tunnel", Title: "Tunnels (WireGuard)", Required: true})
				o.Applier = tells{states: []apply.State{tc.state}}
			})
			got := n.services()
			if s := got["tunnels"]; s["active_state"] != tc.want {
				t.Errorf("the tunnels = %v, want %s", s, tc.want)
			}
			if s := got["packet-filter"]; s["active_state"] != "kernel-loaded" {
				t.Errorf("the packet filter = %v", s)
			}
		})
	}
}

func TestServicesAnswerWithoutTheApplier(t *testing.T) {
	n := newNode(t, func(o *system.Options) { o.Applier = apply.Client{Socket: "/nonexistent/s"} })
	got := n.services()
	if s := got["packet-filter"]; s["active_state"] != "unknown" || s["message"] != "the applier is not running (gateway-apply)" || s["installed"] != nil {
		t.Errorf("packet filter = %v, want unknown with the reason", s)
	}
	if s := got["dns"]; s["active_state"] != "active" {
		t.Errorf("dns = %v, want active", s)
	}
}

func TestServicesAnswerWithoutSystemd(t *testing.T) {
	n := newNode(t)
	n.systemd.err = errors.New("no bus")
	got := n.services()
	if s := got["dns"]; s["active_state"] != "unknown" || s["installed"] != nil || s["message"] == "" {
		t.Errorf("dns = %v, want unknown with the reason", s)
	}
	if s := got["packet-filter"]; s["active_state"] != "no-table" {
		t.Errorf("packet filter = %v, want no-table", s)
	}
	if !strings.Contains(n.log.String(), "no bus") {
		t.Errorf("log = %q, want the reason", n.log.String())
	}
}

// shows SYS-08
func TestPackageVersionsAreInstalledAndAvailable(t *testing.T) {
	n := newNode(t)
	status, got := n.as("viewer", http.MethodGet, "/system/package-versions", "")
	list, _ := got.Data["packages"].([]any)
	if status != http.StatusOK || len(list) == 0 {
		t.Fatalf("package versions = %d %+v", status, got)
	}
	want := map[string]any{"name": "gateway", "installed": "1.0-1", "available": "1.1-1", "upgradable": true}
	if d := cmp.Diff(list[0], any(want)); d != "" {
		t.Error(d)
	}
}

// Starting apt-cache takes a second of the processor: it is asked when something that it reads changed, and not more than
// once a minute.
func TestAptIsAskedWhenSomethingChanged(t *testing.T) {
	n := newNode(t)
	for _, tc := range []struct {
		name  string
		move  time.Duration
		stamp string
		want  int
	}{
		{"at first", 0, "a", 1},
		{"within the minute", 59 * time.Second, "a", 1},
		{"after it", time.Second, "a", 1},
		{"within the minute before the hour", 58 * time.Minute, "a", 1},
		{"an hour later", time.Minute, "a", 2},
		{"something was installed just now", 59 * time.Second, "b", 2},
		{"and a minute later", time.Second, "b", 3},
		{"when the clock was set back", -time.Hour, "b", 4},
	} {
		n.clock.move(tc.move)
		n.apt.mu.Lock()
		n.apt.stamp = tc.stamp
		n.apt.mu.Unlock()
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { n.raw(context.Background(), "viewer", http.MethodGet, "/system/package-versions", "") })
		}
		wg.Wait()
		if n.apt.asked != tc.want {
			t.Errorf("%s: asked %d times, want %d", tc.name, n.apt.asked, tc.want)
		}
	}
}

// Nobody waits for apt on a busy machine: what is installed is known without it.
func TestASlowAptHoldsNobody(t *testing.T) {
	n := newNode(t)
	n.apt.hangs = make(chan struct{})
	status, got := n.as("viewer", http.MethodGet, "/system/package-versions", "")
	list, _ := got.Data["packages"].([]any)
	if status != http.StatusOK || len(list) == 0 {
		t.Fatalf("package versions = %d %+v, want what is installed", status, got)
	}
	if d := cmp.Diff(list[0], any(map[string]any{"name": "gateway", "installed": "1.0-2", "available": "", "upgradable": false})); d != "" {
		t.Error(d)
	}
	close(n.apt.hangs)
}

func TestAFailureOfAptIsNotKept(t *testing.T) {
	n := newNode(t)
	n.apt.err = context.DeadlineExceeded
	if status, got := n.as("viewer", http.MethodGet, "/system/package-versions", ""); status != http.StatusServiceUnavailable || got.Error.Code != "apt_unavailable" {
		t.Errorf("package versions = %d %+v, want 503 apt_unavailable", status, got.Error)
	}
	n.apt.err = nil
	if status, _ := n.as("viewer", http.MethodGet, "/system/package-versions", ""); status != http.StatusOK {
		t.Errorf("package versions afterwards = %d, want 200", status)
	}
}

func TestReadsAnswerWithoutTheDatabase(t *testing.T) {
	n := newNode(t)
	n.up.Store(false)
	for _, path := range []string{
		"/system/health", "/system/resources", "/system/interfaces", "/system/services", "/system/package-versions",
		"/system/ipv6", "/system/maintenance", "/system/auto-update", "/system/retention", "/metrics",
	} {
		if w := n.raw(context.Background(), "emergency", http.MethodGet, path, ""); w.Code != http.StatusOK {
			t.Errorf("%s = %d %s, want 200", path, w.Code, w.Body)
		}
	}
}

func TestMetricsAreForAdministratorsAndTokens(t *testing.T) {
	n := newNode(t)
	for account, want := range map[string]int{"": 401, "viewer": 403, "admin": 200, "scraper": 200} {
		if w := n.raw(context.Background(), account, http.MethodGet, "/metrics", ""); w.Code != want {
			t.Errorf("metrics for %q = %d, want %d", account, w.Code, want)
		}
	}
	n.up.Store(false)
	w := n.raw(context.Background(), "scraper", http.MethodGet, "/metrics", "")
	for _, want := range []string{
		"\ngateway_database_up 0\n", "\ngateway_setup_complete 1\n", "\ngateway_info{version=\"1.2.3\"} 1\n", "\ngateway_http_requests_total{operation=\"metrics\",status=\"2xx\"} 2\n",
	} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("metrics lack %q", want)
		}
	}
	if kind := w.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/plain; version=0.0.4") {
		t.Errorf("content type = %q", kind)
	}
}
