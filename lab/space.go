package lab

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Space is a network of its own with nothing in it but loopback, for tests of the kernel
// that need neither a node nor a client. It vanishes with the test.
type Space struct{ file *os.File }

// NewSpace makes a space. The test is skipped without root or with -short.
func NewSpace(t testing.TB) *Space {
	t.Helper()
	if os.Getuid() != 0 || testing.Short() {
		t.Skip("needs root, and is not short")
	}
	made := make(chan error, 1)
	s := &Space{}
	go func() { made <- s.make() }()
	if err := <-made; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.file.Close() })
	return s
}

// make leaves its thread locked, so that Go ends the thread with the goroutine: nothing else
// may run in the new network by accident.
func (s *Space) make() error {
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("make a network: %w", err)
	}
	var err error
	if s.file, err = os.Open("/proc/thread-self/ns/net"); err != nil {
		return fmt.Errorf("keep a network: %w", err)
	}
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return fmt.Errorf("find loopback: %w", err)
	}
	return netlink.LinkSetUp(lo)
}

// Do calls f on a thread that is in the space. Sockets made and programs started there stay
// in it.
func (s *Space) Do(f func() error) error {
	done := make(chan error, 1)
	go func() { done <- onThread(s.file, f) }()
	return <-done
}

// FD is the descriptor by which the kernel knows the space.
func (s *Space) FD() int { return int(s.file.Fd()) }
