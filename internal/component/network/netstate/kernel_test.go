package netstate

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/daemon"
	"gateway/internal/rtnl"
	"gateway/lab"
)

// ports are the ends of cables that the space has; what is at their other ends nobody asks.
const ports = 6

// newKernel is a network with ports, and things of strangers in it.
func newKernel(t *testing.T) (*lab.Space, *network) {
	t.Helper()
	space := lab.NewSpace(t)
	run(t, space, func() []string {
		var out []string
		for i := range ports {
			out = append(out, fmt.Sprintf("link add p%d type veth peer name q%d", i, i), fmt.Sprintf("link set q%d up", i), fmt.Sprintf("link set p%d up", i))
		}
		return append(out, strangers...)
	}()...)
	settled(t, space)
	n := &network{pending: make(chan struct{}, 1)}
	n.Open = opener(space)
	return space, n
}

// opener opens sockets to the kernel in a space.
func opener(space *lab.Space) func() (*rtnl.Conn, error) {
	return func() (c *rtnl.Conn, err error) {
		return c, space.Do(func() error { c, err = rtnl.Open(); return err })
	}
}

// strangers are what somebody made by hand.
var strangers = []string{
	"link add hand0 type bridge", "link set hand0 up", "addr add 10.250.0.1/24 dev hand0", "addr add 10.251.0.9/24 dev p0",
	"-6 addr add fd00:250::1/64 dev hand0 nodad", "route add 10.252.0.0/16 via 10.250.0.2", "route add blackhole 10.253.0.0/16 table 77",
	"-6 route add fd00:252::/32 via fd00:250::2", "rule add from 10.9.9.9 table 77 priority 700",
}

// settled waits for what the kernel adds to an IPv6 address a little later.
func settled(t testing.TB, space *lab.Space) {
	t.Helper()
	for range 500 {
		if slices.ContainsFunc(seen(t, space), func(line string) bool { return strings.HasPrefix(line, "local fd00:250::1 ") }) {
			return
		}
		<-time.After(10 * time.Millisecond)
	}
	t.Fatal("the address fd00:250::1 has no local route")
}

func run(t testing.TB, space *lab.Space, lines ...string) {
	t.Helper()
	for _, line := range lines {
		err := space.Do(func() error {
			if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
				return fmt.Errorf("ip %s: %s", line, out)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// seen is the kernel by an independent reader, without what changes by itself.
func seen(t testing.TB, space *lab.Space) (all []string) {
	t.Helper()
	for _, what := range []string{"-o -d link show", "-o addr show", "-4 route show table all", "-6 route show table all", "rule show"} {
		err := space.Do(func() error {
			out, err := exec.Command("ip", strings.Fields(what)...).CombinedOutput()
			all = append(all, strings.Split(string(out), "\n")...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// ofStrangers are the lines about what was made by hand.
func ofStrangers(lines []string) []string {
	var out []string
	for _, l := range lines {
		if strings.Contains(l, "fe80:") {
			continue // which the kernel gives it by itself, after a while
		}
		if byHand(l) {
			l, _, _ = strings.Cut(l, "bridge_id") // timers of the bridge come after
			out = append(out, l)
		}
	}
	slices.Sort(out)
	return out
}

// byHand reports whether a line is about what was made by hand.
func byHand(line string) bool {
	return slices.ContainsFunc([]string{"hand0", "10.25", "fd00:25", "10.9.9.9"}, func(s string) bool { return strings.Contains(line, s) })
}

// random is a configuration of what this kernel can do: bridges, addresses and routes.
func random(r *rand.Rand) Config {
	var c Config
	var free []string
	for i := range ports {
		name := fmt.Sprintf("p%d", i)
		c.Links = append(c.Links, Link{Name: name, Kind: Ethernet, MTU: []int{0, 1400, 1500}[r.IntN(3)]})
		free = append(free, name)
	}
	carriers := slices.Clone(free)
	for i := range r.IntN(3) {
		b := Link{Name: fmt.Sprintf("br%d", i), Kind: Bridge, STP: r.IntN(2) == 0, Alias: []string{"", "guests", "a long description"}[r.IntN(3)]}
		for range 1 + r.IntN(2) {
			j := r.IntN(len(free))
			b.Members = append(b.Members, free[j])
			free = slices.Delete(free, j, j+1)
		}
		c.Links = append(c.Links, b)
		carriers = append(carriers, b.Name)
	}
	taken := map[netip.Prefix]bool{}
	var gateways []netip.Addr
	for range r.IntN(8) {
		x, y := byte(r.IntN(20)), byte(1+r.IntN(3))
		p := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, x, 0, y}), 24)
		g := netip.AddrFrom4([4]byte{10, x, 0, 200})
		if r.IntN(3) == 0 {
			p, g = netip.MustParsePrefix(fmt.Sprintf("fd00:%x::%x/64", x, y)), netip.MustParseAddr(fmt.Sprintf("fd00:%x::200", x))
		}
		if taken[p.Masked()] {
			continue
		}
		taken[p.Masked()] = true
		c.Addresses = append(c.Addresses, Address{carriers[r.IntN(len(carriers))], p})
		if !slices.ContainsFunc(c.Links, func(l Link) bool { return slices.Contains(l.Members, c.Addresses[len(c.Addresses)-1].Link) }) {
			gateways = append(gateways, g)
		}
	}
	keys := map[string]bool{}
	for range r.IntN(12) {
		w := Route{Table: []uint32{unix.RT_TABLE_MAIN, 100, 100000}[r.IntN(3)], Metric: uint32(r.IntN(3) * 50)}
		v6 := r.IntN(3) == 0
		w.Dst = netip.PrefixFrom(netip.AddrFrom4([4]byte{172, 16, byte(r.IntN(10)), 0}), 24)
		if v6 {
			w.Dst = netip.MustParsePrefix(fmt.Sprintf("fd01:%x::/48", r.IntN(10)))
		}
		switch r.IntN(3) {
		case 0:
			w.Type = RouteTypes[1+r.IntN(3)]
		case 1:
			w.Dev = carriers[r.IntN(len(carriers))]
		default:
			i := slices.IndexFunc(gateways, func(g netip.Addr) bool { return g.Is6() == v6 })
			if i < 0 {
				continue
			}
			w.Gateway = gateways[i]
		}
		if key := fmt.Sprint(w.Dst, w.Table, w.Metric); !keys[key] {
			keys[key] = true
			c.Routes = append(c.Routes, w)
		}
	}
	return c
}

// become brings the kernel to a configuration as the engine does.
func (n *network) become(t testing.TB, old, now Config) {
	t.Helper()
	if err := n.apply(t.Context(), rendering(old), rendering(now)); err != nil {
		t.Fatal(err)
	}
	if len(n.wrong) > 0 {
		t.Fatalf("%+v\nfor\n%s", n.wrong, now.Text())
	}
}

func prefix(s string) netip.Prefix { return netip.MustParsePrefix(s) }
func address(s string) netip.Addr  { return netip.MustParseAddr(s) }

func rendering(c Config) daemon.Rendering {
	return daemon.Rendering{Files: []daemon.File{{Path: Path, Data: c.Text()}}}
}
