package wiretest

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"gateway/lab"
)

// The two ends of a wire.
const (
	Seen  = "seen"
	Sends = "sends"
)

// Wire is a link of Ethernet with both of its ends in one network. Nothing is on it but what a test
// sends at one end, to be looked at at the other.
type Wire struct{ *lab.Space }

// NewWire makes a wire.
func NewWire(t testing.TB) Wire {
	t.Helper()
	w := Wire{lab.NewSpace(t)}
	err := w.Do(func() error {
		link := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: Seen, MTU: 1500}, PeerName: Sends}
		quiet := errors.Join(os.WriteFile("/proc/sys/net/ipv6/conf/default/disable_ipv6", []byte("1"), 0), netlink.LinkAdd(link))
		peer, err := netlink.LinkByName(Sends)
		if err != nil {
			return errors.Join(quiet, err)
		}
		return errors.Join(quiet, netlink.LinkSetUp(link), netlink.LinkSetUp(peer))
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Send puts frames on the wire: once, or again and again until stop is closed.
func (w Wire) Send(t testing.TB, stop <-chan struct{}, frames ...[]byte) {
	t.Helper()
	err := w.Do(func() error {
		link, err := net.InterfaceByName(Sends)
		if err != nil {
			return err
		}
		fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		for {
			for _, f := range frames {
				// A flood may be faster than the kernel.
				if err := unix.Sendto(fd, f, 0, &unix.SockaddrLinklayer{Ifindex: link.Index}); err != nil && (stop == nil || !errors.Is(err, unix.ENOBUFS)) {
					return err
				}
			}
			if stop == nil {
				return nil
			}
			select {
			case <-stop:
				return nil
			case <-time.After(time.Millisecond):
			}
		}
	})
	if err != nil {
		t.Error(err)
	}
}
