package dnstest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"os/exec" //nolint:depguard // a daemon of a test's own
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	mdns "github.com/miekg/dns"

	"gateway/internal/component/componenttest"
	"gateway/internal/component/dns/control"
	"gateway/internal/component/dns/unbound"
)

// Unbound is a real one on a port of its own.
type Unbound struct {
	t      testing.TB
	dir    string
	Port   int
	Client control.Client

	mu       sync.Mutex
	cmd      *exec.Cmd
	log      *bytes.Buffer
	restarts int
}

// newUnbound prepares one that is not running yet, which reads our file. extra are further
// lines of configuration.
func newUnbound(t testing.TB, file, extra string) *Unbound {
	t.Helper()
	dir, err := os.MkdirTemp("", "unbound") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	d := &Unbound{t: t, dir: dir, Port: freePort(t), Client: control.Client{Path: filepath.Join(dir, "ctl")}}
	t.Cleanup(func() {
		d.Stop()
		if t.Failed() {
			t.Logf("unbound said:\n%s", d.log)
		}
		_ = os.RemoveAll(dir)
	})
	text := fmt.Sprintf(`include: %q
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
`, file, d.Port, dir, d.Client.Path, extra)
	if err := os.WriteFile(filepath.Join(dir, "main.conf"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
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

// Restart does what systemd does: it returns when unbound answers.
func (d *Unbound) Restart(ctx context.Context) error {
	d.Stop()
	argv := append(componenttest.Debian(d.t, "usr/sbin/unbound"), "-d", "-c", filepath.Join(d.dir, "main.conf"))
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
		if _, err = d.Client.Threads(ctx); err == nil {
			return nil
		}
		<-time.After(5 * time.Millisecond)
	}
	return err
}

// Stop ends it the hard way.
func (d *Unbound) Stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cmd == nil {
		return
	}
	_ = d.cmd.Process.Kill()
	_ = d.cmd.Wait()
	d.cmd = nil
}

// Restarted is how often it was started.
func (d *Unbound) Restarted() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.restarts
}

// Address is where it answers.
func (d *Unbound) Address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(d.Port)) }

// Query asks over UDP, and again over TCP when told to.
func (d *Unbound) Query(name string, qtype uint16) (*mdns.Msg, error) {
	m := new(mdns.Msg).SetQuestion(mdns.Fqdn(name), qtype)
	m.SetEdns0(4096, true)
	answer, _, err := (&mdns.Client{Timeout: 5 * time.Second}).Exchange(m, d.Address())
	if err == nil && answer.Truncated {
		answer, _, err = (&mdns.Client{Net: "tcp", Timeout: 5 * time.Second}).Exchange(m, d.Address())
	}
	return answer, err
}

// Ask is Query in few words: the code and the answers, in their order by text.
func (d *Unbound) Ask(name, typ string) string {
	d.t.Helper()
	m, err := d.Query(name, mdns.StringToType[typ])
	if err != nil {
		return err.Error()
	}
	words := []string{mdns.RcodeToString[m.Rcode]}
	var rrs []string
	for _, rr := range m.Answer {
		if rr.Header().Rrtype != mdns.TypeRRSIG {
			rrs = append(rrs, mdns.TypeToString[rr.Header().Rrtype]+" "+unbound.OperatorValue(rr))
		}
	}
	return strings.Join(append(words, rrs...), " | ")
}

// Upstream is a name server that a test answers for.
type Upstream struct {
	addr netip.AddrPort
	mu   sync.Mutex
	seen map[string]int
}

// NewUpstream serves answer on 127.0.0.1; nil is NXDOMAIN.
func NewUpstream(t testing.TB, answer func(q mdns.Question) []mdns.RR) *Upstream {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u := &Upstream{addr: pc.LocalAddr().(*net.UDPAddr).AddrPort(), seen: map[string]int{}}
	handler := mdns.HandlerFunc(func(w mdns.ResponseWriter, r *mdns.Msg) {
		q := r.Question[0]
		u.mu.Lock()
		u.seen[strings.ToLower(q.Name)+" "+mdns.TypeToString[q.Qtype]]++
		u.mu.Unlock()
		m := new(mdns.Msg).SetReply(r)
		m.RecursionAvailable = true
		if m.Answer = answer(q); m.Answer == nil {
			m.Rcode = mdns.RcodeNameError
			m.Ns = []mdns.RR{MustRR(". 3600 IN SOA a.example. b.example. 1 2 3 4 3600")}
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

// Forward is how the settings name it.
func (u *Upstream) Forward() string { return fmt.Sprintf("%s@%d", u.addr.Addr(), u.addr.Port()) }

// Asked is how often it was asked for a name.
func (u *Upstream) Asked(name, typ string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.seen[name+" "+typ]
}

// Seen is how often it was asked for what.
func (u *Upstream) Seen() map[string]int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.seen)
}

// MustRR reads a record that a test wrote.
func MustRR(s string) mdns.RR {
	rr, err := mdns.NewRR(s)
	if err != nil {
		panic(err)
	}
	return rr
}

// World answers for everything that is not ours.
func World(q mdns.Question) []mdns.RR {
	name := strings.ToLower(q.Name)
	switch {
	case strings.HasSuffix(name, "missing.example.") || strings.HasSuffix(name, "example.com."):
		return nil
	case q.Qtype == mdns.TypeA:
		return []mdns.RR{MustRR(name + " 300 IN A 203.0.113.1")}
	}
	return []mdns.RR{}
}
