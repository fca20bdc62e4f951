// Package dhcptest has a real Kea on wires of its own, and clients that speak DHCP in whole
// frames. It is imported by tests only.
package dhcptest

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"os"
	"os/exec" //nolint:depguard // a daemon of a test's own
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"gateway/internal/component/componenttest"
	"gateway/internal/component/dhcp/control"
	"gateway/internal/component/dhcp/kea"
	"gateway/internal/sys"
	"gateway/lab"
)

// Kea is a real one in a network of its own, with a wire to each of its networks of clients. It
// reads the file that is installed below the root of a rig.
type Kea struct {
	t      testing.TB
	root   string
	dir    string
	space  *lab.Space
	far    *lab.Space
	Client control.Client

	mu     sync.Mutex
	cmd    *exec.Cmd
	log    *bytes.Buffer
	Starts int
}

// New makes the wires: at each, the near end is the interface of that name with that address, and
// the far end, of the same name in another network, is for clients.
func New(t testing.TB, root string, wires map[string]string) *Kea {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "kea") // where Debian's Kea sees it, and short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o750); err != nil { // Kea refuses a socket that others could reach
		t.Fatal(err)
	}
	k := &Kea{t: t, root: root, dir: dir, space: lab.NewSpace(t), far: lab.NewSpace(t), log: &bytes.Buffer{}, Client: control.Client{Path: filepath.Join(dir, "ctl")}}
	for name, addr := range wires {
		k.wire(name, addr)
	}
	t.Cleanup(func() {
		k.Stop()
		if t.Failed() {
			t.Logf("kea said:\n%s", k.log)
		}
		_ = os.RemoveAll(dir)
	})
	return k
}

func (k *Kea) wire(name, addr string) {
	k.t.Helper()
	err := k.space.Do(func() error {
		pair := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: name}, PeerName: name, PeerNamespace: netlink.NsFd(k.far.FD())}
		if err := netlink.LinkAdd(pair); err != nil {
			return err
		}
		link, err := netlink.LinkByName(name)
		if err != nil {
			return err
		}
		a, err := netlink.ParseAddr(addr)
		if err != nil {
			return err
		}
		if err := netlink.AddrAdd(link, a); err != nil {
			return err
		}
		return netlink.LinkSetUp(link)
	})
	if err == nil {
		err = k.far.Do(func() error {
			link, err := netlink.LinkByName(name)
			if err != nil {
				return err
			}
			return netlink.LinkSetUp(link)
		})
	}
	if err != nil {
		k.t.Fatal(err)
	}
}

// Unwire takes an interface away.
func (k *Kea) Unwire(name string) {
	k.t.Helper()
	err := k.space.Do(func() error {
		link, err := netlink.LinkByName(name)
		if err != nil {
			return err
		}
		return netlink.LinkDel(link)
	})
	if err != nil {
		k.t.Fatal(err)
	}
}

// Wire brings an interface while Kea may be running.
func (k *Kea) Wire(name, addr string) { k.t.Helper(); k.wire(name, addr) }

// Interfaces are those of Kea's network.
func (k *Kea) Interfaces() (out []sys.Interface, err error) {
	err = k.space.Do(func() error {
		out, err = sys.NewHost(time.Now).Interfaces()
		return err
	})
	return out, err
}

// DeadPacketSockets are those of Kea's network.
func (k *Kea) DeadPacketSockets() (n int, err error) {
	err = k.space.Do(func() error {
		n, err = sys.NewHost(time.Now).DeadPacketSockets()
		return err
	})
	return n, err
}

// Options are those of a daemon that manages this Kea.
func (k *Kea) Options() kea.Options {
	return kea.Options{
		Exec: componenttest.Exec(k.t), Host: k, Socket: k.Client.Path, KeaSocket: k.Client.Path, LeaseFile: k.LeaseFile(),
		Hooks: func() []string { return []string{"/usr/lib/x86_64-linux-gnu/kea/hooks/libdhcp_lease_cmds.so"} },
	}
}

// LeaseFile is where this Kea writes its leases.
func (k *Kea) LeaseFile() string { return filepath.Join(k.dir, "kea-leases4.csv") }

// Act does what systemd does, and returns before Kea answers.
func (k *Kea) Act(_ context.Context, verb, _ string) error {
	switch verb {
	case "start":
		return k.start()
	case "restart":
		k.Stop()
		return k.start()
	case "stop":
		k.Stop()
	}
	return nil
}

func (k *Kea) start() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cmd != nil {
		return nil
	}
	k.Starts++
	argv := lab.InRoot(k.t, "", "env", "KEA_LOCKFILE_DIR=none", "KEA_PIDFILE_DIR="+k.dir, "KEA_DHCP_DATA_DIR="+k.dir, "KEA_CONTROL_SOCKET_DIR="+k.dir,
		"/usr/sbin/kea-dhcp4", "-c", filepath.Join(k.root, kea.ConfFile))
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = k.log, k.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := k.space.Do(cmd.Start); err != nil {
		return fmt.Errorf("start kea: %w", err)
	}
	k.cmd = cmd
	return nil
}

// Stop ends Kea as by a kill.
func (k *Kea) Stop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cmd == nil {
		return
	}
	_ = syscall.Kill(-k.cmd.Process.Pid, syscall.SIGKILL)
	_ = k.cmd.Wait()
	k.cmd = nil
}

// Do is the place of clients: the far ends of the wires.
func (k *Kea) Do(f func() error) error { return k.far.Do(f) }

// PID is the process that runs; 0 for none.
func (k *Kea) PID() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cmd == nil {
		return 0
	}
	return k.cmd.Process.Pid
}

// NewClient makes a client at the far end of a wire.
func (k *Kea) NewClient(wire, mac string) *Client {
	k.t.Helper()
	c, err := NewClient(k.far, wire, mac)
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(func() { _ = c.Close() })
	return c
}

// MustObtain is Obtain for a client that is to be given an address.
func (k *Kea) MustObtain(c *Client) netip.Addr {
	k.t.Helper()
	m, err := c.Obtain(k.t.Context(), 8*time.Second)
	if err != nil {
		k.t.Fatalf("%s: %v", c.MAC, err)
	}
	return m.Address
}
