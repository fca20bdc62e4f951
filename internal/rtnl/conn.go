// Package rtnl speaks rtnetlink with the kernel: it reads links, addresses, routes and rules, and
// changes them by many messages in one call. It is for what vishvananda/netlink, which package sys
// uses, cannot do: the protocol of an address, spanning tree, a group in the message
// that makes a link, and ten thousand routes in a few system calls. What is wanted, and in
// which order, is left to its callers.
package rtnl

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

const (
	// Protocol marks addresses and routes as the network's: those that operators configured.
	Protocol = 250
	// TunnelProtocol marks those that follow from a tunnel, so that neither component takes
	// the other's for what is no longer wanted.
	TunnelProtocol = 251
	// UplinkProtocol marks those that choose among several ways out.
	UplinkProtocol = 252
	// TunnelTable has the routes of tunnels that take everything, or that their own endpoint is in.
	TunnelTable = 64251
	// UplinkTable has the default routes of the uplinks that take new connections. Each uplink
	// has one of those after it.
	UplinkTable = 64299
	// UplinkGroupTable plus the number of an uplink group is that group's table, which rules of the
	// packet filter choose.
	UplinkGroupTable = 64500
	lastUplinkTable  = UplinkGroupTable + 127
	// Group marks links that we made.
	Group = 250

	// bufferBytes holds the answers to a whole batch; the kernel drops what does not fit.
	bufferBytes = 8 << 20
	// batch is how many messages go in one call.
	batch = 1000
	// readBytes is more than the kernel puts into one datagram of a dump.
	readBytes = 64 << 10
)

// Reserved reports whether a routing table is one that follows from tunnels or uplinks.
func Reserved(table uint32) bool {
	return table == TunnelTable || table >= UplinkTable && table <= lastUplinkTable
}

// UplinkGroupMark is what packets have that are to leave by a group of uplinks, among the bits
// 0x00ff0000: those that are to leave by one uplink have its number there, and not the highest bit.
func UplinkGroupMark(number int) uint32 { return 0x00800000 | uint32(number)<<16 }

// Conn is one socket. It is for one caller at a time.
type Conn struct {
	fd   int
	seq  uint32
	buf  []byte
	file *os.File
}

// Open opens a socket in the network of the calling thread.
func Open() (*Conn, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("open a netlink socket: %w", err)
	}
	c := &Conn{fd: fd, buf: make([]byte, readBytes), file: os.NewFile(uintptr(fd), "rtnetlink")}
	// Forced, since a batch that fails as a whole is answered a thousand times. Who may not do
	// that may not send such a batch either.
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, bufferBytes)
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, bufferBytes)
	for _, set := range []func() error{
		func() error { return unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}) },
		// Errors without a copy of what they are about, and dumps filtered by the kernel.
		func() error { return unix.SetsockoptInt(fd, unix.SOL_NETLINK, unix.NETLINK_CAP_ACK, 1) },
		func() error { return unix.SetsockoptInt(fd, unix.SOL_NETLINK, unix.NETLINK_GET_STRICT_CHK, 1) },
	} {
		if err := set(); err != nil {
			return nil, errors.Join(fmt.Errorf("set up a netlink socket: %w", err), c.file.Close())
		}
	}
	return c, nil
}

// Close ends the socket.
func (c *Conn) Close() error { return c.file.Close() }

// Message is one request that changes something.
type Message struct {
	kind  uint16
	flags uint16
	body  []byte
}

// Equal reports whether two messages ask for the same.
func (m Message) Equal(o Message) bool {
	return m.kind == o.kind && m.flags == o.flags && bytes.Equal(m.body, o.body)
}

// Do sends the messages, in order, and returns an error for each that the kernel refused: it
// goes on after one. The list is nil when all were taken.
func (c *Conn) Do(all []Message) ([]error, error) {
	var errs []error
	for from := 0; from < len(all); from += batch {
		part := all[from:min(from+batch, len(all))]
		refused, err := c.send(part)
		if err != nil {
			return nil, err
		}
		for i, e := range refused {
			if errs == nil {
				errs = make([]error, len(all))
			}
			errs[from+i] = e
		}
	}
	return errs, nil
}

// send is one call for all of them; only the last one is answered when it is taken.
func (c *Conn) send(part []Message) (refused map[int]error, err error) {
	first := c.seq + 1
	size := 0
	for _, m := range part {
		size += unix.NLMSG_HDRLEN + aligned(len(m.body))
	}
	out := make([]byte, 0, size)
	for i, m := range part {
		c.seq++
		flags := m.flags | unix.NLM_F_REQUEST
		if i == len(part)-1 {
			flags |= unix.NLM_F_ACK
		}
		out = header(out, len(m.body), m.kind, flags, c.seq)
		out = append(out, m.body...)
		out = pad(out)
	}
	if err := c.write(out); err != nil {
		return nil, err
	}
	last := c.seq
	for {
		done, err := c.read(func(h unix.NlMsghdr, data []byte) (bool, error) {
			if h.Type != unix.NLMSG_ERROR || h.Seq < first || h.Seq > last || len(data) < 4 {
				return false, nil
			}
			if code := -int32(binary.NativeEndian.Uint32(data)); code != 0 {
				if refused == nil {
					refused = map[int]error{}
				}
				refused[int(h.Seq-first)] = unix.Errno(code)
			}
			return h.Seq == last, nil
		})
		if err != nil || done {
			return refused, err
		}
	}
}

// dump asks for everything of a kind. What changed while it was read is read again.
func (c *Conn) dump(kind uint16, body []byte, each func(data []byte)) error {
	const attempts = 4
	for range attempts {
		whole, err := c.dumpOnce(kind, body, each)
		if err != nil || whole {
			return err
		}
		each(nil) // begin anew
	}
	return fmt.Errorf("the kernel's list changed %d times while it was read", attempts)
}

func (c *Conn) dumpOnce(kind uint16, body []byte, each func(data []byte)) (whole bool, err error) {
	c.seq++
	seq, whole := c.seq, true
	if err := c.write(append(header(nil, len(body), kind, unix.NLM_F_REQUEST|unix.NLM_F_DUMP, seq), body...)); err != nil {
		return false, err
	}
	for {
		done, err := c.read(func(h unix.NlMsghdr, data []byte) (bool, error) {
			if h.Seq != seq {
				return false, nil
			}
			if h.Flags&unix.NLM_F_DUMP_INTR != 0 {
				whole = false
			}
			switch h.Type {
			case unix.NLMSG_DONE:
				return true, nil
			case unix.NLMSG_ERROR:
				return true, failure(data)
			}
			each(data)
			return false, nil
		})
		if err != nil || done {
			return whole, err
		}
	}
}

// failure is what a dump ends with. A table that is not there has no routes.
func failure(data []byte) error {
	if len(data) < 4 {
		return errors.New("the kernel's answer is too short")
	}
	code := -int32(binary.NativeEndian.Uint32(data))
	if code == 0 || unix.Errno(code) == unix.ENOENT {
		return nil
	}
	return unix.Errno(code)
}

func (c *Conn) write(b []byte) error {
	err := unix.Sendto(c.fd, b, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
	runtime.KeepAlive(c.file)
	if err != nil {
		return fmt.Errorf("write to the kernel: %w", err)
	}
	return nil
}

// read takes one datagram apart.
func (c *Conn) read(each func(h unix.NlMsghdr, data []byte) (done bool, err error)) (bool, error) {
	n, _, err := unix.Recvfrom(c.fd, c.buf, 0)
	if errors.Is(err, unix.EINTR) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read from the kernel: %w", err)
	}
	for b := c.buf[:n]; len(b) >= unix.NLMSG_HDRLEN; {
		h := unix.NlMsghdr{
			Len: binary.NativeEndian.Uint32(b), Type: binary.NativeEndian.Uint16(b[4:]), Flags: binary.NativeEndian.Uint16(b[6:]),
			Seq: binary.NativeEndian.Uint32(b[8:]),
		}
		if int(h.Len) < unix.NLMSG_HDRLEN || int(h.Len) > len(b) {
			return false, errors.New("the kernel's answer cannot be read")
		}
		done, err := each(h, b[unix.NLMSG_HDRLEN:h.Len])
		if done || err != nil {
			return done, err
		}
		b = b[min(aligned(int(h.Len)), len(b)):]
	}
	return false, nil
}
