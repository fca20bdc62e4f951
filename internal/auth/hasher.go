package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/crypto/bcrypt"
)

// Cost is the bcrypt cost of every stored password: a third of a second of one core.
const Cost = 12

// retryBusy is what a caller is told who found the queue full.
const retryBusy = 2 * time.Second

// Hasher computes bcrypt hashes one at a time, so that a flood of logins leaves the
// other core to the API. It is safe for concurrent use.
type Hasher struct {
	cost  int
	dummy []byte
	gate  gate
}

// NewHasher returns a hasher of the given cost: Cost, or bcrypt.MinCost in tests.
func NewHasher(cost int) *Hasher {
	// Salt and digest are made up: the comparison costs the same, and its result is not used.
	dummy := fmt.Sprintf("$2a$%02d$%s", cost, "N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy")
	return &Hasher{cost: cost, dummy: []byte(dummy)}
}

// Hash returns the hash to store for a new password. It checks the length itself, since
// a password bcrypt would cut must not get in by any path.
func (h *Hasher) Hash(ctx context.Context, lane Lane, pw string) ([]byte, error) {
	if err := CheckLength(pw); err != nil {
		return nil, err
	}
	if err := h.gate.enter(ctx, lane); err != nil {
		return nil, err
	}
	defer h.gate.leave()
	hash, err := bcrypt.GenerateFromPassword([]byte(pw), h.cost)
	if err != nil {
		return nil, fmt.Errorf("hash password: %w", err)
	}
	return hash, nil
}

// Compare tells whether pw is the password of hash. Without a hash (no such user, no
// password set) and for a password that cannot have been stored it does the same work
// on a dummy, so that the time says nothing. A full queue is a TooMany fault; in that
// case, and when ctx ends, nothing was compared.
func (h *Hasher) Compare(ctx context.Context, lane Lane, hash []byte, pw string) (bool, error) {
	if err := h.gate.enter(ctx, lane); err != nil {
		return false, err
	}
	defer h.gate.leave()
	if len(hash) == 0 || !hashable(pw) {
		_ = bcrypt.CompareHashAndPassword(h.dummy, []byte(pw))
		return false, nil
	}
	err := bcrypt.CompareHashAndPassword(hash, []byte(pw))
	if errors.Is(err, bcrypt.ErrMismatchedHashAndPassword) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("compare password with the stored hash: %w", err)
	}
	return true, nil
}
