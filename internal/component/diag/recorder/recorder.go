// Package recorder keeps the one capture of packets that a node has: it asks gateway-capture for it,
// writes what comes to a file that has no name, and forgets it after its time. What runs ends with
// this process, and so does what was kept: nothing of it is ever left behind.
package recorder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"gateway/internal/capture"
	"gateway/internal/fault"
)

const (
	// Keep is how long a capture that ended can be downloaded.
	Keep = time.Hour
	// MostDownloads are open at once, of this capture and of earlier ones: a file that somebody still
	// reads takes its space, also when it was deleted.
	MostDownloads = 3
	// mostLines are shown of a capture; the file has all.
	mostLines = 50
	// answerTime is for gateway-capture to begin, and to end after its limit.
	answerTime = 10 * time.Second
)

// Why there is no capture.
var (
	// ErrRunning is that there is one already.
	ErrRunning = errors.New("a capture is running")
	// ErrTurnedAway is that gateway-capture begins none, though this process has none: another
	// process has one, or the program does not start. From here the two look alike.
	ErrTurnedAway = errors.New("gateway-capture takes no capture")
	// ErrAway is that gateway-capture cannot be reached.
	ErrAway = errors.New("gateway-capture is not there")
	// ErrNoInterface is that the interface is gone.
	ErrNoInterface = errors.New("no such interface")
	// ErrLoopback is that it is the loopback interface, which is not recorded.
	ErrLoopback = errors.New("the loopback interface is not recorded")
	// ErrNone is that there is nothing to download.
	ErrNone = errors.New("no capture that ended")
	// ErrDownloads is that others are downloading, as many as may.
	ErrDownloads = errors.New("too many downloads of captures")
)

// The states of the capture.
const (
	None    = "none"
	Running = "running"
	Ended   = "ended"
)

// State is how the capture stands.
type State struct {
	State   string
	By      string
	Request capture.Request
	Started time.Time
	Ended   time.Time // zero while it runs
	Expires time.Time
	Reason  string          // how it ended
	Error   *fault.Sentence // why it failed, where it did
	Packets int
	Bytes   int64 // of the file
	Dropped uint64
	Lines   []Line // the last ones
}

// Recorder has at most one capture.
type Recorder struct {
	Socket string
	Dir    string // folder of the file
	Now    func() time.Time
	Log    *slog.Logger

	mu      sync.Mutex
	state   State
	file    *os.File
	conn    *net.UnixConn
	stopped bool
	forget  *time.Timer
	done    chan struct{} // closed when the one that runs ended
	open    int           // downloads
}

// Start begins a capture, in place of the one that ended before.
func (r *Recorder) Start(ctx context.Context, by string, q capture.Request) (State, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.State == Running {
		return State{}, ErrRunning
	}
	conn, begin, err := r.ask(ctx, q)
	if err != nil {
		return State{}, err
	}
	r.drop()
	file, err := nameless(r.Dir)
	if err == nil {
		_, err = file.Write(capture.FileHeader(begin.Link))
	}
	if err != nil {
		_ = conn.Close() // it ends the capture
		return State{}, fmt.Errorf("make the file of a capture: %w", err)
	}
	r.file, r.conn, r.stopped, r.done = file, conn, false, make(chan struct{})
	r.state = State{State: Running, By: by, Request: q, Started: r.Now(), Bytes: int64(len(capture.FileHeader(begin.Link)))}
	go r.follow(conn, begin.Link, r.done)
	return r.look(), nil
}

// ask has gateway-capture begin. That of a capture which just ended may still be on its way out.
func (r *Recorder) ask(ctx context.Context, q capture.Request) (conn *net.UnixConn, begin capture.Begin, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	for range 5 {
		conn, begin, err = r.try(ctx, q)
		if !errors.Is(err, ErrTurnedAway) {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	return conn, begin, err
}

// try connects to gateway-capture once.
func (r *Recorder) try(ctx context.Context, q capture.Request) (*net.UnixConn, capture.Begin, error) {
	var begin capture.Begin
	dialled, err := (&net.Dialer{}).DialContext(ctx, "unix", r.Socket)
	if err != nil {
		return nil, begin, errors.Join(ErrAway, err)
	}
	conn := dialled.(*net.UnixConn)
	begin, err = request(ctx, conn, q)
	if err != nil {
		_ = conn.Close() // nothing was begun
		return nil, begin, err
	}
	return conn, begin, conn.SetDeadline(time.Now().Add(q.Time + answerTime))
}

func request(ctx context.Context, conn *net.UnixConn, q capture.Request) (begin capture.Begin, err error) {
	end, _ := ctx.Deadline()
	line, err := json.Marshal(q)
	if err != nil {
		return begin, fmt.Errorf("encode the request: %w", err)
	}
	if err := conn.SetDeadline(end); err != nil {
		return begin, err
	}
	_, err = conn.Write(append(line, '\n'))
	var kind byte
	var said []byte
	if err == nil {
		kind, said, err = capture.Hear(conn)
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		// The socket takes one at a time: whoever is too many is turned away without a word. It is not
		// ErrRunning: here is nothing that could be stopped.
		return begin, errors.Join(ErrTurnedAway, err)
	case err != nil:
		return begin, errors.Join(ErrAway, err)
	case kind != capture.SaysBegin:
		return begin, fmt.Errorf("gateway-capture began with %q", kind)
	}
	if err := json.Unmarshal(said, &begin); err != nil {
		return begin, fmt.Errorf("decode how it began: %w", err)
	}
	switch begin.Error {
	case "":
		return begin, nil
	case capture.NoInterface:
		return begin, ErrNoInterface
	case capture.Loopback:
		return begin, ErrLoopback
	}
	return begin, fmt.Errorf("gateway-capture refuses it: %s", begin.Error)
}

// nameless is a file that the kernel removes with its last descriptor.
func nameless(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, ".capture-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// follow takes packets until there are no more.
func (r *Recorder) follow(conn *net.UnixConn, link uint32, done chan struct{}) {
	defer close(done)
	end, err := r.hear(conn, link)
	_ = conn.Close() // it has said all
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Now()
	r.state.State, r.state.Reason, r.state.Dropped, r.state.Ended, r.state.Expires = Ended, end.Reason, end.Dropped, now, now.Add(Keep)
	switch {
	case err != nil && r.stopped:
		r.state.Reason = capture.Stopped
	case err != nil:
		r.Log.Warn("a capture failed", "interface", r.state.Request.Interface, "packets", r.state.Packets, "err", err)
		why := reason(err)
		r.state.Error = &why
	}
	file := r.file
	r.forget = time.AfterFunc(Keep, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.file == file {
			r.drop()
		}
	})
}

// hear takes packets until the capture ends; it failed where there is an error.
func (r *Recorder) hear(conn *net.UnixConn, link uint32) (end capture.End, err error) {
	failed := capture.End{Reason: capture.Failed}
	for {
		kind, said, err := capture.Hear(conn)
		if err != nil {
			return failed, fmt.Errorf("hear gateway-capture: %w", err)
		}
		switch kind {
		case capture.SaysPacket:
			err := r.take(link, said)
			if errors.Is(err, errFull) {
				return capture.End{Reason: capture.ByBytes}, nil
			}
			if err != nil {
				return failed, err
			}
		case capture.SaysEnd:
			if err := json.Unmarshal(said, &end); err != nil {
				return failed, fmt.Errorf("decode how it ended: %w", err)
			}
			return end, nil
		}
	}
}

// reason is what an operator is told of a capture that failed; the log has the rest.
func reason(err error) fault.Sentence {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fault.Said("no space is left on the disk of this node")
	case errors.Is(err, errWrite):
		return fault.Said("the file could not be written; see the log of gateway-api")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fault.Said("gateway-capture did not end in time; see journalctl -u 'gateway-capture@*'")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return fault.Said("gateway-capture broke off; see journalctl -u 'gateway-capture@*'")
	}
	return fault.Said("the answer of gateway-capture could not be read; see the log of gateway-api")
}

var (
	errFull  = errors.New("the file is full")
	errWrite = errors.New("write a packet")
)

// take writes a packet, unless the file would be larger than was asked for: the limit holds here
// too, whatever gateway-capture does.
func (r *Recorder) take(link uint32, record []byte) error {
	p, err := capture.ParsePacket(record)
	if err != nil {
		return err
	}
	line := Summary(link, p)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.Bytes+int64(len(record)) > r.state.Request.Bytes || r.state.Packets >= r.state.Request.Packets {
		return errFull
	}
	if _, err := r.file.Write(record); err != nil {
		_ = r.file.Truncate(r.state.Bytes) // half a packet makes the file unreadable for some
		return fmt.Errorf("%w: %w", errWrite, err)
	}
	r.state.Bytes += int64(len(record))
	r.state.Packets++
	if len(r.state.Lines) == mostLines {
		r.state.Lines = r.state.Lines[1:]
	}
	r.state.Lines = append(r.state.Lines, line)
	return nil
}

// look is the state for somebody else.
func (r *Recorder) look() State {
	s := r.state
	if s.State == "" {
		s.State = None
	}
	s.Lines = slices.Clone(s.Lines)
	return s
}

// Look is how the capture stands.
func (r *Recorder) Look() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.look()
}

// Stop ends the capture that runs, and waits until it did. What was recorded stays.
func (r *Recorder) Stop(ctx context.Context) (State, error) {
	r.mu.Lock()
	if r.state.State != Running {
		defer r.mu.Unlock()
		return r.look(), nil
	}
	conn, done := r.conn, r.done
	r.stopped = true
	r.mu.Unlock()
	_ = conn.CloseWrite()                                // by which gateway-capture knows
	_ = conn.SetReadDeadline(time.Now().Add(answerTime)) // if it does not, it is left alone: it ends with the connection
	select {
	case <-done:
		return r.Look(), nil
	case <-ctx.Done():
		return State{}, fmt.Errorf("stop a capture: %w", ctx.Err())
	}
}

// Delete removes the capture; one that runs is stopped first.
func (r *Recorder) Delete(ctx context.Context) error {
	if _, err := r.Stop(ctx); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.State != Running { // not one that somebody began meanwhile
		r.drop()
	}
	return nil
}

// drop forgets the capture, which does not run.
func (r *Recorder) drop() {
	if r.forget != nil {
		r.forget.Stop()
	}
	if r.file != nil {
		_ = r.file.Close() // nobody will read it
	}
	r.file, r.forget, r.state = nil, nil, State{}
}

// File is the capture that ended. Whoever gets it closes it, and soon: it can be read even when another
// one begins, and until then it is one of those that may be open.
func (r *Recorder) File() (io.ReadSeekCloser, State, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.state.State != Ended:
		return nil, State{}, ErrNone
	case r.open == MostDownloads:
		return nil, State{}, ErrDownloads
	}
	// Of the same file, at a place of its own.
	f, err := os.Open(fmt.Sprintf("/proc/self/fd/%d", r.file.Fd()))
	if err != nil {
		return nil, State{}, fmt.Errorf("open the file of a capture: %w", err)
	}
	r.open++
	return &download{File: f, closed: sync.OnceFunc(r.closed)}, r.look(), nil
}

func (r *Recorder) closed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open--
}

// download is a file that is counted until it is closed.
type download struct {
	*os.File
	closed func()
}

func (d *download) Close() error {
	defer d.closed()
	return d.File.Close()
}
