package e2e

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gateway/lab"
)

// demonstration is what "make demo" starts.
type demonstration struct {
	t           *testing.T
	cmd         *exec.Cmd
	told        string
	http        *http.Client
	base, sites string
}

var demoAddress = regexp.MustCompile(`https://(localhost|shop\.localhost):(\d+)`)

func startDemo(t *testing.T) *demonstration {
	t.Helper()
	if testing.Short() || os.Geteuid() != 0 {
		t.Skip("a lab needs root and takes seconds to boot")
	}
	program := filepath.Join(t.TempDir(), "lab")
	command(t, "go", "build", "-o", program, "gateway/lab/cmd/lab")
	d := &demonstration{t: t}
	d.cmd = exec.CommandContext(t.Context(), program, "demo", "--deb", firstDeb(t), "--listen", "127.0.0.1:0", "--sites", "127.0.0.1:0")
	d.cmd.Cancel = func() error { return d.cmd.Process.Signal(os.Interrupt) }
	d.cmd.WaitDelay = 20 * time.Second
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var trouble bytes.Buffer
	d.cmd.Stderr = &trouble
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); !strings.Contains(d.told, "Ctrl-C") && lines.Scan(); {
		d.told += lines.Text() + "\n"
	}
	if !strings.Contains(d.told, "Ctrl-C") {
		t.Fatalf("the demo ends: %v\n%s%s", d.cmd.Wait(), d.told, &trouble)
	}
	for _, m := range demoAddress.FindAllStringSubmatch(d.told, -1) {
		if m[1] == "localhost" {
			d.base = m[0]
		} else {
			d.sites = "127.0.0.1:" + m[2]
		}
	}
	d.browser()
	return d
}

// browser resolves names below localhost to this machine, as browsers do.
func (d *demonstration) browser() {
	jar, err := cookiejar.New(nil)
	if err != nil {
		d.t.Fatal(err)
	}
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		if _, port, err := net.SplitHostPort(addr); err == nil {
			addr = net.JoinHostPort("127.0.0.1", port)
		}
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
	// The certificates are the node's own and self-signed.
	transport := &http.Transport{DialContext: dial, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	d.t.Cleanup(transport.CloseIdleConnections)
	d.http = &http.Client{Jar: jar, Transport: transport, Timeout: 10 * time.Second}
}

// ask returns the body of a page, or why there is none.
func (d *demonstration) ask(method, url, body string) string {
	req, err := http.NewRequestWithContext(d.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := d.http.Do(req)
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err.Error()
	}
	return res.Status + "\n" + string(text)
}

func (d *demonstration) soon(what, url, contains string) {
	d.t.Helper()
	var said string
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if said = d.ask("GET", url, ""); strings.HasPrefix(said, "200") && strings.Contains(said, contains) {
			return
		}
	}
	d.t.Errorf("%s: %s says %.500s, want %s in it", what, url, said, contains)
}

// What "make demo" prints is true: there is a gateway to sign in to, with sites that answer.
func TestTheDemo(t *testing.T) {
	d := startDemo(t)
	m := regexp.MustCompile(`sign in as +(\S+) with (\S+)`).FindStringSubmatch(d.told)
	if m == nil || d.base == "" || d.sites == "" {
		t.Fatalf("it does not say where it is, or how to sign in:\n%s", d.told)
	}
	if said := d.ask("POST", d.base+"/api/v1/auth/login", `{"email": "`+m[1]+`", "password": "`+m[2]+`"}`); !strings.HasPrefix(said, "200") {
		t.Errorf("sign-in: %s", said)
	}
	_, port, _ := net.SplitHostPort(d.sites)
	d.soon("the page of the UI", d.base+"/", "<title>")
	d.soon("the sites are listed", d.base+"/api/v1/domains", "wiki.localhost")
	d.soon("a site serves", "https://shop.localhost:"+port+"/", "<h1>shop-")
	d.soon("a routing rule applies", "https://shop.localhost:"+port+"/help/", "<h1>wiki-1")
	d.soon("what is wrong is shown", d.base+"/api/v1/problems", "wiki-2")
	d.soon("rules", d.base+"/api/v1/firewall/rules", "Guests may print")
	d.soon("records", d.base+"/api/v1/dns/records", "10.99.1.50")
	d.soon("users", d.base+"/api/v1/users", "viewer@example.com")

	if err := d.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Wait(); err != nil {
		t.Errorf("Ctrl-C: %v", err)
	}
	labs, err := lab.Running()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range labs {
		if l.Owner == d.cmd.Process.Pid {
			t.Errorf("the lab %s is still there", l.ID)
		}
	}
}
