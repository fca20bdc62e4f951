package lab_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"gateway/lab"
)

func TestNodeIsReadyInUnder15Seconds(t *testing.T) {
	needRoot(t)
	if _, err := lab.Root(t.Context()); err != nil { // not part of what is measured
		t.Fatal(err)
	}
	l := lab.New(t)
	began := time.Now()
	n := l.Node("gw1")
	took := time.Since(began)
	t.Logf("node ready in %v", took.Round(time.Millisecond))
	if took > 15*time.Second {
		t.Errorf("node ready in %v, want under 15s", took)
	}
	if got := n.MustRun(t, "systemctl", "is-active", "haproxy", "postgresql@17-main"); got != "active\nactive\n" {
		t.Errorf("haproxy and postgresql = %q, want both active", got)
	}
	if got := n.MustRun(t, "hostname"); got != "gw1\n" {
		t.Errorf("hostname = %q, want gw1", got)
	}
	if got := n.MustRun(t, "apt-cache", "policy", "haproxy"); !strings.Contains(got, "Installed: 3.0.") {
		t.Errorf("apt-cache policy = %q, want haproxy 3.0 installed", got)
	}
	if out, err := n.Run(t.Context(), "false"); err == nil {
		t.Errorf("false printed %q and succeeded, want an error", out)
	}
}

func TestCommandEndsWithItsContext(t *testing.T) {
	l := lab.New(t)
	n := l.Node("gw1")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := n.Run(ctx, "sleep", "1000"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error = %v, want the context's", err)
	}
	if out, err := n.Run(t.Context(), "pgrep", "-x", "sleep"); err == nil {
		t.Errorf("still running: %s", out)
	}
	var exit *exec.ExitError
	if out, err := n.Run(t.Context(), "sh", "-c", "pwd; exit 7"); !errors.As(err, &exit) || exit.ExitCode() != 7 || out != "/\n" {
		t.Errorf("output = %q, error = %v, want / and exit status 7", out, err)
	}
}

func TestNodesAreDifferentMachines(t *testing.T) {
	l := lab.New(t)
	nodes, err := l.StartNodes(t.Context(), []string{"gw1", "gw2"})
	l.Must(err)
	a, b := nodes[0], nodes[1]
	idA, idB := a.MustRun(t, "cat", "/etc/machine-id"), b.MustRun(t, "cat", "/etc/machine-id")
	if len(idA) != 33 || idA == idB {
		t.Errorf("machine ids = %q and %q, want two different", idA, idB)
	}
	if a.IP() == b.IP() || a.IP6() == b.IP6() {
		t.Errorf("addresses = %v and %v, want different ones", a.IP(), b.IP())
	}
	a.MustRun(t, "ping", "-c1", "-W2", b.IP().String())
	a.MustRun(t, "ping", "-c1", "-W2", b.IP6().String())
	// Two systemds in one control group would see each other's services.
	a.MustRun(t, "systemctl", "stop", "haproxy")
	if got := b.MustRun(t, "systemctl", "is-active", "haproxy"); got != "active\n" {
		t.Errorf("haproxy on gw2 = %q after it was stopped on gw1, want active", got)
	}
}

func TestClientReachesNodeUntilTheLinkIsCut(t *testing.T) {
	l := lab.New(t)
	n, c := l.Node("gw1"), l.Client("c1")
	c.MustRun(t, "ping", "-c1", "-W2", n.IP().String())
	c.MustRun(t, "ping", "-c1", "-W2", n.IP6().String())

	serve(t, l, n)
	url := "http://" + n.IP().String() + ":8000/"
	if got := c.MustRun(t, "curl", "-sf", "--max-time", "5", url); got != "hello" {
		t.Errorf("curl = %q, want hello", got)
	}
	client := http.Client{Transport: &http.Transport{DialContext: c.DialContext, DisableKeepAlives: true}, Timeout: 2 * time.Second}
	if got, err := get(&client, url); got != "hello" {
		t.Errorf("get = %q, %v, want hello", got, err)
	}
	if got, err := get(&client, "http://["+n.IP6().String()+"]:8000/"); got != "hello" {
		t.Errorf("get over IPv6 = %q, %v, want hello", got, err)
	}

	l.Must(n.CutLink())
	if got := n.MustRun(t, "cat", "/sys/class/net/eth0/carrier"); got != "0\n" {
		t.Errorf("carrier = %q after the cut, want 0", got)
	}
	if got, err := get(&client, url); err == nil {
		t.Errorf("get = %q over a cut link, want an error", got)
	}
	l.Must(n.RestoreLink())
	if got, err := get(&client, url); got != "hello" {
		t.Errorf("get = %q, %v after the link is back, want hello", got, err)
	}
}

// serve gives the node something that answers HTTP: an HAProxy of its own config.
func serve(t *testing.T, l *lab.Lab, n *lab.Node) {
	t.Helper()
	config := "defaults\n mode http\n timeout client 5s\n timeout server 5s\n timeout connect 5s\n" +
		"frontend f\n bind :::8000 v4v6\n http-request return status 200 content-type text/plain string hello\n"
	l.Must(n.WriteFile("/etc/haproxy/haproxy.cfg", []byte(config), 0o644))
	n.MustRun(t, "systemctl", "restart", "haproxy")
}

func get(client *http.Client, url string) (string, error) {
	resp, err := client.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}

func TestKilledNodeKeepsItsDiskOnly(t *testing.T) {
	l := lab.New(t)
	n, c := l.Node("gw1"), l.Client("c1")
	l.Must(n.WriteFile("/var/lib/kept", []byte("kept"), 0o600))
	n.MustRun(t, "nft", "add", "table", "inet", "gone")
	id := n.MustRun(t, "cat", "/etc/machine-id")
	l.Must(n.Kill())
	if _, err := c.Run(t.Context(), "ping", "-c1", "-W1", n.IP().String()); err == nil {
		t.Error("a killed node answers ping")
	}
	if _, err := n.Run(t.Context(), "true"); err == nil {
		t.Error("a killed node runs commands")
	}
	l.Must(n.WriteFile("/var/lib/written-while-off", []byte("x"), 0o600))
	l.Must(n.Boot())
	c.MustRun(t, "ping", "-c1", "-W2", n.IP().String())
	if got, err := n.ReadFile("/var/lib/kept"); string(got) != "kept" {
		t.Errorf("file = %q, %v after the crash, want kept", got, err)
	}
	if got := n.MustRun(t, "cat", "/etc/machine-id"); got != id {
		t.Errorf("machine id = %q after the crash, want %q", got, id)
	}
	if got := n.MustRun(t, "nft", "list", "tables"); got != "" {
		t.Errorf("nft tables = %q after the crash, want none: they were in memory", got)
	}
	l.Must(n.PowerOff())
	if got, err := n.ReadFile("/var/lib/written-while-off"); string(got) != "x" {
		t.Errorf("file = %q, %v of a node that is off, want x", got, err)
	}
	l.Must(n.Boot())
	if got, err := n.Journal("haproxy"); err != nil || !strings.Contains(got, "haproxy") {
		t.Errorf("journal = %q, %v, want haproxy's lines", got, err)
	}
}

func TestNodeBetweenTwoNetworks(t *testing.T) {
	l := lab.New(t)
	gw := l.Node("gw1", lab.On("wan", "lan"))
	inside, outside := l.Client("inside"), l.Client("outside", lab.On("wan"))
	if gw.IP() != gw.IPOn("wan") || !l.Network("lan").Prefix().Contains(gw.IPOn("lan")) {
		t.Errorf("addresses = %v, %v: want the first network's first", gw.IP(), gw.IPOn("lan"))
	}
	ln, err := outside.Listen(t.Context(), "tcp", ":80")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.RemoteAddr)
	})}
	go func() { _ = srv.Serve(ln) }() // ends by Close
	defer srv.Close()
	gw.MustRun(t, "sysctl", "-w", "net.ipv4.ip_forward=1")
	inside.MustRun(t, "ip", "route", "add", "default", "via", gw.IPOn("lan").String())
	outside.MustRun(t, "ip", "route", "add", "default", "via", gw.IPOn("wan").String())
	got := inside.MustRun(t, "curl", "-s", "--max-time", "5", "http://"+outside.IP().String())
	if host, _, _ := net.SplitHostPort(got); host != inside.IP().String() {
		t.Errorf("the server saw %q, want %v through the node", got, inside.IP())
	}
	l.Must(gw.CutLink("wan"))
	if got := gw.MustRun(t, "cat", "/sys/class/net/eth1/carrier"); got != "1\n" {
		t.Errorf("carrier on lan = %q with wan cut, want 1", got)
	}
}

// needRoot skips tests that use the lab's parts without lab.New.
func needRoot(t *testing.T) {
	t.Helper()
	if testing.Short() || os.Geteuid() != 0 {
		t.Skip("needs root, and seconds: skipped by -short")
	}
}
