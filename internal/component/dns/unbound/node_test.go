package unbound

import (
	"context"
	"fmt"
	"net"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	mdns "github.com/miekg/dns"

	"gateway/internal/daemon"
	"gateway/internal/sys"
	"gateway/lab"
	"gateway/packaging/packagingtest"
)

// stepEnv names the file that unbound ran on, for the part of the test that runs in the
// sandbox of gateway-apply on a node.
const stepEnv = "GATEWAY_TEST_DNS_STEP"

// TestInsideANode is not for the test run: TestOnANode starts it, where the privilege is.
func TestInsideANode(t *testing.T) {
	file := os.Getenv(stepEnv)
	if file == "" {
		t.Skip("this is a part of TestOnANode")
	}
	read := func(name string) (r daemon.Rendering) {
		data, err := os.ReadFile(name)
		if err == nil && len(data) > 0 {
			r.Files = []daemon.File{{Path: Path, Data: data}}
		}
		return r
	}
	units := sys.NewUnits()
	defer units.Close()
	r := newResolver(Options{Units: units, Exec: sys.Run})
	start := time.Now()
	if err := r.apply(t.Context(), read(file), read(Path)); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("applied in %s, %d lines told\n", time.Since(start), r.pushed.Load())
	for _, verb := range []daemon.Verb{r.flush, r.stats} {
		if _, err := verb(t.Context(), nil); err != nil {
			t.Error(err)
		}
	}
}

// appliance is a node with what the package has for unbound.
type appliance struct {
	*lab.Node
	t    *testing.T
	last string
}

const (
	dropIn  = "/usr/lib/systemd/system/unbound.service.d/gateway.conf"
	program = "/usr/lib/gateway/dns.test"
	before  = "/var/lib/gateway-apply/before"
)

func newAppliance(t *testing.T, l *lab.Lab) *appliance {
	t.Helper()
	a := &appliance{Node: l.Node("gw"), t: t}
	self, err := os.Executable()
	l.Must(err)
	l.Must(a.CopyIn(self, program, 0o755))
	files := packagingtest.Assemble(t)
	l.Must(a.CopyIn(files+"/postrm", "/root/postrm", 0o755))
	l.Must(a.CopyIn(files+"/root"+dropIn, dropIn, 0o644))
	l.Must(a.CopyIn("../../../../packaging/units/sysusers.conf", "/usr/lib/sysusers.d/gateway.conf", 0o644))
	a.MustRun(t, "systemd-sysusers", "gateway.conf")
	a.MustRun(t, "systemctl", "daemon-reload")
	return a
}

// use installs and applies a configuration, as gateway-apply does and where it does.
func (a *appliance) use(m model) string {
	a.t.Helper()
	s, refused := m.stored()
	if refused != 0 {
		a.t.Fatalf("%d objects were refused", refused)
	}
	now := string(render(s, &memo{}).File(Path))
	a.write(before, a.last)
	a.write(Path, now)
	a.last = now
	result, journal := a.inSandbox("gateway-apply", program+" -test.run=^TestInsideANode$ -test.v")
	if result != "success" {
		a.t.Fatalf("apply: %s\n%s", result, journal)
	}
	return regexp.MustCompile(`applied in .*`).FindString(journal)
}

func (a *appliance) write(file, text string) {
	a.t.Helper()
	if err := a.WriteFile(file, []byte(text), 0o644); err != nil {
		a.t.Fatal(err)
	}
}

var ownSettings = regexp.MustCompile(`(?m)^(ExecStart|Type|Restart\w*|Requires|After|Before|TimeoutStartSec|LoadCredential)=.*\n`)

// inSandbox runs a command with all settings of one of our units but what it runs.
func (a *appliance) inSandbox(process, command string) (result, journal string) {
	a.t.Helper()
	text := packagingtest.Unit(a.t, process+".service")
	body := strings.Replace(ownSettings.ReplaceAllString(text, ""), "[Service]\n",
		"[Service]\nType=oneshot\nEnvironment="+stepEnv+"="+before+"\nExecStart=/bin/sh -c '"+command+"'\n", 1)
	name := fmt.Sprintf("probe-%d.service", time.Now().UnixNano())
	a.write("/run/systemd/system/"+name, body)
	a.MustRun(a.t, "systemctl", "daemon-reload")
	_, _ = a.Run(a.t.Context(), "systemctl", "start", name) // how it ended is asked for below
	result = strings.TrimSpace(a.MustRun(a.t, "systemctl", "show", "-p", "Result", "--value", name))
	journal, err := a.Journal(name)
	if err != nil {
		a.t.Fatal(err)
	}
	return result, journal
}

func (a *appliance) pid() string {
	a.t.Helper()
	return strings.TrimSpace(a.MustRun(a.t, "systemctl", "show", "-p", "MainPID", "--value", Unit))
}

type dialer interface {
	DialContext(ctx context.Context, network, addr string) (net.Conn, error)
}

// ask asks a server from somewhere on the network.
func ask(t *testing.T, from dialer, server, name string) string {
	t.Helper()
	conn, err := from.DialContext(t.Context(), "udp", net.JoinHostPort(server, "53"))
	if err != nil {
		return err.Error()
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(2 * time.Second))
	c := &mdns.Conn{Conn: conn}
	if err := c.WriteMsg(new(mdns.Msg).SetQuestion(name, mdns.TypeA)); err != nil {
		return err.Error()
	}
	m, err := c.ReadMsg()
	if err != nil {
		return err.Error()
	}
	words := []string{mdns.RcodeToString[m.Rcode]}
	for _, rr := range m.Answer {
		words = append(words, fileValue(rr))
	}
	return strings.Join(words, " ")
}

func TestOnANode(t *testing.T) {
	l := lab.New(t)
	a := newAppliance(t, l)
	client := l.Client("c1")
	settings := defaults()
	m := model{
		Settings: &settings, Zones: []Zone{{Name: "example.com"}},
		Records: []modelRecord{{Zone: "example.com", Name: "www", Type: "A", Value: "192.0.2.1"}},
	}
	steps := []struct {
		name      string
		change    func()
		at, want  string
		restarted bool
	}{
		{"it is started", func() {}, "127.0.0.1", "NOERROR 192.0.2.1", true},
		{"a record is told", func() { m.Records[0].Value = "192.0.2.2" }, "127.0.0.1", "NOERROR 192.0.2.2", false},
		{"a zone is read", func() {
			m.Zones = append(m.Zones, Zone{Name: "corp.example", ForwardTo: []string{"192.0.2.53"}})
			m.Records[0].Value = "192.0.2.3"
		}, "127.0.0.1", "NOERROR 192.0.2.3", false},
		{"a setting is read", func() { settings.CacheMaxTTL, m.Records[0].Value = 60, "192.0.2.4" }, "127.0.0.1", "NOERROR 192.0.2.4", false},
		{"another address is a restart", func() { settings.ListenAddresses = []string{"127.0.0.1", a.IP().String(), "192.0.2.250"} }, "127.0.0.1", "NOERROR 192.0.2.4", true},
	}
	for _, s := range steps {
		s.change()
		was := a.pid()
		t.Logf("%s: %s", s.name, a.use(m))
		if got := ask(t, a, s.at, "www.example.com."); got != s.want {
			t.Errorf("%s: %s, want %s", s.name, got, s.want)
		}
		if restarted := was != a.pid(); restarted != s.restarted {
			t.Errorf("%s: restarted = %t", s.name, restarted)
		}
	}
	server := a.IP().String()
	if got := ask(t, client, server, "www.example.com."); got != "REFUSED" {
		t.Errorf("somebody who may not ask gets %s", got)
	}
	settings.AccessACL = append(settings.AccessACL, client.IP().String()+"/24")
	a.use(m)
	if got := ask(t, client, server, "www.example.com."); got != "NOERROR 192.0.2.4" {
		t.Errorf("somebody who may ask gets %s", got)
	}
	a.hasManyAddresses(client, &settings, m)
	a.isSound()
	a.comesBack(client)
	a.isRemoved()
}

// hasManyAddresses lets a cluster's address come, which must be the one that answers.
func (a *appliance) hasManyAddresses(client *lab.Client, settings *Settings, m model) {
	a.t.Helper()
	settings.ListenAddresses = []string{"0.0.0.0"}
	a.use(m)
	other := a.IP().Next().Next().Next().Next().Next()
	a.MustRun(a.t, "ip", "address", "add", other.String()+"/24", "dev", "eth0")
	if got := ask(a.t, client, other.String(), "www.example.com."); got != "NOERROR 192.0.2.4" {
		a.t.Errorf("at another address: %s", got)
	}
	settings.ListenAddresses = []string{"127.0.0.1", a.IP().String()}
	for range 10 { // more than systemd's own limit of five in ten seconds
		a.MustRun(a.t, "systemctl", "restart", Unit)
	}
	a.use(m)
}

// isSound looks at what Debian's files and our drop-in are for.
func (a *appliance) isSound() {
	a.t.Helper()
	if got := strings.TrimSpace(a.MustRun(a.t, "stat", "-c", "%U:%G %a", "/run/unbound.ctl")); got != "root:unbound 660" {
		a.t.Errorf("the control socket is %s", got)
	}
	if got := a.MustRun(a.t, "unbound-control", "get_option", "auto-trust-anchor-file"); !strings.Contains(got, "/var/lib/unbound/root.key") {
		a.t.Errorf("the trust anchor is %q", got)
	}
	if got := a.MustRun(a.t, "cat", "/var/lib/unbound/root.key"); !strings.Contains(got, "20326") && !strings.Contains(got, "DNSKEY") {
		a.t.Errorf("no trust anchor was made: %q", got)
	}
	status := a.MustRun(a.t, "grep", "-E", "^(Uid|CapEff|NoNewPrivs|Seccomp):", "/proc/"+a.pid()+"/status")
	for _, want := range []string{"CapEff:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"} {
		if !strings.Contains(status, want) {
			a.t.Errorf("the process is\n%s, want %s", status, want)
		}
	}
	a.t.Log(a.exposure())
	for _, probe := range []struct{ process, text, want string }{
		{"gateway-api", "server:", "success"},
		{"gateway-api", "server: nonsense: x", "exit-code"},
		{"gateway-apply", "server:", "success"},
		{"gateway-apply", "server: nonsense: x", "exit-code"},
	} {
		a.write("/etc/staged", aside+probe.text)
		got, journal := a.inSandbox(probe.process, "cat /etc/staged | "+checker+" /proc/self/fd/0")
		if got != probe.want || strings.Contains(journal, "ould not open") {
			a.t.Errorf("%q checked by %s: %s, want %s\n%s", probe.text, probe.process, got, probe.want, journal)
		}
	}
}

func (a *appliance) exposure() string {
	a.t.Helper()
	return regexp.MustCompile(`exposure level .*`).FindString(a.MustRun(a.t, "systemd-analyze", "security", "--no-pager", Unit))
}

// comesBack kills it.
func (a *appliance) comesBack(client *lab.Client) {
	a.t.Helper()
	was := a.pid()
	a.MustRun(a.t, "kill", "-9", was)
	for end := time.Now().Add(10 * time.Second); ; <-time.After(10 * time.Millisecond) {
		got := ask(a.t, client, a.IP().String(), "www.example.com.")
		if got == "NOERROR 192.0.2.4" && a.pid() != was {
			return
		}
		if time.Now().After(end) {
			a.t.Fatalf("ten seconds after it was killed: %s", got)
		}
	}
}

// isRemoved does what dpkg does: our files go, then postrm runs.
func (a *appliance) isRemoved() {
	a.t.Helper()
	a.MustRun(a.t, "rm", dropIn)
	a.MustRun(a.t, "/root/postrm", "remove")
	a.t.Log("without our drop-in:", a.exposure())
	if out, err := a.Run(a.t.Context(), "ls", Path); err == nil {
		a.t.Errorf("our file stayed: %s", out)
	}
	if got := ask(a.t, a, "127.0.0.1", "www.example.com."); strings.Contains(got, "192.0.2.4") {
		a.t.Errorf("after the removal: %s", got)
	}
	if got := strings.TrimSpace(a.MustRun(a.t, "systemctl", "is-active", Unit)); got != "active" {
		a.t.Errorf("after the removal it is %s", got)
	}
}
