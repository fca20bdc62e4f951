package probe

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	pings     = 4
	pingEvery = time.Second
	pingWait  = 2 * time.Second
	pingBytes = 56
)

// ping sends four echo requests, by a socket of the kernel's that speaks nothing else.
func (t Tools) ping(ctx context.Context, b *strings.Builder, target string) int {
	to, err := t.address(ctx, target)
	if err != nil {
		fmt.Fprintln(b, err)
		return Failed
	}
	s, err := openEcho(to)
	if err != nil {
		fmt.Fprintln(b, err)
		return Failed
	}
	defer s.Close()
	fmt.Fprintf(b, "PING %s (%s): %d data bytes\n", target, to, pingBytes)
	received := 0
	for n := 1; n <= pings && ctx.Err() == nil; n++ {
		start := time.Now()
		if err := echo(s, to, uint16(n), pingBytes, within(ctx, pingWait)); err != nil {
			fmt.Fprintf(b, "seq=%d %s\n", n, reason(err))
		} else {
			received++
			fmt.Fprintf(b, "%d bytes from %s: seq=%d time=%s\n", pingBytes+8, to, n, ms(time.Since(start)))
		}
		if n < pings {
			rest(ctx, pingEvery-time.Since(start))
		}
	}
	fmt.Fprintf(b, "%d packets sent, %d received\n", pings, received)
	if received == 0 {
		return Silent
	}
	return Answered
}

// reason is an error without the name of the socket.
func reason(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errors.New("no answer")
	}
	var number unix.Errno
	if errors.As(err, &number) {
		return number
	}
	return err
}

// within is d, or what is left of the time.
func within(ctx context.Context, d time.Duration) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return min(d, time.Until(end))
	}
	return d
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

func openEcho(to netip.Addr) (*os.File, error) {
	family, protocol := unix.AF_INET, unix.IPPROTO_ICMP
	if to.Is6() {
		family, protocol = unix.AF_INET6, unix.IPPROTO_ICMPV6
	}
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, protocol)
	if err != nil {
		return nil, fmt.Errorf("open an echo socket: %w", err)
	}
	if err := unix.Connect(fd, sockaddr(to, 0)); err != nil {
		return nil, errors.Join(fmt.Errorf("reach %s: %w", to, err), unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), "echo"), nil
}

func sockaddr(to netip.Addr, port int) unix.Sockaddr {
	if to.Is6() {
		return &unix.SockaddrInet6{Addr: to.As16(), Port: port}
	}
	return &unix.SockaddrInet4{Addr: to.As4(), Port: port}
}

// echo sends a request with so many bytes of data and waits for its answer. The kernel fills in the identifier and the
// checksum, and hands on no answer but those to this socket.
func echo(s *os.File, to netip.Addr, seq uint16, data int, wait time.Duration) error {
	request := make([]byte, 8+data)
	answer := byte(0)
	if request[0] = 8; to.Is6() {
		request[0], answer = 128, 129
	}
	binary.BigEndian.PutUint16(request[6:], seq)
	if err := s.SetDeadline(time.Now().Add(wait)); err != nil {
		return err
	}
	if _, err := s.Write(request); err != nil {
		return err
	}
	got := make([]byte, 512)
	for {
		n, err := s.Read(got)
		if err != nil {
			return err
		}
		if n >= 8 && got[0] == answer && binary.BigEndian.Uint16(got[6:]) == seq {
			return nil
		}
	}
}
