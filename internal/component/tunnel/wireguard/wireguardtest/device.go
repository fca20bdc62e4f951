// Package wireguardtest runs tunnels on wireguard-go in a network of their own, where the
// kernel has no WireGuard or is not to be touched, and clients that send through them. It is
// imported by tests only.
//
// wireguard-go is WireGuard by its makers: packets, handshakes and texts are the real ones, and a
// test of those claims its statement. The links are not the kernel's: who makes them and of which
// kind they are is replaced here, so a claim about the state of the kernel is one by a stand-in.
package wireguardtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec" //nolint:depguard // a daemon of a test's own
	"sync"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.zx2c4.com/wireguard/wgctrl"

	"gateway/internal/component/tunnel/wireguard"
	"gateway/internal/rtnl"
	"gateway/lab"
)

// version is that of wireguard-go.
const version = "v0.0.0-20260522210424-ecfc5a8d5446"

// Name is one for a tunnel that no other test has: the sockets of devices are in one folder.
func Name() string {
	b := make([]byte, 4)
	_, _ = rand.Read(b) // which never fails
	return "wg" + hex.EncodeToString(b)
}

// Program is the file of wireguard-go.
func Program(t testing.TB) string {
	t.Helper()
	program, err := lab.Tool(t.Context(), "golang.zx2c4.com/wireguard", version)
	if err != nil {
		t.Skipf("no wireguard-go for tests: %v", err)
	}
	return program
}

// Options are those of the daemon on wireguard-go in the space.
func Options(t testing.TB, space *lab.Space) wireguard.Options {
	t.Helper()
	program := Program(t)
	var made devices
	return wireguard.Options{
		Open: func() (c *rtnl.Conn, err error) {
			return c, space.Do(func() error { c, err = rtnl.Open(); return err })
		},
		Watch: func(ctx context.Context, wake func()) error {
			return space.Do(func() error { return rtnl.Watch(ctx, wake) })
		},
		WG: func() (c wireguard.Devices, err error) {
			return c, space.Do(func() error { c, err = wgctrl.New(); return err })
		},
		Make: func(ctx context.Context, _ *rtnl.Conn, name string) error {
			return space.Do(func() error { return made.start(ctx, t, program, name) })
		},
		Kind: "tun", Log: slog.New(slog.DiscardHandler),
	}
}

// devices are those that were made, by name; each channel is closed when its program has ended.
type devices struct {
	mu    sync.Mutex
	ended map[string]chan struct{}
}

// leave waits for those whose link is gone. The kernel frees a port with its link; wireguard-go
// hears of it a moment later, and a new tunnel could not have the port.
func (d *devices) leave(ctx context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, ended := range d.ended {
		if _, err := netlink.LinkByName(name); err == nil {
			continue
		}
		select {
		case <-ended:
			delete(d.ended, name)
		case <-time.After(5 * time.Second):
		case <-ctx.Done():
		}
	}
}

// start runs wireguard-go until its link is removed or the test ends.
func (d *devices) start(ctx context.Context, t testing.TB, program, name string) error {
	d.leave(ctx)
	cmd := exec.Command(program, "-f", name)
	cmd.Env = append(os.Environ(), "LOG_LEVEL=error")
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	var how error
	go func() { how = cmd.Wait(); close(ended) }()
	d.mu.Lock()
	if d.ended == nil {
		d.ended = map[string]chan struct{}{}
	}
	d.ended[name] = ended
	d.mu.Unlock()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
		}
		_ = os.Remove(socket(name))
	})
	for {
		if c, err := net.Dial("unix", socket(name)); err == nil { // its file is there before anybody listens
			return errors.Join(c.Close(), mark(name))
		}
		select {
		case <-ended:
			return fmt.Errorf("wireguard-go ended: %w", how)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func socket(name string) string { return "/var/run/wireguard/" + name + ".sock" }

// mark makes the link one of ours, which the kernel's is from the beginning.
func mark(name string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return fmt.Errorf("find %s: %w", name, err)
	}
	return netlink.LinkSetGroup(link, rtnl.Group)
}
