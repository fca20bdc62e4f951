// Package s3test runs versitygw, an object store that speaks S3, for tests that upload to one. What is uploaded is
// left to the test. It is imported by tests only.
package s3test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"encoding/xml"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gateway/internal/sigv4"
	"gateway/lab"
)

// What every server has.
const (
	Bucket    = "archives"
	Region    = "us-east-1"
	AccessKey = "gateway"
	SecretKey = "only-for-tests-9b1f"
)

// Options say what kind of server it is.
type Options struct {
	TLS  bool
	Room string // its disk is that large, such as "24m"; empty: as the machine's
	At   Place  // where it runs; nil: on this machine
}

// Place is a machine of a lab, such as a lab.Client.
type Place interface {
	IP() netip.Addr
	HostCommand(ctx context.Context, command ...string) (*exec.Cmd, error)
	DialContext(ctx context.Context, network, addr string) (net.Conn, error)
}

// here is this machine.
type here struct{}

func (here) IP() netip.Addr { return netip.AddrFrom4([4]byte{127, 0, 0, 1}) }

func (here) HostCommand(_ context.Context, command ...string) (*exec.Cmd, error) {
	return exec.Command(command[0], command[1:]...), nil
}

func (here) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, network, addr)
}

// Server is an object store with one bucket.
type Server struct {
	Addr string // host:port
	Root []byte // with TLS: what its certificate is signed with, PEM

	t      testing.TB
	dir    string
	scheme string
	client *http.Client
	log    bytes.Buffer
}

// onADisk runs a program with a disk of size $1 at $2.
const onADisk = `mount --make-rprivate / && mount -t tmpfs -o "size=$1" tmpfs "$2" || exit 1
shift 2
exec "$@"`

// New starts one.
func New(t testing.TB, o Options) *Server {
	t.Helper()
	program, err := lab.Tool(t.Context(), lab.Versitygw.Package, lab.Versitygw.Version)
	if err != nil {
		t.Skipf("no versitygw for tests: %v", err)
	}
	at := cmp.Or[Place](o.At, here{})
	s := &Server{t: t, dir: t.TempDir(), scheme: "http", Addr: address(t, at)}
	transport := &http.Transport{DialContext: at.DialContext, DisableKeepAlives: true}
	s.client = &http.Client{Transport: transport, Timeout: time.Minute}
	data := filepath.Join(s.dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	argv := []string{program, "--quiet", "--port", s.Addr, "--region", Region, "--access-log", s.accessLog()}
	if o.TLS {
		s.scheme = "https"
		s.makeCertificate(at.IP())
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(s.Root)
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
		argv = append(argv, "--cert", filepath.Join(s.dir, "cert.pem"), "--key", filepath.Join(s.dir, "key.pem"))
	}
	argv = append(argv, "posix", data)
	if o.Room != "" {
		argv = append([]string{"unshare", "--mount", "sh", "-c", onADisk, "sh", o.Room, data}, argv...)
	}
	s.start(at, argv)
	return s
}

func (s *Server) start(at Place, argv []string) {
	s.t.Helper()
	cmd, err := at.HostCommand(context.WithoutCancel(s.t.Context()), argv...)
	if err != nil {
		s.t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+AccessKey, "ROOT_SECRET_KEY="+SecretKey)
	cmd.Stdout, cmd.Stderr = &s.log, &s.log
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if cmd.Cancel != nil {
			_ = cmd.Cancel()
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if s.t.Failed() {
			lines := strings.Split(s.log.String(), "\n")
			s.t.Logf("versitygw said, last:\n%s", strings.Join(lines[max(0, len(lines)-15):], "\n"))
		}
	})
	s.await()
}

// await makes the bucket, as soon as the server answers.
func (s *Server) await() {
	s.t.Helper()
	deadline := time.After(time.Minute)
	for {
		status, _, err := s.ask(http.MethodPut, "", nil)
		if err == nil && status == http.StatusOK {
			return
		}
		select {
		case <-deadline:
			s.t.Fatalf("versitygw does not answer: status %d, %v\n%s", status, err, s.log.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func address(t testing.TB, at Place) string {
	t.Helper()
	if _, shared := at.(here); !shared {
		return net.JoinHostPort(at.IP().String(), "9000")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

func (s *Server) accessLog() string { return filepath.Join(s.dir, "access.log") }

// Accesses are the lines of the access log that have all these words.
func (s *Server) Accesses(words ...string) int {
	s.t.Helper()
	text, err := os.ReadFile(s.accessLog())
	if err != nil {
		s.t.Fatal(err)
	}
	n := 0
lines:
	for line := range strings.Lines(string(text)) {
		for _, w := range words {
			if !strings.Contains(line, w) {
				continue lines
			}
		}
		n++
	}
	return n
}

// ask makes a request to the bucket, or to an object in it.
func (s *Server) ask(method, object string, query url.Values) (status int, body []byte, err error) {
	u := url.URL{Scheme: s.scheme, Host: s.Addr, Path: "/" + Bucket, RawQuery: query.Encode()}
	if object != "" {
		u.Path += "/" + object
	}
	r, err := http.NewRequestWithContext(context.WithoutCancel(s.t.Context()), method, u.String(), http.NoBody)
	if err != nil {
		return 0, nil, err
	}
	sigv4.Key{ID: AccessKey, Secret: SecretKey, Region: Region, Service: "s3"}.Sign(r, sigv4.Hash(nil), time.Now())
	res, err := s.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(res.Body)
	return res.StatusCode, body, err
}

// Object is what the store has by a name.
func (s *Server) Object(name string) (content []byte, there bool) {
	s.t.Helper()
	status, body, err := s.ask(http.MethodGet, name, nil)
	if err != nil || status != http.StatusOK && status != http.StatusNotFound {
		s.t.Fatalf("get %s: status %d, %v", name, status, err)
	}
	return body, status == http.StatusOK
}

// Objects are the names of all that the store has, up to a thousand.
func (s *Server) Objects() []string {
	s.t.Helper()
	var page struct{ Contents []struct{ Key string } }
	s.read(url.Values{"list-type": {"2"}}, &page)
	var out []string
	for _, c := range page.Contents {
		out = append(out, c.Key)
	}
	return out
}

// Unfinished are the names of uploads that were begun and not ended.
func (s *Server) Unfinished() []string {
	s.t.Helper()
	var page struct{ Upload []struct{ Key string } }
	s.read(url.Values{"uploads": {""}}, &page)
	var out []string
	for _, u := range page.Upload {
		out = append(out, u.Key)
	}
	return out
}

func (s *Server) read(query url.Values, into any) {
	s.t.Helper()
	status, body, err := s.ask(http.MethodGet, "", query)
	if err != nil || status != http.StatusOK {
		s.t.Fatalf("list %v: status %d, %v", query, status, err)
	}
	if err := xml.Unmarshal(body, into); err != nil {
		s.t.Fatal(err)
	}
}

func (s *Server) makeCertificate(ip netip.Addr) {
	s.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "versitygw"}, IPAddresses: []net.IP{ip.AsSlice()}, DNSNames: []string{"s3.example"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		s.t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		s.t.Fatal(err)
	}
	s.Root = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for name, text := range map[string][]byte{"cert.pem": s.Root, "key.pem": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})} {
		if err := os.WriteFile(filepath.Join(s.dir, name), text, 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
}
