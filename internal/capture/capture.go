// Package capture records the packets of one network interface: the program that may open a packet
// socket and do nothing else, the filter that it hands to the kernel, and the words by which it is
// asked. Who may ask, and what becomes of the packets, is left to package diag.
package capture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"regexp"
	"time"
)

// Socket is where the program is reached: each connection to it is one capture. It has a folder of
// its own, which the units of whoever else has the API's account do not see.
const Socket = "/run/gateway/capture/capture.sock"

// Nobody gets more than this, whatever is asked for.
const (
	MostPackets = 100_000
	MostBytes   = 64 << 20
	MostTime    = 5 * time.Minute
	// LeastBytes has room for a packet.
	LeastBytes = 128 << 10
	// longest part of a packet that is kept: all of what an interface hands over at once.
	longest = 65_535
)

// Protocols are what can be filtered by; empty for all.
var Protocols = []string{"", "tcp", "udp", "icmp", "arp"}

// Request is what to record. All of it is structured: nothing in it is a language.
type Request struct {
	Interface string        `json:"interface"`
	Protocol  string        `json:"protocol,omitempty"`
	Host      netip.Prefix  `json:"host,omitzero"` // a single one is as long as its address
	Port      uint16        `json:"port,omitempty"`
	Packets   int           `json:"packets"`
	Bytes     int64         `json:"bytes"` // of the whole file
	Time      time.Duration `json:"time"`
}

// What the kernel takes for a name of an interface is wider; what nobody uses is refused.
var linkName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,14}$`)

// Check says what cannot be recorded. The program asks it too: it believes nobody.
func (r Request) Check() error {
	switch {
	case !linkName.MatchString(r.Interface):
		return errors.New("no name of an interface")
	case r.Packets < 1 || r.Packets > MostPackets, r.Bytes < LeastBytes || r.Bytes > MostBytes, r.Time <= 0 || r.Time > MostTime:
		return errors.New("limit out of range")
	case r.Host.IsValid() && r.Host != r.Host.Masked():
		return errors.New("host bits in a network")
	}
	_, err := r.program(true)
	return err
}

// How a capture ended.
const (
	ByPackets = "packets"
	ByBytes   = "bytes"
	ByTime    = "time"
	Stopped   = "stopped"
	Failed    = "failed"
)

// Begin is said first.
type Begin struct {
	// Link is the kind of the packets, by pcap's number.
	Link uint32 `json:"link"`
	// Error is why there will be none: one of the codes below.
	Error string `json:"error,omitempty"`
}

// Why nothing is recorded.
const (
	NoInterface = "no_interface"
	NotAllowed  = "not_allowed"
	// Loopback is what the programs of this node say to each other there, without encryption: the
	// sessions and passwords of the management are among it.
	Loopback = "loopback"
	Refused  = "refused" // no request
)

// End is said last.
type End struct {
	Reason  string `json:"reason"`
	Dropped uint64 `json:"dropped"` // by the kernel, since nobody read fast enough
}

// The kinds of what is said: a byte, the length in four, and that much.
const (
	SaysBegin  = 'b' // JSON
	SaysPacket = 'p' // a record of a pcap file
	SaysEnd    = 'e' // JSON
)

const (
	fileHeader   = 24
	recordHeader = 16
	// mostSaid is the longest of them: a packet with a tag put back.
	mostSaid = recordHeader + longest + vlanTag
)

// FileHeader begins a pcap file: microseconds, little endian.
func FileHeader(link uint32) []byte {
	b := make([]byte, 0, fileHeader)
	b = binary.LittleEndian.AppendUint32(b, 0xa1b2c3d4)
	b = binary.LittleEndian.AppendUint16(b, 2)
	b = binary.LittleEndian.AppendUint16(b, 4)
	b = append(b, make([]byte, 8)...) // UTC, and an accuracy that nobody fills in
	b = binary.LittleEndian.AppendUint32(b, longest+vlanTag)
	return binary.LittleEndian.AppendUint32(b, link)
}

// Packet is a record of a pcap file.
type Packet struct {
	At     time.Time
	Length int // on the wire
	Data   []byte
}

func (p Packet) record() []byte {
	b := make([]byte, 0, recordHeader+len(p.Data))
	b = binary.LittleEndian.AppendUint32(b, uint32(p.At.Unix()))
	b = binary.LittleEndian.AppendUint32(b, uint32(p.At.Nanosecond()/1000))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(p.Data)))
	b = binary.LittleEndian.AppendUint32(b, uint32(p.Length))
	return append(b, p.Data...)
}

// ParsePacket reads a record, which must be whole.
func ParsePacket(record []byte) (Packet, error) {
	if len(record) < recordHeader {
		return Packet{}, errors.New("a record that is too short")
	}
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(record[at:]) }
	if int(word(8)) != len(record)-recordHeader {
		return Packet{}, errors.New("a record of another length than it says")
	}
	return Packet{At: time.Unix(int64(word(0)), int64(word(4))*1000), Length: int(word(12)), Data: record[recordHeader:]}, nil
}

func say(w io.Writer, kind byte, payload []byte) error {
	head := binary.LittleEndian.AppendUint32([]byte{kind}, uint32(len(payload)))
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err := w.Write(payload)
	return err
}

// Hear reads what the program says next.
func Hear(r io.Reader) (kind byte, payload []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	size := binary.LittleEndian.Uint32(head[1:])
	if size > mostSaid {
		return 0, nil, fmt.Errorf("%d bytes at once", size)
	}
	payload = make([]byte, size)
	if _, err := io.ReadFull(r, payload); err != nil {
		return 0, nil, errors.Join(io.ErrUnexpectedEOF, err)
	}
	return head[0], payload, nil
}
