package sys

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"net"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

func TestInterfacesOfThisMachineIncludeLoopback(t *testing.T) {
	got, err := NewHost(time.Now).Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(got, func(i Interface) bool { return i.Name == "lo" })
	if i < 0 {
		t.Fatalf("no lo in %+v", got)
	}
	lo := got[i]
	if lo.LinkType != "loopback" || lo.Address != "00:00:00:00:00:00" || lo.MTU == 0 {
		t.Errorf("lo = %+v", lo)
	}
	if want := (Address{Family: "inet", Local: "127.0.0.1", PrefixLen: 8, Scope: "host"}); !slices.Contains(lo.AddrInfo, want) {
		t.Errorf("addr_info = %+v, want %+v in it", lo.AddrInfo, want)
	}
}

// The fields are the specification's, which took them from iproute2: its own output is
// the reference.
//
// shows NET-25
func TestInterfacesAgreeWithIP(t *testing.T) {
	if _, err := os.Stat("/usr/sbin/ip"); err != nil {
		t.Skip("iproute2 is not installed")
	}
	inNetworkNamespace(t)
	br := addBridge(t, "br-test")
	addAddress(t, br, &netlink.Addr{IPNet: prefix(t, "192.0.2.1/24")})
	addAddress(t, br, &netlink.Addr{IPNet: prefix(t, "2001:db8::1/64"), Flags: unix.IFA_F_NODAD})
	addAddress(t, br, &netlink.Addr{IPNet: prefix(t, "192.0.2.129/32"), Peer: prefix(t, "192.0.2.130/30"), Scope: unix.RT_SCOPE_LINK})
	addBridge(t, "br-down")

	got, err := NewHost(time.Now).Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(ipAddrs(t), got, cmpopts.IgnoreFields(Interface{}, "RxBytes", "TxBytes", "RxPackets", "TxPackets", "RxDrop", "TxDrop")); d != "" {
		t.Errorf("Interfaces (-ip +got):\n%s", d)
	}
}

// shows NET-26
func TestInterfacesCountTraffic(t *testing.T) {
	inNetworkNamespace(t)
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkSetUp(lo); err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("udp", "127.0.0.1:9")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write(make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	got, err := NewHost(time.Now).Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	// The closed port answers with an ICMP message, hence "at least".
	if i := got[0]; i.TxPackets < 1 || i.TxBytes < 1000 || i.RxPackets != i.TxPackets || i.RxBytes != i.TxBytes {
		t.Errorf("counters = %+v, want at least a packet of 1000 bytes each way", i)
	}
}

// shows NET-26
func TestInterfacesCountWhatIsDropped(t *testing.T) {
	inNetworkNamespace(t)
	here := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "here", MTU: 1500}, PeerName: "there"}
	if err := netlink.LinkAdd(here); err != nil {
		t.Skip("no pair of links to be had:", err)
	}
	there, err := netlink.LinkByName("there")
	if err != nil {
		t.Fatal(err)
	}
	// What is too large for the other end is dropped here, and what nobody understands there.
	for _, err := range []error{netlink.LinkSetMTU(there, 1000), netlink.LinkSetUp(here), netlink.LinkSetUp(there)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	experiment := binary.NativeEndian.Uint16([]byte{0x88, 0xb5}) // a protocol that no kernel has
	to := &unix.SockaddrLinklayer{Ifindex: here.Attrs().Index, Protocol: experiment, Halen: 6, Addr: [8]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}}
	tick := time.NewTicker(10 * time.Millisecond) // what is sent before the links are ready does not arrive
	defer tick.Stop()
	for began := time.Now(); ; <-tick.C {
		for _, size := range []int{1400, 100} {
			if err := unix.Sendto(fd, make([]byte, size), 0, to); err != nil && !errors.Is(err, unix.ENOBUFS) {
				t.Fatal(err)
			}
		}
		all, err := NewHost(time.Now).Interfaces()
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]Interface{}
		for _, i := range all {
			found[i.Name] = i
		}
		if found["here"].TxDrop > 0 && found["there"].RxDrop > 0 {
			return
		}
		if time.Since(began) > 10*time.Second {
			t.Fatalf("counters = %+v and %+v, want a packet dropped at each end", found["here"], found["there"])
		}
	}
}

func TestInterfaceWithoutAddressesHasAnEmptyList(t *testing.T) {
	got, _ := json.Marshal(newInterface(&netlink.LinkAttrs{Index: 7, Name: "wg0", EncapType: "none"}, nil))
	want := `{"ifindex":7,"ifname":"wg0","flags":[],"mtu":0,"link_type":"none","address":"","addr_info":[],` +
		`"rx_bytes":0,"tx_bytes":0,"rx_packets":0,"tx_packets":0,"rx_drop":0,"tx_drop":0}`
	if string(got) != want {
		t.Errorf("JSON = %s\nwant   %s", got, want)
	}
}

func TestFlagNames(t *testing.T) {
	for _, tc := range []struct {
		name string
		raw  uint32
		want []string
	}{
		{"a link that is down and bare has none", 0, []string{}},
		{"up with a carrier", unix.IFF_UP | unix.IFF_RUNNING | unix.IFF_LOWER_UP | unix.IFF_BROADCAST, []string{"BROADCAST", "UP", "LOWER_UP"}},
		{"up without a carrier", unix.IFF_UP | unix.IFF_MULTICAST, []string{"NO-CARRIER", "MULTICAST", "UP"}},
		{"a tunnel", unix.IFF_POINTOPOINT | unix.IFF_NOARP, []string{"POINTOPOINT", "NOARP"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, flagNames(tc.raw)); d != "" {
				t.Errorf("flagNames (-want +got):\n%s", d)
			}
		})
	}
}

func TestAnInterruptedDumpIsAskedForAgain(t *testing.T) {
	for _, tc := range []struct {
		name               string
		interrupted, calls int
	}{
		{"a whole dump is taken at once", 0, 1},
		{"two interrupted dumps are not shown", 2, 3},
		{"after four the last one is shown", 9, 4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			calls := 0
			got, err := whole(func() ([]int, error) {
				calls++
				if calls <= tc.interrupted {
					return []int{calls}, netlink.ErrDumpInterrupted
				}
				return []int{calls}, nil
			})
			if err != nil || calls != tc.calls || !slices.Equal(got, []int{tc.calls}) {
				t.Errorf("calls, items = %d, %v, %v, want %d", calls, got, err, tc.calls)
			}
		})
	}
}

// inNetworkNamespace gives the test an empty network of its own. The thread is never
// unlocked, so it dies with the test and nobody else comes into that network.
func inNetworkNamespace(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("a network namespace needs root")
	}
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Skip("no network namespace to be had:", err)
	}
}

func addBridge(t *testing.T, name string) netlink.Link {
	t.Helper()
	br := &netlink.Bridge{LinkAttrs: netlink.LinkAttrs{Name: name}}
	if err := netlink.LinkAdd(br); err != nil {
		t.Skip("no bridge to be had:", err)
	}
	return br
}

func addAddress(t *testing.T, l netlink.Link, a *netlink.Addr) {
	t.Helper()
	if err := netlink.AddrAdd(l, a); err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkSetUp(l); err != nil {
		t.Fatal(err)
	}
}

func prefix(t *testing.T, s string) *net.IPNet {
	t.Helper()
	ip, n, err := net.ParseCIDR(s)
	if err != nil {
		t.Fatal(err)
	}
	return &net.IPNet{IP: ip, Mask: n.Mask}
}

func ipAddrs(t *testing.T) []Interface {
	t.Helper()
	res, err := Run(t.Context(), Command{Path: "/usr/sbin/ip", Args: []string{"-j", "address"}})
	if err != nil {
		t.Fatal(err)
	}
	var want []Interface
	if err := json.Unmarshal(res.Stdout, &want); err != nil {
		t.Fatal(err)
	}
	return want
}
