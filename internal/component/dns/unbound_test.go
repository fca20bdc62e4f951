package dns

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	mdns "github.com/miekg/dns"

	"gateway/internal/component/dns/control"
	"gateway/internal/sys"
	"gateway/lab"
)

// debian is the command line that runs a program of Debian 13 on whatever the test runs on.
func debian(t testing.TB, program string) []string {
	t.Helper()
	root, err := lab.Root(t.Context())
	if err != nil {
		t.Skipf("no Debian 13 for tests: %v", err)
	}
	return []string{
		filepath.Join(root, "lib64/ld-linux-x86-64.so.2"), "--library-path", filepath.Join(root, "usr/lib/x86_64-linux-gnu"),
		filepath.Join(root, program),
	}
}

// runDebian is sys.Run with Debian 13's programs.
func runDebian(t testing.TB) sys.Runner {
	return func(ctx context.Context, c sys.Command) (sys.Result, error) {
		argv := debian(t, c.Path)
		c.Path, c.Args = argv[0], append(argv[1:], c.Args...)
		return sys.Run(ctx, c)
	}
}

// daemon is a real unbound on a port of its own.
type daemon struct {
	t      testing.TB
	dir    string
	port   int
	extra  string // further lines of configuration
	client control.Client

	mu       sync.Mutex
	cmd      *exec.Cmd
	log      *bytes.Buffer
	restarts int
}

// newDaemon prepares one that is not running yet.
func newDaemon(t testing.TB, extra string) *daemon {
	t.Helper()
	dir, err := os.MkdirTemp("", "unbound") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{t: t, dir: dir, port: freePort(t), extra: extra, client: control.Client{Path: filepath.Join(dir, "ctl")}}
	t.Cleanup(func() {
		d.Stop()
		if t.Failed() {
			t.Logf("unbound said:\n%s", d.log)
		}
		_ = os.RemoveAll(dir)
	})
	d.write(filepath.Join(dir, "main.conf"), fmt.Sprintf(`include: %q
server:
	port: %d
	username: ""
	chroot: ""
	directory: %q
	pidfile: ""
	use-syslog: no
	do-daemonize: no
remote-control:
	control-enable: yes
	control-interface: %q
%s
`, d.file(), d.port, dir, d.client.Path, extra))
	d.write(d.file(), "")
	return d
}

func freePort(t testing.TB) int {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port
}

// file stands for ours in Debian's folder.
func (d *daemon) file() string { return filepath.Join(d.dir, "gateway.conf") }

func (d *daemon) write(name, text string) {
	d.t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

// Restart does what systemd does: it returns when unbound answers.
func (d *daemon) Restart(ctx context.Context, unit string) error {
	if unit != Unit {
		return fmt.Errorf("asked to restart %s", unit)
	}
	d.Stop()
	argv := append(debian(d.t, "usr/sbin/unbound"), "-d", "-c", filepath.Join(d.dir, "main.conf"))
	d.mu.Lock()
	d.restarts++
	d.log = &bytes.Buffer{}
	d.cmd = exec.Command(argv[0], argv[1:]...)
	d.cmd.Stdout, d.cmd.Stderr = d.log, d.log
	err := d.cmd.Start()
	d.mu.Unlock()
	if err != nil {
		return err
	}
	for range 2000 {
		if _, err = d.client.Threads(ctx); err == nil {
			return nil
		}
		<-time.After(5 * time.Millisecond)
	}
	return err
}

// Stop ends it the hard way.
func (d *daemon) Stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cmd == nil {
		return
	}
	_ = d.cmd.Process.Kill()
	_ = d.cmd.Wait()
	d.cmd = nil
}

func (d *daemon) restarted() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.restarts
}

func (d *daemon) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(d.port)) }

// query asks over UDP, and again over TCP when told to.
func (d *daemon) query(name string, qtype uint16) (*mdns.Msg, error) {
	m := new(mdns.Msg).SetQuestion(mdns.Fqdn(name), qtype)
	m.SetEdns0(4096, true)
	answer, _, err := (&mdns.Client{Timeout: 5 * time.Second}).Exchange(m, d.address())
	if err == nil && answer.Truncated {
		answer, _, err = (&mdns.Client{Net: "tcp", Timeout: 5 * time.Second}).Exchange(m, d.address())
	}
	return answer, err
}

// ask is query in few words: the code and the answers, in their order by text.
func (d *daemon) ask(name, typ string) string {
	d.t.Helper()
	m, err := d.query(name, mdns.StringToType[typ])
	if err != nil {
		return err.Error()
	}
	words := []string{mdns.RcodeToString[m.Rcode]}
	var rrs []string
	for _, rr := range m.Answer {
		if rr.Header().Rrtype != mdns.TypeRRSIG {
			rrs = append(rrs, mdns.TypeToString[rr.Header().Rrtype]+" "+operatorValue(rr))
		}
	}
	return strings.Join(append(words, rrs...), " | ")
}

// upstream is a name server that a test answers for.
type upstream struct {
	addr netip.AddrPort
	mu   sync.Mutex
	seen map[string]int
}

// newUpstream serves answer on 127.0.0.1; nil is NXDOMAIN.
func newUpstream(t testing.TB, answer func(q mdns.Question) []mdns.RR) *upstream {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u := &upstream{addr: pc.LocalAddr().(*net.UDPAddr).AddrPort(), seen: map[string]int{}}
	handler := mdns.HandlerFunc(func(w mdns.ResponseWriter, r *mdns.Msg) {
		q := r.Question[0]
		u.mu.Lock()
		u.seen[strings.ToLower(q.Name)+" "+mdns.TypeToString[q.Qtype]]++
		u.mu.Unlock()
		m := new(mdns.Msg).SetReply(r)
		m.RecursionAvailable = true
		if m.Answer = answer(q); m.Answer == nil {
			m.Rcode = mdns.RcodeNameError
			m.Ns = []mdns.RR{mustRR(". 3600 IN SOA a.example. b.example. 1 2 3 4 3600")}
		}
		if o := r.IsEdns0(); o != nil {
			m.SetEdns0(4096, o.Do())
		}
		_ = w.WriteMsg(m)
	})
	for _, s := range []*mdns.Server{{PacketConn: pc, Handler: handler}} {
		started := make(chan struct{})
		s.NotifyStartedFunc = func() { close(started) }
		go func() { _ = s.ActivateAndServe() }()
		<-started
		t.Cleanup(func() { _ = s.Shutdown() })
	}
	return u
}

// forward is how the settings name it.
func (u *upstream) forward() string { return fmt.Sprintf("%s@%d", u.addr.Addr(), u.addr.Port()) }

func (u *upstream) asked(name, typ string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.seen[name+" "+typ]
}

func mustRR(s string) mdns.RR {
	rr, err := mdns.NewRR(s)
	if err != nil {
		panic(err)
	}
	return rr
}
