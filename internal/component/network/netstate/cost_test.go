package netstate

import (
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/rtnl"
	"gateway/lab"
	"gateway/tools/bar"
)

// estate is so many routes by so many addresses of one link, and the same for ip -batch.
func estate(routes, addresses int) (Config, string) {
	c := Config{Links: []Link{{Name: "p0", Kind: Ethernet}}}
	var batch strings.Builder
	for i := range addresses {
		p := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(i >> 8), byte(i), 1}), 24)
		c.Addresses = append(c.Addresses, Address{"p0", p})
		fmt.Fprintf(&batch, "addr add %s dev p0\n", p)
	}
	for i := range routes {
		r := Route{
			Dst:     netip.PrefixFrom(netip.AddrFrom4([4]byte{172, byte(16 + i>>16), byte(i >> 8), byte(i)}), 32),
			Gateway: netip.AddrFrom4([4]byte{10, 0, byte(i % min(addresses, 256)), 2}), Table: unix.RT_TABLE_MAIN,
		}
		c.Routes = append(c.Routes, r)
		fmt.Fprintf(&batch, "route add %s via %s proto 250\n", r.Dst, r.Gateway)
	}
	return c, batch.String()
}

// bare is a network with one port and nothing else.
func bare(t testing.TB) (*lab.Space, *network) {
	t.Helper()
	space := lab.NewSpace(t)
	run(t, space, "link add p0 type veth peer name q0", "link set q0 up", "link set p0 up")
	n := &network{}
	n.Open = func() (c *rtnl.Conn, err error) {
		return c, space.Do(func() error { c, err = rtnl.Open(); return err })
	}
	return space, n
}

// cpu is what this process has used so far.
func cpu(t testing.TB) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// counted are the routes of ours in the kernel.
func counted(t testing.TB, n *network) int {
	t.Helper()
	c, err := n.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	k, err := look(c)
	if err != nil {
		t.Fatal(err)
	}
	return len(k.Routes)
}

// byBatch is what iproute2 takes for it.
func byBatch(t testing.TB, file string, want int) time.Duration {
	t.Helper()
	space, n := bare(t)
	cmd := exec.Command("ip", "-batch", file)
	if err := space.Do(func() error {
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := counted(t, n); got != want {
		t.Fatalf("ip made %d routes, want %d", got, want)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// byApply is what we take for it, from the file to the last look, and how long one more takes.
func byApply(t testing.TB, c Config) (all, more, moreCPU time.Duration) {
	t.Helper()
	_, n := bare(t)
	old, now := rendering(Config{}), rendering(c)
	runtime.GC() // of what was before
	before := cpu(t)
	if err := n.apply(t.Context(), old, now); err != nil {
		t.Fatal(err)
	}
	all = cpu(t) - before
	if got := counted(t, n); got != len(c.Routes) || len(n.wrong) > 0 {
		t.Fatalf("%d routes, want %d; %v", got, len(c.Routes), n.wrong)
	}
	larger := c
	larger.Routes = append(slices.Clone(c.Routes), Route{Dst: prefix("198.51.100.0/24"), Gateway: c.Routes[0].Gateway, Table: unix.RT_TABLE_MAIN})
	next := rendering(larger)
	runtime.GC()
	start, before := time.Now(), cpu(t)
	if err := n.apply(t.Context(), now, next); err != nil {
		t.Fatal(err)
	}
	more, moreCPU = time.Since(start), cpu(t)-before
	if got := counted(t, n); got != len(larger.Routes) {
		t.Fatalf("%d routes, want %d", got, len(larger.Routes))
	}
	return all, more, moreCPU
}

func TestBarNetwork06Cost(t *testing.T) {
	routes, addresses := bar.GateSize(1000, 10_000, 10_000), bar.GateSize(100, 1000, 1000)
	c, batch := estate(routes, addresses)
	file := filepath.Join(t.TempDir(), "batch")
	if err := os.WriteFile(file, []byte(batch), 0o600); err != nil {
		t.Fatal(err)
	}
	var ours, theirs, more, moreCPU []time.Duration
	for range 7 { // in turn, so that whatever else the machine does meets both
		theirs = append(theirs, byBatch(t, file, routes))
		all, one, used := byApply(t, c)
		ours, more, moreCPU = append(ours, all), append(more, one), append(moreCPU, used)
	}
	middle := func(d []time.Duration) time.Duration { slices.Sort(d); return d[len(d)/2] }
	a, b, one := middle(ours), middle(theirs), middle(more)
	ratio := float64(a) / float64(b)
	bar.ReportTimed(t, "network", 6, fmt.Sprintf("%d routes and %d addresses: %.0f ms of CPU, bare ip -batch %.0f, so %.2f times; one more route in the kernel after %.0f ms, %.0f ms of CPU",
		routes, addresses, ms(a), ms(b), ratio, ms(one), ms(middle(moreCPU))), "CPU <= 1.25 times; <= 50 ms", !t.Failed(), ratio <= 1.25 && one <= 50*time.Millisecond)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
