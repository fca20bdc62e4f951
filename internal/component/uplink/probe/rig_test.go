package probe_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"gateway/internal/component/uplink/multiwan"
	"gateway/internal/component/uplink/probe"
	"gateway/internal/daemon"
	"gateway/internal/netfilter"
	"gateway/internal/rtnl"
	"gateway/internal/sys"
	"gateway/lab"
	"gateway/lab/wiretest"
)

// rig is a gateway with two uplinks by two providers, each of which drops what has another
// source than its own; a host outside that both reach; and a client behind the gateway.
//
//	client 10.0.0.2 - lan0 box wan1 192.0.2.2    - wire - provider 1 - outside 203.0.113.9
//	                       wan2 198.51.100.2 - wire - provider 2 -
type rig struct {
	testing.TB
	box             *wiretest.Gateway
	client, outside *lab.Space
	first, second   *wire
	daemon          daemon.Daemon
	now             daemon.Rendering
	failed          atomic.Int64 // how often an uplink failed, by the log
	verdicts        string       // the file of what was known
	stop            func()       // ends the daemon and the monitor
}

const (
	by1, by2 = "192.0.2.2", "198.51.100.2" // who is seen outside
	remote   = "203.0.113.9:80"
	always2  = "203.0.113.10:80" // which a static route of the gateway leads to by the second one
)

func command(space *lab.Space, name string, args ...string) (out []byte, err error) {
	err = space.Do(func() (err error) {
		out, err = exec.Command(name, args...).CombinedOutput()
		return err
	})
	return out, err
}

// give moves an interface to another space, where it gets a name.
func give(t testing.TB, from *lab.Space, name string, to *lab.Space, as string) {
	t.Helper()
	err := from.Do(func() error {
		link, err := netlink.LinkByName(name)
		if err != nil {
			return err
		}
		return errors.Join(netlink.LinkSetName(link, as), netlink.LinkSetNsFd(link, to.FD()))
	})
	if err != nil {
		t.Fatal(err)
	}
	ip(t, to, "link set "+as+" up")
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{TB: t, box: wiretest.New(t), client: lab.NewSpace(t), outside: lab.NewSpace(t)}
	providers := [2]*lab.Space{lab.NewSpace(t), lab.NewSpace(t)}
	for _, s := range []*lab.Space{r.box.Space, r.client, r.outside, providers[0], providers[1]} {
		write(t, s, "net/ipv4/ip_forward", "1")
		write(t, s, "net/ipv4/conf/default/rp_filter", "0")
		write(t, s, "net/ipv4/conf/all/rp_filter", "0")
		write(t, s, "net/ipv6/conf/default/accept_dad", "0")
	}
	write(t, r.box.Space, "net/ipv4/ping_group_range", "0 2147483647")
	write(t, r.box.Space, "net/ipv4/conf/all/rp_filter", "2")
	r.first = newWire(t, r.box.Run, r.box.Space, "wan1", providers[0], "box")
	r.second = newWire(t, r.box.Run, r.box.Space, "wan2", providers[1], "box")
	for i, p := range providers {
		name, n := fmt.Sprintf("p%d", i+1), i+1
		ip(t, p, "link add out type veth peer name "+name)
		give(t, p, name, r.outside, name)
		ip(t, p, "link set out up", fmt.Sprintf("addr add 10.%d.0.1/30 dev out", n), fmt.Sprintf("route add 203.0.113.8/30 via 10.%d.0.2", n),
			"addr add "+[]string{"192.0.2.1/24", "198.51.100.1/24"}[i]+" dev box")
		ip(t, r.outside, fmt.Sprintf("addr add 10.%d.0.2/30 dev %s", n, name), fmt.Sprintf("route add %s via 10.%d.0.1", []string{"192.0.2.0/24", "198.51.100.0/24"}[i], n))
		write(t, p, "net/ipv4/conf/all/rp_filter", "1")
	}
	ip(t, r.outside, "addr add 203.0.113.9/32 dev lo", "addr add 203.0.113.10/32 dev lo")
	ip(t, r.box.Space, "addr add 192.0.2.2/24 dev wan1", "addr add 198.51.100.2/24 dev wan2", "link add lan0 type veth peer name c0", "link set lan0 up", "addr add 10.0.0.1/24 dev lan0",
		"route add 203.0.113.10 via 198.51.100.1")
	give(t, r.box.Space, "c0", r.client, "c0")
	ip(t, r.client, "addr add 10.0.0.2/24 dev c0", "route add default via 10.0.0.1")
	r.nft(`table ip nat {
	chain pre { type nat hook prerouting priority dstnat; iifname { "wan1", "wan2" } tcp dport 8080 dnat to 10.0.0.2:8080
	}
	chain post { type nat hook postrouting priority srcnat; oifname { "wan1", "wan2" } masquerade
	}
}`)
	serve(t, r.outside, remote)
	serve(t, r.outside, always2)
	serve(t, r.box.Space, ":443")
	serve(t, r.client, ":8080")
	r.verdicts = filepath.Join(t.TempDir(), "uplinks.json")
	r.start()
	return r
}

func (r *rig) nft(text string) {
	r.Helper()
	if _, err := r.box.Nft(r.Context(), []byte(text), "-f", "-"); err != nil {
		r.Fatal(err)
	}
}

// start runs the daemon and the monitor, as gateway-apply and gateway-scheduler do.
func (r *rig) start() {
	r.Helper()
	log := slog.New(counted{slog.DiscardHandler, &r.failed})
	r.daemon = multiwan.New(multiwan.Options{
		Open: func() (c *rtnl.Conn, err error) {
			err = r.box.Do(func() (err error) { c, err = rtnl.Open(); return err })
			return c, err
		},
		Watch: func(ctx context.Context, wake func()) error {
			return r.box.Do(func() error { return rtnl.Watch(ctx, wake) })
		},
		Exec: func(ctx context.Context, c sys.Command) (out sys.Result, err error) {
			err = r.box.Do(func() (err error) { out, err = r.box.Run(ctx, c); return err })
			return out, err
		},
		Cut: func(ctx context.Context, f netfilter.Filter) (n int, err error) {
			err = r.box.Do(func() (err error) { n, err = netfilter.Cut(ctx, f); return err })
			return n, err
		},
		HealthFile: r.verdicts, Log: log,
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	monitor := probe.Monitor{Tell: r.tell, Log: log, Open: func(t multiwan.Target) (s probe.Socket, err error) {
		err = r.box.Do(func() (err error) { s, err = probe.Open(t); return err })
		return s, err
	}}
	var work sync.WaitGroup
	for _, f := range []func() error{func() error { return r.daemon.Background(ctx, nil) }, func() error { return monitor.Run(ctx) }} {
		work.Go(func() {
			if err := f(); err != nil {
				r.Error(err)
			}
		})
	}
	r.stop = sync.OnceFunc(func() {
		cancel()
		work.Wait()
	})
	r.Cleanup(r.stop)
}

func (r *rig) tell(ctx context.Context, p multiwan.Probed) (multiwan.Targets, error) {
	in, err := json.Marshal(p)
	if err != nil {
		return multiwan.Targets{}, err
	}
	out, err := r.daemon.Verbs[multiwan.ProbeVerb](ctx, in)
	if err != nil {
		return multiwan.Targets{}, err
	}
	return out.(multiwan.Targets), nil
}

// counted counts the failures that the log tells.
type counted struct {
	slog.Handler
	failures *atomic.Int64
}

func (c counted) Enabled(context.Context, slog.Level) bool { return true }

func (c counted) Handle(_ context.Context, rec slog.Record) error {
	if rec.Message == "an uplink failed" {
		c.failures.Add(1)
	}
	return nil
}

// two is the usual configuration: the first uplink, and the second when that fails.
func two() multiwan.Config {
	up := func(n int, link, gateway string) multiwan.Uplink {
		return multiwan.Uplink{
			ID: link, Name: link, Number: n, Interface: link, Gateway: netip.MustParseAddr(gateway), Monitor: true,
			Target: netip.MustParseAddr("203.0.113.9"), Interval: 100, Window: 2, LossDown: 15, RTTDown: 300, Hold: 10,
		}
	}
	return multiwan.Config{
		Uplinks: []multiwan.Uplink{up(1, "wan1", "192.0.2.1"), up(2, "wan2", "198.51.100.1")},
		Groups:  []multiwan.Group{{ID: "g", Name: "out", Default: true, Members: []multiwan.Member{{Uplink: 1, Tier: 1, Weight: 1}, {Uplink: 2, Tier: 2, Weight: 1}}}},
	}
}

// become applies a configuration, as the engine does.
func (r *rig) become(c multiwan.Config) {
	r.Helper()
	now := daemon.Rendering{Files: []daemon.File{{Path: multiwan.Path, Data: c.Text()}}}
	if err := r.daemon.Apply(r.Context(), r.now, now); err != nil {
		r.Fatal(err)
	}
	r.now = now
	if wrong := r.report().Wrong; len(wrong) > 0 {
		r.Fatalf("trouble: %+v", wrong)
	}
}

func (r *rig) report() multiwan.Report {
	r.Helper()
	out, err := r.daemon.Verbs[multiwan.StatusVerb](r.Context(), nil)
	if err != nil {
		r.Fatal(err)
	}
	return out.(multiwan.Report)
}

// serve answers a connection with the address of who made it, then with whatever it gets.
func serve(t testing.TB, space *lab.Space, at string) {
	t.Helper()
	var l net.Listener
	err := space.Do(func() (err error) {
		l, err = net.Listen("tcp4", at)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				fmt.Fprintln(c, netip.MustParseAddrPort(c.RemoteAddr().String()).Addr())
				_, _ = io.Copy(c, c)
			}()
		}
	}()
}

// dial opens a connection, and answers who the other side takes us for.
func dial(space *lab.Space, to string, within time.Duration) (c net.Conn, who string, err error) {
	err = space.Do(func() (err error) {
		c, err = net.DialTimeout("tcp4", to, within)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	_ = c.SetDeadline(time.Now().Add(within))
	b := make([]byte, 64)
	n, err := c.Read(b)
	if err != nil {
		c.Close()
		return nil, "", err
	}
	return c, string(b[:max(n-1, 0)]), nil
}

// who is how the host outside sees a new connection of the client; empty for not at all.
func (r *rig) who(within time.Duration) string {
	c, who, err := dial(r.client, remote, within)
	if err != nil {
		return ""
	}
	c.Close()
	return who
}

// echoes reports whether a connection still carries something both ways.
func echoes(c net.Conn) bool { return echo(c, 10*time.Second) == nil }

// echo sends something by a connection and waits for it to come back.
func echo(c net.Conn, within time.Duration) error {
	_ = c.SetDeadline(time.Now().Add(within))
	if _, err := c.Write([]byte("x")); err != nil {
		return err
	}
	_, err := io.ReadFull(c, make([]byte, 1))
	return err
}

// eventually waits for what comes by itself, and answers how long it took.
func eventually(t testing.TB, within time.Duration, what string, is func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for !is() {
		if time.Since(began) > within {
			t.Fatalf("after %s: not %s", within, what)
		}
		<-time.After(10 * time.Millisecond)
	}
	return time.Since(began)
}
