package ntp

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"gateway/internal/component/ntp/chrony"
	"gateway/lab"
)

const chronyd = "/usr/sbin/chronyd"

// machine is a place in a lab where chronyd runs as our drop-in of the unit starts it,
// except that it must never touch the clock, which is the host's (-x).
type machine struct {
	t *testing.T
	*lab.Client
}

func newMachine(t *testing.T, l *lab.Lab, name string, networks ...string) machine {
	t.Helper()
	if len(networks) == 0 {
		networks = []string{"lan"}
	}
	return machine{t, l.Client(name, lab.On(networks...))}
}

// use makes the daemon run on a state, as Apply does.
func (m machine) use(s chrony.State) {
	m.t.Helper()
	r, err := s.Render()
	if err != nil {
		m.t.Fatal(err)
	}
	if len(r.Problems) > 0 {
		m.t.Fatalf("left out: %+v", r.Problems)
	}
	m.stop()
	if _, err := m.RunInput(m.t.Context(), bytes.NewReader(r.Files[0].Data), "tee", chrony.ConfFile); err != nil {
		m.t.Fatal(err)
	}
	args := append([]string{chronyd, "-x", "-r"}, chrony.Directives()...)
	m.MustRun(m.t, append(args, "confdir "+filepath.Dir(chrony.ConfFile))...)
}

func (m machine) stop() {
	m.t.Helper()
	m.MustRun(m.t, "sh", "-c", `f=/run/chrony/chronyd.pid; [ ! -e $f ] || { kill "$(cat $f)"; while [ -e $f ]; do :; done; }`)
}

// copyIn copies a program of the repository onto the machine.
func (m machine) copyIn(file, to string) {
	m.t.Helper()
	f, err := os.Open(file)
	if err != nil {
		m.t.Fatal(err)
	}
	defer f.Close()
	if out, err := m.RunInput(m.t.Context(), f, "sh", "-c", `cat >"$1" && chmod 755 "$1"`, "sh", to); err != nil {
		m.t.Fatalf("%v: %s", err, out)
	}
}

// handlers are the component's as it would run on that machine.
func (m machine) handlers() *handlers {
	return &handlers{Options{Now: time.Now, Dial: func(ctx context.Context) (net.Conn, error) {
		return m.DialContext(ctx, "udp", monitorAddress)
	}}}
}

// query asks an NTP server for the time. No answer in time is no error: stratum is 0 then.
func (m machine) query(server netip.Addr, patience time.Duration) (stratum int) {
	m.t.Helper()
	conn, err := m.DialContext(m.t.Context(), "udp", netip.AddrPortFrom(server, 123).String())
	if err != nil {
		m.t.Fatal(err)
	}
	defer conn.Close()
	packet := make([]byte, 48)
	packet[0] = 4<<3 | 3 // version 4, client
	if _, err := conn.Write(packet); err != nil {
		return 0 // refused before it left
	}
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		m.t.Fatal(err)
	}
	if _, err := conn.Read(packet); err != nil {
		return 0
	}
	return int(packet[1])
}

// answered waits until the server answers; it has just been started.
func (m machine) answered(server netip.Addr) bool {
	m.t.Helper()
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
		if m.query(server, 200*time.Millisecond) != 0 {
			return true
		}
	}
	return false
}

// until waits for what holds, looking again and again.
func until(t *testing.T, limit time.Duration, what string, holds func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for !holds() {
		if time.Since(began) > limit {
			t.Fatalf("not within %v: %s", limit, what)
		}
		<-time.After(20 * time.Millisecond)
	}
	return time.Since(began)
}

// timeServer is an NTP server of the test's own, whose clock is ahead of the machine's.
type timeServer struct {
	ahead atomic.Int64 // nanoseconds
	asked atomic.Int64
	mute  atomic.Bool
}

func newTimeServer(t *testing.T, at *lab.Client) *timeServer {
	t.Helper()
	conn, err := at.ListenPacket(t.Context(), "udp", ":123")
	if err != nil {
		t.Fatal(err)
	}
	s := &timeServer{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.serve(conn)
	}()
	t.Cleanup(func() { conn.Close(); <-done })
	return s
}

func (s *timeServer) serve(conn net.PacketConn) {
	in := make([]byte, 256)
	for {
		n, from, err := conn.ReadFrom(in)
		if err != nil {
			return
		}
		s.asked.Add(1)
		if n < 48 || s.mute.Load() {
			continue
		}
		_, _ = conn.WriteTo(s.reply(in[:48]), from)
	}
}

func (s *timeServer) reply(in []byte) []byte {
	now := time.Now().Add(time.Duration(s.ahead.Load()))
	out := make([]byte, 48)
	out[0], out[1], out[2], out[3] = 4<<3|4, 1, in[2], 0xec // version 4, server; stratum 1; 1 µs
	copy(out[12:], "TEST")
	binary.BigEndian.PutUint64(out[16:], ntpTime(now.Add(-time.Second)))
	copy(out[24:32], in[40:48])
	binary.BigEndian.PutUint64(out[32:], ntpTime(now))
	binary.BigEndian.PutUint64(out[40:], ntpTime(now))
	return out
}

// ntpTime counts seconds since 1900, with 32 bits behind the point.
func ntpTime(t time.Time) uint64 {
	const since1900 = 2208988800
	return uint64(t.Unix()+since1900)<<32 | uint64(t.Nanosecond())<<32/1e9
}

func pointer[T any](v T) *T { return &v }

var errFake = fmt.Errorf("made up for a test")
