package netfilter

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/process"
)

// The kernel's names of what it logs packets by, which package unix lacks.
const (
	logPacket = unix.NFNL_SUBSYS_ULOG << 8
	logConfig = unix.NFNL_SUBSYS_ULOG<<8 | 1

	configCommand  = 1
	configMode     = 2
	configBuffer   = 3
	configTimeout  = 4
	configMost     = 5
	configFlags    = 6
	commandBind    = 1
	copyPacket     = 2
	flagNumbered   = 1
	logTimestamp   = 3
	logIn          = 4
	logOut         = 5
	logPayload     = 9
	logPrefix      = 10
	logNumber      = 12
	headersAtMost  = 256 // enough for all that an event says of a packet
	bufferPackets  = 16 << 10
	bufferTime     = 5 // hundredths of a second that the kernel gathers packets
	bufferMost     = 64
	retryLogAfter  = time.Second
	namesGoodFor   = 250 * time.Millisecond
	noMessageType  = -1
	timestampBytes = 16
)

// Event is a packet that a rule logged, or that some could not be told of, or why none can.
type Event struct {
	At                  time.Time
	Prefix              string
	Protocol            uint8
	Source, Destination netip.Addr
	SourcePort, Port    uint16
	Type                int    // of an ICMP message, else -1
	In, Out             string // interfaces
	Size                int    // of the whole packet
	// Lost is how many packets were logged and never told, because they came faster than
	// they were read. Such an event is about no packet.
	Lost uint64
	// Err is why the log is not read at present; it is tried again. Such an event is about
	// no packet either, and comes once until the log could be read again.
	Err error
}

// Watch tells of every packet that is logged to a group, until ctx ends. Only one process
// can read a group.
func Watch(ctx context.Context, group uint16, tell func(Event)) error {
	var told bool
	for {
		err := watchOnce(ctx, group, func() { told = false }, tell)
		if ctx.Err() != nil {
			return nil
		}
		if !told {
			tell(Event{At: time.Now(), Type: noMessageType, Err: fmt.Errorf("read the packet filter's log: %w", err)})
			told = true
		}
		if !process.Pause(ctx, retryLogAfter) {
			return nil
		}
	}
}

func watchOnce(ctx context.Context, group uint16, begun func(), tell func(Event)) error {
	c, err := dial()
	if err != nil {
		return err
	}
	defer c.file.Close()
	stop := context.AfterFunc(ctx, func() { _ = c.file.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	// Without it an overflow would be an error, and everything else dropped until all that
	// waits is read. The numbers say what is missing.
	if err := c.set(unix.SOL_NETLINK, unix.NETLINK_NO_ENOBUFS, 1); err != nil {
		return err
	}
	if err := c.do(logConfig, 0, unix.AF_UNSPEC, group, logSettings()); err != nil {
		return fmt.Errorf("group %d: %w", group, err)
	}
	begun()
	r := logReader{tell: tell}
	for {
		b, err := c.receive()
		if err != nil {
			return err
		}
		for m := range messages(b) {
			if m.kind == logPacket {
				r.read(m.payload)
			}
		}
	}
}

func logSettings() []byte {
	b := attribute(nil, configCommand, []byte{commandBind})
	b = attribute(b, configMode, append(binary.BigEndian.AppendUint32(nil, headersAtMost), copyPacket, 0))
	b = number(b, configBuffer, bufferPackets)
	b = number(b, configTimeout, bufferTime)
	b = number(b, configMost, bufferMost)
	return attribute(b, configFlags, binary.BigEndian.AppendUint16(nil, flagNumbered))
}

// logReader turns the kernel's messages into events.
type logReader struct {
	tell func(Event)
	next uint32 // the number that the next packet should have; the first one has 0
	link links
}

func (r *logReader) read(b []byte) {
	e := Event{At: time.Now(), Type: noMessageType}
	seq := r.next
	for kind, v := range attributes(b) {
		switch kind {
		case logTimestamp:
			e.At = timestamp(v, e.At)
		case logIn:
			e.In = r.link.name(int(u32(v)), e.At)
		case logOut:
			e.Out = r.link.name(int(u32(v)), e.At)
		case logPrefix:
			e.Prefix = text(v)
		case logNumber:
			seq = u32(v)
		case logPayload:
			e.readPacket(v)
		}
	}
	if lost := seq - r.next; lost > 0 {
		r.tell(Event{At: e.At, Type: noMessageType, Lost: uint64(lost)})
	}
	r.next = seq + 1
	r.tell(e)
}

func timestamp(v []byte, otherwise time.Time) time.Time {
	if len(v) != timestampBytes {
		return otherwise
	}
	return time.Unix(int64(binary.BigEndian.Uint64(v)), 1000*int64(binary.BigEndian.Uint64(v[8:])))
}

// links are the names of interfaces. They are read again now and then, because an
// interface may get another name.
type links struct {
	names map[int]string
	at    time.Time
}

func (l *links) name(index int, now time.Time) string {
	if now.Sub(l.at) > namesGoodFor || l.names == nil {
		l.read(now)
	}
	return l.names[index]
}

func (l *links) read(now time.Time) {
	list, err := net.Interfaces()
	if err != nil {
		return // the names from before are better than none
	}
	l.names, l.at = map[int]string{}, now
	for _, i := range list {
		l.names[i.Index] = i.Name
	}
}
