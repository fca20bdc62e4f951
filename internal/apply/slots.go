package apply

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/fault"
)

const (
	// promptSlots are for how the node stands, and for what is told it.
	promptSlots = 16
	// syncSlots are for what brings one component to what is wanted. They are of each component: those that wait for
	// one whose daemon hangs must keep nobody else waiting.
	syncSlots = 16
	// waitSlots are for what waits for others, such as systemd or the next logged packet. More at
	// a time would not help: a unit is restarted once after the other.
	waitSlots = 16
	// readSlots are for what reads a great deal of the kernel or of a daemon.
	readSlots = 8
	// maxQueued is how many more of each kind may wait.
	maxQueued = 128
)

// slots let so many requests of one kind be worked on at a time, so that those of another
// need not wait for them.
type slots struct {
	taken, queued chan struct{}
}

func newSlots(n, queue int) slots {
	return slots{make(chan struct{}, n), make(chan struct{}, queue)}
}

// errPeerClosed is a request that nobody waits for any more.
var errPeerClosed = errors.New("the peer left before its request was begun")

// enter waits for a slot, so long at most, and is left by leave. A request that had to wait is
// not begun when its peer has left: whoever gave up asks again, and would wait behind itself.
func (s slots) enter(ctx context.Context, conn net.Conn, timeout time.Duration) (leave func(), err error) {
	leave = func() { <-s.taken }
	select {
	case s.taken <- struct{}{}:
		return leave, nil
	default:
	}
	select {
	case s.queued <- struct{}{}:
		defer func() { <-s.queued }()
	default:
		return nil, errBusy()
	}
	late := time.NewTimer(timeout)
	defer late.Stop()
	select {
	case s.taken <- struct{}{}:
	case <-late.C:
		return nil, errBusy()
	case <-ctx.Done():
		return nil, errShutDown()
	}
	if peerClosed(conn) {
		leave()
		return nil, errPeerClosed
	}
	return leave, nil
}

func errBusy() error {
	return fault.New(fault.TooMany, "the applier is busy with other requests; try again in a moment").WithCode("busy")
}

// peerClosed reports whether the peer has closed the connection. One that has only said all it has to
// say still waits for the answer.
func peerClosed(conn net.Conn) (gone bool) {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return false
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return true
	}
	err = raw.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd)}} // a hang-up is reported unasked
		n, err := unix.Poll(fds, 0)
		gone = err == nil && n > 0 && fds[0].Revents&(unix.POLLHUP|unix.POLLERR) != 0
	})
	return gone || err != nil
}

// slotsFor are those of a request. What is malformed is refused at once.
func (s *Server) slotsFor(line []byte) slots {
	var r struct {
		Verb      string `json:"verb"`
		Component string `json:"component"`
		Do        string `json:"do"`
	}
	if json.Unmarshal(line, &r) != nil {
		return s.prompt
	}
	switch r.Verb {
	case "service":
		return s.waits
	case "sync":
		return s.syncsOf(r.Component)
	case "component":
		return s.slotsOf(r.Component, r.Do)
	default:
		return s.prompt
	}
}

// syncsOf are those for bringing a component to what is wanted. One that there is not is refused at once.
func (s *Server) syncsOf(component string) slots {
	if s.engine == nil || !slices.ContainsFunc(s.engine.workers, func(w *worker) bool { return w.daemon.Name == component }) {
		return s.prompt
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.syncs[component]; !there {
		s.syncs[component] = newSlots(syncSlots, maxQueued)
	}
	return s.syncs[component]
}

// slotsOf are those of a component's verb, by what its daemon says of it.
func (s *Server) slotsOf(component, do string) slots {
	if s.engine == nil {
		return s.prompt
	}
	for _, w := range s.engine.workers {
		switch d := w.daemon; {
		case d.Name != component:
		case slices.Contains(d.Waits, do):
			return s.waits
		case slices.Contains(d.Urgent, do):
			return s.prompt
		default:
			return s.reads
		}
	}
	return s.prompt
}
