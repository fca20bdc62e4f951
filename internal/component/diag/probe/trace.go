package probe

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	maxHops   = 20
	hopTries  = 2
	hopWait   = time.Second
	firstPort = 33434 // where nobody listens, by custom
)

// hop is who answered a packet that was let live for so many hops.
type hop struct {
	from    netip.Addr
	took    time.Duration
	reached bool // it is the target
	refused bool // it is not let through from here
}

var errNoHop = errors.New("nobody answered")

// traceroute sends UDP packets that live for one hop, two, three, and tells who says that they
// died. The kernel hands these answers to whoever sent the packet, without a privilege.
func (t Tools) traceroute(ctx context.Context, b *strings.Builder, target string) int {
	to, err := t.address(ctx, target)
	if err != nil {
		fmt.Fprintln(b, err)
		return Failed
	}
	fmt.Fprintf(b, "traceroute to %s (%s), %d hops at most\n", target, to, maxHops)
	for n := 1; n <= maxHops && ctx.Err() == nil; n++ {
		h, err := try(ctx, to, n)
		switch {
		case errors.Is(err, errNoHop):
			fmt.Fprintf(b, "%2d  *\n", n)
			continue
		case err != nil:
			fmt.Fprintf(b, "%2d  %s\n", n, reason(err))
			return Failed
		}
		fmt.Fprintf(b, "%2d  %s  %s\n", n, h.from, ms(h.took))
		if h.reached {
			return Answered
		}
		if h.refused {
			fmt.Fprintln(b, "It is not let through from there.")
			return Silent
		}
	}
	return Silent
}

// try asks for one hop, twice if it must.
func try(ctx context.Context, to netip.Addr, n int) (h hop, err error) {
	for i := range hopTries {
		if h, err = ask(to, n, firstPort+n*hopTries+i, within(ctx, hopWait)); !errors.Is(err, errNoHop) {
			break
		}
	}
	return h, err
}

func ask(to netip.Addr, ttl, port int, wait time.Duration) (hop, error) {
	family, level, lives, errs := unix.AF_INET, unix.SOL_IP, unix.IP_TTL, unix.IP_RECVERR
	if to.Is6() {
		family, level, lives, errs = unix.AF_INET6, unix.SOL_IPV6, unix.IPV6_UNICAST_HOPS, unix.IPV6_RECVERR
	}
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return hop{}, err
	}
	defer unix.Close(fd)
	err = errors.Join(unix.SetsockoptInt(fd, level, lives, ttl), unix.SetsockoptInt(fd, level, errs, 1), unix.Connect(fd, sockaddr(to, port)))
	if err != nil {
		return hop{}, err
	}
	start := time.Now()
	if _, err := unix.Write(fd, make([]byte, 32)); err != nil {
		return hop{}, err
	}
	for time.Since(start) < wait {
		left := max(wait-time.Since(start), time.Millisecond)
		if _, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLERR}}, int(left.Milliseconds())); err != nil && !errors.Is(err, unix.EINTR) {
			return hop{}, err
		}
		control := make([]byte, 512)
		_, more, _, _, err := unix.Recvmsg(fd, make([]byte, 64), control, unix.MSG_ERRQUEUE)
		if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return hop{}, err
		}
		if h, found := read(control[:more]); found {
			h.took = time.Since(start)
			return h, nil
		}
	}
	return hop{}, errNoHop
}

// read takes apart what the kernel tells of an answer: struct sock_extended_err, and after it
// the address of who sent it.
func read(control []byte) (hop, bool) {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return hop{}, false
	}
	for _, m := range messages {
		if len(m.Data) < 16+8 {
			continue
		}
		origin, kind, code, from := m.Data[4], m.Data[5], m.Data[6], m.Data[16:]
		switch {
		case origin == unix.SO_EE_ORIGIN_ICMP && binary.NativeEndian.Uint16(from) == unix.AF_INET:
			return hop{from: netip.AddrFrom4([4]byte(from[4:8])), reached: kind == 3 && code == 3, refused: kind == 3 && code != 3}, true
		case origin == unix.SO_EE_ORIGIN_ICMP6 && binary.NativeEndian.Uint16(from) == unix.AF_INET6 && len(from) >= 24:
			return hop{from: netip.AddrFrom16([16]byte(from[8:24])), reached: kind == 1 && code == 4, refused: kind == 1 && code != 4}, true
		}
	}
	return hop{}, false
}
