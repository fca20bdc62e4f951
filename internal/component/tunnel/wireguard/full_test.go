package wireguard_test

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/component/tunnel/wireguard/wireguardtest"
	"gateway/lab"
)

// beyond is the network behind ours: a router at 192.0.2.254 that has the endpoint of a tunnel
// at 203.0.113.9, somebody at 203.0.113.77, and a server at 198.51.100.1.
func beyond(r *rig) *rig {
	r.Helper()
	far := newRig(r.T, nil)
	r.ip("link add e0 type veth peer name e1")
	err := r.space.Do(func() error {
		link, err := netlink.LinkByName("e1")
		if err != nil {
			return err
		}
		return netlink.LinkSetNsFd(link, far.space.FD())
	})
	if err != nil {
		r.Fatal(err)
	}
	for _, line := range []string{"addr add 192.0.2.1/24 dev e0", "link set e0 up", "route add default via 192.0.2.254"} {
		r.ip(line)
	}
	for _, line := range []string{"addr add 192.0.2.254/24 dev e1", "link set e1 up", "addr add 203.0.113.9/32 dev lo", "addr add 203.0.113.77/32 dev lo", "addr add 198.51.100.1/32 dev lo"} {
		far.ip(line)
	}
	return far
}

// serve answers every connection to an address with that of who made it.
func serve(t testing.TB, space *lab.Space, at string) {
	t.Helper()
	var l net.Listener
	err := space.Do(func() (err error) {
		l, err = net.Listen("tcp", at)
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
			fmt.Fprint(c, netip.MustParseAddrPort(c.RemoteAddr().String()).Addr())
			c.Close()
		}
	}()
}

// dial is who a server takes us for; from is empty for whatever the kernel chooses.
func dial(space *lab.Space, from, to string) (who string) {
	err := space.Do(func() error {
		d := net.Dialer{Timeout: 3 * time.Second}
		if from != "" {
			d.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
		}
		c, err := d.Dial("tcp4", to)
		if err != nil {
			return err
		}
		defer c.Close()
		b := make([]byte, 64)
		n, err := c.Read(b)
		who = string(b[:n])
		return err
	})
	if err != nil {
		return err.Error()
	}
	return who
}

// provider is a tunnel at the far end, and the tunnel of ours that dials it.
func provider(r, far *rig, allowed ...string) (wireguard.Tunnel, wireguard.Peer, wireguard.Keys) {
	r.Helper()
	w, k, key := server(r.T, 51820, "10.9.0.1/24")
	ours := wireguardtest.NewKey(r.T)
	far.become(one(w, peer(r.T, ours, "10.9.0.2/32")), k)
	wireguardtest.AwaitBound(r.T, far.space, 51820)
	c := wireguard.Tunnel{ID: "c", Name: wireguardtest.Name(), Mode: wireguard.Client, Addresses: []netip.Prefix{netip.MustParsePrefix("10.9.0.2/24")}}
	p := peer(r.T, key, allowed...)
	p.Endpoint, p.Keepalive = "203.0.113.9:51820", 25
	return c, p, keys(c.Name, ours)
}

// The link is one of wireguard-go, a stand-in for the kernel's own; routes and rules are the kernel's.
//
// shows (stand-in) TUN-07
func TestATunnelThatTakesEverythingKeepsItsWay(t *testing.T) {
	for _, filter := range []string{"1", "2"} {
		for _, allowed := range []string{"0.0.0.0/0 ::/0", "128.0.0.0/1 0.0.0.0/1"} {
			t.Run("rp_filter "+filter+", "+allowed, func(t *testing.T) {
				r := newRig(t, nil)
				far := beyond(r)
				r.has("rule show", "lookup main")
				setting(t, r.space, "net/ipv4/conf/all/rp_filter", filter)
				serve(t, far.space, "198.51.100.1:80")
				serve(t, r.space, "192.0.2.1:443")
				before := r.ip("rule show")
				c, p, k := provider(r, far, strings.Fields(allowed)...)
				r.become(one(c, p), k)
				if got := dial(r.space, "", "198.51.100.1:80"); got != "10.9.0.2" {
					t.Errorf("the server takes us for %s, want the tunnel's address", got)
				}
				if got := dial(far.space, "203.0.113.77", "192.0.2.1:443"); got != "203.0.113.77" {
					t.Errorf("who comes from afar gets %s", got)
				}
				if got := r.report().Peers[0]; got.LastHandshake.IsZero() {
					t.Errorf("status = %+v", got)
				}
				r.has("rule show", "from 192.0.2.1 lookup main", "lookup main suppress_prefixlength 0", "not from all fwmark 0xfb000000/0xff000000 lookup 64251")
				// Without it, all is as it was.
				r.become(wireguard.Config{}, wireguard.Keys{})
				if after := r.ip("rule show"); after != before {
					t.Errorf("rules are\n%s, were\n%s", after, before)
				}
				if got := dial(r.space, "", "198.51.100.1:80"); got != "192.0.2.1" {
					t.Errorf("afterwards the server takes us for %s", got)
				}
			})
		}
	}
}

// setting writes a sysctl of the space.
func setting(t testing.TB, space *lab.Space, path, value string) {
	t.Helper()
	if err := space.Do(func() error { return os.WriteFile("/proc/sys/"+path, []byte(value), 0o644) }); err != nil {
		t.Fatal(err)
	}
}

// The background goes with the test.
func (r *rig) background() {
	r.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	ended := make(chan error, 1)
	go func() { ended <- r.Background(ctx, nil) }()
	r.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			r.Error(err)
		}
	})
}

// eventually waits for what comes by itself.
func eventually(t testing.TB, within time.Duration, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(within); !is(); {
		if time.Now().After(end) {
			t.Fatalf("after %s: not %s", within, what)
		}
		<-time.After(10 * time.Millisecond)
	}
}

func TestADeletedInterfaceIsMadeAnewByItself(t *testing.T) {
	r := newRig(t, nil)
	w, k, key := server(t, 51820, "10.8.0.1/24")
	phone := wireguardtest.NewKey(t)
	r.become(one(w, peer(t, phone, "10.8.0.2/32")), k)
	r.background()
	c := wireguardtest.NewClient(t, r.space, phone, netip.MustParseAddr("10.8.0.2"), key.PublicKey(), [32]byte{}, loopback(51820))
	if !c.Reach(netip.MustParseAddr("10.8.0.1"), 5*time.Second) {
		t.Fatal("the client does not get through")
	}
	// The watch begins by itself, after an unknown while: delete until that is noticed.
	eventually(t, 10*time.Second, "made anew", func() bool {
		if !strings.Contains(r.ip("link show"), w.Name) {
			return false
		}
		r.ip("link del " + w.Name)
		end := time.Now().Add(2 * time.Second)
		for time.Now().Before(end) {
			if strings.Contains(r.ip("addr show"), "10.8.0.1/24") {
				return len(r.report().Peers) == 1
			}
		}
		return false
	})
}
