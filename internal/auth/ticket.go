package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"sync"
	"time"

	"gateway/internal/secret"
)

const (
	// TicketTime is how long a ticket is good: a browser uses it at once.
	TicketTime = time.Minute
	maxTickets = 1000
)

// Tickets let a session do one thing once, right after it was asked for the password: fetch an archive, as a browser that
// fetches a file cannot send a password along, or make a request whose effect outlasts the session (api.Op, Lasting), as
// the bodies of those have no place for one. They are kept in memory, so a restart ends them.
type Tickets struct {
	mu   sync.Mutex
	open bounded[[sha256.Size]byte, ticket]
}

type ticket struct {
	session, thing string
	until          time.Time
}

// NewTickets returns an empty set.
func NewTickets() *Tickets {
	return &Tickets{open: newBounded[[sha256.Size]byte](maxTickets, func(t *ticket, now time.Time) float64 { return -t.until.Sub(now).Seconds() })}
}

// Issue makes one for that session and that thing.
func (t *Tickets) Issue(now time.Time, session, thing string) secret.Text {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails: crypto/rand crashes the program instead
	text := base64.RawURLEncoding.EncodeToString(random)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open.at(sha256.Sum256([]byte(text)), now, ticket{session, thing, now.Add(TicketTime)})
	return secret.Text(text)
}

// Redeem reports whether a ticket is good for that session and that thing. Whatever the answer, it
// is used up: whoever has it besides its owner gets nothing by trying it elsewhere.
func (t *Tickets) Redeem(now time.Time, text, session, thing string) bool {
	key := sha256.Sum256([]byte(text))
	t.mu.Lock()
	defer t.mu.Unlock()
	found, ok := t.open.entries[key]
	delete(t.open.entries, key)
	// A clock that was set back makes none last longer.
	return ok && found.session == session && found.thing == thing && now.Before(found.until) && !now.Before(found.until.Add(-TicketTime))
}
