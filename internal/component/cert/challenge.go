package cert

import (
	"context"
	"fmt"
	"regexp"
	"sync"
	"time"

	"gateway/internal/db"
	"gateway/internal/fault"
)

// tokenForm is what an authority's tokens are made of.
var tokenForm = regexp.MustCompile(`^[A-Za-z0-9_-]{16,128}$`)

// challengeChannel is notified when the stored challenges change.
const challengeChannel = "gateway_challenge"

const (
	// maxChallenges is more than all orders that may be open at once have.
	maxChallenges = 1000
	// Anybody may ask for a challenge, as often as they like. For what we do not know we look
	// again, but not more often than this; what is stored is also told to us.
	lookBurst  = 20
	lookRefill = 250 * time.Millisecond
)

// challenges are the answers that authorities may ask for, in memory.
type challenges struct {
	mu    sync.Mutex
	known map[string]challenge // by token
	looks int                  // that are left
	since time.Time            // of the last look that was given back
}

type challenge struct {
	Token, Text string
	Expires     time.Time
}

// keyAuthorization answers an authority that looks whether a name is ours.
func (s *service) keyAuthorization(ctx context.Context, token string) (string, error) {
	unknown := fault.New(fault.NotFound, "there is no such challenge")
	if !tokenForm.MatchString(token) {
		return "", unknown
	}
	if text, ok := s.challenges.find(token, s.Now()); ok {
		return text, nil
	}
	if !s.challenges.mayLook(s.Now()) {
		return "", unknown
	}
	if err := s.readChallenges(ctx); err != nil {
		return "", err
	}
	if text, ok := s.challenges.find(token, s.Now()); ok {
		return text, nil
	}
	return "", unknown
}

// readChallenges brings the memory up to date.
func (s *service) readChallenges(ctx context.Context) error {
	list, err := db.List[challenge](ctx, s.DB, `select token, key_authorization, expires_at from acme_challenges
		where expires_at > $1 order by expires_at desc limit $2`, s.Now(), maxChallenges)
	if err != nil {
		return fmt.Errorf("read challenges: %w", err)
	}
	known := make(map[string]challenge, len(list))
	for _, c := range list {
		known[c.Token] = c
	}
	s.challenges.mu.Lock()
	defer s.challenges.mu.Unlock()
	s.challenges.known = known
	return nil
}

// challengesChanged is told by the database.
func (s *service) challengesChanged(ctx context.Context, _ string) {
	if err := s.readChallenges(ctx); err != nil && ctx.Err() == nil {
		s.Log.Warn("challenges", "err", err) // the next request that asks looks again
	}
}

func (c *challenges) find(token string, now time.Time) (text string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.known[token]
	return found.Text, ok && found.Expires.After(now)
}

// mayLook reports whether the database may be asked for what is not known.
func (c *challenges) mayLook(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if back := now.Sub(c.since) / lookRefill; back > 0 {
		c.looks, c.since = int(min(lookBurst, time.Duration(c.looks)+back)), now
	}
	if c.looks == 0 {
		return false
	}
	c.looks--
	return true
}
