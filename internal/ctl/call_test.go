package ctl_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gateway/internal/ctl"
)

func TestAPI(t *testing.T) {
	n := newNode(t)
	t.Run("prints the data", func(t *testing.T) { printsTheData(t, n.on(t)) })
	t.Run("takes the body from standard input", func(t *testing.T) { takesStandardInput(t, n.on(t)) })
	t.Run("a refusal names the fields, as a page would", func(t *testing.T) { namesTheFields(t, n.on(t)) })
	t.Run("a change that is not live has its own exit code", func(t *testing.T) { notLive(t, n.on(t)) })
	t.Run("what is done here is audited as local", func(t *testing.T) { auditedAsLocal(t, n.on(t)) })
}

func printsTheData(t *testing.T, n node) {
	file := filepath.Join(t.TempDir(), "zone.json")
	if err := os.WriteFile(file, []byte(`{"name": "file.arpa", "forward_to": []}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		args []string
		code int
		want string // in what is printed, on both outputs
		not  string
	}{
		{"data", []string{"GET", "/system/health"}, 0, `"setup_complete": true`, `"error"`},
		{"whole answer", []string{"GET", "/system/health", "--json"}, 0, `"error":null}`, "\n "},
		{"the path of a browser", []string{"get", "/api/v1/system/health"}, 0, `"setup_complete": true`, ""},
		{"query string", []string{"GET", "/users?limit=1&q=nobody-is-called-so"}, 0, "[]", ""},
		{"body as an argument", []string{"POST", "/dns/zones", `{"name": "argument.arpa", "forward_to": []}`}, 0, "done, as change ", ""},
		{"body in a file", []string{"POST", "/dns/zones", "@" + file}, 0, `"name": "file.arpa"`, ""},
		{"dry run", []string{"POST", "/dns/zones", `{"name": "dry.arpa", "forward_to": []}`, "-H", "Gateway-Dry-Run: true"}, 0, `"operation": "INSERT"`, "change "},
		{"dry run by a flag", []string{"POST", "/dns/zones", `{"name": "flag.arpa", "forward_to": []}`, "--dry-run"}, 0, `"operation": "INSERT"`, "change "},
		{"status and headers", []string{"GET", "/users", "-i"}, 0, "200 OK\n", ""},
		{"text", []string{"GET", "/metrics"}, 0, "# HELP ", `"data"`},
		{"text as JSON", []string{"GET", "/metrics", "--json"}, 0, `{"data":"# HELP `, "\n#"},
		{"description", []string{"GET", "/openapi.json"}, 0, `"openapi": "3.1.0"`, ""},
		{"refusal", []string{"POST", "/users", `{"email": "x"}`}, 4, "", ""},
		{"refusal as JSON", []string{"GET", "/nowhere", "--json"}, 4, `{"data":null,"error":{"code":"not_found"`, ""},
		{"own account", []string{"GET", "/auth/me"}, 4, "", ""},
		{"stream", []string{"GET", "/audit/live", "--count", "2"}, 0, `"action":`, ""},
		{"stream that is refused", []string{"GET", "/firewall/log/live?since=yesterday", "--json"}, 4, `"field":"since"`, ""},
		{"no file", []string{"POST", "/users", "@/nonexistent"}, 1, "", ""},
		{"no method", []string{"FETCH", "/users"}, 2, "", ""},
		{"no path", []string{"GET", "users"}, 2, "", ""},
		{"no header", []string{"GET", "/users", "-H", "nonsense"}, 2, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, err := n.on(t).try(append([]string{"api"}, tc.args...)...)
			if code(err) != tc.code || !strings.Contains(out, tc.want) || tc.not != "" && strings.Contains(out, tc.not) {
				t.Errorf("exit code %d (%v), printed %.500s; want %d and %q, not %q", code(err), err, out, tc.code, tc.want, tc.not)
			}
		})
	}
}

func takesStandardInput(t *testing.T, n node) {
	cmd := ctl.New()
	var out strings.Builder
	cmd.SetOut(&out)
	cmd.SetIn(strings.NewReader(`{"name": "stdin.arpa", "forward_to": []}`))
	cmd.SetArgs([]string{"api", "POST", "/dns/zones", "-", "--json", "--state-dir", n.Config.StateDir, "--database", n.Config.Database, "--apply-socket", n.socket})
	if err := ctl.Execute(t.Context(), cmd); err != nil || !strings.Contains(out.String(), `"name":"stdin.arpa"`) {
		t.Errorf("out = %s (%v)", out.String(), err)
	}
}

func namesTheFields(t *testing.T, n node) {
	_, err := n.try("api", "POST", "/users", `{"email": "x", "role": "king", "password": "correct horse battery"}`)
	if code(err) != 4 || !strings.Contains(err.Error(), "\n  role ") {
		t.Errorf("refused with %v", err)
	}
}

func notLive(t *testing.T, n node) {
	n.socket = "/nonexistent"
	out, err := n.try("api", "POST", "/dns/zones", `{"name": "later.arpa", "forward_to": []}`)
	if code(err) != 6 || !strings.Contains(err.Error(), "but not applied (pending)") || !strings.Contains(out, "later.arpa") {
		t.Errorf("printed %s, exit code %d (%v), want 6", out, code(err), err)
	}
}

func auditedAsLocal(t *testing.T, n node) {
	if out, c := n.run("api", "POST", "/dns/zones", `{"name": "audited.arpa", "forward_to": []}`, "-H", "Gateway-Reason: a test"); c != 0 {
		t.Fatalf("exit code %d: %s", c, out)
	}
	out, c := n.run("changes", "-n", "1", "--json")
	var list struct {
		Data []struct{ Actor, Reason, Action string }
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil || c != 0 || len(list.Data) != 1 {
		t.Fatalf("exit code %d: %s (%v)", c, out, err)
	}
	if got := list.Data[0]; got.Actor != "local" || got.Reason != "a test" || got.Action != "dns.zone.create" {
		t.Errorf("the history says %+v", got)
	}
}
