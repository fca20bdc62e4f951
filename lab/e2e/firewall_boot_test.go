package e2e

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gateway/lab"
	"gateway/tools/bar"
)

const (
	forbidden = 9999
	permitted = 9998
)

// listener counts datagrams to both ports of the node, one byte of a file for each. It is
// there as soon as a network could be: what configures interfaces comes after network-pre.
const listener = `[Unit]
DefaultDependencies=no
After=network-pre.target
[Service]
ExecStartPre=/bin/sh -c 'rm -f /run/arrived-*'
ExecStart=/usr/bin/perl -e 'use Socket; \
 for my $port (9999, 9998) { next if $port == 9999 && !fork; \
  socket(my $s, AF_INET6, SOCK_DGRAM, 0) or die; setsockopt($s, SOL_SOCKET, SO_RCVBUF, pack("l", 1 << 20)); \
  bind($s, pack_sockaddr_in6($port, Socket::IN6ADDR_ANY)) or die; \
  open(my $f, ">>", "/run/arrived-$port") or die; \
  while (defined recv($s, my $m, 100, 0)) { syswrite($f, "x") } }'
[Install]
WantedBy=sysinit.target
`

// packetFilter is all that puts rules into the kernel.
var packetFilter = []string{"gateway-shut.service", "gateway-firewall.service", "gateway-apply.service", "gateway-apply.socket"}

// coldBoots floods a node from both sides while its power is cut again and again.
type coldBoots struct {
	*border
	forwarded map[int]*atomic.Int64 // datagrams that came to the client, by port

	leaked, let int64 // over all boots
	deaf        int   // boots after which what is permitted did not arrive

	switchedOn func() // called when the power comes back; nil for nothing
}

func TestBarFirewall07ColdBoot(t *testing.T) {
	b := newColdBoots(t)
	stop := b.flood()
	defer stop()
	n := bar.Size(2, 20)
	for i := range n {
		b.boot(i%2 == 1, "postgresql.service", "postgresql@17-main.service")
		if t.Failed() {
			return
		}
	}
	leaked, let, deaf := b.leaked, b.let, b.deaf
	// The control: without the packet filter the same flood comes through.
	b.boot(true, packetFilter...)
	figure := fmt.Sprintf("%d forbidden packets in %d cold boots, %d of them without PostgreSQL; %d permitted ones, %d boots without any; control without the filter %d",
		leaked, n, n/2, let, deaf, b.leaked-leaked)
	bar.Report(t, "firewall", 7, figure, "0 forbidden, control > 0", leaked == 0 && deaf == 0 && b.leaked > leaked && !t.Failed())
}

// newColdBoots is a node with one permitted port, and somebody who counts on both sides of it.
func newColdBoots(t *testing.T) *coldBoots {
	t.Helper()
	return between(t).coldBoots()
}

func (of *border) coldBoots() *coldBoots {
	of.t.Helper()
	b := &coldBoots{border: of, forwarded: map[int]*atomic.Int64{}}
	b.c.rule("permitted", "any", "any", "accept", object{"service_object_id": b.c.service("udp", permitted)})
	b.lab.Must(b.node.WriteFile("/etc/systemd/system/arrived.service", []byte(listener), 0o644))
	b.run("systemctl", "enable", "arrived.service")
	for _, port := range []int{forbidden, permitted} {
		b.count(port)
	}
	return b
}

// boot cuts the power, boots, and looks what came through until all is up.
func (b *coldBoots) boot(masked bool, units ...string) {
	b.t.Helper()
	if masked {
		b.run(append([]string{"systemctl", "mask"}, units...)...)
	}
	before := b.cutPower()
	time.Sleep(time.Second)
	leaked, let := b.arrived(forbidden)+b.through()[forbidden]-before[forbidden], b.arrived(permitted)
	passed := b.through()[permitted] - before[permitted]
	b.t.Logf("masked %v %v: %d forbidden, %d permitted to the node, %d through it", masked, units, leaked, let, passed)
	b.leaked, b.let = b.leaked+leaked, b.let+let+passed
	if let == 0 || passed == 0 {
		b.deaf++
	}
	if masked {
		b.run(append([]string{"systemctl", "unmask"}, units...)...)
	}
}

// cutPower does so, and boots until somebody on the node listens. It returns what had come
// through while the power was off.
func (b *coldBoots) cutPower() (before map[int]int64) {
	b.t.Helper()
	b.lab.Must(b.node.Kill())
	before = b.through()
	if b.switchedOn != nil {
		b.switchedOn()
	}
	b.lab.Must(b.node.Boot())
	b.eventually(patience, "the node listens", func() bool {
		_, err := b.node.Run(b.t.Context(), "test", "-e", fmt.Sprintf("/run/arrived-%d", permitted))
		return err == nil
	})
	return before
}

// through is how many datagrams came to the client so far, by port.
func (b *coldBoots) through() map[int]int64 {
	return map[int]int64{forbidden: b.forwarded[forbidden].Load(), permitted: b.forwarded[permitted].Load()}
}

// arrived is how many datagrams a port of the node got since it booted.
func (b *coldBoots) arrived(port int) int64 {
	b.t.Helper()
	n, err := strconv.ParseInt(b.run("stat", "-c", "%s", fmt.Sprintf("/run/arrived-%d", port)), 10, 64)
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

// count counts what comes to a port of the client.
func (b *coldBoots) count(port int) {
	b.t.Helper()
	pc, err := b.client.ListenPacket(b.t.Context(), "udp", netip.AddrPortFrom(b.client.IP(), uint16(port)).String())
	b.lab.Must(err)
	b.t.Cleanup(func() { _ = pc.Close() })
	n := &atomic.Int64{}
	b.forwarded[port] = n
	go func() {
		buf := make([]byte, 100)
		for {
			if _, _, err := pc.ReadFrom(buf); err != nil {
				return
			}
			n.Add(1)
		}
	}()
}

// flood sends to both ports of the node and of the client, until it is stopped.
func (b *coldBoots) flood() (stop func()) {
	b.t.Helper()
	b.remember(b.far, b.node.IPOn("wan"))
	b.remember(b.client, b.node.IP(), b.node.IP6())
	ctx, cancel := context.WithCancel(b.t.Context())
	var wg sync.WaitGroup
	for _, port := range []uint16{forbidden, permitted} {
		for _, way := range []struct {
			from *lab.Client
			to   netip.Addr
		}{{b.far, b.node.IPOn("wan")}, {b.far, b.client.IP()}, {b.client, b.node.IP6()}} {
			conn, err := way.from.DialContext(ctx, "udp", netip.AddrPortFrom(way.to, port).String())
			b.lab.Must(err)
			wg.Go(func() { pour(ctx, conn) })
		}
	}
	return func() { cancel(); wg.Wait() }
}

// pour sends a thousand datagrams a second; nobody may be there.
func pour(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		<-tick.C
		for range 2 {
			_, _ = conn.Write([]byte("flood"))
		}
	}
}

// remember has a host keep its neighbour's hardware address, so that not a packet waits for
// it to be found again after a boot.
func (b *coldBoots) remember(of *lab.Client, neighbours ...netip.Addr) {
	b.t.Helper()
	for _, n := range neighbours {
		of.MustRun(b.t, "ip", "neigh", "flush", "to", n.String())
		if conn, err := of.DialContext(b.t.Context(), "tcp", netip.AddrPortFrom(n, 443).String()); err == nil {
			_ = conn.Close()
		}
		known := strings.Fields(of.MustRun(b.t, "ip", "neigh", "show", n.String()))
		if len(known) < 5 {
			b.t.Fatalf("%s does not know its neighbour %s: %v", of.Name(), n, known)
		}
		of.MustRun(b.t, "ip", "neigh", "replace", n.String(), "lladdr", known[4], "dev", "eth0", "nud", "permanent")
	}
}
