package lab

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// DialContext connects from the host's place in the network; it fits
// http.Transport. The address must be numeric: names would be looked up by the
// machine the test runs on.
func (h *host) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if _, err := netip.ParseAddrPort(addr); err != nil {
		return nil, fmt.Errorf("dial from %s: %w (a lab dials addresses, not names)", h.name, err)
	}
	var conn net.Conn
	err := h.inside(func() error {
		var err error
		conn, err = new(net.Dialer).DialContext(ctx, network, addr)
		return err
	})
	return conn, err
}

// Listen opens a stream listener at the host's place in the network, for
// servers that run in the test process.
func (h *host) Listen(ctx context.Context, network, addr string) (net.Listener, error) {
	var ln net.Listener
	err := h.inside(func() error {
		var err error
		ln, err = new(net.ListenConfig).Listen(ctx, network, addr)
		return err
	})
	return ln, err
}

// ListenPacket is Listen for datagrams.
func (h *host) ListenPacket(ctx context.Context, network, addr string) (net.PacketConn, error) {
	var pc net.PacketConn
	err := h.inside(func() error {
		var err error
		pc, err = new(net.ListenConfig).ListenPacket(ctx, network, addr)
		return err
	})
	return pc, err
}

// Do calls f on a thread that is in the host's network. Sockets made there stay in it.
func (h *host) Do(f func() error) error { return h.inside(f) }

// inside calls f on a thread that is in the host's network namespace. A socket
// stays where it was made, so only its making has to happen there.
func (h *host) inside(f func() error) error {
	path, err := h.netPath()
	if err != nil {
		return err
	}
	target, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("enter the network of %s: %w", h.name, err)
	}
	defer target.Close()
	done := make(chan error, 1)
	go func() { done <- onThread(target, f) }()
	return <-done
}

// onThread must run on a goroutine of its own: when it cannot bring its thread
// back, it returns with the thread still locked, and Go then ends the thread.
func onThread(target *os.File, f func() error) error {
	runtime.LockOSThread()
	home, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("note the thread's network: %w", err)
	}
	defer home.Close()
	if err := unix.Setns(int(target.Fd()), unix.CLONE_NEWNET); err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("enter a network: %w", err)
	}
	err = f()
	if unix.Setns(int(home.Fd()), unix.CLONE_NEWNET) == nil {
		runtime.UnlockOSThread()
	}
	return err
}
