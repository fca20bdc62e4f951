package packetfilter

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// house is a gateway in a kernel: its interfaces end in this process, which is every host
// there is. A packet is written into an interface, has gone all its way when the write
// returns, and is then read from the interface that it left through, if any.
type house struct {
	*kernel
	tuns    map[string]int
	count   *counterReader
	number  uint64
	decided map[string]int // how many probes each part of the order decided
}

// observer counts what the table under test lets through to the gateway, and keeps it from
// answering.
const observer = `table inet observer {
	counter passed { }
	chain input {
		type filter hook input priority 100; policy drop;
		counter name passed
	}
}
`

func newHouse(t testing.TB) *house {
	t.Helper()
	h := &house{kernel: newKernel(t), tuns: map[string]int{}, decided: map[string]int{}}
	if err := h.Do(h.build); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, fd := range h.tuns {
			unix.Close(fd)
		}
	})
	if _, err := h.run([]byte(observer), "-f", "-"); err != nil {
		t.Fatal(err)
	}
	h.count = newCounterReader(t, h.Space)
	return h
}

func (h *house) build() error {
	for _, name := range houseInterfaces {
		if err := h.plug(name); err != nil {
			return fmt.Errorf("interface %s: %w", name, err)
		}
	}
	first, err := netlink.LinkByName(houseInterfaces[0])
	if err != nil {
		return err
	}
	for _, all := range []string{"0.0.0.0/0", "::/0"} {
		_, network, _ := net.ParseCIDR(all)
		if err := netlink.RouteAdd(&netlink.Route{LinkIndex: first.Attrs().Index, Dst: network}); err != nil {
			return fmt.Errorf("route to %s: %w", all, err)
		}
	}
	return nil
}

// plug makes an interface without a wire: who holds the descriptor is the other end.
func (h *house) plug(name string) error {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	h.tuns[name] = fd
	request, err := unix.NewIfreq(name)
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		return err
	}
	if err := settings(name); err != nil {
		return err
	}
	link, err := netlink.LinkByName(name)
	if err != nil {
		return err
	}
	for _, address := range []string{ownAddress(name, true).String() + "/24", ownAddress(name, false).String() + "/64", linkLocal.String() + "/64"} {
		a, err := netlink.ParseAddr(address)
		if err != nil {
			return err
		}
		a.Flags = unix.IFA_F_NODAD
		if err := netlink.AddrAdd(link, a); err != nil {
			return fmt.Errorf("address %s: %w", address, err)
		}
	}
	return netlink.LinkSetUp(link)
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

// send puts a probe on its interface and answers what came out, and which counters rose.
func (h *house) send(k probe) ([]seen, []string, error) {
	h.number++
	if _, err := unix.Write(h.tuns[k.in], bytesOf(k, h.number)); err != nil {
		return nil, nil, fmt.Errorf("write to %s: %w", k.in, err)
	}
	var all []seen
	buffer := make([]byte, 4096)
	for _, name := range houseInterfaces {
		for {
			n, err := unix.Read(h.tuns[name], buffer)
			if errors.Is(err, unix.EAGAIN) {
				break
			}
			if err != nil {
				return nil, nil, fmt.Errorf("read from %s: %w", name, err)
			}
			if s, ok := read(buffer[:n], name, h.number); ok {
				all = append(all, s)
			}
		}
	}
	rose, err := h.count.rose()
	return all, rose, err
}

// forget drops the connections that the kernel knows.
func (h *house) forget() error {
	return h.Do(func() error { return netlink.ConntrackTableFlush(netlink.ConntrackTable) })
}
