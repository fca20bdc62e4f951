package offsite

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"time"
)

const (
	// piece is how much is written before it counts as progress.
	piece = 16 << 10
	// unsent is how much the kernel may hold back of what was written: more, and a slow line looks like one that hangs.
	unsent = 1 << 20
	// mostReceived is what a server may say by SFTP, beside an eighth of what it was sent: a folder of a hundred
	// thousand files, not one without end.
	mostReceived = 16 << 20
)

var errTooMuch = errors.New("the server says too much")

// moving is a connection that ends when nothing moves on it for a while, in either direction.
type moving struct {
	net.Conn
	stall          time.Duration
	most           int64 // see mostReceived; 0: the caller bounds what it reads
	sent, received atomic.Int64
	stalled        atomic.Bool
	broken         atomic.Bool
}

// dial reaches the server by a connection that does not hang for ever.
func (d Deps) dial(ctx context.Context, address string) (*moving, error) {
	conn, err := d.Dial(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	if tcp, ok := conn.(interface{ SetWriteBuffer(int) error }); ok {
		_ = tcp.SetWriteBuffer(unsent) // without it a slow line has less time
	}
	m := &moving{Conn: conn, stall: d.Stall}
	return m, m.moved()
}

func (m *moving) moved() error { return m.SetDeadline(time.Now().Add(m.stall)) }

func (m *moving) Read(b []byte) (int, error) {
	n, err := m.Conn.Read(b)
	if got := m.received.Add(int64(n)); m.most > 0 && got > m.most+m.sent.Load()/8 {
		err = errTooMuch
	}
	return n, m.note(n, err)
}

func (m *moving) Write(b []byte) (int, error) {
	sent := 0
	for sent < len(b) {
		n, err := m.Conn.Write(b[sent:min(len(b), sent+piece)])
		sent += n
		m.sent.Add(int64(n))
		if err := m.note(n, err); err != nil {
			return sent, err
		}
	}
	return sent, nil
}

func (m *moving) note(n int, err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		m.stalled.Store(true)
		return err
	case err != nil && m.stalled.Load(): // closed by who noticed first, in the other direction
		return fmt.Errorf("%w: %w", os.ErrDeadlineExceeded, err)
	case err != nil:
		m.broken.Store(true)
		return err
	case n > 0:
		return m.moved()
	}
	return nil
}
