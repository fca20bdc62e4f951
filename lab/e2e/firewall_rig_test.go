package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"gateway/lab"
)

// border is a node between two networks: its clients are in lan, and far is in wan.
type border struct {
	*appliance
	c   *caller
	far *lab.Client
}

// between is such a node, installed, set up, its interfaces in zones, and at rest.
func between(t *testing.T) *border {
	t.Helper()
	l := lab.New(t)
	a := startSetUp(t, l, "wan")
	b := &border{appliance: a, far: l.Client("far", lab.On("wan"))}
	a.client.MustRun(t, "ip", "route", "add", "default", "via", a.node.IPOn("lan").String())
	b.far.MustRun(t, "ip", "route", "add", "default", "via", a.node.IPOn("wan").String())
	b.c = a.signedIn(a.admin)
	b.iface("eth0", "lan")
	b.iface("eth1", "wan")
	a.settles(b.c, patience)
	return b
}

func (b *border) iface(name, zone string) string {
	b.t.Helper()
	return b.c.post("/network-interfaces", object{"name": name, "type": "ethernet", "role": zone}).want(201).id()
}

// service is one port, by id.
func (c *caller) service(protocol string, port int) string {
	c.t.Helper()
	return c.post("/firewall/services", object{"name": fmt.Sprintf("%s-%d", protocol, port), "protocol": protocol, "port": port}).want(201).id()
}

// rule makes a rule that has to be live when the answer is there.
func (c *caller) rule(name, from, to, action string, more object) string {
	c.t.Helper()
	body := object{"name": name, "src_zone": from, "dst_zone": to, "action": action}
	for k, v := range more {
		body[k] = v
	}
	return c.post("/firewall/rules", body).want(201).live().id()
}

// live fails the test unless the change is in force.
func (r *answer) live() *answer {
	r.t.Helper()
	if got := r.header.Get("Gateway-Apply"); got != "live" {
		r.t.Fatalf("%s: Gateway-Apply is %q (%s)", r.what, got, r.header.Get("Gateway-Apply-Reason"))
	}
	return r
}

// echo tells whoever connects to a port of a host which address it sees, and then answers
// every byte.
func (b *border) echo(at *lab.Client, port int) netip.AddrPort {
	b.t.Helper()
	addr := netip.AddrPortFrom(at.IP(), uint16(port))
	ln, err := at.Listen(b.t.Context(), "tcp", addr.String())
	b.lab.Must(err)
	b.t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				fmt.Fprintln(conn, netip.MustParseAddrPort(conn.RemoteAddr().String()).Addr())
				_, _ = io.Copy(conn, conn)
			}()
		}
	}()
	return addr
}

// seen is the address under which a host comes to a server, "" if it does not, and why.
func (b *border) seen(from *lab.Client, at netip.AddrPort) (string, error) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 900*time.Millisecond) // less than it takes to ask again
	defer cancel()
	conn, err := from.DialContext(ctx, "tcp", at.String())
	if err != nil {
		return "", err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	line, err := bufio.NewReader(conn).ReadString('\n')
	return strings.TrimSpace(line), err
}

// sends sends a datagram.
func (b *border) sends(from *lab.Client, to netip.AddrPort) {
	b.t.Helper()
	conn, err := from.DialContext(b.t.Context(), "udp", to.String())
	b.lab.Must(err)
	defer conn.Close()
	_, _ = conn.Write([]byte("hello")) // a closed port answers the one before
}

// table is the kernel's packet filter.
func (b *border) table() string {
	b.t.Helper()
	return b.run("nft", "-s", "-t", "list", "table", "inet", "gateway")
}

// cpu is what units have used of the processor.
func (b *border) cpu() usage {
	b.t.Helper()
	out := usage{}
	for _, unit := range []string{"gateway-api", "gateway-apply", "haproxy", "postgresql@17-main"} {
		n, err := strconv.ParseInt(b.run("systemctl", "show", "-p", "CPUUsageNSec", "--value", unit), 10, 64)
		if err != nil {
			b.t.Fatal(err)
		}
		out[unit] = time.Duration(n)
	}
	return out
}

type usage map[string]time.Duration

// since is what was used since, shared among n.
func (u usage) since(before usage, n int) usage {
	out := usage{}
	for unit, d := range u {
		out[unit] = ((d - before[unit]) / time.Duration(n)).Round(time.Microsecond)
	}
	return out
}
