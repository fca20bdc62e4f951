package netfilter

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"
)

// Connection is one that the kernel tracks, as the side that opened it sees it.
type Connection struct {
	Protocol uint8
	Direction
	// Reply is what answers look like. Where it is not simply the other way round, the
	// connection is translated.
	Reply    Direction
	State    string // of TCP, in the kernel's words
	Answered bool   // packets came back
	Mark     uint32
	// Sent and Received count only while the kernel is told to (nf_conntrack_acct).
	Sent, Received Count
	Timeout        time.Duration // until it is forgotten, if nothing comes
	ID             uint32
}

// Direction is who sends to whom.
type Direction struct {
	Source, Destination netip.Addr
	SourcePort, Port    uint16
	Type                int // of an ICMP message, else -1
}

// Filter says which connections are meant: those to which everything applies that is set.
type Filter struct {
	// Source, Destination and Port are those before or after translation: whoever looks
	// for a connection knows one of them.
	Source, Destination netip.Prefix
	Protocol            uint8
	Port                uint16
	// Mark is compared where MarkMask has ones.
	Mark, MarkMask uint32
	// Match has the last word, unless it is nil.
	Match func(Connection) bool
}

// Takes reports whether a connection is meant.
func (f Filter) Takes(c Connection) bool {
	return within(f.Source, c.Source, c.Reply.Destination) &&
		within(f.Destination, c.Destination, c.Reply.Source) &&
		(f.Protocol == 0 || f.Protocol == c.Protocol) &&
		(f.Port == 0 || f.Port == c.Port || f.Port == c.Reply.SourcePort) &&
		c.Mark&f.MarkMask == f.Mark&f.MarkMask &&
		(f.Match == nil || f.Match(c))
}

func within(p netip.Prefix, a, b netip.Addr) bool {
	return !p.IsValid() || p.Contains(a) || p.Contains(b)
}

// Connections lists those that are meant, up to a limit, in no order; total counts them all.
func Connections(ctx context.Context, f Filter, limit int) (list []Connection, total int, err error) {
	begin := func() { list, total = nil, 0 }
	err = with(ctx, func(c *conn) error {
		return c.connections(f, begin, func(n Connection, _ []byte) {
			if total++; len(list) < limit {
				list = append(list, n)
			}
		})
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list connections: %w", err)
	}
	return list, total, nil
}

// Cut makes the kernel forget the connections that are meant, so that their next packet is
// judged by the rules as that of a new one. It answers how many there were.
func Cut(ctx context.Context, f Filter) (int, error) {
	cut := 0
	err := with(ctx, func(c *conn) error {
		var found [][]byte
		var families []uint8
		begin := func() { found, families = nil, nil }
		err := c.connections(f, begin, func(n Connection, raw []byte) {
			found, families = append(found, identity(raw)), append(families, family(n))
		})
		for i, id := range found {
			if err == nil {
				err = c.do(conntrackDelete, 0, families[i], 0, id)
			}
			if err == nil {
				cut++
			}
			if errors.Is(err, unix.ENOENT) {
				err = nil // it ended by itself
			}
		}
		return err
	})
	if err != nil {
		return cut, fmt.Errorf("terminate connections: %w", err)
	}
	return cut, nil
}

func (c *conn) connections(f Filter, begin func(), each func(n Connection, raw []byte)) error {
	return c.dump(conntrackGet, unix.AF_UNSPEC, nil, begin, func(b []byte) error {
		if n := readConnection(b); f.Takes(n) {
			each(n, b)
		}
		return nil
	})
}

func family(n Connection) uint8 {
	if n.Source.Is4() {
		return unix.AF_INET
	}
	return unix.AF_INET6
}

// identity are the attributes by which the kernel finds a connection. With its number it
// cannot be taken for one between the same ends that came after it.
func identity(raw []byte) []byte {
	var b []byte
	for kind, v := range attributes(raw) {
		switch kind {
		case ctTuple:
			b = attribute(b, nested|kind, v)
		case ctID, ctZone:
			b = attribute(b, kind, v)
		}
	}
	return b
}
