package firewall

import (
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"gateway/internal/netfilter"
	"gateway/internal/packetfilter"
	"gateway/lab"
	"gateway/lab/wiretest"
	"gateway/tools/bar"
)

// oneRule is the least table that knows connections, of which tracking them is nearly all.
const oneRule = `table inet least {
	chain forward {
		type filter hook forward priority 0; policy drop;
		ct state established,related accept
		accept
	}
}
`

// streams is the throughput of TCP with many rules and with one, against that without a table.
func streams(t *testing.T) (ours, least float64) {
	paths := []path{newPath(t), newPath(t), newPath(t)}
	policy := estate(many)
	// The rule that lets the stream begin is the last one asked.
	policy.Rules = append(policy.Rules, packetfilter.Rule{ID: "ff", Priority: many, From: zoneName(0), To: zoneName(1), Action: packetfilter.Accept})
	text := packetfilter.Compile(policy)
	table := netfilter.Table{Run: paths[0].gateway.Run}
	must(t, paths[0].gateway.Do(func() error { return table.Replace(t.Context(), text.Rules, text.Elements) }))
	_, err := paths[2].gateway.Nft(t.Context(), []byte(oneRule), "-f", "-")
	must(t, err)
	conns := make([]net.Conn, len(paths))
	for i, p := range paths {
		conns[i] = p.open(t)
	}
	rates := make([][]float64, len(paths))
	for range bar.Size(300, 3000) {
		for i, conn := range conns {
			rates[i] = append(rates[i], rate(t, conn))
		}
	}
	// What disturbs a turn makes it slower, never faster.
	bare := quantile(rates[1], 0.9)
	return quantile(rates[0], 0.9) / bare, quantile(rates[2], 0.9) / bare
}

// path is two hosts with a gateway between them.
type path struct {
	gateway *wiretest.Gateway
	hosts   [2]*lab.Space
}

func newPath(t *testing.T) path {
	p := path{gateway: wiretest.New(t), hosts: [2]*lab.Space{lab.NewSpace(t), lab.NewSpace(t)}}
	must(t, p.gateway.Do(func() error {
		return os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0o644)
	}))
	for i, host := range p.hosts {
		must(t, p.gateway.Do(func() error {
			wire := netlink.NewVeth(netlink.LinkAttrs{Name: interfaceName(i)})
			wire.PeerName, wire.PeerNamespace = "eth0", netlink.NsFd(host.FD())
			if err := netlink.LinkAdd(wire); err != nil {
				return err
			}
			return address(interfaceName(i), networkOf(i)[0].String())
		}))
		must(t, host.Do(func() error {
			gateway := networkOf(i)[0].Addr()
			if err := address("eth0", gateway.Next().String()+"/24"); err != nil {
				return err
			}
			return netlink.RouteAdd(&netlink.Route{Gw: gateway.AsSlice()})
		}))
	}
	return p
}

// address gives an interface its address and brings it up.
func address(name, prefix string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return err
	}
	a, err := netlink.ParseAddr(prefix)
	if err != nil {
		return err
	}
	if err := netlink.AddrAdd(link, a); err != nil {
		return err
	}
	return netlink.LinkSetUp(link)
}

// open begins a stream from the first host to the second, which reads all of it.
func (p path) open(t *testing.T) net.Conn {
	var server net.Listener
	var conn net.Conn
	target := networkOf(1)[0].Addr().Next().String() + ":8000"
	must(t, p.hosts[1].Do(func() (err error) {
		server, err = net.Listen("tcp4", target)
		return err
	}))
	t.Cleanup(func() { server.Close() })
	go func() {
		if c, err := server.Accept(); err == nil {
			_, _ = io.Copy(io.Discard, c) // it ends when the test does
			c.Close()
		}
	}()
	must(t, p.hosts[0].Do(func() (err error) {
		conn, err = net.DialTimeout("tcp4", target, 10*time.Second)
		return err
	}))
	t.Cleanup(func() { conn.Close() })
	return conn
}

// rate is how many bytes a second go into a stream that is as full as it gets.
func rate(t *testing.T, conn net.Conn) float64 {
	data := make([]byte, 1<<17)
	began, sent := time.Now(), 0
	for time.Since(began) < 20*time.Millisecond {
		n, err := conn.Write(data)
		must(t, err)
		sent += n
	}
	return float64(sent) / time.Since(began).Seconds()
}
