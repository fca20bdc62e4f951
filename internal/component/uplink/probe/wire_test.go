package probe_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"gateway/internal/sys"
	"gateway/lab"
)

// wire is a cable between two networks that can be bad. It is a bridge of the kernel, which
// does not wait for this process; what is to be lost nft drops. This kernel has no netem, so for
// as long as there is a delay the frames go through the test.
type wire struct {
	space *lab.Space
	nft   func(text string) error
	slow  func() // ends the delay
}

// newWire connects the interfaces a of one network and b of another.
func newWire(t testing.TB, run sys.Runner, left *lab.Space, a string, right *lab.Space, b string) *wire {
	t.Helper()
	w := &wire{space: lab.NewSpace(t)}
	w.nft = func(text string) error {
		return w.space.Do(func() error {
			_, err := run(context.WithoutCancel(t.Context()), sys.Command{Path: "/usr/sbin/nft", Args: []string{"-f", "-"}, Stdin: []byte(text)})
			return err
		})
	}
	write(t, w.space, "net/ipv6/conf/default/disable_ipv6", "1")
	ip(t, w.space, "link add wa type veth peer name xa", "link add wb type veth peer name xb", "link set wa up", "link set wb up",
		"link add br0 type bridge", "link set br0 up")
	give(t, w.space, "xa", left, a)
	give(t, w.space, "xb", right, b)
	w.bridge(t, true)
	return w
}

// bridge has the kernel carry the frames, or nobody.
func (w *wire) bridge(t testing.TB, on bool) {
	t.Helper()
	master := "nomaster"
	if on {
		master = "master br0"
	}
	ip(t, w.space, "link set wa "+master, "link set wb "+master)
}

// lose has so many of a hundred frames lost that come from b; all of them both ways at 100.
func (w *wire) lose(t testing.TB, percent int) {
	t.Helper()
	text := "add table netdev w\ndelete table netdev w\n"
	switch {
	case percent >= 100:
		text += `table netdev w {
	chain c { type filter hook ingress devices = { wa, wb } priority 0; policy drop;
	}
}`
	case percent > 0:
		text += fmt.Sprintf(`table netdev w {
	chain c { type filter hook ingress device wb priority 0; numgen random mod 100 < %d drop
	}
}`, percent)
	}
	if err := w.nft(text); err != nil {
		t.Error(err)
	}
}

// delay has frames that come from b arrive later; 0 ends that.
func (w *wire) delay(t testing.TB, by time.Duration) {
	t.Helper()
	if w.slow != nil {
		w.slow()
		w.slow = nil
		w.bridge(t, true)
	}
	if by == 0 {
		return
	}
	w.bridge(t, false)
	ends := [2]int{w.open(t, "wa"), w.open(t, "wb")}
	var ended atomic.Bool
	var pumps sync.WaitGroup
	pumps.Go(func() { pump(&ended, ends[0], ends[1], 0) })
	pumps.Go(func() { pump(&ended, ends[1], ends[0], by) })
	w.slow = sync.OnceFunc(func() {
		ended.Store(true)
		pumps.Wait()
		for _, fd := range ends {
			unix.Close(fd)
		}
	})
	t.Cleanup(w.slow)
}

func (w *wire) open(t testing.TB, name string) (fd int) {
	t.Helper()
	err := w.space.Do(func() (err error) {
		// htons(ETH_P_ALL)
		if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0x0300); err != nil {
			return err
		}
		var ifr *unix.Ifreq
		if ifr, err = unix.NewIfreq(name); err == nil {
			err = unix.IoctlIfreq(fd, unix.SIOCGIFINDEX, ifr)
		}
		if err != nil {
			return err
		}
		tv := unix.NsecToTimeval(int64(100 * time.Millisecond))
		return errors.Join(
			unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1),
			// Checksums and segments that the kernel left to the hardware stay left to it.
			unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_VNET_HDR, 1),
			unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &tv),
			unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: 0x0300, Ifindex: int(ifr.Uint32())}),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

func pump(ended *atomic.Bool, from, to int, delay time.Duration) {
	var late sync.WaitGroup
	defer late.Wait()
	b := make([]byte, 80<<10)
	for !ended.Load() {
		n, err := unix.Read(from, b)
		if err != nil {
			continue // the end of a wait, or a link that went down
		}
		if delay == 0 {
			_, _ = unix.Write(to, b[:n]) // a link that is down takes nothing
			continue
		}
		frame := append([]byte{}, b[:n]...)
		late.Go(func() {
			<-time.After(delay)
			_, _ = unix.Write(to, frame)
		})
	}
}

// pull takes the cable out of a, or puts it back.
func (w *wire) pull(t testing.TB, out bool) {
	t.Helper()
	err := w.space.Do(func() error {
		link, err := netlink.LinkByName("wa")
		if err != nil {
			return err
		}
		if out {
			return netlink.LinkSetDown(link)
		}
		return netlink.LinkSetUp(link)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// ip runs iproute2 in a space.
func ip(t testing.TB, space *lab.Space, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if out, err := command(space, "ip", strings.Fields(line)...); err != nil {
			t.Fatalf("ip %s: %s", line, out)
		}
	}
}

// write sets a sysctl of a space.
func write(t testing.TB, space *lab.Space, path, value string) {
	t.Helper()
	if err := space.Do(func() error { return os.WriteFile("/proc/sys/"+path, []byte(value), 0o644) }); err != nil {
		t.Fatal(err)
	}
}
