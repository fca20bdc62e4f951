package auth

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"time"
)

// maxKeys bounds every table of attempts, whatever names and addresses are tried.
const maxKeys = 10_000

// bounded is a map of at most limit entries. When it is full, a tenth goes: those for
// which spare is highest, that is those whose loss forgives the least.
type bounded[K comparable, V any] struct {
	limit   int
	spare   func(*V, time.Time) float64
	entries map[K]*V
}

func newBounded[K comparable, V any](limit int, spare func(*V, time.Time) float64) bounded[K, V] {
	return bounded[K, V]{limit: limit, spare: spare, entries: map[K]*V{}}
}

// at returns the entry of key, made from fresh when there is none.
func (b *bounded[K, V]) at(key K, now time.Time, fresh V) *V {
	if v, ok := b.entries[key]; ok {
		return v
	}
	if len(b.entries) >= b.limit {
		b.evict(now)
	}
	b.entries[key] = &fresh
	return &fresh
}

func (b *bounded[K, V]) evict(now time.Time) {
	type candidate struct {
		key   K
		spare float64
	}
	all := make([]candidate, 0, len(b.entries))
	for key, v := range b.entries {
		all = append(all, candidate{key, b.spare(v, now)})
	}
	slices.SortFunc(all, func(x, y candidate) int { return cmp.Compare(y.spare, x.spare) })
	for _, c := range all[:max(1, b.limit/10)] {
		delete(b.entries, c.key)
	}
}

// accountKey has the same size for every name, so that long ones cannot fill the memory.
type accountKey [sha256.Size]byte

func keyOf(account string) accountKey {
	return sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(account))))
}
