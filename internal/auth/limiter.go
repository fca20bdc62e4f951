package auth

import (
	"net/netip"
	"sync"
	"time"
)

// Rate allows Burst attempts at once and one more after every Refill.
type Rate struct {
	Burst  int
	Refill time.Duration
}

// Limits are the rates of a Limiter.
type Limits struct {
	IP      Rate // per address, or per /64 of IPv6
	Account Rate // per account, all strangers together
	Device  Rate // per account, for callers with its device cookie
}

// DefaultLimits keeps strangers below ten hashes per account and minute.
func DefaultLimits() Limits {
	return Limits{
		IP:      Rate{Burst: 10, Refill: 6 * time.Second},
		Account: Rate{Burst: 5, Refill: 12 * time.Second},
		Device:  Rate{Burst: 10, Refill: 6 * time.Second},
	}
}

// Attempt is one try to authenticate. An empty Account (reset token, setup code) is
// limited by address only.
type Attempt struct {
	IP      netip.Addr
	Account string
	Device  bool // the caller showed a valid device cookie of this account
}

// Limiter decides whether an attempt may cost a hash. Attempts with a device cookie
// have a bucket apart from address and account, so that nobody can lock the owner out
// by guessing, not even from behind the same address. It is safe for concurrent use.
type Limiter struct {
	limits Limits

	mu       sync.Mutex
	ips      bounded[netip.Prefix, bucket]
	accounts bounded[accountKey, bucket]
	devices  bounded[accountKey, bucket]
}

// NewLimiter returns a limiter that has seen nobody yet.
func NewLimiter(limits Limits) *Limiter {
	return newLimiter(limits, maxKeys)
}

func newLimiter(limits Limits, keys int) *Limiter {
	return &Limiter{
		limits:   limits,
		ips:      newBounded[netip.Prefix](keys, limits.IP.spare),
		accounts: newBounded[accountKey](keys, limits.Account.spare),
		devices:  newBounded[accountKey](keys, limits.Device.spare),
	}
}

// Allow takes one token from every bucket of the attempt, or none and says when to come
// back. The token is taken before the outcome is known: a hundred parallel guesses must
// not all pass before the first one fails.
func (l *Limiter) Allow(now time.Time, a Attempt) (ok bool, retryAfter time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	purses := l.purses(now, a)
	for _, p := range purses {
		retryAfter = max(retryAfter, p.rate.wait(p.bucket, now))
	}
	if retryAfter > 0 {
		return false, retryAfter
	}
	for _, p := range purses {
		*p.bucket = bucket{tokens: p.rate.level(p.bucket, now) - 1, at: now}
	}
	return true, 0
}

// Refund gives the tokens of an allowed attempt back: it succeeded, or nothing was
// compared because the queue was full or the database away. Only failures cost.
func (l *Limiter) Refund(now time.Time, a Attempt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.purses(now, a) {
		p.bucket.tokens = min(p.bucket.tokens+1, float64(p.rate.Burst))
	}
}

// purse is a bucket with the rate that fills it.
type purse struct {
	bucket *bucket
	rate   Rate
}

func (l *Limiter) purses(now time.Time, a Attempt) []purse {
	if a.Device && a.Account != "" {
		return []purse{{l.devices.at(keyOf(a.Account), now, l.limits.Device.full(now)), l.limits.Device}}
	}
	purses := []purse{{l.ips.at(network(a.IP), now, l.limits.IP.full(now)), l.limits.IP}}
	if a.Account != "" {
		purses = append(purses, purse{l.accounts.at(keyOf(a.Account), now, l.limits.Account.full(now)), l.limits.Account})
	}
	return purses
}

// network is what one client is: an IPv4 address, or the /64 that any IPv6 host has to itself.
func network(ip netip.Addr) netip.Prefix {
	ip = ip.Unmap().WithZone("")
	bits := 64
	if ip.Is4() {
		bits = 32
	}
	p, _ := ip.Prefix(bits) // the zero address gives the zero prefix, shared by all such callers
	return p
}

type bucket struct {
	tokens float64
	at     time.Time
}

func (r Rate) full(now time.Time) bucket { return bucket{tokens: float64(r.Burst), at: now} }

func (r Rate) level(b *bucket, now time.Time) float64 {
	elapsed := max(0, now.Sub(b.at)) // the clock may be set back
	return min(float64(r.Burst), b.tokens+elapsed.Seconds()/r.Refill.Seconds())
}

func (r Rate) wait(b *bucket, now time.Time) time.Duration {
	missing := 1 - r.level(b, now)
	if missing <= 1e-9 { // a token short by rounding is a token
		return 0
	}
	return time.Duration(missing * float64(r.Refill))
}

// spare is the part of the bucket that is full: a full one is worth nothing to remember.
func (r Rate) spare(b *bucket, now time.Time) float64 {
	return r.level(b, now) / float64(r.Burst)
}
