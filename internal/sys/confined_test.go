package sys

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// payload is configuration that is a program: HAProxy runs it while it only checks. It tells
// who it is, and tries to write a file, to leave the machine and to reach a service of it.
const payload = `
local function try(name, ok) io.stderr:write("payload ", name, "=", tostring(ok and true or false), "\n") end
local status = io.open("/proc/self/status"):read("a")
io.stderr:write("payload uid=", status:match("Uid:%s+(%d+)"), "\n")
io.stderr:write("payload caps=", status:match("CapEff:%s+(%x+)"), "\n")
try("write", io.open("/etc/payload", "w"))
try("shadow", io.open("/etc/shadow"))
try("network", #io.open("/proc/self/net/dev"):read("a"):gsub("[^\n]*lo:[^\n]*\n", ""):gsub("[^\n]*|[^\n]*\n", "") > 0)
try("bus", os.execute("test -S /run/dbus/system_bus_socket"))
`

// stagePayload makes what an injected lua-load line would have been.
func stagePayload(t *testing.T) (dir string, check Command) {
	t.Helper()
	dir = filepath.Join("/run", "gateway-confined-test", "stage")
	t.Cleanup(func() { _ = os.RemoveAll(filepath.Dir(dir)); _ = os.Remove("/etc/payload") })
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	cfg := fmt.Sprintf("global\n\tlua-load %s/payload.lua\ndefaults\n\tmode http\n\ttimeout connect 1s\n\ttimeout client 1s\n\ttimeout server 1s\nfrontend f\n\tbind 127.0.0.1:1\n", dir)
	for name, text := range map[string]string{"payload.lua": payload, "haproxy.cfg": cfg} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, Command{Path: "/usr/sbin/haproxy", Args: []string{"-c", "-f", filepath.Join(dir, "haproxy.cfg")}, Confined: true, Reads: dir}
}

func saysOf(t *testing.T, run Runner, c Command) map[string]string {
	t.Helper()
	_ = os.Remove("/etc/payload")
	res, err := run(t.Context(), c)
	if err != nil {
		t.Fatalf("%v\n%s%s", err, res.Stdout, res.Stderr)
	}
	said := map[string]string{}
	for line := range strings.Lines(string(res.Stderr)) {
		if rest, ok := strings.CutPrefix(line, "payload "); ok {
			name, value, _ := strings.Cut(strings.TrimSpace(rest), "=")
			said[name] = value
		}
	}
	return said
}

// Needs a node: see TestBarTrust04Checkers of lab/e2e, which runs it there.
func TestAPayloadOfACheckerHasNoPrivilegeAndNoNetwork(t *testing.T) {
	needSystemd(t)
	if _, err := os.Stat("/usr/sbin/haproxy"); err != nil {
		t.Skip("needs HAProxy")
	}
	units := newTestUnits(t)
	_, check := stagePayload(t)
	open, confined := saysOf(t, Run, check), saysOf(t, units.Confine(Run), check)
	t.Logf("without: %v; confined: %v", open, confined)
	for name, want := range map[string]string{"write": "true", "shadow": "true", "bus": "true", "network": "true", "uid": "0"} { // the control
		if open[name] != want {
			t.Errorf("without confinement %s = %q, want %q", name, open[name], want)
		}
	}
	for name, want := range map[string]string{"write": "false", "shadow": "false", "bus": "false", "network": "false", "caps": "0000000000000000"} {
		if confined[name] != want {
			t.Errorf("confined %s = %q, want %q", name, confined[name], want)
		}
	}
	if confined["uid"] == "0" || confined["uid"] == "" {
		t.Errorf("confined uid = %q", confined["uid"])
	}
	times := make([]time.Duration, 20)
	for i := range times {
		start := time.Now()
		if _, err := units.Confine(Run)(t.Context(), check); err != nil {
			t.Fatal(err)
		}
		times[i] = time.Since(start)
	}
	slices.Sort(times)
	t.Logf("a confined check takes %v at the median", times[len(times)/2])
}

func TestAConfinedProgramFailsAsAnyOther(t *testing.T) {
	needSystemd(t)
	run := newTestUnits(t).Confine(Run)
	res, err := run(t.Context(), Command{Path: "/bin/sh", Args: []string{"-c", "cat /proc/self/fd/0; echo no >&2; exit 3"}, Stdin: []byte("in"), Confined: true})
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code != 3 || string(res.Stdout) != "in" || string(res.Stderr) != "no\n" {
		t.Errorf("result %+v, err %v", res, err)
	}
	if _, err := run(t.Context(), Command{Path: "/nonexistent", Confined: true}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("err = %v, want that it is not there", err)
	}
}
