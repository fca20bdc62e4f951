package ntp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/component/ntp/chrony"
	"gateway/internal/daemon"
	"gateway/lab"
	"gateway/packaging/packagingtest"
)

// appliance is a node with what the package has for chrony, whose chrony does not control the clock:
// that is the clock of the machine the test runs on.
type appliance struct {
	*lab.Node
	t *testing.T
}

const dropIn = "/usr/lib/systemd/system/chrony.service.d/gateway.conf"

func newAppliance(t *testing.T, l *lab.Lab) appliance {
	t.Helper()
	a := appliance{l.Node("gw"), t}
	files := packagingtest.Assemble(t)
	l.Must(a.CopyIn(files+"/postrm", "/root/postrm", 0o755))
	l.Must(a.CopyIn(files+"/root/usr/lib/gateway/ntp-sync", "/usr/lib/gateway/ntp-sync", 0o755))
	for _, file := range []string{dropIn, "/usr/lib/systemd/system/gateway-ntp-sync.service"} {
		l.Must(a.CopyIn(files+"/root"+file, file, 0o644))
	}
	l.Must(a.CopyIn("../../../packaging/units/sysusers.conf", "/usr/lib/sysusers.d/gateway.conf", 0o644))
	l.Must(a.WriteFile("/etc/default/chrony", []byte("DAEMON_OPTS=\"-F 1 -x\"\n"), 0o644))
	a.MustRun(t, "systemd-sysusers", "gateway.conf")
	a.MustRun(t, "systemctl", "daemon-reload")
	return a
}

func (a appliance) Start(ctx context.Context, unit string) error {
	return a.systemctl(ctx, "start", unit)
}

func (a appliance) Restart(ctx context.Context, unit string) error {
	return a.systemctl(ctx, "restart", unit)
}

func (a appliance) systemctl(ctx context.Context, verb, unit string) error {
	out, err := a.Run(ctx, "systemctl", verb, unit)
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func (a appliance) daemon() daemon.Daemon { return chrony.New(chrony.Options{Units: a}) }

func (a appliance) handlers() *handlers {
	return &handlers{Options{Now: time.Now, Dial: func(ctx context.Context) (net.Conn, error) {
		return a.DialContext(ctx, "udp", monitorAddress)
	}}}
}

func rendering(text string) daemon.Rendering {
	return daemon.Rendering{Files: []daemon.File{{Path: chrony.ConfFile, Mode: 0o644, Data: []byte(text)}}}
}

// use installs and applies a state, as gateway-apply does.
func (a appliance) use(s chrony.State) {
	a.t.Helper()
	r, err := s.Render()
	if err != nil {
		a.t.Fatal(err)
	}
	if err := a.WriteFile(chrony.ConfFile, r.Files[0].Data, 0o644); err != nil {
		a.t.Fatal(err)
	}
	if err := a.daemon().Apply(a.t.Context(), rendering("something else"), r); err != nil {
		a.t.Fatal(err)
	}
}

func (a appliance) status() Status {
	a.t.Helper()
	s, err := a.handlers().status(a.t.Context(), nil)
	if err != nil {
		a.t.Fatal(err)
	}
	return s.Body.Data
}

func (a appliance) commandLine() string {
	a.t.Helper()
	pid := strings.TrimSpace(a.MustRun(a.t, "systemctl", "show", "-p", "MainPID", "--value", chrony.Unit))
	return strings.ReplaceAll(a.MustRun(a.t, "cat", "/proc/"+pid+"/cmdline"), "\x00", " ")
}

// shows NTP-05
func TestOnANode(t *testing.T) {
	t.Parallel()
	l := lab.New(t)
	a, source := newAppliance(t, l), l.Client("time")
	server := newTimeServer(t, source)
	client := newMachine(t, l, "c1")
	s := chrony.State{
		Settings: chrony.Settings{ServeClients: true, AllowACL: []string{"0.0.0.0/0"}, Makestep: true, Rtcsync: true},
		Sources:  []chrony.Source{{Kind: "server", Address: source.IP().String(), Iburst: true}},
	}
	a.use(s)
	t.Run("only the configured source counts", func(t *testing.T) {
		a := appliance{a.Node, t}
		list, err := a.handlers().sourceList(t.Context())
		if err != nil || len(list) != 1 || list[0].Address != source.IP().String() {
			t.Errorf("sources = %+v, %v", list, err)
		}
		if got := a.commandLine(); strings.Contains(got, "chrony.conf") || !strings.Contains(got, "-x") {
			t.Errorf("chronyd was started as %q; the operator's options are lost, or Debian's file counts", got)
		}
	})
	until(t, 20*time.Second, "it is synchronised", func() bool { return a.status().Synchronised })
	t.Run("a change does not cost the synchronisation", func(t *testing.T) { a.restarts(t, s, client) })
	t.Run("the unit synchronises at once", func(t *testing.T) { a.synchronises(t, server) })
	t.Run("both processes can check, and the API ask, in their sandboxes", func(t *testing.T) { a.checksInSandboxes(t) })
	t.Run("a removal gives chrony back", func(t *testing.T) { a.isRemoved(t) })
}

// restarts changes the configuration again and again under a client that keeps asking.
func (a appliance) restarts(t *testing.T, s chrony.State, client machine) {
	a.t = t
	const changes = 20 // more than systemd's own limit of five in ten seconds
	before := a.status()
	ask := client.keepAsking(t, a.IP())
	var took []time.Duration
	for i := range changes {
		s.Settings.Makestep = i%2 == 0
		began := time.Now()
		a.use(s)
		took = append(took, time.Since(began))
		if got := a.status(); !got.Synchronised || got.ReferenceID != before.ReferenceID || got.Stratum != before.Stratum {
			t.Errorf("after change %d: %+v", i, got)
		}
	}
	silences, wrong := ask()
	if len(silences) < 2*changes || wrong > 0 {
		t.Fatalf("%d answers, %d of them from a daemon that was not synchronised", len(silences), wrong)
	}
	slices.Sort(took)
	slices.Sort(silences)
	away := silences[len(silences)-changes:] // the longest ones, one for each restart
	t.Logf("%d changes took %v at the median, %v at most; the client went without an answer for %v at the median, %v at most; of %d answers %d were unsynchronised",
		changes, ms(took[changes/2]), ms(took[changes-1]), ms(away[changes/2]), ms(away[changes-1]), len(silences), wrong)
	if away[changes-1] > 5*time.Second {
		t.Errorf("clients went without an answer for %v", away[changes-1])
	}
	a.restartsWithoutMeasurements(s)
}

func ms(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

// restartsWithoutMeasurements is the control: it is our drop-in that keeps the synchronisation.
func (a appliance) restartsWithoutMeasurements(s chrony.State) {
	a.t.Helper()
	const forgetful = "/run/systemd/system/chrony.service.d/zz-forgetful.conf"
	drop := strings.Replace(a.MustRun(a.t, "cat", dropIn), "$DAEMON_OPTS -r", "$DAEMON_OPTS", 1)
	if err := a.WriteFile(forgetful, []byte(drop), 0o644); err != nil {
		a.t.Fatal(err)
	}
	a.MustRun(a.t, "systemctl", "daemon-reload")
	a.use(s)
	if a.status().Synchronised {
		a.t.Error("without -r it is synchronised after a restart too, so this shows nothing")
	}
	a.t.Logf("without -r it is synchronised again after %v", ms(until(a.t, 20*time.Second, "it is synchronised", func() bool { return a.status().Synchronised })))
	a.MustRun(a.t, "rm", forgetful)
	a.MustRun(a.t, "systemctl", "daemon-reload")
}

// keepAsking asks for the time every two milliseconds until the function it returns is
// called. That tells the time before each answer, and how many came from a clock that was
// not synchronised.
func (m machine) keepAsking(t *testing.T, server netip.Addr) func() (silences []time.Duration, wrong int) {
	t.Helper()
	conn, err := m.DialContext(t.Context(), "udp", netip.AddrPortFrom(server, 123).String())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		packet := make([]byte, 48)
		packet[0] = 4<<3 | 3
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for n := uint64(1); ctx.Err() == nil; n++ {
			binary.BigEndian.PutUint64(packet[40:], n)
			_, _ = conn.Write(packet) // refused while the daemon is away
			<-tick.C
		}
		conn.Close()
	}()
	var wrong int
	var silences []time.Duration
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		packet, last := make([]byte, 256), time.Now()
		for {
			_, err := conn.Read(packet)
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				continue
			}
			if packet[0]>>6 == leapUnsynchronised || packet[1] == 0 || packet[1] > 15 {
				wrong++
			}
			silences, last = append(silences, time.Since(last)), time.Now()
		}
	}()
	return func() ([]time.Duration, int) {
		cancel()
		<-asked
		<-heard
		return silences, wrong
	}
}

func (a appliance) synchronises(t *testing.T, server *timeServer) {
	a.t = t
	// While it asks anyhow, as iburst has it do at its start, it needs no order to.
	until(t, 20*time.Second, "its first questions are over", func() bool {
		return strings.HasPrefix(a.MustRun(t, "chronyc", "-c", "activity"), "1,0,0,0,")
	})
	asked := server.asked.Load()
	began := time.Now()
	if _, err := a.daemon().Verbs[chrony.ForceSync](t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	t.Logf("took %v, %d questions", ms(time.Since(began)), server.asked.Load()-asked)
	if got := server.asked.Load() - asked; got < 3 {
		t.Errorf("the source was asked %d times, want 3", got)
	}
	// The daemon refuses to step a clock that it does not control, so the order reached it.
	journal, err := a.Journal(syncUnit)
	if err != nil || !strings.Contains(journal, "chrony did not set the clock") {
		t.Errorf("the unit's log: %v\n%s", err, journal)
	}
	a.MustRun(t, "systemctl", "stop", chrony.Unit)
	if _, err := a.daemon().Verbs[chrony.ForceSync](t.Context(), nil); err == nil {
		t.Error("it succeeds without the daemon")
	}
	if err := a.daemon().Apply(t.Context(), rendering("a"), rendering("a")); err != nil {
		t.Error(err)
	}
	if got := strings.TrimSpace(a.MustRun(t, "systemctl", "is-active", chrony.Unit)); got != "active" {
		t.Errorf("after apply chrony is %s", got)
	}
}

// checksInSandboxes runs the checker under the settings of the units that will run it, and
// asks for the status under those of gateway-api.
func (a appliance) checksInSandboxes(t *testing.T) {
	a.t = t
	const check = ` | /usr/sbin/chronyd -p -U -f /dev/stdin`
	for _, probe := range []struct{ process, command, want string }{
		{"gateway-api", "echo server ntp.example.com" + check, "success"},
		{"gateway-api", "echo server" + check, "exit-code"},
		{"gateway-apply", "echo server ntp.example.com" + check, "success"},
		{"gateway-apply", "echo server" + check, "exit-code"},
		{"gateway-api", "chronyc -h 127.0.0.1 tracking", "success"},
		{"gateway-api", "chronyc -h 127.0.0.1 makestep", "exit-code"},
	} {
		got, journal := a.inSandbox(probe.process, probe.command)
		if got != probe.want || strings.Contains(journal, "Could not open") {
			t.Errorf("%s in the sandbox of %s: %s, want %s\n%s", probe.command, probe.process, got, probe.want, journal)
		}
	}
}

var ownSettings = regexp.MustCompile(`(?m)^(ExecStart|Type|Restart\w*|Requires|LoadCredential)=.*\n`)

// inSandbox runs a command with all settings of one of our units but what it runs.
func (a appliance) inSandbox(process, command string) (result, journal string) {
	a.t.Helper()
	text := packagingtest.Unit(a.t, process+".service")
	body := strings.Replace(ownSettings.ReplaceAllString(text, ""), "[Service]\n", "[Service]\nType=oneshot\nExecStart=/bin/sh -c '"+command+"'\n", 1)
	name := fmt.Sprintf("probe-%d.service", time.Now().UnixNano())
	if err := a.WriteFile("/run/systemd/system/"+name, []byte(body), 0o644); err != nil {
		a.t.Fatal(err)
	}
	a.MustRun(a.t, "systemctl", "daemon-reload")
	_, _ = a.Run(a.t.Context(), "systemctl", "start", name) // how it ended is asked for below
	result = strings.TrimSpace(a.MustRun(a.t, "systemctl", "show", "-p", "Result", "--value", name))
	journal, err := a.Journal(name)
	if err != nil {
		a.t.Fatal(err)
	}
	return result, journal
}

// isRemoved does what dpkg does: our files go, then postrm runs.
func (a appliance) isRemoved(t *testing.T) {
	a.t = t
	before := a.MustRun(t, "sha256sum", "/etc/chrony/chrony.conf")
	a.MustRun(t, "rm", dropIn)
	a.MustRun(t, "/root/postrm", "remove")
	if got := a.commandLine(); strings.Contains(got, "confdir") {
		t.Errorf("chronyd still runs as %q", got)
	}
	if out, err := a.Run(t.Context(), "ls", chrony.ConfFile); err == nil {
		t.Errorf("our file stayed: %s", out)
	}
	if got := a.MustRun(t, "sha256sum", "/etc/chrony/chrony.conf"); got != before {
		t.Error("Debian's file was changed")
	}
	list, err := a.handlers().sourceList(t.Context())
	if err != nil || !slices.ContainsFunc(list, func(s SourceStatus) bool { return strings.HasSuffix(s.Name, "debian.pool.ntp.org") }) {
		t.Errorf("sources = %+v, %v; want Debian's", list, err)
	}
}
