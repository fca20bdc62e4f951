package netfilter

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// A dump of 10,000 counters is about a megabyte; what does not fit is lost.
	receiveBuffer = 8 << 20
	// The kernel answers at once. Only its lock, which another program may hold for a
	// long batch, makes it slow.
	answerTimeout = time.Minute
	// A dump that a change interrupts is asked for again; the changes come slower than this.
	maxDumps = 20
)

var (
	errInterrupted = errors.New("the table changed while it was read")
	errShort       = errors.New("the kernel's answer is cut off")
)

// conn is one netlink socket to the packet filter. It belongs to the network namespace of
// the thread that dialled, and to one goroutine.
type conn struct {
	file *os.File
	raw  syscall.RawConn
	buf  []byte
	seq  uint32
}

func dial() (*conn, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_NETFILTER)
	if err != nil {
		return nil, fmt.Errorf("open a netlink socket: %w", err)
	}
	c := &conn{file: os.NewFile(uintptr(fd), "netlink"), buf: make([]byte, 256<<10)}
	if c.raw, err = c.file.SyscallConn(); err == nil {
		err = unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
	}
	if err == nil {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, receiveBuffer)
	}
	if err != nil {
		_ = c.file.Close()
		return nil, fmt.Errorf("set up a netlink socket: %w", err)
	}
	return c, nil
}

// with dials, does what is to be done, and hangs up. When ctx ends, waiting ends too.
func with(ctx context.Context, do func(*conn) error) error {
	c, err := dial()
	if err != nil {
		return err
	}
	defer c.file.Close()
	if err := c.file.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.file.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := do(c); err != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	return nil
}

func (c *conn) set(level, option, value int) error {
	var err error
	e := c.raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), level, option, value) })
	return errors.Join(e, err)
}

func (c *conn) send(b []byte) error {
	var err error
	e := c.raw.Write(func(fd uintptr) bool {
		err = unix.Sendto(int(fd), b, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
		return !errors.Is(err, unix.EAGAIN)
	})
	return errors.Join(e, err)
}

// receive waits for one datagram, which is good until the next one is asked for.
func (c *conn) receive() ([]byte, error) {
	var (
		n   int
		err error
	)
	e := c.raw.Read(func(fd uintptr) bool {
		n, _, err = unix.Recvfrom(int(fd), c.buf, unix.MSG_TRUNC)
		return !errors.Is(err, unix.EAGAIN)
	})
	if e != nil || err != nil {
		return nil, errors.Join(e, err)
	}
	if n > len(c.buf) {
		return nil, errShort
	}
	return c.buf[:n], nil
}

// dump asks for a list, again when the table changed meanwhile, and calls each for what
// the last answer had. begin is called before every attempt.
func (c *conn) dump(kind uint16, family uint8, attributes []byte, begin func(), each func(payload []byte) error) error {
	for range maxDumps {
		begin()
		err := c.dumpOnce(kind, family, attributes, each)
		if !errors.Is(err, errInterrupted) {
			return err
		}
	}
	return errInterrupted
}

func (c *conn) dumpOnce(kind uint16, family uint8, attributes []byte, each func(payload []byte) error) error {
	c.seq++
	if err := c.send(request(kind, unix.NLM_F_DUMP, c.seq, family, 0, attributes)); err != nil {
		return err
	}
	return c.answers(each)
}

// get asks for one thing.
func (c *conn) get(kind uint16, family uint8, attributes []byte, each func(payload []byte) error) error {
	c.seq++
	if err := c.send(request(kind, unix.NLM_F_ACK, c.seq, family, 0, attributes)); err != nil {
		return err
	}
	return c.answers(each)
}

// do asks for something to be done and waits until the kernel says that it is.
func (c *conn) do(kind, flags uint16, family uint8, resource uint16, attributes []byte) error {
	c.seq++
	if err := c.send(request(kind, flags|unix.NLM_F_ACK, c.seq, family, resource, attributes)); err != nil {
		return err
	}
	return c.answers(func([]byte) error { return nil })
}

// answers reads the messages that answer the last request, to its end or first error.
// All of a dump is read even when it was interrupted, so that the next one starts clean.
func (c *conn) answers(each func(payload []byte) error) error {
	var interrupted bool
	for {
		b, err := c.receive()
		if err != nil {
			return err
		}
		for m := range messages(b) {
			if m.seq != c.seq {
				continue
			}
			interrupted = interrupted || m.flags&unix.NLM_F_DUMP_INTR != 0
			switch m.kind {
			case unix.NLMSG_DONE, unix.NLMSG_ERROR:
				return ended(m, interrupted)
			}
			if err := each(m.payload); err != nil {
				return err
			}
		}
	}
}

// ended is what the last message of an answer means.
func ended(m message, interrupted bool) error {
	if interrupted {
		return errInterrupted
	}
	return m.err()
}
