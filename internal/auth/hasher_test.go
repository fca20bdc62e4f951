package auth

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/crypto/bcrypt"

	"gateway/internal/fault"
)

const goodPassword = "blue-otter-42"

func hashOf(t *testing.T, pw string) []byte {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(pw), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

func TestStoredPasswordsHaveCost12(t *testing.T) {
	t.Parallel() // seconds under the race detector
	hash, err := NewHasher(Cost).Hash(t.Context(), Trusted, goodPassword)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := bcrypt.Cost(hash); err != nil || got != 12 {
		t.Errorf("cost = %d, %v, want 12", got, err)
	}
	if got, err := bcrypt.Cost(NewHasher(Cost).dummy); err != nil || got != 12 {
		t.Errorf("cost of the dummy = %d, %v, want 12", got, err)
	}
}

func TestCompare(t *testing.T) {
	long := strings.Repeat("p", 72)
	for _, tc := range []struct {
		name string
		hash []byte
		pw   string
		want bool
	}{
		{"the right password", hashOf(t, goodPassword), goodPassword, true},
		{"a wrong password", hashOf(t, goodPassword), "red-otter-42", false},
		{"an empty password", hashOf(t, goodPassword), "", false},
		{"no such user", nil, goodPassword, false},
		{"a user without a password", []byte{}, goodPassword, false},
		{"72 bytes", hashOf(t, long), long, true},
		{"a tail that bcrypt would ignore", hashOf(t, long), long + "tail", false},
		{"a NUL that bcrypt would start over at", hashOf(t, goodPassword), goodPassword + "\x00" + goodPassword, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := NewHasher(bcrypt.MinCost).Compare(t.Context(), Untrusted, tc.hash, tc.pw)
			if err != nil || got != tc.want {
				t.Errorf("compare = %v, %v, want %v", got, err, tc.want)
			}
		})
	}
}

func TestTheDummyCostsAsMuchAsARealHash(t *testing.T) {
	h := NewHasher(bcrypt.MinCost)
	// Any other error would mean that bcrypt gave up before doing the work.
	for _, pw := range []string{goodPassword, strings.Repeat("p", 100), ""} {
		if err := bcrypt.CompareHashAndPassword(h.dummy, []byte(pw)); !errors.Is(err, bcrypt.ErrMismatchedHashAndPassword) {
			t.Errorf("dummy against %d bytes: %v, want a mismatch after full work", len(pw), err)
		}
	}
}

func TestCompareReportsADamagedHash(t *testing.T) {
	_, err := NewHasher(bcrypt.MinCost).Compare(t.Context(), Untrusted, []byte("$2a$04$Xq9"), goodPassword)
	if err == nil {
		t.Fatal("no error, want one")
	}
	if _, isFault := fault.Of(err); isFault || strings.Contains(err.Error(), "Xq9") {
		t.Errorf("error = %v, want an internal one that does not tell the hash", err)
	}
}

func TestHashRefusesWhatBcryptWouldCut(t *testing.T) {
	for _, pw := range []string{"short", strings.Repeat("p", 73)} {
		if _, err := NewHasher(bcrypt.MinCost).Hash(t.Context(), Untrusted, pw); !fault.Is(err, fault.Invalid) {
			t.Errorf("%d bytes: %v, want an Invalid fault", len(pw), err)
		}
	}
}

func TestGateServesTrustedCallersFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate
		var order []string // written only by the holder of the gate
		if err := g.enter(t.Context(), Untrusted); err != nil {
			t.Fatal(err)
		}
		wait := func(name string, lane Lane) {
			go func() {
				if err := g.enter(t.Context(), lane); err != nil {
					t.Error(err)
					return
				}
				order = append(order, name)
				g.leave()
			}()
			synctest.Wait()
		}
		wait("stranger 1", Untrusted)
		wait("stranger 2", Untrusted)
		wait("owner 1", Trusted)
		wait("owner 2", Trusted)
		g.leave()
		synctest.Wait()
		if want := []string{"owner 1", "owner 2", "stranger 1", "stranger 2"}; !slices.Equal(order, want) {
			t.Errorf("order = %q, want %q", order, want)
		}
		if g.busy {
			t.Error("the gate is still busy")
		}
	})
}

func TestGateSendsAwayWhoFindsTheQueueFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHasher(bcrypt.MinCost)
		ctx, cancel := context.WithCancel(t.Context())
		if err := h.gate.enter(ctx, Trusted); err != nil {
			t.Fatal(err)
		}
		fill := func(lane Lane, n int) {
			for range n {
				go func() {
					if _, err := h.Compare(ctx, lane, nil, goodPassword); !errors.Is(err, context.Canceled) {
						t.Errorf("waiting caller: %v, want cancelled", err)
					}
				}()
			}
			synctest.Wait()
			if _, err := h.Compare(ctx, lane, nil, goodPassword); !fault.Is(err, fault.TooMany) {
				t.Errorf("caller %d in lane %d: %v, want TooMany at once", n+1, lane, err)
			}
		}
		fill(Untrusted, 3)
		fill(Trusted, 8) // a full lane of strangers takes no place from the trusted

		cancel()
		synctest.Wait()
		if n := len(h.gate.waiting[Untrusted]) + len(h.gate.waiting[Trusted]); n != 0 {
			t.Errorf("%d cancelled callers are still in the queue", n)
		}
		h.gate.leave()
		if ok, err := h.Compare(t.Context(), Untrusted, hashOf(t, goodPassword), goodPassword); err != nil || !ok {
			t.Errorf("afterwards = %v, %v, want true", ok, err)
		}
	})
}

func TestATurnGivenToACancelledCallerIsPassedOn(t *testing.T) {
	var g gate
	if err := g.enter(t.Context(), Untrusted); err != nil {
		t.Fatal(err)
	}
	ready, err := g.queue(Untrusted)
	if err != nil {
		t.Fatal(err)
	}
	g.leave()                   // hands the gate over …
	g.abandon(Untrusted, ready) // … to a caller who goes away at that moment
	if g.busy {
		t.Error("the gate is lost")
	}
}

func TestACancelledCallerDoesNotHash(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewHasher(bcrypt.MinCost).Compare(ctx, Trusted, nil, goodPassword); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want cancelled", err)
	}
}
