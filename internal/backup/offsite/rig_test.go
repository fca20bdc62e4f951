package offsite

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gateway/internal/secret"
	"gateway/lab/s3test"
	"gateway/lab/sshtest"
)

// archive is made up as it is read, so that a large one takes no memory. Every eight bytes of it tell where they are.
type archive struct{ seed uint64 }

func (a archive) ReadAt(p []byte, off int64) (int, error) {
	var word [8]byte
	for i := 0; i < len(p); {
		at := uint64(off) + uint64(i)
		value := (at/8 + a.seed) * 0x9e3779b97f4a7c15
		if at%8 == 0 && len(p)-i >= 8 {
			binary.LittleEndian.PutUint64(p[i:], value)
			i += 8
			continue
		}
		binary.LittleEndian.PutUint64(word[:], value)
		i += copy(p[i:], word[at%8:])
	}
	return len(p), nil
}

// is reports whether content is all of the archive.
func (a archive) is(content []byte, size int64) bool {
	want := make([]byte, size)
	_, _ = a.ReadAt(want, 0)
	return bytes.Equal(content, want)
}

// wire leads to a server, and can be as bad as wires are.
type wire struct {
	to    string
	ln    net.Listener
	end   chan struct{}
	conns atomic.Int64
	sent  atomic.Int64 // to the server

	mu      sync.Mutex
	cutAt   int64 // 0: never
	stallAt int64 // 0: never
	rate    int   // bytes a second; 0: as fast as it can
	since   time.Time
	down    bool
	open    map[net.Conn]bool
}

func newWire(t testing.TB, to string) *wire {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{to: to, ln: ln, end: make(chan struct{}), open: map[net.Conn]bool{}}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			all.Go(func() { w.carry(conn.(*net.TCPConn)) })
		}
	})
	t.Cleanup(func() {
		close(w.end)
		_ = ln.Close()
		w.cut()
		all.Wait()
	})
	return w
}

// spoil has the wire cut or stalled after so many more bytes to the server, or slow; heal makes it good again.
func (w *wire) spoil(cutAt, stallAt int64, rate int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent.Store(0)
	w.cutAt, w.stallAt, w.rate, w.since, w.down = cutAt, stallAt, rate, time.Now(), false
}

func (w *wire) heal() { w.spoil(0, 0, 0) }

func (w *wire) carry(from *net.TCPConn) {
	defer from.Close()
	w.conns.Add(1)
	_ = from.SetReadBuffer(32 << 10) // what it has taken is not on its way
	to, err := net.Dial("tcp", w.to)
	if err != nil || !w.keep(from, to) {
		_ = from.SetLinger(0)
		return
	}
	defer w.forget(from, to)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(from, to)
		_ = from.CloseWrite()
	}()
	w.forward(from, to)
	if tcp, ok := to.(*net.TCPConn); ok {
		_ = tcp.CloseWrite()
	}
	<-done
}

func (w *wire) keep(conns ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range conns {
		w.open[c] = true
	}
	return !w.down
}

func (w *wire) forget(conns ...net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range conns {
		delete(w.open, c)
		_ = c.Close()
	}
}

// cut ends all connections as a cable does, and lets no new one through.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = true
	for c := range w.open {
		_ = c.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
	}
}

func (w *wire) forward(from, to net.Conn) {
	buffer := make([]byte, 16<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 && !w.pass(to, buffer[:n]) {
			return
		}
		if err != nil {
			return
		}
	}
}

func (w *wire) pass(to net.Conn, data []byte) bool {
	w.mu.Lock()
	cutAt, stallAt, rate, since := w.cutAt, w.stallAt, w.rate, w.since
	w.mu.Unlock()
	sent := w.sent.Add(int64(len(data)))
	if rate > 0 {
		select {
		case <-w.end:
		case <-time.After(time.Until(since.Add(time.Second * time.Duration(sent) / time.Duration(rate)))):
		}
	}
	if stallAt > 0 && sent >= stallAt {
		<-w.end
		return false
	}
	if cutAt > 0 && sent >= cutAt {
		over := int(min(sent-cutAt, int64(len(data))))
		_, _ = to.Write(data[:len(data)-over])
		w.cut()
		return false
	}
	_, err := to.Write(data)
	return err == nil
}

// wires are what can be reached, by the address that a target has.
type wires map[string]*wire

func (n wires) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w, ok := n[address]
	if !ok {
		return nil, &net.OpError{Op: "dial", Net: network, Err: fmt.Errorf("%s is not there", address)}
	}
	return (&net.Dialer{}).DialContext(ctx, network, w.ln.Addr().String())
}

// deps reach the wires, with little patience.
func (n wires) deps() Deps {
	return Deps{Dial: n.dial, Stall: 20 * time.Second, Retry: 10 * time.Millisecond, Authorities: "/nonexistent"}
}

// objects is an object store behind a wire.
type objects struct {
	*s3test.Server
	*wire
}

func newObjects(t testing.TB, o s3test.Options) objects {
	t.Helper()
	s := s3test.New(t, o)
	return objects{s, newWire(t, s.Addr)}
}

const storeAddr = "s3.example:9000"

func (o objects) target() Target {
	return Target{Kind: KindS3, S3: &S3{
		Endpoint: storeAddr, Region: s3test.Region, Bucket: s3test.Bucket, AccessKey: s3test.AccessKey, SecretKey: s3test.SecretKey, Prefix: "nodes/one",
	}}
}

// has reports whether the store has the archive by that name, and whether it is whole.
func (o objects) has(name string, a archive, size int64) (there, whole bool) {
	content, there := o.Object("nodes/one/" + name)
	return there, there && a.is(content, size)
}

// left is how much is there of what was not finished.
func (o objects) left() int { return len(o.Unfinished()) }

// files is an SSH server behind a wire.
type files struct {
	*sshtest.Server
	*wire
}

func newFiles(t testing.TB, o sshtest.Options) files {
	t.Helper()
	s := sshtest.New(t, o)
	return files{s, newWire(t, net.JoinHostPort(s.Host, strconv.Itoa(s.Port)))}
}

const serverAddr = "files.example:22"

func (f files) target() Target {
	return Target{Kind: KindSFTP, SFTP: &SFTP{Host: "files.example", User: sshtest.User, Password: sshtest.Password, Fingerprint: f.Fingerprints["ed25519"]}}
}

func (f files) has(name string, a archive, size int64) (there, whole bool) {
	content, err := os.ReadFile(filepath.Join(f.Folder(), name))
	return err == nil, err == nil && a.is(content, size)
}

// mkdir makes a folder in the user's.
func (f files) mkdir(t testing.TB, name string) {
	t.Helper()
	dir := filepath.Join(f.Folder(), name)
	if err := errors.Join(os.Mkdir(dir, 0o755), os.Chown(dir, sshtest.UID, sshtest.UID)); err != nil {
		t.Fatal(err)
	}
}

func (f files) left() int {
	n := 0
	_ = filepath.WalkDir(f.Folder(), func(_ string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(e.Name(), unfinished) {
			n++
		}
		return err
	})
	return n
}

// with changes a copy of a target.
func with(t Target, change func(s *S3, f *SFTP)) Target {
	out := Target{Kind: t.Kind}
	if t.S3 != nil {
		s := *t.S3
		out.S3 = &s
	}
	if t.SFTP != nil {
		f := *t.SFTP
		out.SFTP = &f
	}
	change(out.S3, out.SFTP)
	return out
}

// code asserts why something failed.
func code(t testing.TB, err error, want Code) {
	t.Helper()
	if err == nil {
		t.Errorf("it did not fail, want %s", want)
		return
	}
	if got, _ := CodeOf(err); got != want {
		t.Errorf("code = %s (%v), want %s", got, err, want)
	}
}

func key(text string) secret.Text { return secret.Text(text) }

// outcome is what came of one of several targets.
type outcome struct {
	Result
	Err error
	At  time.Time
}

// putAll uploads to each target beside the others. The outcomes are in the order of the targets.
func putAll(ctx context.Context, d Deps, targets []Target, name string, size int64, r io.ReaderAt) []outcome {
	d = d.defaults()
	out := make([]outcome, len(targets))
	var uploads sync.WaitGroup
	for i, t := range targets {
		uploads.Go(func() {
			result, err := t.Put(ctx, d, name, size, r)
			out[i] = outcome{result, err, d.Now()}
		})
	}
	uploads.Wait()
	return out
}
