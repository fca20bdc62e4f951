package sys

import (
	"context"
	"fmt"

	"github.com/coreos/go-systemd/v22/dbus"
)

// bus keeps one private connection to the system bus: opened when first needed, and
// anew after it was lost, since the bus may be restarted under a running process.
type bus struct {
	// turn holds the one permission to look at conn. A channel, not a mutex, so that
	// waiting for it ends with the caller's context.
	turn chan struct{}
	conn *dbus.Conn
}

func newBus() *bus { return &bus{turn: make(chan struct{}, 1)} }

func (b *bus) get(ctx context.Context) (*dbus.Conn, error) {
	if err := b.lock(ctx); err != nil {
		return nil, err
	}
	defer b.unlock()
	if b.conn != nil && b.conn.Connected() {
		return b.conn, nil
	}
	b.drop()
	conn, err := dialSystemBus(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect to the system bus: %w", err)
	}
	b.conn = conn
	return conn, nil
}

// dialSystemBus lets ctx end the dialling but not the connection, which outlives the
// request that opened it. The library would tie the two together. Once it has succeeded,
// end stays uncalled: closing the connection is enough.
func dialSystemBus(ctx context.Context) (*dbus.Conn, error) {
	life, end := context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, end)
	conn, err := dbus.NewSystemConnectionContext(life)
	inTime := stop()
	switch {
	case err != nil && ctx.Err() != nil:
		err = context.Cause(ctx)
	case err == nil && !inTime:
		conn.Close()
		err = context.Cause(ctx)
	}
	if err != nil {
		end()
		return nil, err
	}
	return conn, nil
}

func (b *bus) close() {
	b.turn <- struct{}{}
	defer b.unlock()
	b.drop()
}

func (b *bus) drop() {
	if b.conn != nil {
		b.conn.Close()
		b.conn = nil
	}
}

func (b *bus) lock(ctx context.Context) error {
	select {
	case b.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the system bus: %w", context.Cause(ctx))
	}
}

func (b *bus) unlock() { <-b.turn }
