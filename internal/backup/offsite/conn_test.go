package offsite

import (
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"testing"
	"time"
)

// endless is a connection to somebody who never stops.
type endless struct{ net.Conn }

func (endless) Read(b []byte) (int, error)  { return len(b), nil }
func (endless) Write(b []byte) (int, error) { return len(b), nil }
func (endless) SetDeadline(time.Time) error { return nil }

func TestAServerThatNeverStopsIsLeft(t *testing.T) {
	m := &moving{Conn: endless{}, stall: time.Minute, most: mostReceived}
	n, err := io.Copy(io.Discard, m)
	if !errors.Is(err, errTooMuch) || n > mostReceived+1<<20 || !m.broken.Load() {
		t.Errorf("read %d bytes, %v, want about %d and an error", n, err, mostReceived)
	}
	m = &moving{Conn: endless{}, stall: time.Minute, most: mostReceived}
	for range 64 { // answers to what was sent are no surprise
		if _, err := m.Write(make([]byte, 8<<20)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, m, 1<<20); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAConnectionLastsAsLongAsItMoves(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	m := &moving{Conn: here, stall: 300 * time.Millisecond}
	if err := m.moved(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for range 8 { // twice as long in all
			<-time.After(75 * time.Millisecond)
			_, _ = there.Write([]byte{1})
		}
	}()
	n, err := io.Copy(io.Discard, m)
	if n != 8 || !errors.Is(err, os.ErrDeadlineExceeded) || !m.stalled.Load() {
		t.Errorf("read %d bytes, %v, want 8 and then no patience", n, err)
	}
}

// Whoever notices first closes the connection, and the other direction is told why.
func TestBothDirectionsOfAConnectionThatHangsSaySo(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	m := &moving{Conn: here, stall: time.Millisecond}
	if err := m.moved(); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("read = %v, want no patience", err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := m.Write([]byte{1})
	code(t, network(err, ""), CodeTimeout)
	code(t, network(&url.Error{Op: "Put", URL: "http://s3.example/archives/one", Err: err}, ""), CodeTimeout)
}
