package system_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gateway/internal/setupstate"
)

// shows SYS-19, SYS-21, SYS-22, SETUP-16
func TestFlagsAreReadAndSetAndAudited(t *testing.T) {
	for _, tc := range []struct {
		path, action string
		before       bool
		stored       func(setupstate.State) bool
	}{
		{"/system/ipv6", "system.ipv6", true, func(s setupstate.State) bool { return s.IPv6Enabled }},
		{"/system/maintenance", "system.maintenance", false, func(s setupstate.State) bool { return s.Maintenance }},
		{"/system/auto-update", "system.auto_update", false, func(s setupstate.State) bool { return s.AutoUpdate }},
	} {
		t.Run(tc.path, func(t *testing.T) {
			n := newNode(t)
			was := setupstate.Default()
			was.Complete = true
			want := tc.before
			n.expect(tc.path, map[string]any{"enabled": want})
			// The last one changes nothing, and is audited all the same.
			for _, want = range []bool{!tc.before, tc.before, tc.before} {
				status, got := n.as("admin", http.MethodPost, tc.path, fmt.Sprintf(`{"enabled":%v}`, want))
				if status != http.StatusOK || got.Data["enabled"] != want {
					t.Errorf("set %v = %d %+v", want, status, got)
				}
				n.expect(tc.path, map[string]any{"enabled": want})
				if stored := tc.stored(n.state()); stored != want {
					t.Errorf("the file says %v, want %v", stored, want)
				}
			}
			if d := cmp.Diff(n.state(), was); d != "" {
				t.Errorf("something else in the file changed: %s", d)
			}
			word := map[bool]string{true: "on", false: "off"}
			wantLog := []string{word[!tc.before], word[tc.before], word[tc.before]}
			for i, line := range strings.Split(n.audited(), "\n") {
				if !strings.HasPrefix(line, tc.action+" "+wantLog[i]+" ") || !strings.HasSuffix(line, " by ann@example.com") {
					t.Errorf("entry %d = %q, want %s %s", i, line, tc.action, wantLog[i])
				}
			}
		})
	}
}

func TestFlagsThatAreNoneAreRefused(t *testing.T) {
	n := newNode(t)
	for _, path := range []string{"/system/ipv6", "/system/maintenance", "/system/auto-update"} {
		for _, body := range []string{`{}`, `{"enabled":"on"}`, `{"enabled":null}`, `{"enabled":true,"more":1}`, `[]`} {
			if status, got := n.as("admin", http.MethodPost, path, body); status != http.StatusBadRequest {
				t.Errorf("%s %s = %d %+v, want 400", path, body, status, got.Error)
			}
		}
	}
	if log := n.audited(); log != "" {
		t.Errorf("audit log = %q, want nothing", log)
	}
}

// shows SETUP-17, SETUP-18
func TestRetentionIsReadAndSetAndAudited(t *testing.T) {
	n := newNode(t)
	n.expect("/system/retention", map[string]any{"backups": 14.0, "audit_days": 365.0})
	want := map[string]any{"backups": 365.0, "audit_days": 3650.0}
	status, got := n.as("admin", http.MethodPut, "/system/retention", `{"backups":365,"audit_days":3650}`)
	if d := cmp.Diff(got.Data, want); status != http.StatusOK || d != "" {
		t.Errorf("set = %d %s", status, d)
	}
	n.expect("/system/retention", want)
	if got := n.state().Retention; got != (setupstate.Retention{Backups: 365, AuditDays: 3650}) {
		t.Errorf("the file says %+v", got)
	}
	if log := n.audited(); !strings.HasPrefix(log, "system.retention 365 backups, 3650 days of audit entries {") {
		t.Errorf("audit log = %q", log)
	}
	// Two pages set one each, and neither takes back what the other stored.
	for body, want := range map[string]map[string]any{
		`{"backups":30}`:    {"backups": 30.0, "audit_days": 3650.0},
		`{"audit_days":90}`: {"backups": 365.0, "audit_days": 90.0},
		`{}`:                {"backups": 365.0, "audit_days": 3650.0},
	} {
		if status, got := n.as("admin", http.MethodPut, "/system/retention", body); status != http.StatusOK || cmp.Diff(got.Data, want) != "" {
			t.Errorf("%s = %d %s", body, status, cmp.Diff(got.Data, want))
		}
		n.as("admin", http.MethodPut, "/system/retention", `{"backups":365,"audit_days":3650}`)
	}
}

func TestARetentionOutOfRangeIsRefused(t *testing.T) {
	n := newNode(t)
	for body, field := range map[string]string{
		`{"backups":0,"audit_days":1}`:    "backups",
		`{"backups":366,"audit_days":1}`:  "backups",
		`{"backups":1,"audit_days":0}`:    "audit_days",
		`{"backups":1,"audit_days":3651}`: "audit_days",
		`{"backups":1,"audit_days":-1}`:   "audit_days",
		`{"backups":1.5,"audit_days":1}`:  "backups",
	} {
		status, got := n.as("admin", http.MethodPut, "/system/retention", body)
		if status != http.StatusBadRequest || len(got.Error.Fields) == 0 || got.Error.Fields[0].Name != field {
			t.Errorf("%s = %d %+v, want 400 at %s", body, status, got.Error, field)
		}
	}
	n.expect("/system/retention", map[string]any{"backups": 14.0, "audit_days": 365.0})
	if log := n.audited(); log != "" {
		t.Errorf("audit log = %q, want nothing", log)
	}
}

func TestASettingThatCannotBeAuditedIsPutBack(t *testing.T) {
	n := newNode(t)
	n.breakAudit()
	for _, tc := range []struct{ method, path, body string }{
		{http.MethodPost, "/system/maintenance", `{"enabled":true}`},
		{http.MethodPut, "/system/retention", `{"backups":1,"audit_days":1}`},
	} {
		before := n.state()
		if status, _ := n.as("admin", tc.method, tc.path, tc.body); status != http.StatusInternalServerError {
			t.Errorf("%s = %d, want 500", tc.path, status)
		}
		if d := cmp.Diff(n.state(), before); d != "" {
			t.Errorf("%s left %s", tc.path, d)
		}
	}
}

// A process that is killed after the commit leaves an entry for what is not stored: the next one stores it. One that was
// killed before it leaves no entry, and the setting stays.
func TestAKilledProcessLeavesNoUntrueEntry(t *testing.T) {
	for _, tc := range []struct{ name, method, path, body, action string }{
		{"retention", http.MethodPut, "/system/retention", `{"backups":3,"audit_days":90}`, "system.retention"},
		{"maintenance", http.MethodPost, "/system/maintenance", `{"enabled":true}`, "system.maintenance"},
		{"certificate authority", http.MethodPut, "/system/acme", `{"email":"ann@example.com","directory_url":"https://ca.example.com/","terms_agreed":true}`, "system.acme"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			n := newNode(t)
			before := n.state()
			if status, got := n.as("admin", tc.method, tc.path, tc.body); status != http.StatusOK {
				t.Fatalf("set = %d %+v", status, got.Error)
			}
			want := n.state()
			if want.Pending != nil {
				t.Errorf("it is still on its way: %+v", want.Pending)
			}
			var to string
			if err := n.pool.QueryRow(t.Context(), `select detail ->> 'to' from audit_entries where action = $1`, tc.action).Scan(&to); err != nil {
				t.Fatal(err)
			}
			killed := func(p setupstate.Pending) {
				t.Helper()
				if _, err := n.setup.Update(func(s *setupstate.State) error { *s = before; s.Pending = &p; return nil }); err != nil {
					t.Fatal(err)
				}
				n.heed(t.Context(), "proxy")
				if n.state().Pending == nil {
					t.Error("any change settles it: one may be on its way")
				}
				n.heed(t.Context(), "")
			}
			killed(setupstate.Pending{Action: tc.action, To: json.RawMessage(to), At: n.clock.now()})
			if d := cmp.Diff(n.state(), want); d != "" {
				t.Errorf("after the commit: %s", d)
			}
			killed(setupstate.Pending{Action: tc.action, To: json.RawMessage(to), At: time.Now().Add(time.Hour)})
			if d := cmp.Diff(n.state(), before); d != "" {
				t.Errorf("before the commit: %s", d)
			}
		})
	}
}

func (n *node) expect(path string, want map[string]any) {
	n.t.Helper()
	status, got := n.as("viewer", http.MethodGet, path, "")
	if d := cmp.Diff(got.Data, want); status != http.StatusOK || d != "" {
		n.t.Errorf("%s = %d %s", path, status, d)
	}
}

// state reads the file as another process would.
func (n *node) state() setupstate.State {
	n.t.Helper()
	s, err := setupstate.Open(n.file)
	if err != nil {
		n.t.Fatal(err)
	}
	state, err := s.Load()
	if err != nil {
		n.t.Fatal(err)
	}
	return state
}

func TestTheAuthorityOfCertificatesCanBeChanged(t *testing.T) {
	n := newNode(t)
	n.expect("/system/acme", map[string]any{"email": "", "directory_url": "", "terms_agreed": false})
	body := `{"email":"ops@example.com","directory_url":"https://ca.example/directory","terms_agreed":true}`
	if status, got := n.as("admin", http.MethodPut, "/system/acme", body); status != http.StatusOK {
		t.Fatalf("answered %d %v", status, got)
	}
	n.expect("/system/acme", map[string]any{"email": "ops@example.com", "directory_url": "https://ca.example/directory", "terms_agreed": true})
	for _, wrong := range []string{`{"email":"nobody","terms_agreed":true}`, `{"directory_url":"http://ca.example/","terms_agreed":true}`} {
		if status, got := n.as("admin", http.MethodPut, "/system/acme", wrong); status != http.StatusBadRequest {
			t.Errorf("%s answered %d %v, want 400", wrong, status, got)
		}
	}
}
