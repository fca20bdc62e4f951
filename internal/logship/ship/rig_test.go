package ship

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway/internal/logship"
	"gateway/internal/sys"
)

// fakeJournal stands for journalctl.
type fakeJournal struct {
	mu      sync.Mutex
	entries []string // by number
	first   int      // what is before was rotated away
	more    chan struct{}
	asked   []string
}

func (j *fakeJournal) write(messages ...string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, messages...)
	if j.more != nil {
		close(j.more)
	}
	j.more = nil
}

func (j *fakeJournal) rotate(first int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.first = first
}

// from is the entry at a number, and else a channel that is closed when there are more.
func (j *fakeJournal) from(n int) (string, int, chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	n = max(n, j.first)
	if n < len(j.entries) {
		return j.entries[n], n, nil
	}
	if j.more == nil {
		j.more = make(chan struct{})
	}
	return "", n, j.more
}

func unitOf(message string) string {
	switch {
	case strings.HasPrefix(message, "own "):
		return logship.Unit
	case strings.HasPrefix(message, "other "):
		return "cron.service"
	}
	return "unbound.service"
}

func line(n int, message string) []byte {
	return fmt.Appendf(nil, `{"__CURSOR":"s=a;i=%x","__REALTIME_TIMESTAMP":"%d","PRIORITY":"6","_PID":"7","SYSLOG_IDENTIFIER":"unbound","_SYSTEMD_UNIT":%q,"MESSAGE":%q}`,
		n+1, time.Now().UnixMicro(), unitOf(message), message)
}

func (j *fakeJournal) lines(ctx context.Context, c sys.Command, each func([]byte) error) error {
	n, follow, last := 0, slices.Contains(c.Args, "--follow"), false
	var units []string
	for _, a := range c.Args {
		if unit, ok := strings.CutPrefix(a, "--unit="); ok {
			units = append(units, unit)
		}
		if cursor, ok := strings.CutPrefix(a, "--cursor="); ok {
			n = int(numbers(cursor).number) - 1
		}
		last = last || a == "--lines=1"
	}
	j.mu.Lock()
	j.asked = append(j.asked, strings.Join(c.Args, " "))
	if last {
		n = len(j.entries) - 1
	}
	j.mu.Unlock()
	for {
		message, at, more := j.from(max(n, 0))
		if more == nil {
			n = at + 1
			if units != nil && !slices.Contains(units, unitOf(message)) {
				continue
			}
			if err := each(line(at, message)); err != nil {
				return err
			}
			continue
		}
		if !follow {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// authority signs certificates for the receivers of a test.
type authority struct {
	pool *x509.CertPool
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	key, cert := certificate(t, &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}, nil, nil)
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return authority{pool, cert, key}
}

func certificate(t *testing.T, c, parent *x509.Certificate, signer *ecdsa.PrivateKey) (*ecdsa.PrivateKey, *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if parent == nil {
		parent, signer = c, key
	}
	c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return key, made
}

func (a authority) server(t *testing.T, name string) tls.Certificate {
	t.Helper()
	key, cert := certificate(t, &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: []string{name}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, a.cert, a.key)
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key}
}

// receiver takes lines by RFC 5425 over TLS, and can be killed and started again at the same address.
type receiver struct {
	t       *testing.T
	address string
	cert    tls.Certificate

	mu       sync.Mutex
	got      map[string]int // message by how often
	bytes    int64
	broken   []string // what is no frame
	killAt   int64    // lines after which it dies
	lines    int64
	listener net.Listener
	conns    []net.Conn
	done     sync.WaitGroup
}

func newReceiver(t *testing.T, cert tls.Certificate) *receiver {
	t.Helper()
	r := &receiver{t: t, address: "127.0.0.1:0", cert: cert, got: map[string]int{}}
	r.start()
	t.Cleanup(func() { r.kill(); r.done.Wait() })
	return r
}

func (r *receiver) start() {
	r.t.Helper()
	var l net.Listener
	var err error
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); <-time.After(20 * time.Millisecond) {
		if l, err = new(net.ListenConfig).Listen(r.t.Context(), "tcp", r.address); err == nil {
			break
		}
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.mu.Lock()
	r.listener, r.address = l, l.Addr().String()
	r.mu.Unlock()
	r.done.Go(func() {
		for {
			plain, err := l.Accept()
			if err != nil {
				return
			}
			r.mu.Lock()
			r.conns = append(r.conns, plain)
			r.mu.Unlock()
			r.done.Go(func() { r.read(tls.Server(plain, &tls.Config{Certificates: []tls.Certificate{r.cert}})) })
		}
	})
}

// kill drops connections with whatever is in their buffers, as the death of a process does.
func (r *receiver) kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.listener.Close()
	for _, c := range r.conns {
		_ = c.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
	}
	r.conns = nil
}

func (r *receiver) read(conn *tls.Conn) {
	in := bufio.NewReader(conn)
	for {
		length, err := in.ReadString(' ')
		if err != nil {
			return
		}
		n, err := strconv.Atoi(strings.TrimSuffix(length, " "))
		if err != nil || n > 9000 {
			r.mu.Lock()
			r.broken = append(r.broken, length)
			r.mu.Unlock()
			return
		}
		frame := make([]byte, n)
		if _, err := io.ReadFull(in, frame); err != nil {
			return
		}
		_, message, _ := strings.Cut(string(frame), `"] `)
		r.mu.Lock()
		r.bytes += int64(n)
		r.got[message]++
		r.lines++
		dead := r.killAt > 0 && r.lines >= r.killAt
		r.mu.Unlock()
		if dead {
			r.kill()
			return
		}
	}
}

func (r *receiver) has(messages []string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !slices.ContainsFunc(messages, func(m string) bool { return r.got[m] == 0 })
}

// rig is a sender under test.
type rig struct {
	t       *testing.T
	journal *fakeJournal
	options Options
	stop    func()
}

func newRig(t *testing.T, r *receiver, roots *x509.CertPool) *rig {
	t.Helper()
	host, port, _ := net.SplitHostPort(r.address)
	number, _ := strconv.Atoi(port)
	dir, j := t.TempDir(), &fakeJournal{entries: []string{"before it was switched on"}}
	return &rig{t: t, journal: j, stop: func() {}, options: Options{
		Config: logship.Config{Host: host, Port: number, ServerName: "logs.example.com", OwnCA: true, Level: "info"},
		Roots:  func() (*x509.CertPool, error) { return roots, nil }, Lines: j.lines, Dial: new(net.Dialer).DialContext, Host: "gw1",
		StateDir: dir, StatusFile: dir + "/status.json", Log: slog.New(slog.DiscardHandler),
		Timing: Timing{Settle: time.Second, Stall: 5 * time.Second, First: 10 * time.Millisecond, Most: 100 * time.Millisecond, Tick: 20 * time.Millisecond, Late: 10 * time.Second, Skim: 100 * time.Millisecond},
	}}
}

// start runs the sender as a process would, until stop.
func (r *rig) start() {
	_ = os.Remove(r.options.StatusFile) // what it said before says nothing
	ctx, cancel := context.WithCancel(r.t.Context())
	var running sync.WaitGroup
	running.Go(func() { Run(ctx, r.options) })
	r.stop = func() { cancel(); running.Wait(); r.stop = func() {} }
	r.t.Cleanup(r.stop)
}

func (r *rig) status() logship.Stream {
	s, _, err := logship.ReadStatus(r.options.StatusFile)
	if err != nil || len(s.Streams) == 0 {
		return logship.Stream{}
	}
	return s.Streams[0]
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); !holds(); <-time.After(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

func numbered100(prefix string) (out []string) {
	for i := range 100 {
		out = append(out, fmt.Sprintf("%s %d", prefix, i))
	}
	return out
}
