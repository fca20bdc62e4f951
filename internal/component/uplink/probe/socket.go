package probe

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/component/uplink/multiwan"
)

const (
	echoRequest, echoReply   = 8, 0
	echoRequest6, echoReply6 = 128, 129
	// echoBytes are a header and the number of the probe.
	echoBytes = 8 + 8
	// magic begins what we send, so that nobody else's number is taken for one of ours.
	magic = 0x6777 << 48
)

// socket is one of the kernel's that speaks nothing but echo. It is bound to an interface, not
// to an address: that may change.
type socket struct {
	file *os.File
	fd   int
	to   netip.Addr
	name string
}

// Open opens a socket in the network of the calling thread.
func Open(t multiwan.Target) (Socket, error) {
	family, protocol := unix.AF_INET, unix.IPPROTO_ICMP
	if t.Address.Is6() {
		family, protocol = unix.AF_INET6, unix.IPPROTO_ICMPV6
	}
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, protocol)
	if err != nil {
		return nil, fmt.Errorf("open an echo socket: %w", err)
	}
	s := &socket{os.NewFile(uintptr(fd), "echo"), fd, t.Address, t.Interface}
	err = unix.BindToDevice(fd, t.Interface)
	if err == nil {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("bind to %s: %w", t.Interface, err), s.Close())
	}
	return s, nil
}

// Send asks. The kernel fills in the identifier and, for IPv6, the checksum.
func (s *socket) Send(seq uint64) error {
	b := make([]byte, echoBytes)
	binary.BigEndian.PutUint16(b[6:], uint16(seq))
	binary.BigEndian.PutUint64(b[8:], magic|seq&^(0xffff<<48))
	var to unix.Sockaddr = &unix.SockaddrInet4{Addr: as4(s.to)}
	b[0] = echoRequest
	if s.to.Is6() {
		b[0] = echoRequest6
		to = &unix.SockaddrInet6{Addr: s.to.As16()}
	}
	err := unix.Sendto(s.fd, b, 0, to)
	runtime.KeepAlive(s.file)
	if err != nil {
		return fmt.Errorf("send an echo request to %s by %s: %w", s.to, s.name, err)
	}
	return nil
}

// Receive takes the answers that have come.
func (s *socket) Receive(each func(seq uint64, at time.Time)) error {
	defer runtime.KeepAlive(s.file)
	b, control := make([]byte, 512), make([]byte, 128)
	for {
		n, more, _, _, err := unix.Recvmsg(s.fd, b, control, 0)
		switch {
		case errors.Is(err, unix.EAGAIN):
			return nil
		case err != nil:
			return fmt.Errorf("receive from %s by %s: %w", s.to, s.name, err)
		}
		if seq, ours := number(b[:n]); ours {
			each(seq, stamp(control[:more]))
		}
	}
}

// number is that of the probe which a message answers.
func number(b []byte) (seq uint64, ours bool) {
	if len(b) < echoBytes || b[0] != echoReply && b[0] != echoReply6 {
		return 0, false
	}
	v := binary.BigEndian.Uint64(b[8:])
	return v &^ (0xffff << 48), v>>48 == magic>>48
}

// stamp is when the kernel got a message, and now where it does not say.
func stamp(control []byte) time.Time {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return time.Now()
	}
	for _, m := range messages {
		if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SCM_TIMESTAMPNS && len(m.Data) >= 16 {
			return time.Unix(int64(binary.NativeEndian.Uint64(m.Data)), int64(binary.NativeEndian.Uint64(m.Data[8:])))
		}
	}
	return time.Now()
}

// Close ends the socket.
func (s *socket) Close() error { return s.file.Close() }

// as4 is nothing for an address of IPv6, which has no such form.
func as4(ip netip.Addr) (b [4]byte) {
	if ip.Is4() {
		b = ip.As4()
	}
	return b
}
