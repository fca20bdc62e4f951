package netfilter

import (
	"net/netip"
	"time"

	"golang.org/x/sys/unix"
)

// The kernel's names of what it says about connections, which package unix lacks.
const (
	conntrackGet    = unix.NFNL_SUBSYS_CTNETLINK<<8 | 1
	conntrackDelete = unix.NFNL_SUBSYS_CTNETLINK<<8 | 2

	ctTuple         = 1
	ctReply         = 2
	ctStatus        = 3
	ctProtocolInfo  = 4
	ctTimeout       = 7
	ctMark          = 8
	ctCounts        = 9
	ctReplyCounts   = 10
	ctID            = 12
	ctZone          = 18
	tupleAddresses  = 1
	tupleProtocol   = 2
	source4         = 1
	destination4    = 2
	source6         = 3
	destination6    = 4
	protocolNumber  = 1
	sourcePort      = 2
	destinationPort = 3
	icmpType        = 5
	icmp6Type       = 8
	countPackets    = 1
	countBytes      = 2
	infoTCP         = 1
	infoTCPState    = 1
	statusAnswered  = 2
)

func readConnection(b []byte) Connection {
	var c Connection
	for kind, v := range attributes(b) {
		switch kind {
		case ctTuple:
			c.Direction, c.Protocol = readDirection(v)
		case ctReply:
			c.Reply, _ = readDirection(v)
		case ctStatus:
			c.Answered = u32(v)&statusAnswered != 0
		case ctProtocolInfo:
			c.State = readState(v)
		case ctTimeout:
			c.Timeout = time.Duration(u32(v)) * time.Second
		case ctMark:
			c.Mark = u32(v)
		case ctCounts:
			c.Sent = readTraffic(v)
		case ctReplyCounts:
			c.Received = readTraffic(v)
		case ctID:
			c.ID = u32(v)
		}
	}
	return c
}

func readDirection(b []byte) (d Direction, protocol uint8) {
	d.Type = noMessageType
	for kind, v := range attributes(b) {
		switch kind {
		case tupleAddresses:
			d.readAddresses(v)
		case tupleProtocol:
			protocol = d.readProtocol(v)
		}
	}
	return d, protocol
}

func (d *Direction) readAddresses(b []byte) {
	for kind, v := range attributes(b) {
		addr, _ := netip.AddrFromSlice(v)
		switch kind {
		case source4, source6:
			d.Source = addr
		case destination4, destination6:
			d.Destination = addr
		}
	}
}

func (d *Direction) readProtocol(b []byte) (protocol uint8) {
	for kind, v := range attributes(b) {
		if len(v) == 0 {
			continue
		}
		switch kind {
		case protocolNumber:
			protocol = v[0]
		case sourcePort:
			d.SourcePort = u16(v)
		case destinationPort:
			d.Port = u16(v)
		case icmpType, icmp6Type:
			d.Type = int(v[0])
		}
	}
	return protocol
}

func readTraffic(b []byte) (n Count) {
	for kind, v := range attributes(b) {
		switch kind {
		case countPackets:
			n.Packets = u64(v)
		case countBytes:
			n.Bytes = u64(v)
		}
	}
	return n
}

// readState is the state of a TCP connection.
func readState(b []byte) string {
	states := []string{
		"none", "syn_sent", "syn_recv", "established", "fin_wait",
		"close_wait", "last_ack", "time_wait", "close", "syn_sent2",
	}
	for kind, v := range attributes(b) {
		if kind != infoTCP {
			continue
		}
		for kind, v := range attributes(v) {
			if kind == infoTCPState && len(v) == 1 && int(v[0]) < len(states) {
				return states[v[0]]
			}
		}
	}
	return ""
}
