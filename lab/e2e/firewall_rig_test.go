package e2e

import (
	"context"
	"fmt"
	"net"
	"net/netip"
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
	deb := firstDeb(t)
	l := lab.New(t)
	a := &appliance{t: t, lab: l, node: l.Node("gw1", lab.On("lan", "wan")), client: l.Client("c1", lab.On("lan"))}
	b := &border{appliance: a, far: l.Client("far", lab.On("wan"))}
	a.client.MustRun(t, "ip", "route", "add", "default", "via", a.node.IPOn("lan").String())
	b.far.MustRun(t, "ip", "route", "add", "default", "via", a.node.IPOn("wan").String())
	a.install(deb)
	a.setUp(firstAdmin)
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

// echo answers every byte that comes to a port of far, over TCP.
func (b *border) echo(port int) netip.AddrPort {
	b.t.Helper()
	at := netip.AddrPortFrom(b.far.IP(), uint16(port))
	ln, err := b.far.Listen(b.t.Context(), "tcp", at.String())
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
				buf := make([]byte, 512)
				for {
					n, err := conn.Read(buf)
					if err != nil {
						return
					}
					if _, err := conn.Write(buf[:n]); err != nil {
						return
					}
				}
			}()
		}
	}()
	return at
}

// dials reports whether a connection from the client comes about.
func (b *border) dials(at string, within time.Duration) bool {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), within)
	defer cancel()
	conn, err := b.client.DialContext(ctx, "tcp", at)
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

// sends sends a datagram from a host.
func (b *border) sends(from interface {
	DialContext(ctx context.Context, network, addr string) (net.Conn, error)
}, to, text string,
) {
	b.t.Helper()
	conn, err := from.DialContext(b.t.Context(), "udp", to)
	if err != nil {
		b.t.Fatal(err)
	}
	defer conn.Close()
	_, _ = conn.Write([]byte(text)) // a port that is closed answers the one before
}

// kernel is what nft prints of the node's table.
func (b *border) kernel(what ...string) string {
	b.t.Helper()
	return strings.TrimSpace(b.run(append([]string{"nft"}, what...)...))
}
