package radius_test

import (
	"context"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/component/radius/freeradius"
	"gateway/internal/component/radius/protocol"
	"gateway/internal/daemon"
	"gateway/internal/secret"
	"gateway/internal/sys"
	"gateway/lab"
	"gateway/packaging/packagingtest"
)

// appliance is a node with what the package has for FreeRADIUS.
type appliance struct {
	*lab.Node
	t         *testing.T
	installed daemon.Rendering
	asked     []string
}

func newAppliance(t *testing.T, l *lab.Lab) *appliance {
	t.Helper()
	a := &appliance{Node: l.Node("gw"), t: t}
	files := packagingtest.Assemble(t)
	l.Must(a.CopyIn(files+"/postrm", "/root/postrm", 0o755))
	for _, name := range []string{"radius-reload", "radius-clients", "radius-rotate"} {
		l.Must(a.CopyIn(files+"/root/usr/lib/gateway/"+name, "/usr/lib/gateway/"+name, 0o755))
	}
	for _, file := range []string{
		"/usr/lib/systemd/system/freeradius.service.d/gateway.conf", "/usr/lib/tmpfiles.d/gateway-radius.conf",
		"/usr/lib/systemd/system/gateway-radius-reload.service", "/usr/lib/systemd/system/gateway-radius-clients.service",
		"/usr/lib/systemd/system/gateway-radius-rotate.service",
	} {
		l.Must(a.CopyIn(files+"/root"+file, file, 0o644))
	}
	a.MustRun(t, "mkdir", "-p", "/etc/gateway")
	a.MustRun(t, "systemd-tmpfiles", "--create", "gateway-radius.conf")
	a.MustRun(t, "systemctl", "daemon-reload")
	return a
}

func (a *appliance) Start(ctx context.Context, unit string) error {
	return a.systemctl(ctx, "start", unit)
}

func (a *appliance) Restart(ctx context.Context, unit string) error {
	return a.systemctl(ctx, "restart", unit)
}

func (a *appliance) systemctl(ctx context.Context, verb, unit string) error {
	a.asked = append(a.asked, verb+" "+unit)
	if out, err := a.Run(ctx, "systemctl", verb, unit); err != nil {
		log, _ := a.Journal(unit)
		a.t.Logf("%v: %s\n%s", err, out, log)
		return &sys.JobError{Verb: verb, Unit: unit, Result: "failed"}
	}
	return nil
}

// use installs and applies a state, as gateway-apply does.
func (a *appliance) use(s freeradius.State) {
	a.t.Helper()
	now, err := s.Render()
	if err != nil || len(now.Problems) > 0 {
		a.t.Fatalf("not rendered: %v, %+v", err, now.Problems)
	}
	for _, f := range now.Files {
		if a.installed.Same(f) {
			continue
		}
		if err := a.WriteFile(f.Path, append(slices.Clone(f.Data), "# gw-sha256 0\n"...), f.Mode); err != nil {
			a.t.Fatal(err)
		}
		if f.Group != "" {
			a.MustRun(a.t, "chgrp", f.Group, f.Path)
		}
	}
	old := a.installed
	a.installed = now
	if err := freeradius.New(freeradius.Options{Units: a}).Apply(a.t.Context(), old, now); err != nil {
		a.t.Fatal(err)
	}
}

// signsIn asks from another machine.
func (a *appliance) signsIn(t *testing.T, from *lab.Client, user, password, shared string) bool {
	t.Helper()
	conn, err := from.DialContext(t.Context(), "udp", net.JoinHostPort(a.IP().String(), "1812"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	p := protocol.Request(user)
	p.PAP(password, shared)
	data, err := p.Encode(shared, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(3 * time.Second)); err != nil {
		t.Fatal(err)
	}
	in := make([]byte, 4096)
	n, err := conn.Read(in)
	if err != nil {
		return false
	}
	answer, err := p.Answer(in[:n], shared)
	if err != nil {
		t.Fatal(err)
	}
	return answer.Code == protocol.AccessAccept
}

func TestOnANode(t *testing.T) {
	t.Parallel()
	l := lab.New(t)
	a, ap := newAppliance(t, l), l.Client("ap")
	second := l.Client("ap2")
	on := true
	const shared = "correct-horse-battery"
	s := freeradius.State{
		Settings: freeradius.Settings{Enabled: &on, AuthPort: 1812, AccountingPort: 1813},
		Probe:    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
		Clients:  []freeradius.Client{{Name: "ap", Address: ap.IP().String(), Secret: shared, Signed: true}},
		Users:    []freeradius.User{{Name: "ann", Password: "wonder land", Enabled: true}},
	}
	a.use(s)
	if !a.signsIn(t, ap, "ann", "wonder land", shared) {
		t.Fatal("ann is not let in")
	}
	t.Run("it has no power and no group but its own", func(t *testing.T) { a.isConfined(t) })
	t.Run("users and clients change without a restart", func(t *testing.T) {
		a.t, a.asked = t, nil
		pid := a.pid()
		s.Users = append(s.Users, freeradius.User{Name: "ben", Password: "builder", Enabled: true})
		a.use(s)
		s.Users = append(s.Users, freeradius.User{Name: "cid", Password: "campeador", Enabled: true})
		began := time.Now()
		a.use(s)
		t.Logf("the second change was live after %v", time.Since(began))
		s.Clients = append(s.Clients, freeradius.Client{Name: "ap2", Address: second.IP().String(), Secret: secret.Text(shared + "2"), Signed: true})
		a.use(s)
		if !a.signsIn(t, ap, "cid", "campeador", shared) || !a.signsIn(t, second, "ben", "builder", shared+"2") {
			t.Error("the new ones are not known")
		}
		if a.pid() != pid || slices.ContainsFunc(a.asked, func(s string) bool { return strings.HasPrefix(s, "restart") }) {
			t.Errorf("it was restarted: %v", a.asked)
		}
	})
	t.Run("the log begins anew, and is for its group", func(t *testing.T) {
		a.MustRun(t, "systemctl", "start", "gateway-radius-rotate.service")
		a.signsIn(t, ap, "ann", "wonder land", shared)
		// As gateway-apply: root, a member of the group, with no power over files of others.
		out := a.MustRun(t, "setpriv", "--groups", "freerad", "--bounding-set=-all", "--inh-caps=-all", "sh", "-c",
			"setpriv --ambient-caps=-all cat /var/log/gateway-radius/signins.json.1 /var/log/gateway-radius/signins.json")
		if got := len(regexp.MustCompile(`(?m)^\d+ \w+ `).FindAllString(out, -1)); got < 4 {
			t.Errorf("the log has %d sign-ins:\n%s", got, out)
		}
	})
	t.Run("a kill is survived", func(t *testing.T) {
		a.MustRun(t, "systemctl", "kill", "--signal=KILL", freeradius.Unit)
		end := time.Now().Add(10 * time.Second)
		for !a.signsIn(t, ap, "ann", "wonder land", shared) {
			if time.Now().After(end) {
				t.Fatal("it does not come back")
			}
		}
	})
	t.Run("a removal gives FreeRADIUS back", func(t *testing.T) {
		a.MustRun(t, "sh", "-c", "rm -r /usr/lib/systemd/system/freeradius.service.d && systemctl daemon-reload")
		a.MustRun(t, "/root/postrm", "remove")
		line := a.MustRun(t, "sh", "-c", `tr '\0' ' ' < /proc/$(systemctl show -p MainPID --value freeradius)/cmdline; ls /etc/gateway/radius`)
		if !strings.Contains(line, "/usr/sbin/freeradius -f") || strings.Contains(line, "gateway") || strings.Contains(line, "users") {
			t.Errorf("it runs as %q", line)
		}
	})
}

func (a *appliance) pid() string {
	return strings.TrimSpace(a.MustRun(a.t, "systemctl", "show", "-p", "MainPID", "--value", freeradius.Unit))
}

func (a *appliance) isConfined(t *testing.T) {
	t.Helper()
	status := a.MustRun(t, "cat", "/proc/"+a.pid()+"/status")
	freerad := strings.TrimSpace(a.MustRun(t, "id", "-u", "freerad"))
	own := strings.TrimSpace(a.MustRun(t, "id", "-g", "freerad"))
	for _, want := range []string{"CapEff:\t0000000000000000", "CapPrm:\t0000000000000000", "NoNewPrivs:\t1", fmt.Sprintf("Uid:\t%s\t%[1]s", freerad), fmt.Sprintf("Gid:\t%s\t%[1]s", own)} {
		if !strings.Contains(status, want) {
			t.Errorf("no %q in\n%s", want, status)
		}
	}
	for line := range strings.Lines(status) {
		if groups, ok := strings.CutPrefix(line, "Groups:"); ok && strings.TrimSpace(groups) != "" && strings.TrimSpace(groups) != own {
			t.Errorf("it is in the groups %q", groups)
		}
	}
	out := a.MustRun(t, "sh", "-c", "stat -c '%a %U %G %n' /run/freeradius /run/freeradius/gateway.sock /var/log/gateway-radius")
	for _, want := range []string{"750 freerad freerad /run/freeradius", "750 freerad freerad /var/log/gateway-radius"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s", out)
		}
	}
}
