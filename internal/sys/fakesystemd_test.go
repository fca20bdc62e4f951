package sys

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coreos/go-systemd/v22/dbus"
	godbus "github.com/godbus/dbus/v5"
)

const busConfig = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path=%s</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/>
    <allow send_destination="*"/><allow receive_sender="*"/>
  </policy>
</busconfig>`

// testBus is a real dbus-daemon that takes the place of the system bus.
type testBus struct {
	address string
	config  string
	daemon  *exec.Cmd
}

func startBus(t *testing.T) *testBus {
	t.Helper()
	if _, err := os.Stat("/usr/bin/dbus-daemon"); err != nil {
		t.Skip("dbus-daemon is not installed")
	}
	dir := t.TempDir()
	b := &testBus{config: filepath.Join(dir, "bus.conf"), address: "unix:path=" + filepath.Join(dir, "bus")}
	config := fmt.Sprintf(busConfig, filepath.Join(dir, "bus"))
	if err := os.WriteFile(b.config, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DBUS_SYSTEM_BUS_ADDRESS", b.address)
	b.start(t)
	t.Cleanup(func() { b.stop() })
	return b
}

// start returns when the daemon has printed its address, which is when it listens.
func (b *testBus) start(t *testing.T) {
	t.Helper()
	b.daemon = exec.Command("/usr/bin/dbus-daemon", "--nofork", "--nopidfile", "--print-address", "--config-file="+b.config)
	out, err := b.daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.daemon.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal("start dbus-daemon:", err)
	}
}

func (b *testBus) stop() {
	_ = b.daemon.Process.Kill()
	_ = b.daemon.Wait()
}

// fakeSystemd answers on the bus in systemd's place and writes down what it was told.
type fakeSystemd struct {
	conn *godbus.Conn

	units map[string]map[string]any

	mu     sync.Mutex
	told   []string
	result string // of every job; "" means that the job never ends
	jobs   int
}

const manager = "org.freedesktop.systemd1"

func (b *testBus) startSystemd(t *testing.T, units map[string]map[string]any) *fakeSystemd {
	t.Helper()
	conn, err := godbus.Connect(b.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	f := &fakeSystemd{conn: conn, result: "done", units: units}
	if err := conn.Export(f, "/org/freedesktop/systemd1", manager+".Manager"); err != nil {
		t.Fatal(err)
	}
	for name, props := range units {
		path := godbus.ObjectPath("/org/freedesktop/systemd1/unit/" + dbus.PathBusEscape(name))
		if err := conn.Export(fakeProperties(props), path, "org.freedesktop.DBus.Properties"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := conn.RequestName(manager, godbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	return f
}

type fakeProperties map[string]any

func (p fakeProperties) GetAll(string) (map[string]godbus.Variant, *godbus.Error) {
	out := map[string]godbus.Variant{}
	for k, v := range p {
		out[k] = godbus.MakeVariant(v)
	}
	return out, nil
}

func (p fakeProperties) Get(_, name string) (godbus.Variant, *godbus.Error) {
	v, ok := p[name]
	if !ok {
		return godbus.Variant{}, godbus.NewError("org.freedesktop.DBus.Error.UnknownProperty", []any{"no " + name})
	}
	return godbus.MakeVariant(v), nil
}

type listedUnit struct {
	Name, Description, Load, Active, Sub, Followed string
	Path                                           godbus.ObjectPath
	JobID                                          uint32
	JobType                                        string
	JobPath                                        godbus.ObjectPath
}

// ListUnitsByNames answers for each name, as systemd does, whether there is such a unit or not.
func (f *fakeSystemd) ListUnitsByNames(names []string) (out []listedUnit, _ *godbus.Error) {
	for _, name := range names {
		props := map[string]any{"LoadState": "not-found", "ActiveState": "inactive", "SubState": "dead"}
		if p, ok := f.units[name]; ok {
			props = p
		}
		out = append(out, listedUnit{
			Name: name, Load: property[string](props, "LoadState"), Active: property[string](props, "ActiveState"), Sub: property[string](props, "SubState"),
			Path: "/", JobPath: "/",
		})
	}
	return out, nil
}

func (f *fakeSystemd) tell(words ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.told = append(f.told, strings.Join(words, " "))
}

// ends sets how the jobs end from now on.
func (f *fakeSystemd) ends(result string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.result = result
}

func (f *fakeSystemd) heard() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.told, ", ")
}

func (f *fakeSystemd) job(verb, unit, mode string) (godbus.ObjectPath, *godbus.Error) {
	f.tell(verb, unit, mode)
	if strings.HasPrefix(unit, "missing") {
		return "", godbus.NewError(manager+".NoSuchUnit", []any{"Unit " + unit + " not found."})
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.jobs++
	path := godbus.ObjectPath(fmt.Sprintf("/org/freedesktop/systemd1/job/%d", f.jobs))
	if f.result != "" {
		_ = f.conn.Emit("/org/freedesktop/systemd1", manager+".Manager.JobRemoved", uint32(f.jobs), path, unit, f.result)
	}
	return path, nil
}

func (f *fakeSystemd) StartUnit(u, m string) (godbus.ObjectPath, *godbus.Error) {
	return f.job("start", u, m)
}

func (f *fakeSystemd) StopUnit(u, m string) (godbus.ObjectPath, *godbus.Error) {
	return f.job("stop", u, m)
}

func (f *fakeSystemd) RestartUnit(u, m string) (godbus.ObjectPath, *godbus.Error) {
	return f.job("restart", u, m)
}

func (f *fakeSystemd) ReloadUnit(u, m string) (godbus.ObjectPath, *godbus.Error) {
	return f.job("reload", u, m)
}

type fileChange struct{ Type, File, Destination string }

func (f *fakeSystemd) EnableUnitFiles(files []string, runtime, force bool) (bool, []fileChange, *godbus.Error) {
	f.tell("enable", files[0], fmt.Sprint(runtime, force))
	return true, []fileChange{{"symlink", "a", "b"}}, nil
}

func (f *fakeSystemd) DisableUnitFiles(files []string, runtime bool) ([]fileChange, *godbus.Error) {
	f.tell("disable", files[0], fmt.Sprint(runtime))
	return []fileChange{{"unlink", "a", ""}}, nil
}

func (f *fakeSystemd) Reload() *godbus.Error {
	f.tell("daemon-reload")
	return nil
}

// unitVerbs lets a test go through all of them.
func unitVerbs(u *Units) map[string]func(context.Context, string) error {
	return map[string]func(context.Context, string) error{
		"start": u.Start, "stop": u.Stop, "restart": u.Restart,
		"reload": u.Reload, "enable": u.Enable, "disable": u.Disable,
	}
}
