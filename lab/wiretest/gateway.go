// Package wiretest is a gateway with nobody around it: a network of its own in the kernel,
// whose interfaces end in the test process. A packet is written into one, has gone all its
// way through the kernel when the write returns, and is read from the one that it left
// through. What the packets mean is left to the test. A Wire is less: one link, and nobody at all.
// It is imported by tests only.
package wiretest

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"gateway/internal/sys"
	"gateway/lab"
)

// Interface is one end of a wire that has no other end.
type Interface struct {
	Name      string
	Addresses []netip.Prefix // of the gateway there, with the length of the network
}

// Gateway is a router in the kernel.
type Gateway struct {
	*lab.Space
	// Run runs Debian 13's nft where the product runs its own.
	Run sys.Runner

	names []string
	tuns  map[string]int
}

// New makes a gateway. What none of its networks has is behind the first interface.
func New(t testing.TB, interfaces ...Interface) *Gateway {
	t.Helper()
	g := &Gateway{Space: lab.NewSpace(t), Run: nft(t), tuns: map[string]int{}}
	t.Cleanup(func() {
		for _, fd := range g.tuns {
			unix.Close(fd)
		}
	})
	err := g.Do(func() error {
		for i, in := range interfaces {
			if err := g.plug(in, i == 0); err != nil {
				return fmt.Errorf("interface %s: %w", in.Name, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// nft answers for /usr/sbin/nft of the product's system.
func nft(t testing.TB) sys.Runner {
	const path = "/usr/sbin/nft"
	argv := lab.InRoot(t, "", path)
	program, err := exec.LookPath(argv[0])
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, c sys.Command) (sys.Result, error) {
		if c.Path != path {
			return sys.Result{}, fmt.Errorf("only %s is there, not %s", path, c.Path)
		}
		c.Path, c.Args = program, slices.Concat(argv[1:], c.Args)
		return sys.Run(ctx, c)
	}
}

// Nft runs nft in the gateway and answers what it prints.
func (g *Gateway) Nft(ctx context.Context, input []byte, args ...string) (string, error) {
	var out sys.Result
	err := g.Do(func() (err error) {
		out, err = g.Run(ctx, sys.Command{Path: "/usr/sbin/nft", Args: args, Stdin: input, MaxOutput: 64 << 20})
		return err
	})
	return string(out.Stdout), err
}

func (g *Gateway) plug(in Interface, first bool) error {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open tun: %w", err)
	}
	g.names = append(g.names, in.Name)
	g.tuns[in.Name] = fd
	request, err := unix.NewIfreq(in.Name)
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		return fmt.Errorf("make it: %w", err)
	}
	if err := settings(in.Name); err != nil {
		return err
	}
	link, err := netlink.LinkByName(in.Name)
	if err != nil {
		return fmt.Errorf("find it: %w", err)
	}
	return bringUp(link, in.Addresses, first)
}

func bringUp(link netlink.Link, addresses []netip.Prefix, first bool) error {
	for _, p := range addresses {
		a, err := netlink.ParseAddr(p.String())
		if err != nil {
			return err
		}
		a.Flags = unix.IFA_F_NODAD
		if err := netlink.AddrAdd(link, a); err != nil {
			return fmt.Errorf("address %s: %w", p, err)
		}
	}
	if err := netlink.LinkSetUp(link); err != nil {
		return err
	}
	for _, p := range addresses {
		if err := awaitOwn(link, p.Addr()); err != nil {
			return err
		}
	}
	if !first {
		return nil
	}
	for _, everywhere := range []string{"0.0.0.0/0", "::/0"} {
		dst, err := netlink.ParseIPNet(everywhere)
		if err != nil {
			return err
		}
		if err := netlink.RouteAdd(&netlink.Route{LinkIndex: link.Attrs().Index, Dst: dst}); err != nil {
			return fmt.Errorf("route to %s: %w", everywhere, err)
		}
	}
	return nil
}

// awaitOwn waits until the kernel takes packets to the address for its own: an address of IPv6 is so only
// once a worker of the kernel has been at it, even where nobody is asked whether it is taken.
func awaitOwn(link netlink.Link, addr netip.Addr) error {
	if addr.Is4() {
		return nil
	}
	want := &netlink.Route{LinkIndex: link.Attrs().Index, Table: unix.RT_TABLE_LOCAL}
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		routes, err := netlink.RouteListFiltered(netlink.FAMILY_V6, want, netlink.RT_FILTER_OIF|netlink.RT_FILTER_TABLE)
		if err != nil {
			return fmt.Errorf("list the local routes: %w", err)
		}
		if slices.ContainsFunc(routes, func(r netlink.Route) bool { return r.Dst != nil && r.Dst.IP.Equal(addr.AsSlice()) }) {
			return nil
		}
		if time.Since(began) > 10*time.Second {
			return fmt.Errorf("%s is not the kernel's own", addr)
		}
	}
}

// settings make the kernel a router that takes packets from anywhere, says nothing by
// itself, and rejects as often as it is asked to.
func settings(name string) error {
	var failed []error
	for path, value := range map[string]string{
		"ipv4/ip_forward":                       "1",
		"ipv6/conf/all/forwarding":              "1",
		"ipv4/icmp_ratemask":                    "0",
		"ipv4/icmp_msgs_per_sec":                "1000000",
		"ipv4/icmp_msgs_burst":                  "1000000",
		"ipv6/icmp/ratelimit":                   "0",
		"ipv4/conf/all/rp_filter":               "0",
		"ipv4/conf/all/send_redirects":          "0",
		"ipv4/conf/" + name + "/rp_filter":      "0",
		"ipv4/conf/" + name + "/send_redirects": "0",
		"ipv6/conf/" + name + "/addr_gen_mode":  "1",
	} {
		failed = append(failed, os.WriteFile(filepath.Join("/proc/sys/net", path), []byte(value), 0o644))
	}
	return errors.Join(failed...)
}

// Write sends a packet into an interface.
func (g *Gateway) Write(name string, packet []byte) error {
	if _, err := unix.Write(g.tuns[name], packet); err != nil {
		return fmt.Errorf("write to %s: %w", name, err)
	}
	return nil
}

// Drain takes everything that has come out. What each gets is only good until it returns.
func (g *Gateway) Drain(each func(name string, packet []byte)) error {
	buffer := make([]byte, 4096)
	for _, name := range g.names {
		for {
			n, err := unix.Read(g.tuns[name], buffer)
			if errors.Is(err, unix.EAGAIN) {
				break
			}
			if err != nil {
				return fmt.Errorf("read from %s: %w", name, err)
			}
			each(name, buffer[:n])
		}
	}
	return nil
}

// Forget drops the connections that the kernel knows.
func (g *Gateway) Forget() error {
	return g.Do(func() error { return netlink.ConntrackTableFlush(netlink.ConntrackTable) })
}
