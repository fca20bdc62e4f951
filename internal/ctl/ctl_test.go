package ctl_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gateway/internal/app/apptest"
	"gateway/internal/ctl"
)

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := ctl.New()
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// shows CTL-01, CTL-02, CTL-03
func TestResetPasswordPrintsASingleUseToken(t *testing.T) {
	a, _ := apptest.Ready(t)
	out, err := run(t, "reset-password", "--state-dir", a.Config.StateDir)
	if err != nil || !regexp.MustCompile(`(?m)^[0-9a-f]{32}$`).MatchString(out) || !strings.Contains(out, apptest.Email) {
		t.Fatalf("out = %s (%v), want a token of 32 hex characters", out, err)
	}
	path := filepath.Join(a.Config.StateDir, ".reset-token")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("token file = %v (%v), want mode 0600", info, err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if ahead := time.Until(expiry(t, data)); ahead < 29*time.Minute || ahead > 30*time.Minute {
		t.Errorf("expires in %v, want 30 minutes", ahead)
	}
}

// expiry finds the one time in the file, whatever its field is called.
func expiry(t *testing.T, data []byte) time.Time {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	for _, v := range fields {
		if s, ok := v.(string); ok {
			if at, err := time.Parse(time.RFC3339Nano, s); err == nil {
				return at
			}
		}
	}
	t.Fatalf("no time in %s", data)
	return time.Time{}
}

func TestANodeWithoutAdminHasNothingToReset(t *testing.T) {
	if out, err := run(t, "reset-password", "--state-dir", t.TempDir()); err == nil {
		t.Errorf("out = %s, want a refusal", out)
	}
}

func TestTheSetupCodeIsPrintedUntilSetupIsComplete(t *testing.T) {
	a := apptest.New(t)
	code := a.SetupCode()
	if out, err := run(t, "setup-code", "--state-dir", a.Config.StateDir); err != nil || strings.TrimSpace(out) != code {
		t.Errorf("out = %s (%v), want %s", out, err, code)
	}
	a.Setup()
	if out, err := run(t, "setup-code", "--state-dir", a.Config.StateDir); err == nil {
		t.Errorf("out = %s, want a refusal", out)
	}
}

func TestAuditVerify(t *testing.T) {
	a, _ := apptest.Ready(t)
	args := []string{"audit-verify", "--state-dir", a.Config.StateDir, "--database", a.Config.Database}
	if out, err := run(t, args...); err != nil || !strings.Contains(out, "every chain is intact") {
		t.Errorf("out = %s (%v)", out, err)
	}
	if _, err := a.Pool.Exec(t.Context(), `update audit_entries set actor = 'somebody' where seq = 2`); err != nil {
		t.Fatal(err)
	}
	if out, err := run(t, args...); err == nil || !strings.Contains(out, "entry 2 ") {
		t.Errorf("out = %s (%v), want entry 2 named", out, err)
	}
}
