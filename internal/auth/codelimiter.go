package auth

import (
	"sync"
	"time"
)

// Second factors may be mistyped a few times; from then on every try makes the next one
// wait longer. It is a delay and not a lock, because a lock would let whoever stole a
// password shut the owner out.
const (
	freeCodes     = 5
	codeWindow    = 15 * time.Minute
	firstDelay    = 30 * time.Second
	longestDelay  = 15 * time.Minute
	delaysToLimit = 5 // 30 s doubled five times is past the longest delay
)

// CodeLimiter slows down the guessing of TOTP and recovery codes. It is safe for concurrent use.
type CodeLimiter struct {
	mu    sync.Mutex
	tries bounded[accountKey, tries]
}

type tries struct {
	count  int
	until  time.Time // no try before
	forget time.Time // quiet long enough to start anew
}

// NewCodeLimiter returns a limiter that has seen no wrong code yet.
func NewCodeLimiter() *CodeLimiter {
	return &CodeLimiter{tries: newBounded[accountKey](maxKeys, triesSpare)}
}

// triesSpare ranks by what is left of the memory: the fewer tries, the sooner forgotten.
func triesSpare(t *tries, now time.Time) float64 {
	if now.After(t.forget) {
		return 1
	}
	return -float64(t.count)
}

// Allow counts a try for the account, or refuses it and says when to come back. The try
// counts as wrong until Right is called, so that parallel guesses cannot all slip through.
func (l *CodeLimiter) Allow(account string, now time.Time) (ok bool, retryAfter time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.tries.at(keyOf(account), now, tries{})
	if !now.Before(t.forget) {
		*t = tries{}
	}
	if now.Before(t.until) {
		return false, t.until.Sub(now)
	}
	t.count++
	if t.count >= freeCodes {
		t.until = now.Add(delay(t.count - freeCodes))
	}
	t.forget = now.Add(codeWindow)
	if t.until.After(now) {
		t.forget = t.until.Add(codeWindow)
	}
	return true, 0
}

func delay(n int) time.Duration {
	return min(firstDelay<<min(n, delaysToLimit), longestDelay)
}

// Right forgets the wrong codes of an account that gave a right one.
func (l *CodeLimiter) Right(account string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.tries.entries, keyOf(account))
}
