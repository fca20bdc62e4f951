package wireguard_test

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl"
	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/component/tunnel/wireguard/wireguardtest"
	"gateway/tools/bar"
)

const (
	manyPeers  = 1000
	liveWithin = 50 * time.Millisecond
	pollCPU    = 20 * time.Millisecond
)

// crowd is a tunnel with a thousand peers, some of which send all the time.
type crowd struct {
	*rig
	tunnel wireguard.Tunnel
	peers  []wireguard.Peer
	keys   wireguard.Keys
	own    netip.Addr
	talk   []*wireguardtest.Client
}

func newCrowd(t *testing.T, talking int) *crowd {
	t.Helper()
	c := &crowd{rig: newRig(t, nil), own: netip.MustParseAddr("10.8.0.1")}
	var key wgtypes.Key
	c.tunnel, c.keys, key = server(t, 51820, "10.8.0.1/16")
	var private []wgtypes.Key
	for i := range manyPeers {
		private = append(private, wireguardtest.NewKey(t))
		c.peers = append(c.peers, peer(t, private[i], fmt.Sprintf("10.8.%d.%d/32", 1+i/200, 1+i%200)))
	}
	c.become(one(c.tunnel, c.peers...), c.keys)
	for i := range talking {
		at := c.peers[i*7].AllowedIPs[0].Addr()
		client := wireguardtest.NewClient(t, c.space, private[i*7], at, key.PublicKey(), wgtypes.Key{}, loopback(51820))
		if !client.Reach(c.own, 5*time.Second) {
			t.Fatalf("client %d does not get through", i)
		}
		client.Forget()
		c.talk = append(c.talk, client)
	}
	return c
}

// under has the clients send while act runs, each every few milliseconds, and answers how many
// packets were sent and how many lost.
func (c *crowd) under(act func()) (sent, lost int) {
	c.Helper()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			for _, client := range c.talk {
				client.Ping(c.own)
			}
			select {
			case <-stop:
				return
			case <-tick.C:
			}
		}
	}()
	act()
	close(stop)
	<-done
	count := func() {
		sent, lost = 0, 0
		for _, client := range c.talk {
			s, answered := client.Counts()
			sent, lost = sent+s, lost+s-answered
		}
	}
	for end := time.Now().Add(time.Second); time.Now().Before(end); <-time.After(10 * time.Millisecond) {
		if count(); lost == 0 {
			break
		}
	}
	for _, client := range c.talk {
		client.Forget()
	}
	return sent, lost
}

// handshakes are those of the peers that talk.
func (c *crowd) handshakes() map[string]time.Time {
	c.Helper()
	out := map[string]time.Time{}
	for _, s := range c.report().Peers {
		if !s.LastHandshake.IsZero() {
			out[s.PublicKey] = s.LastHandshake
		}
	}
	return out
}

func TestBarNetwork08Peers(t *testing.T) {
	bar.NotShort(t)
	changes, talking := bar.GateSize(20, 60, 300), bar.GateSize(6, 10, 10)
	c := newCrowd(t, talking)
	before := c.handshakes()
	var took []time.Duration
	live := func(what string, peers []wireguard.Peer) {
		now := rendering(one(c.tunnel, peers...), c.keys)
		from := time.Now()
		if err := c.Apply(t.Context(), c.now, now); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		took = append(took, time.Since(from))
		c.now = now
		c.wantPeers(what, peers)
	}
	extra := peer(t, wireguardtest.NewKey(t), "10.8.99.1/32")
	began := time.Now()
	sent, lost := c.under(func() {
		for i := range changes {
			if time.Since(began) > time.Minute {
				break // before the peers negotiate new keys by themselves
			}
			with := append(slices.Clone(c.peers), extra)
			live("add", with)
			with[manyPeers].AllowedIPs = []netip.Prefix{netip.MustParsePrefix(fmt.Sprintf("10.8.99.%d/32", 2+i%200))}
			live("change", with)
			live("remove", c.peers)
		}
	})
	redone := 0
	for key, at := range c.handshakes() {
		if before[key] != at {
			redone++
		}
	}
	slices.Sort(took)
	median := took[len(took)/2]
	poll := c.pollCPU()
	dark, of := c.replaced()
	right := lost == 0 && redone == 0 && len(before) == talking && dark*10 > of*9
	bar.ReportTimed(t, "network", 8,
		fmt.Sprintf("%d changes at %d peers: median %s (longest %s); %d of %d packets lost, %d handshakes redone; control ReplacePeers: %d of %d lost; poll %s CPU",
			len(took), manyPeers, median.Round(100*time.Microsecond), took[len(took)-1].Round(time.Millisecond), lost, sent, redone, dark, of, poll.Round(100*time.Microsecond)),
		"≤ 50 ms, 0 lost, 0 redone; control goes dark; poll ≤ 20 ms", right, median <= liveWithin && poll <= pollCPU)
}

// wantPeers asks the device itself, outside of what is measured: that nothing was refused does
// not say that anything was done.
func (c *crowd) wantPeers(what string, peers []wireguard.Peer) {
	c.Helper()
	want, have := map[string][]string{}, map[string][]string{}
	for _, p := range peers {
		for _, n := range p.AllowedIPs {
			want[p.PublicKey] = append(want[p.PublicKey], n.String())
		}
	}
	for _, p := range c.device().Peers {
		for _, n := range p.AllowedIPs {
			have[p.PublicKey.String()] = append(have[p.PublicKey.String()], n.String())
		}
	}
	if maps.EqualFunc(have, want, slices.Equal[[]string]) {
		return
	}
	for key := range want {
		if !slices.Equal(have[key], want[key]) {
			c.Errorf("%s: the device allows %q to %s, want %q", what, have[key], key, want[key])
		}
	}
	c.Fatalf("%s: the device has %d peers, want %d", what, len(have), len(want))
}

// device is the tunnel as WireGuard reports it.
func (c *crowd) device() (have *wgtypes.Device) {
	c.Helper()
	err := c.space.Do(func() error {
		wg, err := wgctrl.New()
		if err != nil {
			return err
		}
		defer wg.Close()
		have, err = wg.Device(c.tunnel.Name)
		return err
	})
	if err != nil {
		c.Fatal(err)
	}
	return have
}

// pollCPU is what reading the status costs this process, by the median.
func (c *crowd) pollCPU() time.Duration {
	c.Helper()
	var all []time.Duration
	for range 9 {
		from := cpu(c.T)
		if n := len(c.report().Peers); n != manyPeers {
			c.Fatalf("%d peers in the status", n)
		}
		all = append(all, cpu(c.T)-from)
	}
	slices.Sort(all)
	return all[len(all)/2]
}

func cpu(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// replaced is the control: the same peers once more, but as a new list.
func (c *crowd) replaced() (lost, sent int) {
	c.Helper()
	have := c.device()
	sent, lost = c.under(func() {
		err := c.space.Do(func() error {
			wg, err := wgctrl.New()
			if err != nil {
				return err
			}
			defer wg.Close()
			again := wgtypes.Config{ReplacePeers: true}
			for _, p := range have.Peers {
				again.Peers = append(again.Peers, wgtypes.PeerConfig{PublicKey: p.PublicKey, AllowedIPs: p.AllowedIPs, ReplaceAllowedIPs: true})
			}
			return wg.ConfigureDevice(c.tunnel.Name, again)
		})
		if err != nil {
			c.Fatal(err)
		}
		for _, client := range c.talk {
			client.Forget() // what was sent before and while
		}
		<-time.After(time.Second)
	})
	return lost, sent
}

func TestBarNetwork11Expiry(t *testing.T) {
	bar.NotShort(t)
	runs := bar.GateSize(2, 5, 20)
	r := newRig(t, nil)
	r.background()
	w, k, key := server(t, 51820, "10.8.0.1/24")
	own := netip.MustParseAddr("10.8.0.1")
	phone := wireguardtest.NewKey(t)
	p, other := peer(t, phone, "10.8.0.2/32", "10.70.0.0/16"), peer(t, wireguardtest.NewKey(t), "10.8.0.3/32")
	r.become(one(w, other), k)
	var longest time.Duration
	for i := range runs {
		p.ExpiresAt = time.Time{}
		r.become(one(w, p, other), k)
		client := wireguardtest.NewClient(t, r.space, phone, p.AllowedIPs[0].Addr(), key.PublicKey(), wgtypes.Key{}, loopback(51820))
		if !client.Reach(own, 5*time.Second) {
			t.Fatalf("run %d: the client does not get through", i)
		}
		p.ExpiresAt = time.Now().Add(1500 * time.Millisecond)
		r.become(one(w, p, other), k)
		last := r.lastAnswer(client, own, p.ExpiresAt.Add(1200*time.Millisecond))
		client.Close()
		if last.Before(p.ExpiresAt.Add(-500 * time.Millisecond)) {
			t.Errorf("run %d: silent %s too early", i, p.ExpiresAt.Sub(last))
		}
		longest = max(longest, last.Sub(p.ExpiresAt))
		if n := len(r.report().Peers); n != 1 {
			t.Errorf("run %d: %d peers are left, want the other one", i, n)
		}
		r.lacks("route show", "10.70.0.0/16")
	}
	bar.ReportTimed(t, "network", 11, fmt.Sprintf("%d peers: silent at the latest %s after they expired", runs, max(longest, 0).Round(time.Millisecond)),
		"≤ 1 s", !t.Failed(), longest <= time.Second)
}

// lastAnswer pings until a moment, and is when the last answer came.
func (r *rig) lastAnswer(client *wireguardtest.Client, to netip.Addr, until time.Time) (last time.Time) {
	r.Helper()
	client.Forget()
	answered := 0
	for time.Now().Before(until) {
		client.Ping(to)
		<-time.After(5 * time.Millisecond)
		if _, n := client.Counts(); n > answered {
			answered, last = n, time.Now()
		}
	}
	return last
}
