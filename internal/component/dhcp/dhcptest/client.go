package dhcptest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// The types of messages.
const (
	Discover = 1
	Offer    = 2
	Request  = 3
	ACK      = 5
	NAK      = 6
	Release  = 7
)

// Message is one of DHCP, as far as a client looks into it.
type Message struct {
	Type    byte
	ID      uint32
	Address netip.Addr // that the client is given
	Options map[byte][]byte
}

// Server is which server sent the message.
func (m Message) Server() netip.Addr { return addrOf(m.Options[54]) }

func addrOf(b []byte) netip.Addr {
	if len(b) < 4 {
		return netip.Addr{}
	}
	return netip.AddrFrom4([4]byte(b[:4]))
}

// Client is a DHCP client on a wire: it speaks in whole frames, so that it needs no address.
type Client struct {
	MAC net.HardwareAddr
	// ClientID and Hostname are sent where they are not empty.
	ClientID []byte
	Hostname string

	file *os.File
	next uint32
}

// Place is a network of its own: a space, a client or a node of a lab.
type Place interface{ Do(f func() error) error }

// NewClient makes a client that is connected to the interface of the place.
func NewClient(place Place, iface, mac string) (*Client, error) {
	c := &Client{next: uint32(time.Now().UnixNano())}
	var err error
	if c.MAC, err = net.ParseMAC(mac); err != nil {
		return nil, err
	}
	return c, place.Do(func() error { return c.open(iface) })
}

func (c *Client) open(iface string) error {
	link, err := net.InterfaceByName(iface)
	if err != nil {
		return err
	}
	protocol := int(ethIPv4>>8 | ethIPv4&0xff<<8)
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, protocol)
	if err != nil {
		return fmt.Errorf("open a socket for frames: %w", err)
	}
	c.file = os.NewFile(uintptr(fd), "frames")
	if err := listenFor(fd, c.MAC); err != nil {
		return fmt.Errorf("select the frames of %s: %w", c.MAC, err)
	}
	return unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: uint16(protocol), Ifindex: link.Index})
}

// listenFor has the kernel hand out what a server answers to that client, and nothing else: of a
// thousand clients on a wire each would be woken by the frames of all.
func listenFor(fd int, mac net.HardwareAddr) error {
	const (
		portAt, clientAt = 14 + 20 + 2, 14 + 20 + 8 + 28 // behind Ethernet and IPv4 without options; behind UDP, chaddr
		half             = unix.BPF_LD | unix.BPF_H | unix.BPF_ABS
		word             = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		same             = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		end              = unix.BPF_RET | unix.BPF_K
	)
	program := []unix.SockFilter{
		{Code: half, K: portAt},
		{Code: same, K: 68, Jf: 5},
		{Code: half, K: clientAt},
		{Code: same, K: uint32(binary.BigEndian.Uint16(mac)), Jf: 3},
		{Code: word, K: clientAt + 2},
		{Code: same, K: binary.BigEndian.Uint32(mac[2:]), Jf: 1},
		{Code: end, K: 0xffff},
		{Code: end},
	}
	return unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]})
}

// Close ends the client.
func (c *Client) Close() error { return c.file.Close() }

// ErrSilence says that nobody answered, and ErrRefused that an address was offered and not given.
var (
	ErrSilence = errors.New("no DHCP server answered")
	ErrRefused = errors.New("offered, and refused then")
)

// Ask sends a message and waits for its answer of one of the types.
func (c *Client) Ask(ctx context.Context, kind byte, options map[byte][]byte, patience time.Duration, want ...byte) (Message, error) {
	c.next++
	id := c.next
	end := time.Now().Add(patience)
	for wait := 500 * time.Millisecond; ; wait *= 2 {
		if _, err := c.file.Write(c.frame(kind, id, options)); err != nil {
			return Message{}, fmt.Errorf("send: %w", err)
		}
		m, err := c.read(ctx, id, earlier(end, time.Now().Add(wait)), want)
		if !errors.Is(err, os.ErrDeadlineExceeded) || ctx.Err() != nil {
			return m, err
		}
		if !time.Now().Before(end) {
			return Message{}, ErrSilence
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func (c *Client) read(ctx context.Context, id uint32, until time.Time, want []byte) (Message, error) {
	if err := c.file.SetReadDeadline(until); err != nil {
		return Message{}, err
	}
	buf := make([]byte, 2048)
	for ctx.Err() == nil {
		n, err := c.file.Read(buf)
		if err != nil {
			return Message{}, err
		}
		m, ok := parseFrame(buf[:n], id)
		for _, kind := range want {
			if ok && m.Type == kind {
				return m, nil
			}
		}
	}
	return Message{}, ctx.Err()
}

// Obtain gets an address as clients do: discover, offer, request, ACK.
func (c *Client) Obtain(ctx context.Context, patience time.Duration) (Message, error) {
	return c.ObtainLike(ctx, netip.Addr{}, patience)
}

// ObtainLike is Obtain by a client that would like to have that address; an invalid one is none.
func (c *Client) ObtainLike(ctx context.Context, addr netip.Addr, patience time.Duration) (Message, error) {
	var wish map[byte][]byte
	if addr.IsValid() {
		wish = map[byte][]byte{50: addr.AsSlice()}
	}
	offer, err := c.Ask(ctx, Discover, wish, patience, Offer)
	if err != nil {
		return Message{}, fmt.Errorf("discover: %w", err)
	}
	got, err := c.Ask(ctx, Request, map[byte][]byte{50: offer.Address.AsSlice(), 54: offer.Options[54]}, patience, ACK, NAK)
	if err == nil && got.Type == NAK {
		err = fmt.Errorf("%s: %w", offer.Address, ErrRefused)
	}
	return got, err
}

// Again asks for an address that the client had before, as after a reboot.
func (c *Client) Again(ctx context.Context, addr netip.Addr, patience time.Duration) (Message, error) {
	return c.Ask(ctx, Request, map[byte][]byte{50: addr.AsSlice()}, patience, ACK, NAK)
}

const ethIPv4 = 0x0800

// cookie begins the options.
var cookie = []byte{99, 130, 83, 99}

// frame is a message to everybody, from nobody yet.
func (c *Client) frame(kind byte, id uint32, options map[byte][]byte) []byte {
	p := make([]byte, 240)
	p[0], p[1], p[2] = 1, 1, 6
	binary.BigEndian.PutUint32(p[4:], id)
	p[10] = 0x80 // answer to everybody: the client has no address yet
	copy(p[28:], c.MAC)
	copy(p[236:], cookie)
	add := func(code byte, data []byte) {
		if len(data) > 0 {
			p = append(append(p, code, byte(len(data))), data...)
		}
	}
	add(53, []byte{kind})
	add(61, c.ClientID)
	add(12, []byte(c.Hostname))
	add(55, []byte{1, 3, 6, 15, 42, 51, 66})
	for code, data := range options {
		add(code, data)
	}
	p = append(p, 255)
	return ethernet(c.MAC, udp(p))
}

func udp(payload []byte) []byte {
	b := make([]byte, 28, 28+len(payload))
	b[0], b[8], b[9] = 0x45, 64, unix.IPPROTO_UDP
	binary.BigEndian.PutUint16(b[2:], uint16(28+len(payload)))
	copy(b[16:20], []byte{255, 255, 255, 255})
	binary.BigEndian.PutUint16(b[10:], checksum(b[:20]))
	binary.BigEndian.PutUint16(b[20:], 68)
	binary.BigEndian.PutUint16(b[22:], 67)
	binary.BigEndian.PutUint16(b[24:], uint16(8+len(payload)))
	return append(b, payload...) // without a checksum of its own, which IPv4 allows
}

func checksum(b []byte) uint16 {
	var sum uint32
	for i := 0; i+1 < len(b); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(b[i:]))
	}
	for sum>>16 != 0 {
		sum = sum&0xffff + sum>>16
	}
	return ^uint16(sum)
}

func ethernet(from net.HardwareAddr, packet []byte) []byte {
	b := append([]byte{255, 255, 255, 255, 255, 255}, from...)
	b = binary.BigEndian.AppendUint16(b, ethIPv4)
	return append(b, packet...)
}

// parseFrame reads a server's answer to the message with that id.
func parseFrame(b []byte, id uint32) (m Message, ok bool) {
	const head = 14 + 20 + 8
	if len(b) < head+240 || binary.BigEndian.Uint16(b[12:]) != ethIPv4 || b[14] != 0x45 || b[23] != unix.IPPROTO_UDP || binary.BigEndian.Uint16(b[36:]) != 68 {
		return m, false
	}
	p := b[head:]
	if p[0] != 2 || binary.BigEndian.Uint32(p[4:]) != id || [4]byte(p[236:240]) != [4]byte(cookie) {
		return m, false
	}
	m = Message{ID: id, Address: addrOf(p[16:20]), Options: map[byte][]byte{}}
	for p = p[240:]; len(p) > 1 && p[0] != 255; {
		if p[0] == 0 {
			p = p[1:]
			continue
		}
		n := int(p[1])
		if len(p) < 2+n {
			return m, false
		}
		m.Options[p[0]], p = p[2:2+n], p[2+n:]
	}
	if kind := m.Options[53]; len(kind) == 1 {
		m.Type = kind[0]
	}
	return m, m.Type != 0
}
