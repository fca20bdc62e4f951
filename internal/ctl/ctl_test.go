package ctl_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gateway/internal/app"
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
	err := ctl.Execute(t.Context(), cmd)
	return out.String(), err
}

// code is the exit code of a command.
func code(err error) int {
	var coded interface{ ExitCode() int }
	switch {
	case err == nil:
		return 0
	case errors.As(err, &coded):
		return coded.ExitCode()
	}
	return -1
}

// node is a node to run commands on, with an applier that has applied whatever it is asked.
type node struct {
	*apptest.App
	t      *testing.T
	socket string
}

func newNode(t *testing.T) node {
	t.Helper()
	n := node{t: t, socket: applier(t)}
	n.App, _ = apptest.Ready(t, func(c *app.Config) { c.ApplySocket = n.socket })
	return n
}

// on is the same node for a part of a test: making one takes longer than most of what is done on it.
func (n node) on(t *testing.T) node {
	n.t = t
	return n
}

func (n node) run(args ...string) (string, int) {
	n.t.Helper()
	out, err := n.try(args...)
	return out, code(err)
}

func (n node) try(args ...string) (string, error) {
	n.t.Helper()
	return run(n.t, append(args, "--state-dir", n.Config.StateDir, "--database", n.Config.Database, "--apply-socket", n.socket)...)
}

func applier(t *testing.T) (socket string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "gw") // a test's own folder makes too long a name for a socket
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done; _ = os.RemoveAll(dir) })
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = bufio.NewReader(conn).ReadString('\n')
			fmt.Fprintln(conn, `{"loaded":true,"state":"live","states":[],"out":{}}`)
			_ = conn.Close()
		}
	}()
	return filepath.Join(dir, "s")
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
