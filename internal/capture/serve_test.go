package capture

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"gateway/lab"
	"gateway/lab/wiretest"
)

// asked is a capture that was begun.
type asked struct {
	*bufio.Reader
	conn  *os.File
	begin Begin
	done  chan error
}

func ask(t *testing.T, space *lab.Space, line string) *asked {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	a := &asked{conn: os.NewFile(uintptr(pair[0]), "asks"), done: make(chan error, 1)}
	theirs := os.NewFile(uintptr(pair[1]), "answers")
	t.Cleanup(func() { a.conn.Close() })
	go func() {
		a.done <- space.Do(func() error { defer theirs.Close(); return Serve(theirs) })
	}()
	if _, err := io.WriteString(a.conn, line); err != nil {
		t.Fatal(err)
	}
	a.Reader = bufio.NewReader(a.conn)
	kind, text, err := Hear(a)
	if err != nil || kind != SaysBegin || json.Unmarshal(text, &a.begin) != nil {
		t.Fatalf("begins with %q %q: %v", kind, text, err)
	}
	return a
}

func (r Request) line(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// rest hears a capture to its end.
func (a *asked) rest(t *testing.T) (packets []Packet, size int64, end End) {
	t.Helper()
	size = fileHeader
	for {
		kind, b, err := Hear(a)
		if err != nil {
			t.Fatal(err)
		}
		if kind == SaysEnd {
			if err := json.Unmarshal(b, &end); err != nil {
				t.Fatal(err)
			}
			return packets, size, end
		}
		p, err := ParsePacket(b)
		if err != nil {
			t.Fatal(err)
		}
		packets, size = append(packets, p), size+int64(len(b))
	}
}

func TestOnlyWhatIsAskedForIsSeen(t *testing.T) {
	w := wiretest.NewWire(t)
	dns := frame(0x800, ip4("192.0.2.1", "192.0.2.9", protoUDP, 0, ports(1024, 53)...))
	web := frame(0x800, ip4("192.0.2.1", "192.0.2.9", protoTCP, 0, ports(1024, 443)...))
	who := frame(0x806, arp("192.0.2.1", "192.0.2.9"))
	tag := frame(0x8100, append([]byte{0, 9}, dns[12:]...))
	sent := [][]byte{dns, web, who, web, tag, dns}
	for name, tc := range map[string]struct {
		change func(*Request)
		want   [][]byte
	}{
		"a filter":              {func(r *Request) { r.Protocol, r.Port = "udp", 53 }, [][]byte{dns, tag, dns}},
		"without, as a control": {func(*Request) {}, sent},
	} {
		t.Run(name, func(t *testing.T) {
			r := good()
			r.Interface, r.Packets, r.Time = wiretest.Seen, 100, 30*time.Second
			tc.change(&r)
			a := ask(t, w.Space, r.line(t))
			if a.begin.Error != "" || a.begin.Link != linkEthernet {
				t.Fatalf("%+v", a.begin)
			}
			w.Send(t, nil, sent...)
			for i, want := range tc.want {
				_, b, err := Hear(a)
				if err != nil {
					t.Fatal(err)
				}
				p, err := ParsePacket(b)
				if err != nil || string(p.Data) != string(want) || p.Length != len(want) || time.Since(p.At).Abs() > time.Minute {
					t.Errorf("packet %d: %x at %s, want %x: %v", i, p.Data, p.At, want, err)
				}
			}
			if err := unix.Shutdown(int(a.conn.Fd()), unix.SHUT_WR); err != nil {
				t.Fatal(err)
			}
			if more, _, end := a.rest(t); len(more) > 0 || end.Reason != Stopped {
				t.Errorf("%d more packets, and ended by %+v", len(more), end)
			}
			if err := <-a.done; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestACaptureEndsAtEachOfItsLimits(t *testing.T) {
	w := wiretest.NewWire(t)
	large := frame(0x800, ip4("192.0.2.1", "192.0.2.9", protoUDP, 0, make([]byte, 1400)...))
	for want, change := range map[string]func(*Request){
		ByPackets: func(r *Request) { r.Packets = 7 },
		ByBytes:   func(*Request) {},
		ByTime:    func(r *Request) { r.Bytes, r.Time = MostBytes, 300*time.Millisecond },
	} {
		t.Run(want, func(t *testing.T) {
			r := good()
			r.Interface, r.Packets, r.Time = wiretest.Seen, MostPackets, 30*time.Second
			change(&r)
			a := ask(t, w.Space, r.line(t))
			start, stop, sent := time.Now(), make(chan struct{}), make(chan struct{})
			go func() {
				defer close(sent)
				w.Send(t, stop, large, large, large, large)
			}()
			packets, size, end := a.rest(t)
			close(stop)
			<-sent
			if end.Reason != want || len(packets) > r.Packets || size > r.Bytes || len(packets) == 0 {
				t.Errorf("%d packets, %d bytes of %d, ended by %+v, want %s", len(packets), size, r.Bytes, end, want)
			}
			if took := time.Since(start); want == ByTime && (took < r.Time || took > r.Time+2*time.Second) {
				t.Errorf("took %s", took)
			}
			if err := <-a.done; err != nil {
				t.Error(err)
			}
		})
	}
}

// Nobody is left to end a capture whose other side was killed.
func TestACaptureEndsWithItsCaller(t *testing.T) {
	w := wiretest.NewWire(t)
	r := good()
	r.Interface, r.Time = wiretest.Seen, MostTime
	a := ask(t, w.Space, r.line(t))
	a.conn.Close()
	select {
	case <-a.done:
	case <-time.After(10 * time.Second):
		t.Error("it goes on")
	}
}

func TestWhatIsNoRequestIsRefused(t *testing.T) {
	w := wiretest.NewWire(t)
	gone, loop := good(), good()
	gone.Interface, loop.Interface = "gone", "lo"
	for want, lines := range map[string][]string{
		NoInterface: {gone.line(t)},
		Loopback:    {loop.line(t)},
		Refused:     {"\n", "x\n", "{}\n", `{"interface":"-w","packets":1,"bytes":200000,"time":1}` + "\n", `{"interface":"lo","protocol":"tcp or udp","packets":1,"bytes":200000,"time":1}` + "\n", string(make([]byte, mostAsked)) + "\n"},
	} {
		for _, line := range lines {
			if a := ask(t, w.Space, line); a.begin.Error != want {
				t.Errorf("%.60q: %+v, want %s", line, a.begin, want)
			}
		}
	}
}

// The sessions of the management pass on loopback, whatever somebody calls it.
func TestLoopbackByAnotherNameIsNotRecorded(t *testing.T) {
	space := lab.NewSpace(t)
	err := space.Do(func() error {
		link, err := netlink.LinkByName("lo")
		if err != nil {
			return err
		}
		return errors.Join(netlink.LinkSetDown(link), netlink.LinkSetName(link, "lan0"), netlink.LinkSetUp(link))
	})
	if err != nil {
		t.Fatal(err)
	}
	r := good()
	r.Interface = "lan0"
	if a := ask(t, space, r.line(t)); a.begin.Error != Loopback {
		t.Errorf("%+v", a.begin)
	}
}

func TestLinksWithoutAHeaderAreRecordedAsIP(t *testing.T) {
	space := lab.NewSpace(t)
	var tun *os.File
	err := space.Do(func() error {
		fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		tun = os.NewFile(uintptr(fd), "tun")
		link, err := unix.NewIfreq("bare")
		if err != nil {
			return err
		}
		link.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, link); err != nil {
			return err
		}
		made, err := netlink.LinkByName("bare")
		if err != nil {
			return err
		}
		return netlink.LinkSetUp(made)
	})
	if tun != nil {
		defer tun.Close()
	}
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
		t.Skip("there is no /dev/net/tun")
	}
	if err != nil {
		t.Fatal(err)
	}
	r := good()
	r.Interface, r.Protocol, r.Time = "bare", "icmp", 30*time.Second
	a := ask(t, space, r.line(t))
	if a.begin.Link != linkRaw {
		t.Errorf("%+v", a.begin)
	}
	echo := ip4("192.0.2.1", "192.0.2.9", protoICMP, 0, ports(1, 2)...)
	for _, b := range [][]byte{ip4("192.0.2.1", "192.0.2.9", protoTCP, 0, ports(1, 2)...), echo} {
		if _, err := tun.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if packets, _, end := a.rest(t); len(packets) != 1 || string(packets[0].Data) != string(echo) || end.Reason != ByPackets {
		t.Errorf("%+v, ended by %+v", packets, end)
	}
}
