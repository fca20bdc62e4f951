package probe

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	mtuTries = 2
	mtuWait  = 500 * time.Millisecond
	// largest packet of IPv4; loopback says that it takes more.
	largest = 65_535
)

// mtu searches for the largest packet that is answered whole: an echo request that nobody on the
// way may fragment, halved between what passes and what does not. The answer is as large, so it
// is the way there and back.
func (t Tools) mtu(ctx context.Context, b *strings.Builder, target string) int {
	to, err := t.address(ctx, target)
	if err != nil {
		fmt.Fprintln(b, err)
		return Failed
	}
	way, err := t.Ways.to(ctx, to)
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
	if err := unfragmented(s, to); err != nil {
		fmt.Fprintln(b, err)
		return Failed
	}
	fmt.Fprintf(b, "MTU to %s (%s), by echo requests that must not be fragmented\n", target, to)
	e := echoes{socket: s, to: to, wait: pingWait}
	r := sizes{passes: headers(to) + pingBytes, fails: min(way.MTU, largest) + 1, try: e.try}
	start := time.Now()
	if err := e.try(ctx, r.passes); err != nil {
		fmt.Fprintf(b, "%5d bytes: %s\n", r.passes, reason(err))
		return Silent
	}
	e.wait = min(max(mtuWait, 2*time.Since(start)), pingWait)
	if err := r.search(ctx, b); err != nil {
		fmt.Fprintf(b, "The search did not end in time: %d bytes pass, %d do not.\n", r.passes, r.fails)
		return Silent
	}
	fmt.Fprintf(b, "\nMTU of the path: %d bytes\nMTU of the outgoing interface %s: %d bytes\n", r.passes, way.Interface, way.MTU)
	return Answered
}

// headers are the bytes of a packet around the data of an echo request.
func headers(to netip.Addr) int {
	if to.Is6() {
		return 40 + 8
	}
	return 20 + 8
}

// unfragmented lets nobody fragment what a socket sends, and lets the kernel send what it thinks
// too large for the path: it may think of a path of yesterday.
func unfragmented(s *os.File, to netip.Addr) error {
	raw, err := s.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		if to.Is6() {
			failed = errors.Join(unix.SetsockoptInt(int(fd), unix.SOL_IPV6, unix.IPV6_MTU_DISCOVER, unix.IPV6_PMTUDISC_PROBE), unix.SetsockoptInt(int(fd), unix.SOL_IPV6, unix.IPV6_DONTFRAG, 1))
			return
		}
		failed = unix.SetsockoptInt(int(fd), unix.SOL_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_PROBE)
	})
	return errors.Join(err, failed)
}

// sizes are what is known so far of packets of each size.
type sizes struct {
	passes, fails int
	try           func(ctx context.Context, size int) error
}

// search narrows the gap. The size of the interface comes first: mostly it passes.
func (r *sizes) search(ctx context.Context, b *strings.Builder) error {
	for size := r.fails - 1; r.fails-r.passes > 1; size = (r.passes + r.fails) / 2 {
		err := r.try(ctx, size)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			r.fails = size
			fmt.Fprintf(b, "%5d bytes: %s\n", size, reason(err))
		default:
			r.passes = size
			fmt.Fprintf(b, "%5d bytes: passed\n", size)
		}
	}
	return nil
}

// echoes are requests of any size to one host.
type echoes struct {
	socket *os.File
	to     netip.Addr
	seq    uint16
	wait   time.Duration
}

// try sends a packet of a size until it is answered, at most twice: one may be lost, and what
// somebody on the way says may be about the one before.
func (e *echoes) try(ctx context.Context, size int) (err error) {
	for range mtuTries {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		e.seq++
		if err = echo(e.socket, e.to, e.seq, size-headers(e.to), within(ctx, e.wait)); err == nil {
			return nil
		}
	}
	return err
}
