package apply

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/daemon"
	"gateway/internal/fault"
)

const (
	// maxConnections is how many may be connected without having asked for something yet.
	maxConnections = 16
	// A request is one short line and comes at once.
	readTimeout  = 5 * time.Second
	writeTimeout = 5 * time.Second
	// Stopping and starting a unit may take 90 s each before systemd gives up.
	workTimeout = 200 * time.Second
)

type packetFilter interface {
	TableLoaded(ctx context.Context, family, name string) (bool, error)
}

// Server answers on the applier's socket.
type Server struct {
	units    units
	filter   packetFilter
	services []daemon.Service
	engine   *Engine
	uids     []uint32
	log      *slog.Logger
	locks    unitLocks
	notes    notes

	prompt, waits, reads slots
	read, work           time.Duration // shorter in tests

	mu    sync.Mutex
	syncs map[string]slots // by component
}

// NewServer answers processes of the given users and nobody else. It acts on these services
// and on no other unit.
func NewServer(u units, f packetFilter, services []daemon.Service, e *Engine, uids []uint32, log *slog.Logger) *Server {
	return &Server{
		units: u, filter: f, services: services, engine: e, uids: uids, log: log, read: readTimeout, work: workTimeout,
		prompt: newSlots(promptSlots, maxQueued), waits: newSlots(waitSlots, maxQueued), reads: newSlots(readSlots, maxQueued),
		syncs: map[string]slots{},
	}
}

// Serve answers until ctx ends, then closes the listener, lets the requests under way
// come to an end (their work is cancelled) and returns nil.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	var under sync.WaitGroup
	defer under.Wait()
	silent := make(chan struct{}, maxConnections)
	for {
		silent <- struct{}{} // before accepting: who finds no place waits in the kernel's queue
		conn, err := l.Accept()
		if ctx.Err() != nil {
			closeIf(conn)
			return nil
		}
		if err != nil {
			return fmt.Errorf("accept on the applier's socket: %w", err)
		}
		under.Go(func() {
			asked := sync.OnceFunc(func() { <-silent })
			defer asked()
			defer conn.Close()
			s.serveConn(ctx, conn, asked)
		})
	}
}

func closeIf(c net.Conn) {
	if c != nil {
		_ = c.Close()
	}
}

// serveConn answers one request, and writes the one log line about it. It calls asked when the
// request is there.
func (s *Server) serveConn(ctx context.Context, conn net.Conn, asked func()) {
	cred, err := s.admit(conn)
	if err != nil {
		s.log.Warn("apply refused a connection", "err", err)
		return
	}
	line, err := s.readRequest(ctx, conn)
	asked()
	if errors.Is(err, errNothingSaid) || ctx.Err() != nil {
		return
	}
	leave := func() {}
	if err == nil {
		leave, err = s.slotsFor(line).enter(ctx, conn, s.work)
	}
	if errors.Is(err, errPeerClosed) {
		s.log.Debug("apply", "uid", cred.Uid, "pid", cred.Pid, "request", excerpt(line), "err", err)
		return
	}
	var answer any
	if err == nil {
		defer leave() // with the answer, which may be long
		answer, err = s.perform(ctx, line)
	}
	if err != nil {
		answer = toWire(err)
	}
	sent := s.answer(conn, answer)
	if errors.Is(sent, syscall.EPIPE) {
		sent = nil // whoever asked has gone, as one does who closes the page
	}
	err = errors.Join(err, sent)
	request := excerpt(line)
	s.notes.note(s.log.With("uid", cred.Uid, "pid", cred.Pid, "request", request), request, answer, err)
}

// admit looks at who is there before anything is read from them.
func (s *Server) admit(conn net.Conn) (*unix.Ucred, error) {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, fmt.Errorf("a %T is not a unix socket", conn)
	}
	cred, err := peer(c)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(s.uids, cred.Uid) {
		return nil, fmt.Errorf("uid %d (pid %d) is not allowed to use the applier", cred.Uid, cred.Pid)
	}
	return cred, nil
}

func (s *Server) readRequest(ctx context.Context, conn net.Conn) ([]byte, error) {
	if err := conn.SetReadDeadline(time.Now().Add(s.read)); err != nil {
		return nil, fmt.Errorf("set the read deadline: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Now()) })
	defer stop()
	return readLine(conn, maxLine)
}

// perform does not end when the peer leaves: half a change is worse than an answer that
// nobody reads.
func (s *Server) perform(ctx context.Context, line []byte) (answer any, err error) {
	// The process also installs, undoes and watches: one request must not end all that.
	defer func() {
		if v := recover(); v != nil {
			answer, err = nil, fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	limited, cancel := context.WithTimeout(ctx, s.work)
	defer cancel()
	answer, err = s.dispatch(limited, line)
	if err != nil && ctx.Err() != nil {
		return nil, errShutDown()
	}
	return answer, err
}

func errShutDown() error {
	return fault.New(fault.Unavailable, "the applier is shutting down; try again")
}

// answer sends what the client can read; of more it is told that there is more.
func (s *Server) answer(conn net.Conn, v any) error {
	line, err := encodeLine(v)
	// From here on: a long answer may take seconds to encode on a busy machine.
	if err := conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return fmt.Errorf("set the write deadline: %w", err)
	}
	if err == nil && len(line) > maxAnswer {
		err = fault.New(fault.TooLarge, "the answer has more than %d bytes; ask for less", maxAnswer)
		return errors.Join(err, writeLine(conn, toWire(err)))
	}
	if err != nil {
		return err
	}
	return sendLine(conn, line)
}

// excerpt keeps a log line short whatever was sent; requests hold no secrets.
func excerpt(line []byte) string {
	const limit = 200
	return string(bytes.TrimSpace(line[:min(len(line), limit)]))
}
