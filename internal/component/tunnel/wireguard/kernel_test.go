package wireguard_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os/exec"
	"slices"
	"testing"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl"

	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/component/tunnel/wireguard/wireguardtest"
	"gateway/internal/rtnl"
	"gateway/lab"
	"gateway/lab/qemutest"
	"gateway/tools/bar"
)

// The kernel's own WireGuard, in an emulated machine: times mean something only beside those of
// wg there.
//
// shows TUN-05
func TestBarNetwork08Kernel(t *testing.T) {
	bar.NotShort(t)
	out := qemutest.Run(t, "^TestPeersInTheMachine$", time.Duration(bar.GateSize(5, 5, 60))*time.Minute, "wireguard", "veth")
	bar.Relay(t, out)
}

// TestPeersInTheMachine is what the bar runs.
func TestPeersInTheMachine(t *testing.T) {
	qemutest.Inside(t)
	space := lab.NewSpace(t)
	r := &rig{T: t, space: space, now: rendering(wireguard.Config{}, wireguard.Keys{})}
	r.Daemon = wireguard.New(wireguard.Options{
		Open: func() (c *rtnl.Conn, err error) {
			return c, space.Do(func() error { c, err = rtnl.Open(); return err })
		},
		Watch: func(ctx context.Context, _ func()) error { <-ctx.Done(); return nil },
		WG: func() (c wireguard.Devices, err error) {
			return c, space.Do(func() error { c, err = wgctrl.New(); return err })
		},
		Log: slog.New(slog.DiscardHandler),
	})
	c := &crowd{rig: r}
	c.tunnel, c.keys, _ = server(t, 51820, "10.8.0.1/16")
	for i := range manyPeers {
		c.peers = append(c.peers, peer(t, wireguardtest.NewKey(t), fmt.Sprintf("10.8.%d.%d/32", 1+i/200, 1+i%200)))
	}
	c.become(one(c.tunnel, c.peers...), c.keys)
	r.has("-d link show "+c.tunnel.Name, "wireguard", ",UP", "mtu 1420", "group 250", "alias gateway")
	r.has("addr show "+c.tunnel.Name, "10.8.0.1/16")
	if port := c.device().ListenPort; port != 51820 {
		t.Errorf("it listens on port %d", port)
	}
	c.wantPeers("a thousand", c.peers)
	ours, bare := c.raceWg(bar.GateSize(3, 10, 50))
	ratio := float64(ours) / float64(bare)
	bar.ReportTimed(t, "network", 8,
		fmt.Sprintf("the kernel's WireGuard, emulated: one of %d peers added, changed, removed in %s by the median, bare wg set %s, so %.1f times; to read all peers back takes %s, to read the files %s",
			manyPeers, ours.Round(time.Millisecond), bare.Round(time.Millisecond), ratio, c.median(func() { c.device() }), c.median(c.readFiles)),
		"≤ 3 times", !t.Failed(), ratio <= 3)
}

// raceWg changes one peer in turns with wg, and answers the medians.
func (c *crowd) raceWg(times int) (ours, bare time.Duration) {
	c.Helper()
	var us, them []time.Duration
	extra := peer(c.T, wireguardtest.NewKey(c.T), "10.8.99.1/32")
	other := peer(c.T, wireguardtest.NewKey(c.T)).PublicKey
	apply := func(peers []wireguard.Peer) {
		now := rendering(one(c.tunnel, peers...), c.keys)
		from := time.Now()
		if err := c.Apply(c.Context(), c.now, now); err != nil {
			c.Fatal(err)
		}
		us = append(us, time.Since(from))
		c.now = now
		c.wantPeers("one more or less", peers)
	}
	wg := func(args ...string) {
		from := time.Now()
		err := c.space.Do(func() error {
			out, err := exec.Command("wg", append([]string{"set", c.tunnel.Name, "peer", other}, args...)...).CombinedOutput()
			if err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
			return nil
		})
		if err != nil {
			c.Fatal(err)
		}
		them = append(them, time.Since(from))
	}
	for i := range times {
		with := append(slices.Clone(c.peers), extra)
		apply(with)
		with[manyPeers].AllowedIPs = []netip.Prefix{netip.MustParsePrefix(fmt.Sprintf("10.8.99.%d/32", 2+i%200))}
		apply(with)
		apply(c.peers)
		wg("allowed-ips", "10.8.98.1/32")
		wg("allowed-ips", fmt.Sprintf("10.8.98.%d/32", 2+i%200))
		wg("remove")
	}
	slices.Sort(us)
	slices.Sort(them)
	return us[len(us)/2], them[len(them)/2]
}

// median is how long something takes.
func (c *crowd) median(act func()) time.Duration {
	c.Helper()
	var all []time.Duration
	for range 5 {
		from := time.Now()
		act()
		all = append(all, time.Since(from))
	}
	slices.Sort(all)
	return all[len(all)/2].Round(time.Millisecond)
}

// readFiles reads what was applied last, as every apply does.
func (c *crowd) readFiles() {
	c.Helper()
	_, err := wireguard.Parse(c.now.File(wireguard.Path))
	_, errKeys := wireguard.ParseKeys(c.now.File(wireguard.KeyPath))
	if err := errors.Join(err, errKeys); err != nil {
		c.Fatal(err)
	}
}
