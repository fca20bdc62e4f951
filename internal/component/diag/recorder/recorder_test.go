package recorder

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/capture"
)

// program stands for gateway-capture: it says what a test wants, and ends when it is told to.
type program struct {
	begin capture.Begin
	say   func(conn net.Conn)
	asked chan capture.Request
}

func said(kind byte, payload []byte) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte{kind}, uint32(len(payload))), payload...)
}

func record(data []byte) []byte {
	b := make([]byte, 16, 16+len(data))
	binary.LittleEndian.PutUint32(b[8:], uint32(len(data)))
	binary.LittleEndian.PutUint32(b[12:], uint32(len(data)))
	return append(b, data...)
}

func ending(reason string) []byte {
	return said(capture.SaysEnd, []byte(`{"reason":"`+reason+`","dropped":3}`))
}

func start(t *testing.T, p *program) *Recorder {
	t.Helper()
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, "capture.sock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p.asked = make(chan capture.Request, 10)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			var q capture.Request
			if json.NewDecoder(conn).Decode(&q) == nil {
				p.asked <- q
			}
			begin, _ := json.Marshal(p.begin)
			_, _ = conn.Write(said(capture.SaysBegin, begin))
			p.say(conn)
			conn.Close()
		}
	}()
	state := t.TempDir()
	t.Cleanup(func() {
		if left, err := os.ReadDir(state); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	return &Recorder{Socket: l.Addr().String(), Dir: state, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
}

var asks = capture.Request{Interface: "lan", Packets: 10, Bytes: capture.LeastBytes, Time: time.Minute}

func ended(t *testing.T, r *Recorder) State {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); <-time.After(5 * time.Millisecond) {
		if s := r.Look(); s.State == Ended {
			return s
		}
	}
	t.Fatal("it does not end")
	return State{}
}

func content(t *testing.T, r *Recorder) []byte {
	t.Helper()
	f, _, err := r.File()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestWhatWasRecordedIsKept(t *testing.T) {
	p := &program{begin: capture.Begin{Link: ethernet}, say: func(conn net.Conn) {
		_, _ = conn.Write(append(said(capture.SaysPacket, record(make([]byte, 60))), ending(capture.ByTime)...))
	}}
	r := start(t, p)
	if s := r.Look(); s.State != None {
		t.Errorf("at first %+v", s)
	}
	if _, _, err := r.File(); !errors.Is(err, ErrNone) {
		t.Errorf("there is a file: %v", err)
	}
	if _, err := r.Start(t.Context(), "ann", asks); err != nil {
		t.Fatal(err)
	}
	if q := <-p.asked; q != asks {
		t.Errorf("asked for %+v", q)
	}
	s := ended(t, r)
	if s.Packets != 1 || s.Bytes != 24+76 || s.Reason != capture.ByTime || s.Error != nil || s.Dropped != 3 || s.By != "ann" || len(s.Lines) != 1 || s.Expires.Sub(s.Ended) != Keep {
		t.Errorf("%+v", s)
	}
	for range 2 { // as often as somebody likes
		if b := content(t, r); int64(len(b)) != s.Bytes || binary.LittleEndian.Uint32(b) != 0xa1b2c3d4 {
			t.Errorf("%x", b)
		}
	}
	if err := r.Delete(t.Context()); err != nil || r.Look().State != None {
		t.Errorf("%+v, %v", r.Look(), err)
	}
}

// A program that goes beyond what it was asked for fills no disk.
func TestTheFileIsNeverLargerThanItsLimit(t *testing.T) {
	for name, tc := range map[string]struct {
		packets int
		data    int
	}{"bytes": {capture.MostPackets, 1500}, "packets": {10, 60}} {
		t.Run(name, func(t *testing.T) {
			r := start(t, &program{begin: capture.Begin{Link: ethernet}, say: func(conn net.Conn) {
				for {
					if _, err := conn.Write(said(capture.SaysPacket, record(make([]byte, tc.data)))); err != nil {
						return // nobody listens any more
					}
				}
			}})
			q := asks
			q.Packets = tc.packets
			if _, err := r.Start(t.Context(), "ann", q); err != nil {
				t.Fatal(err)
			}
			s := ended(t, r)
			if b := content(t, r); int64(len(b)) > q.Bytes || int64(len(b)) != s.Bytes || s.Packets > tc.packets || s.Reason != capture.ByBytes {
				t.Errorf("%d bytes of %d, %+v", len(b), q.Bytes, s)
			}
		})
	}
}

// A file that was deleted takes its space until nobody reads it any more.
func TestOnlySoManyDownloadsAtOnce(t *testing.T) {
	r := start(t, &program{begin: capture.Begin{Link: ethernet}, say: func(conn net.Conn) {
		_, _ = conn.Write(append(said(capture.SaysPacket, record(make([]byte, 60))), ending(capture.ByTime)...))
	}})
	again := func() {
		t.Helper()
		if _, err := r.Start(t.Context(), "ann", asks); err != nil {
			t.Fatal(err)
		}
		ended(t, r)
	}
	again()
	var open []io.ReadSeekCloser
	for range MostDownloads {
		f, s, err := r.File()
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if open = append(open, f); s.Packets != 1 {
			t.Errorf("%+v", s)
		}
	}
	again() // those of the one before count
	if _, _, err := r.File(); !errors.Is(err, ErrDownloads) {
		t.Errorf("one more than %d: %v", MostDownloads, err)
	}
	if b, err := io.ReadAll(open[0]); err != nil || len(b) != 24+76 {
		t.Errorf("what was begun is cut off: %d bytes, %v", len(b), err)
	}
	for range 2 { // closing one twice makes room for one
		_ = open[0].Close()
	}
	f, _, err := r.File()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, _, err := r.File(); !errors.Is(err, ErrDownloads) {
		t.Errorf("one closed, and two more: %v", err)
	}
}

func TestOneCaptureAtATime(t *testing.T) {
	gone := make(chan struct{}, 1)
	r := start(t, &program{begin: capture.Begin{Link: ethernet}, say: func(conn net.Conn) {
		_, _ = io.Copy(io.Discard, conn) // until the other side says that it is enough
		_, _ = conn.Write(ending(capture.Stopped))
		gone <- struct{}{}
	}})
	if s, err := r.Start(t.Context(), "ann", asks); err != nil || s.State != Running {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, err := r.Start(t.Context(), "bob", asks); !errors.Is(err, ErrRunning) {
		t.Errorf("a second one: %v", err)
	}
	if _, _, err := r.File(); !errors.Is(err, ErrNone) {
		t.Errorf("the file of one that runs: %v", err)
	}
	if s, err := r.Stop(t.Context()); err != nil || s.State != Ended || s.Reason != capture.Stopped {
		t.Errorf("%+v, %v", s, err)
	}
	<-gone
	if _, err := r.Start(t.Context(), "bob", asks); err != nil {
		t.Errorf("the next one: %v", err)
	}
	if err := r.Delete(t.Context()); err != nil || r.Look().State != None {
		t.Errorf("%+v, %v", r.Look(), err)
	}
}

func TestWhatKeepsACaptureFromBeginning(t *testing.T) {
	away := &Recorder{Socket: "/nonexistent/capture.sock", Dir: t.TempDir(), Now: time.Now}
	if _, err := away.Start(t.Context(), "ann", asks); !errors.Is(err, ErrAway) {
		t.Errorf("without the program: %v", err)
	}
	for said, want := range map[string]error{capture.NoInterface: ErrNoInterface, capture.Loopback: ErrLoopback} {
		r := start(t, &program{begin: capture.Begin{Error: said}, say: func(net.Conn) {}})
		if _, err := r.Start(t.Context(), "ann", asks); !errors.Is(err, want) {
			t.Errorf("%s: %v", said, err)
		}
	}
	// The socket takes one at a time and another process has it, or the program dies at once.
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "busy.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	busy := &Recorder{Socket: l.Addr().String(), Dir: t.TempDir(), Now: time.Now}
	if _, err := busy.Start(t.Context(), "ann", asks); !errors.Is(err, ErrTurnedAway) || errors.Is(err, ErrRunning) {
		t.Errorf("with another one's: %v", err)
	}
}

// What fails is told with its reason, once in the log; what was recorded until then stays, in whole packets.
func TestWhyACaptureFailedIsTold(t *testing.T) {
	whole := said(capture.SaysPacket, record(make([]byte, 60)))
	for name, tc := range map[string]struct {
		says []byte
		disk string // in place of the file
		want string
		kept int
	}{
		"a program that dies":    {append(slices.Clone(whole), 'p', 60, 0), "", "gateway-capture broke off", 1},
		"no more than its start": {whole, "", "gateway-capture broke off", 1},
		"no record":              {said(capture.SaysPacket, []byte("x")), "", "could not be read", 0},
		"no end":                 {said(capture.SaysEnd, []byte("x")), "", "could not be read", 0},
		"a full disk":            {whole, "/dev/full", "no space is left", 0},
		"a broken disk":          {whole, os.DevNull, "could not be written", 0},
	} {
		t.Run(name, func(t *testing.T) {
			begun := make(chan struct{})
			r := start(t, &program{begin: capture.Begin{Link: ethernet}, say: func(conn net.Conn) {
				<-begun
				_, _ = conn.Write(tc.says)
			}})
			var log strings.Builder
			r.Log = slog.New(slog.NewTextHandler(&log, nil))
			if _, err := r.Start(t.Context(), "ann", asks); err != nil {
				t.Fatal(err)
			}
			if tc.disk != "" {
				flag := os.O_WRONLY
				if tc.disk == os.DevNull {
					flag = os.O_RDONLY // writing fails
				}
				f, err := os.OpenFile(tc.disk, flag, 0)
				if err != nil {
					t.Fatal(err)
				}
				r.mu.Lock()
				r.file.Close()
				r.file = f
				r.mu.Unlock()
			}
			close(begun)
			s := ended(t, r)
			if s.Reason != capture.Failed || s.Error == nil || !strings.Contains(s.Error.Message, tc.want) || s.Error.Text == "" || s.Packets != tc.kept {
				t.Errorf("%+v, %v", s, s.Error)
			}
			if said := log.String(); strings.Count(said, "a capture failed") != 1 || !strings.Contains(said, "interface=lan") {
				t.Errorf("the log says %q", said)
			}
		})
	}
}

func TestALineSaysWhoSpeaksToWhom(t *testing.T) {
	link := "\x02\x00\x00\x00\x00\x01\x02\x00\x00\x00\x00\x02"
	four := "\x45\x00\x00\x28\x00\x00\x00\x00\x40%c\x00\x00\xc0\x00\x02\x01\xc0\x00\x02\x09"
	v4 := func(protocol string) string { return strings.Replace(four, "%c", protocol, 1) }
	for want, data := range map[string]string{
		"192.0.2.1:1024 > 192.0.2.9:443: TCP SYN ACK": link + "\x08\x00" + v4("\x06") + "\x04\x00\x01\xbb\x00\x00\x00\x00\x00\x00\x00\x00\x50\x12",
		"192.0.2.1:1024 > 192.0.2.9:53: UDP (VLAN 9)": link + "\x81\x00\x00\x09\x08\x00" + v4("\x11") + "\x04\x00\x00\x35",
		"192.0.2.1 > 192.0.2.9: ICMP type 8 code 0":   link + "\x08\x00" + v4("\x01") + "\x08\x00",
		"192.0.2.1 > 192.0.2.9: protocol 47":          link + "\x08\x00" + v4("\x2f"),
		"ARP who has 192.0.2.9, asks 192.0.2.1":       link + "\x08\x06\x00\x01\x08\x00\x06\x04\x00\x01\x02\x00\x00\x00\x00\x02\xc0\x00\x02\x01\x00\x00\x00\x00\x00\x00\xc0\x00\x02\x09",
		"type 0x88cc":                                 link + "\x88\xcc<script>",
		"type 0x0000":                                 "short",
		"type 0x0800":                                 link + "\x08\x00\x4f",
	} {
		if got := Summary(ethernet, capture.Packet{Data: []byte(data)}); got.Summary != want {
			t.Errorf("%q, want %q", got.Summary, want)
		}
	}
	if got := Summary(101, capture.Packet{Data: []byte(v4("\x01") + "\x00\x00")}); got.Summary != "192.0.2.1 > 192.0.2.9: ICMP type 0 code 0" {
		t.Errorf("%q", got.Summary)
	}
}

func FuzzSummary(f *testing.F) {
	f.Add(uint32(ethernet), []byte("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x08\x00\x45"))
	f.Fuzz(func(_ *testing.T, link uint32, data []byte) { Summary(link, capture.Packet{Data: data}) })
}
