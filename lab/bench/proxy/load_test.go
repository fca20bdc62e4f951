package proxy

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The client and the server behind the engines have the first core, the engines the second:
// what one of them does must not slow the other.
const (
	ourCore     = 0
	enginesCore = "1"
)

// end is how everybody knows that an answer is complete.
const end = "</html>\n"

// stay keeps this process on a core, on one thread that runs Go, until leave.
func stay(t testing.TB) (leave func()) {
	t.Helper()
	before := runtime.GOMAXPROCS(1)
	var all, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		t.Fatal(err)
	}
	one.Set(ourCore)
	settle(t, &one)
	leave = sync.OnceFunc(func() {
		runtime.GOMAXPROCS(before)
		settle(t, &all)
	})
	t.Cleanup(leave)
	return leave
}

func settle(t testing.TB, on *unix.CPUSet) {
	t.Helper()
	tasks, err := filepath.Glob("/proc/self/task/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		id, _ := strconv.Atoi(filepath.Base(task))
		// A thread may have ended meanwhile.
		if err := unix.SchedSetaffinity(id, on); err != nil && !errors.Is(err, unix.ESRCH) {
			t.Logf("settle thread %d: %v", id, err)
		}
	}
}

// newOrigin serves the same page to everybody, as quickly as it can, and returns its port.
func newOrigin(t testing.TB) int {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	page := bytes.Repeat([]byte("<p>x</p>"), 128)
	page = append(page[:1024-len(end)], end...)
	answer := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", len(page), page)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go answerAll(conn, answer)
		}
	}()
	return ln.Addr().(*net.TCPAddr).Port
}

func answerAll(conn net.Conn, answer []byte) {
	defer conn.Close()
	buf := make([]byte, 16<<10)
	for have := 0; ; {
		n, err := conn.Read(buf[have:])
		if err != nil {
			return
		}
		if have += n; !bytes.HasSuffix(buf[:have], []byte("\r\n\r\n")) {
			continue
		}
		have = 0
		if _, err := conn.Write(answer); err != nil {
			return
		}
	}
}

// newLog is a socket that takes log lines, as the journal's does.
func newLog(t testing.TB, path string) {
	t.Helper()
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		buf := make([]byte, 4<<10)
		for {
			if _, err := conn.Read(buf); err != nil {
				return
			}
		}
	}()
}

// client asks for one host on one connection.
type client struct {
	conn     net.Conn
	page, in []byte
}

// dial connects the way the engine is to be spoken to.
func (e *engine) dial(host string) (*client, error) {
	conn, err := net.Dial("tcp", e.address)
	if err != nil {
		return nil, err
	}
	if e.tls {
		secure := tls.Client(conn, &tls.Config{ServerName: host, InsecureSkipVerify: true})
		if err := secure.Handshake(); err != nil {
			_ = conn.Close()
			return nil, err
		}
		conn = secure
	}
	return &client{conn: conn, page: request(host), in: make([]byte, 16<<10)}, nil
}

func request(host string) []byte {
	return []byte("GET /some/page?with=query HTTP/1.1\r\nHost: " + host + "\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n" +
		"Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8\r\nAccept-Language: en-US,en;q=0.5\r\nAccept-Encoding: gzip, deflate, br\r\n\r\n")
}

// load has clients ask again and again for a while, and returns how many answers came. An
// answer that is not the page fails the test.
func load(t testing.TB, clients []*client, length time.Duration) int {
	t.Helper()
	var total atomic.Int64
	var stop atomic.Bool
	timer := time.AfterFunc(length, func() { stop.Store(true) })
	defer timer.Stop()
	var wg sync.WaitGroup
	for _, c := range clients {
		wg.Go(func() {
			for !stop.Load() {
				if err := c.ask(); err != nil {
					t.Error(err)
					return
				}
				total.Add(1)
			}
		})
	}
	wg.Wait()
	return int(total.Load())
}

// try asks once, and takes any answer for one.
func (c *client) try() error {
	if _, err := c.conn.Write(c.page); err != nil {
		return err
	}
	n, err := c.conn.Read(c.in)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(c.in[:n], []byte("HTTP/1.1 200 ")) || !bytes.HasSuffix(c.in[:n], []byte(end)) {
		return fmt.Errorf("answered %q", c.in[:min(n, 200)])
	}
	return nil
}

func (c *client) ask() error {
	if _, err := c.conn.Write(c.page); err != nil {
		return err
	}
	have := 0
	for !bytes.HasSuffix(c.in[:have], []byte(end)) {
		n, err := c.conn.Read(c.in[have:])
		if err != nil {
			return fmt.Errorf("after %q: %w", c.in[:have], err)
		}
		have += n
	}
	if !bytes.HasPrefix(c.in[:have], []byte("HTTP/1.1 200 ")) {
		return fmt.Errorf("answered %q", c.in[:min(have, 200)])
	}
	return nil
}
