package capture

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// pcap's numbers of the two kinds of links.
const (
	linkEthernet = 1
	linkRaw      = 101
)

const (
	// mostAsked is the length of a request.
	mostAsked = 4 << 10
	// stuck is how long whoever asked may take to read.
	stuck = 5 * time.Second
	// glance is how long packets wait to be handed over.
	glance = 200 * time.Millisecond
	// room is for packets that were not read yet; the kernel may give less.
	room = 4 << 20
)

// Serve makes the capture that is asked for on a connection, and ends with it: when a limit is
// reached, or when whoever asked closes its side.
func Serve(conn *os.File) error {
	fd := int(conn.Fd())
	if err := errors.Join(unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, timeval(stuck)),
		unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, timeval(stuck))); err != nil {
		return fmt.Errorf("bound the connection: %w", err)
	}
	out := bufio.NewWriterSize(conn, 256<<10)
	tell := func(kind byte, what any) error {
		text, err := json.Marshal(what)
		if err != nil {
			return err
		}
		return errors.Join(say(out, kind, text), out.Flush())
	}
	request, err := hear(conn)
	if err != nil {
		return errors.Join(err, tell(SaysBegin, Begin{Error: Refused}))
	}
	s, err := open(request)
	switch {
	case errors.Is(err, unix.ENODEV):
		return tell(SaysBegin, Begin{Error: NoInterface})
	case errors.Is(err, errLoopback):
		return tell(SaysBegin, Begin{Error: Loopback})
	case errors.Is(err, unix.EPERM):
		return errors.Join(err, tell(SaysBegin, Begin{Error: NotAllowed}))
	case err != nil:
		return errors.Join(err, tell(SaysBegin, Begin{Error: Refused}))
	}
	defer unix.Close(s.fd)
	if err := tell(SaysBegin, Begin{Link: s.link}); err != nil {
		return err
	}
	reason, err := s.record(out, fd, request)
	if err != nil {
		return err
	}
	return tell(SaysEnd, End{Reason: reason, Dropped: s.dropped()})
}

// hear reads the request: one line.
func hear(conn io.Reader) (r Request, err error) {
	line, err := bufio.NewReader(io.LimitReader(conn, mostAsked)).ReadBytes('\n')
	if err != nil {
		return r, fmt.Errorf("read the request: %w", err)
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("decode the request: %w", err)
	}
	return r, r.Check()
}

var errLoopback = errors.New("the loopback interface")

// source is a packet socket.
type source struct {
	fd   int
	link uint32
}

// open makes the socket. It is bound last: before its filter is in place it hears nothing.
func open(r Request) (source, error) {
	s := source{link: linkEthernet}
	index, kind, err := lookUp(r.Interface)
	if err != nil {
		return s, err
	}
	if kind == unix.ARPHRD_LOOPBACK { // by whatever name
		return s, errLoopback
	}
	how := unix.SOCK_RAW
	if kind != unix.ARPHRD_ETHER {
		how, s.link = unix.SOCK_DGRAM, linkRaw // without the header of a link that others may not know
	}
	if s.fd, err = unix.Socket(unix.AF_PACKET, how|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0); err != nil {
		return s, fmt.Errorf("open a packet socket: %w", err)
	}
	code, err := r.program(s.link == linkEthernet)
	if err == nil {
		err = attach(s.fd, code)
	}
	if err == nil {
		_ = unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_RCVBUF, room) // as much as it gives
		err = errors.Join(unix.SetsockoptInt(s.fd, unix.SOL_PACKET, unix.PACKET_AUXDATA, 1),
			unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1),
			unix.Bind(s.fd, &unix.SockaddrLinklayer{Protocol: swapped(unix.ETH_P_ALL), Ifindex: index}))
	}
	if err != nil {
		unix.Close(s.fd)
		return s, fmt.Errorf("listen on %s: %w", r.Interface, err)
	}
	return s, nil
}

// lookUp asks by a socket that needs no privilege, and no netlink.
func lookUp(name string) (index int, kind uint16, err error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, 0, fmt.Errorf("open a socket: %w", err)
	}
	defer unix.Close(fd)
	link, err := unix.NewIfreq(name)
	if err != nil {
		return 0, 0, fmt.Errorf("name %q: %w", name, err)
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFINDEX, link); err != nil {
		return 0, 0, fmt.Errorf("look up %s: %w", name, err)
	}
	index = int(link.Uint32())
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFHWADDR, link); err != nil {
		return 0, 0, fmt.Errorf("look up %s: %w", name, err)
	}
	return index, link.Uint16(), nil // the family of its address is the kind of the link
}

func attach(fd int, code []bpf.RawInstruction) error {
	filter := make([]unix.SockFilter, len(code))
	for i, c := range code {
		filter[i] = unix.SockFilter{Code: c.Op, Jt: c.Jt, Jf: c.Jf, K: c.K}
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &program); err != nil {
		return fmt.Errorf("attach the filter: %w", err)
	}
	return nil
}

// record hands packets over until a limit is reached.
func (s source) record(out *bufio.Writer, conn int, r Request) (reason string, err error) {
	end := time.Now().Add(r.Time)
	buffer, beside := make([]byte, longest+vlanTag), make([]byte, 256)
	count, size := 0, int64(fileHeader)
	for count < r.Packets {
		left := time.Until(end)
		if left <= 0 {
			return ByTime, nil
		}
		fds := []unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLIN}, {Fd: int32(conn), Events: unix.POLLIN | unix.POLLRDHUP}}
		if _, err := unix.Poll(fds, int(min(left, glance).Milliseconds())+1); err != nil && !errors.Is(err, unix.EINTR) {
			return "", fmt.Errorf("wait for packets: %w", err)
		}
		if fds[1].Revents != 0 { // it says nothing more, or is gone
			return Stopped, nil
		}
		for count < r.Packets && time.Now().Before(end) {
			p, err := s.next(buffer, beside)
			if errors.Is(err, unix.EAGAIN) {
				break
			}
			if err != nil {
				return "", fmt.Errorf("read a packet: %w", err)
			}
			if size += int64(recordHeader + len(p.Data)); size > r.Bytes {
				return ByBytes, nil
			}
			count++
			if err := say(out, SaysPacket, p.record()); err != nil {
				return "", fmt.Errorf("hand a packet over: %w", err)
			}
			if count%64 == 0 { // others may want to end it
				break
			}
		}
		if err := out.Flush(); err != nil {
			return "", fmt.Errorf("hand packets over: %w", err)
		}
	}
	return ByPackets, nil
}

// next is a packet that waits. Its data is good until the next one.
func (s source) next(buffer, beside []byte) (p Packet, err error) {
	n, nBeside, _, _, err := unix.Recvmsg(s.fd, buffer[vlanTag:], beside, unix.MSG_TRUNC)
	if errors.Is(err, unix.ENETDOWN) { // said once, when the link goes down; it may come back
		return p, unix.EAGAIN
	}
	if err != nil {
		return p, err
	}
	kept := min(n, len(buffer)-vlanTag)
	p = Packet{At: time.Now(), Length: n, Data: buffer[vlanTag : vlanTag+kept]}
	messages, err := unix.ParseSocketControlMessage(beside[:nBeside])
	if err != nil {
		return p, fmt.Errorf("read what is beside a packet: %w", err)
	}
	for _, m := range messages {
		switch {
		case m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SO_TIMESTAMPNS && len(m.Data) >= int(unsafe.Sizeof(unix.Timespec{})):
			p.At = time.Unix((*unix.Timespec)(unsafe.Pointer(&m.Data[0])).Unix())
		case m.Header.Level == unix.SOL_PACKET && m.Header.Type == unix.PACKET_AUXDATA && len(m.Data) >= int(unsafe.Sizeof(unix.TpacketAuxdata{})):
			aux := (*unix.TpacketAuxdata)(unsafe.Pointer(&m.Data[0]))
			p.Length = max(kept, int(aux.Len))
			if s.link == linkEthernet && kept >= 12 && aux.Status&unix.TP_STATUS_VLAN_VALID != 0 {
				p.Data, p.Length = tagged(buffer[:vlanTag+kept], aux), p.Length+vlanTag
			}
		}
	}
	return p, nil
}

// tagged puts back the tag that the kernel keeps beside the packet. There is room for it before.
func tagged(b []byte, aux *unix.TpacketAuxdata) []byte {
	kind := uint16(unix.ETH_P_8021Q)
	if aux.Status&unix.TP_STATUS_VLAN_TPID_VALID != 0 {
		kind = aux.Vlan_tpid
	}
	copy(b, b[vlanTag:vlanTag+12])
	b[12], b[13], b[14], b[15] = byte(kind>>8), byte(kind), byte(aux.Vlan_tci>>8), byte(aux.Vlan_tci)
	return b
}

// dropped is how many packets came while there was no room.
func (s source) dropped() uint64 {
	stats, err := unix.GetsockoptTpacketStats(s.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err != nil {
		return 0
	}
	return uint64(stats.Drops)
}

func swapped(v uint16) uint16 { return v<<8 | v>>8 }

func timeval(d time.Duration) *unix.Timeval {
	t := unix.NsecToTimeval(d.Nanoseconds())
	return &t
}
