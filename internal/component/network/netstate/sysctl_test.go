package netstate

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"gateway/internal/daemon"
	"gateway/lab"
)

// tuned makes the network set sysctls in the space as gateway-sysctl.service does.
func tuned(t *testing.T, space *lab.Space, n *network) (refuse *error) {
	t.Helper()
	const program = "/usr/lib/systemd/systemd-sysctl"
	if _, err := os.Stat(program); err != nil {
		t.Skip(err)
	}
	refuse = new(error)
	dir := t.TempDir()
	n.takenBack = filepath.Join(dir, "back.conf")
	n.Log = slog.New(slog.DiscardHandler)
	n.Sysctl = func(ctx context.Context) error {
		if *refuse != nil {
			return *refuse
		}
		file := filepath.Join(dir, "sysctl.conf")
		if err := os.WriteFile(file, n.sysctls, 0o600); err != nil {
			return err
		}
		return space.Do(func() error {
			_ = exec.CommandContext(ctx, program, n.takenBack).Run()
			out, err := exec.CommandContext(ctx, program, file).CombinedOutput()
			if err != nil {
				return errors.New(string(out))
			}
			return nil
		})
	}
	return refuse
}

// setting is what the kernel has.
func setting(t *testing.T, space *lab.Space, key string) string {
	t.Helper()
	var data []byte
	if err := space.Do(func() (err error) { data, err = os.ReadFile("/proc/sys/" + key); return err }); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

// full is a rendering with its sysctls.
func full(t *testing.T, c Config) daemon.Rendering {
	t.Helper()
	r, err := render(state{Config: c})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSysctlsAreTakenBack(t *testing.T) {
	space, n := newKernel(t)
	refuse := tuned(t, space, n)
	role := func(p1, p2 string) Config {
		return Config{Links: []Link{{Name: "p1", Kind: Ethernet, Role: p1}, {Name: "p2", Kind: Ethernet, Role: p2}, {Name: "p3", Kind: Ethernet}}}
	}
	become := func(old, now Config) {
		t.Helper()
		if err := n.apply(t.Context(), full(t, old), full(t, now)); err != nil {
			t.Fatal(err)
		}
	}
	is := func(when string, want ...string) {
		t.Helper()
		for _, w := range want {
			key, value, _ := strings.Cut(w, "=")
			if got := setting(t, space, key); got != value {
				t.Errorf("%s: %s is %s, want %s", when, key, got, value)
			}
		}
	}
	// By hand, on an interface without a role.
	if err := space.Do(func() error { return os.WriteFile("/proc/sys/net/ipv6/conf/p3/accept_ra", []byte("2"), 0o600) }); err != nil {
		t.Fatal(err)
	}
	become(role("", ""), role("wan", "wan"))
	is("wan", "net/ipv6/conf/p1/accept_ra=2", "net/ipv6/conf/p1/ra_defrtr_metric=2048", "net/ipv4/conf/p1/ignore_routes_with_linkdown=1", "net/ipv4/conf/p1/send_redirects=0")
	become(role("wan", "wan"), role("lan", "wan"))
	is("lan", "net/ipv6/conf/p1/accept_ra=0", "net/ipv6/conf/p1/ra_defrtr_metric=1024", "net/ipv4/conf/p1/ignore_routes_with_linkdown=0", "net/ipv4/conf/p1/send_redirects=0",
		"net/ipv6/conf/p2/accept_ra=2")
	become(role("lan", "wan"), role("", "wan"))
	is("none", "net/ipv6/conf/p1/accept_ra=1", "net/ipv6/conf/p1/autoconf=1", "net/ipv4/conf/p1/send_redirects=1", "net/ipv6/conf/p1/keep_addr_on_down=0", "net/ipv6/conf/p3/accept_ra=2")
	// The interface is no longer declared, and the service fails at first.
	*refuse = errors.New("no bus")
	gone := Config{Links: role("", "").Links[:1]}
	become(role("", "wan"), gone)
	is("not yet", "net/ipv6/conf/p2/accept_ra=2")
	*refuse = nil
	if err := n.tune(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	is("gone", "net/ipv6/conf/p2/accept_ra=1", "net/ipv6/conf/p2/ra_defrtr_metric=1024")
	if data, err := os.ReadFile(n.takenBack); err != nil || len(data) != 0 {
		t.Errorf("still to take back: %q, %v", data, err)
	}
	// What is nobody's any more may be set by hand.
	if err := space.Do(func() error { return os.WriteFile("/proc/sys/net/ipv6/conf/p2/accept_ra", []byte("2"), 0o600) }); err != nil {
		t.Fatal(err)
	}
	become(gone, role("wan", ""))
	is("by hand", "net/ipv6/conf/p2/accept_ra=2", "net/ipv6/conf/p1/accept_ra=2")
}

// A link that is made, or comes back, has the kernel's own settings.
func TestANewLinkGetsItsSysctls(t *testing.T) {
	space, n := newKernel(t)
	tuned(t, space, n)
	c := Config{Links: []Link{{Name: "br0", Kind: Bridge, Role: "lan", Members: []string{"p1"}}}}
	if err := n.apply(t.Context(), full(t, Config{}), full(t, c)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		select {
		case <-n.pending:
		default:
			t.Error("nobody asked for the settings of the new link")
		}
		if err := n.tune(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if got := setting(t, space, "net/ipv6/conf/br0/accept_ra"); got != "0" {
			t.Errorf("accept_ra is %s", got)
		}
		run(t, space, "link del br0")
		if err := n.repair(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// advertise sends router advertisements from a link until it is told to stop.
func advertise(ctx context.Context, space *lab.Space, link string) error {
	return space.Do(func() error {
		fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.IPPROTO_ICMPV6)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		packet := make([]byte, 16)
		packet[0], packet[4] = 134, 64
		binary.BigEndian.PutUint16(packet[6:], 1800)
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_MULTICAST_HOPS, 255); err != nil {
			return err
		}
		if err := unix.BindToDevice(fd, link); err != nil {
			return err
		}
		to := &unix.SockaddrInet6{Addr: [16]byte{0: 0xff, 1: 2, 15: 1}}
		for tick := time.NewTicker(50 * time.Millisecond); ctx.Err() == nil; <-tick.C {
			if err := unix.Sendto(fd, packet, 0, to); err != nil && !errors.Is(err, unix.EADDRNOTAVAIL) {
				return err
			}
		}
		return nil
	})
}

// A static default route wins over an advertised one, and is not refused because of it.
func TestAStaticDefaultBesideAnAdvertisedOne(t *testing.T) {
	space, n := newKernel(t)
	tuned(t, space, n)
	provider := lab.NewSpace(t)
	if err := provider.Do(func() error { return os.WriteFile("/proc/sys/net/ipv6/conf/default/accept_dad", []byte("0"), 0o600) }); err != nil {
		t.Fatal(err)
	}
	run(t, provider, "link add r0 type veth peer name w0")
	if err := moveLink(provider, space, "w0"); err != nil {
		t.Fatal(err)
	}
	run(t, provider, "link set r0 up", "-6 addr add fe80::99/64 dev r0 nodad")
	run(t, space, "link set w0 up")
	c := Config{Links: []Link{{Name: "w0", Kind: Ethernet, Role: "wan"}}, Addresses: []Address{{"w0", prefix("2001:db8::1/64")}}}
	if err := n.apply(t.Context(), full(t, Config{}), full(t, c)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	sent := make(chan error, 1)
	go func() { sent <- advertise(ctx, provider, "r0") }()
	for tick := time.NewTicker(20 * time.Millisecond); len(linesOf(seen(t, space), "proto ra")) == 0; <-tick.C {
		if ctx.Err() != nil {
			t.Fatalf("no advertised route: %v\n%s", <-sent, strings.Join(seen(t, space), "\n"))
		}
	}
	static := c
	static.Routes = []Route{{Dst: prefix("::/0"), Gateway: address("2001:db8::fe"), Table: 254}}
	n.become(t, c, static)
	cancel()
	if err := <-sent; err != nil {
		t.Error(err)
	}
	if got := linesOf(seen(t, space), "proto ra"); len(got) != 1 || !strings.Contains(got[0], "metric 2048") {
		t.Errorf("the advertised one is %q", got)
	}
	err := space.Do(func() error {
		out, err := exec.Command("ip", "-6", "route", "get", "2001:db8:9::1").CombinedOutput()
		if !strings.Contains(string(out), "via 2001:db8::fe") {
			t.Errorf("it goes by %s", out)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// moveLink gives a link to another network.
func moveLink(from, to *lab.Space, name string) error {
	return from.Do(func() error {
		l, err := netlink.LinkByName(name)
		if err != nil {
			return err
		}
		return netlink.LinkSetNsFd(l, to.FD())
	})
}
