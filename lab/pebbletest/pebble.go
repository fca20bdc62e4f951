// Package pebbletest runs Pebble, Let's Encrypt's authority for tests, and the name server
// that comes with it. What is ordered, and who answers the challenges, is left to the
// test. It is imported by tests only.
package pebbletest

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway/lab"
)

const version = "v2.10.1"

// Options say how the authority behaves.
type Options struct {
	DNS         string        // name server that it asks; empty: one of its own
	HTTPPort    int           // where it looks for answers to http-01
	Validity    time.Duration // of what it issues; zero: 90 days
	RejectNonce int           // of 100 requests, so many are refused once for their nonce
	At          Place         // where it runs; nil: on this machine
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

// Authority is a Pebble.
type Authority struct {
	URL   string         // of its directory
	Root  []byte         // what its own certificate is signed with, PEM
	Roots *x509.CertPool // the same
	DNS   string         // the name server it asks

	t       testing.TB
	dir     string
	options Options
	control string // of its own name server
	// management is where it tells of itself.
	management string
	mu         sync.Mutex
	cmd        *exec.Cmd
	log        bytes.Buffer
}

// New starts one.
func New(t testing.TB, o Options) *Authority {
	t.Helper()
	if o.Validity == 0 {
		o.Validity = 90 * 24 * time.Hour
	}
	if o.At == nil {
		o.At = here{}
	}
	a := &Authority{t: t, dir: t.TempDir(), options: o, DNS: o.DNS}
	if a.DNS == "" {
		a.startDNS()
	}
	a.URL = fmt.Sprintf("https://%s/dir", a.address("14000"))
	a.makeCertificate()
	a.Start()
	t.Cleanup(func() {
		a.Stop()
		if t.Failed() {
			lines := strings.Split(a.log.String(), "\n")
			t.Logf("Pebble said, last:\n%s", strings.Join(lines[max(0, len(lines)-60):], "\n"))
		}
	})
	return a
}

// address is where a server may listen: at a place of its own on the usual port, else on
// one that is free.
func (a *Authority) address(port string) string {
	a.t.Helper()
	if _, shared := a.options.At.(here); !shared {
		return net.JoinHostPort(a.options.At.IP().String(), port)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		a.t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// command prepares one of Pebble's programs.
func (a *Authority) command(name string, args ...string) *exec.Cmd {
	a.t.Helper()
	cmd, err := a.options.At.HostCommand(context.WithoutCancel(a.t.Context()), append([]string{tool(a.t, name)}, args...)...)
	if err != nil {
		a.t.Fatal(err)
	}
	return cmd
}

// client speaks to where the authority is.
func (a *Authority) client() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext: a.options.At.DialContext, TLSClientConfig: &tls.Config{RootCAs: a.Roots}, DisableKeepAlives: true,
	}}
}

// tool builds a program of Pebble's.
func tool(t testing.TB, name string) string {
	t.Helper()
	program, err := lab.Tool(t.Context(), "github.com/letsencrypt/pebble/v2/cmd/"+name, version)
	if err != nil {
		t.Skipf("no %s for tests: %v", name, err)
	}
	return program
}

// Issuer is what the certificates lead to that it issues, until it is started anew.
func (a *Authority) Issuer() *x509.CertPool {
	a.t.Helper()
	req, err := http.NewRequestWithContext(a.t.Context(), http.MethodGet, "https://"+a.management+"/roots/0", http.NoBody)
	if err != nil {
		a.t.Fatal(err)
	}
	resp, err := a.client().Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err := closeAfter(resp, err); err != nil {
		a.t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		a.t.Fatalf("Pebble's root is %q", text)
	}
	return pool
}

// makeCertificate is what the authority itself is recognised by.
func (a *Authority) makeCertificate() {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "pebble"}, IPAddresses: []net.IP{a.options.At.IP().AsSlice()},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		a.t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	a.write("cert.pem", text)
	a.write("key.pem", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
	a.Root, a.Roots = text, x509.NewCertPool()
	a.Roots.AppendCertsFromPEM(text)
}

func (a *Authority) write(name string, data []byte) {
	a.t.Helper()
	if err := os.WriteFile(filepath.Join(a.dir, name), data, 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// Start runs it on an empty memory: it knows no account, and signs with a new key.
func (a *Authority) Start() {
	a.t.Helper()
	a.management = a.address("15000")
	listen := strings.TrimSuffix(strings.TrimPrefix(a.URL, "https://"), "/dir")
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": listen, "managementListenAddress": a.management,
		"certificate": filepath.Join(a.dir, "cert.pem"), "privateKey": filepath.Join(a.dir, "key.pem"),
		"httpPort": a.options.HTTPPort, "tlsPort": 1, "keyAlgorithm": "ecdsa", "retryAfter": map[string]int{"authz": 0, "order": 0},
		"profiles": map[string]any{"default": map[string]any{"description": "default", "validityPeriod": int(a.options.Validity.Seconds())}},
	}})
	if err != nil {
		a.t.Fatal(err)
	}
	a.write("pebble.json", config)
	a.mu.Lock()
	a.cmd = a.command("pebble", "-config", filepath.Join(a.dir, "pebble.json"), "-dnsserver", a.DNS)
	a.cmd.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_AUTHZREUSE=0", fmt.Sprintf("PEBBLE_WFE_NONCEREJECT=%d", a.options.RejectNonce))
	a.cmd.Stdout, a.cmd.Stderr = &a.log, &a.log
	err = a.cmd.Start()
	a.mu.Unlock()
	if err != nil {
		a.t.Fatal(err)
	}
	a.await(func(ctx context.Context) error {
		return get(ctx, a.client(), a.URL)
	})
}

// Stop ends it, and with it all it knew.
func (a *Authority) Stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cmd != nil && a.cmd.Process != nil {
		end(a.cmd)
		a.cmd = nil
	}
}

// end kills a program, also one that runs at another place.
func end(cmd *exec.Cmd) {
	if cmd.Cancel != nil {
		_ = cmd.Cancel()
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

func (a *Authority) await(ready func(context.Context) error) {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), time.Minute)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			a.t.Fatalf("Pebble does not answer: %v\n%s", err, a.log.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func get(ctx context.Context, client *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return closeAfter(resp, err)
}

func closeAfter(resp *http.Response, err error) error {
	if errClose := resp.Body.Close(); err == nil {
		err = errClose
	}
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("it answered %s", resp.Status)
	}
	return err
}

// startDNS runs a name server that knows no name, and answers for every one of them what
// Set says.
func (a *Authority) startDNS() {
	a.t.Helper()
	a.DNS = a.address("53")
	management := a.address("8055")
	a.control = "http://" + management
	cmd := a.command("pebble-challtestsrv", "-dnsserver", a.DNS, "-management", management,
		"-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", "", "-defaultIPv4", "", "-defaultIPv6", "")
	if err := cmd.Start(); err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() {
		end(cmd)
	})
	a.await(func(ctx context.Context) error { return a.post(ctx, "set-default-ipv4", map[string]any{"ip": ""}) })
}

// Set changes what the name server answers: "add-a" with host and addresses, "clear-a",
// "add-caa" with host and policies, "set-servfail" and so on, as Pebble spells them.
func (a *Authority) Set(what string, values map[string]any) {
	a.t.Helper()
	if err := a.post(a.t.Context(), what, values); err != nil {
		a.t.Fatal(err)
	}
}

func (a *Authority) post(ctx context.Context, what string, values map[string]any) error {
	body, err := json.Marshal(values)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.control+"/"+what, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := a.client().Do(req)
	if err != nil {
		return err
	}
	return closeAfter(resp, nil)
}

// Address makes a name lead to these addresses, over IPv4, and nowhere else.
func (a *Authority) Address(name string, addrs ...string) {
	a.t.Helper()
	a.Set("clear-a", map[string]any{"host": name + "."})
	if len(addrs) > 0 {
		a.Set("add-a", map[string]any{"host": name + ".", "addresses": addrs})
	}
}
