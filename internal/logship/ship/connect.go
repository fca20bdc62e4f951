package ship

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/logship"
	"gateway/internal/outbound"
)

// handshakeTime bounds TLS's.
const handshakeTime = 10 * time.Second

// connection is one to the receiver.
type connection struct {
	*tls.Conn
	raw *counted
}

// counted is the connection below TLS, with how many bytes were handed to the kernel.
type counted struct {
	net.Conn
	written atomic.Int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	return n, err
}

// acknowledged is how many of the bytes the receiver's kernel has.
func (c *counted) acknowledged() int64 {
	written := c.written.Load()
	socket, ok := c.Conn.(syscall.Conn)
	if !ok {
		return written
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0
	}
	waiting := written
	err = raw.Control(func(fd uintptr) {
		if n, err := unix.IoctlGetInt(int(fd), unix.SIOCOUTQ); err == nil {
			waiting = int64(n)
		}
	})
	if err != nil {
		return 0
	}
	return written - waiting
}

// giveUp has the kernel end the connection when the receiver acknowledges nothing for that long: otherwise it tries for
// a quarter of an hour.
func (c *counted) giveUp(after time.Duration) {
	tcp, ok := c.Conn.(*net.TCPConn)
	if !ok {
		return
	}
	_ = tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: after / 2, Interval: max(after/6, time.Second), Count: 3})
	if raw, err := tcp.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) {
			_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(after.Milliseconds()))
		})
	}
}

// connect reaches the receiver and makes sure that it is the one. Nothing of a log is sent before that.
func (s *stream) connect(ctx context.Context) (*connection, error) {
	if s.Config.Host == "" {
		return nil, trouble{logship.Unconfigured, errors.New("no receiver is named")}
	}
	settings := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: s.Config.ServerName}
	if settings.ServerName == "" {
		settings.ServerName = s.Config.Host
	}
	if s.Roots != nil {
		roots, err := s.Roots()
		if err != nil {
			return nil, trouble{logship.NotTrusted, err}
		}
		settings.RootCAs = roots
	}
	plain, err := s.Dial(ctx, "tcp", s.Config.Address())
	if err != nil {
		return nil, trouble{unreached(err), err}
	}
	c := &connection{raw: &counted{Conn: plain}}
	c.raw.giveUp(s.Timing.Stall)
	c.Conn = tls.Client(c.raw, settings)
	ctx, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()
	if err := c.HandshakeContext(ctx); err != nil {
		_ = plain.Close()
		var untrusted *tls.CertificateVerificationError
		if errors.As(err, &untrusted) {
			return nil, trouble{logship.NotTrusted, err}
		}
		return nil, trouble{logship.NoTLS, err}
	}
	return c, nil
}

func unreached(err error) logship.Trouble {
	var local outbound.Refused
	var name *net.DNSError
	switch {
	case errors.As(err, &local):
		return logship.LocalAddress
	case errors.As(err, &name):
		return logship.NotResolved
	}
	return logship.NotReached
}
