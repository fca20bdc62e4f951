package api

import (
	"sync"

	"gateway/internal/fault"
)

const (
	// maxStreams is how many WebSockets are open at once: half of the connections that
	// HAProxy holds to the API, so that requests always have the other half.
	maxStreams = 256
	// streamsEach is how many of them one account has. A browser's tab opens a few.
	streamsEach = 64
)

// streams counts the open WebSockets, which last as long as their caller likes.
type streams struct {
	mu  sync.Mutex
	all int
	of  map[string]int
}

// enter takes a place for an account's stream. Whoever got one must leave.
func (s *streams) enter(account string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= maxStreams || s.of[account] >= streamsEach {
		return fault.New(fault.TooMany, "too many open streams; close some").WithRetry(pingEvery)
	}
	if s.of == nil {
		s.of = map[string]int{}
	}
	s.all++
	s.of[account]++
	return nil
}

func (s *streams) leave(account string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.of[account]--; s.of[account] == 0 {
		delete(s.of, account)
	}
}
