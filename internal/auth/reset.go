package auth

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gateway/internal/fault"
	"gateway/internal/secret"
	"gateway/internal/secret/privatefile"
)

const (
	// ResetLife is how long a reset token can be used.
	ResetLife = 30 * time.Minute

	resetBytes    = 16 // 32 hex characters
	maxWrongReset = 10
	claimInfix    = ".claim-"
)

// resetFile is what gateway-ctl leaves for the API.
type resetFile struct {
	Token      string    `json:"token"`
	ExpiresAt  time.Time `json:"expires_at"`
	WrongTries int       `json:"wrong_tries"`
}

// errReset is the one answer to a token that is unknown, expired or used.
func errReset() error {
	return fault.New(fault.Unauthenticated, "the reset token is invalid or has expired")
}

// CreateResetToken writes a new token to path, in place of an earlier one, and returns it.
func CreateResetToken(path string, now time.Time) (secret.Text, error) {
	random := make([]byte, resetBytes)
	_, _ = rand.Read(random) // never fails: crypto/rand crashes the program instead
	token := hex.EncodeToString(random)
	unlock, err := privatefile.Lock(path)
	if err != nil {
		return "", err
	}
	defer unlock()
	if err := writeReset(path, resetFile{Token: token, ExpiresAt: now.Add(ResetLife).UTC().Round(0)}); err != nil {
		return "", err
	}
	if err := removeClaims(path); err != nil {
		return "", err
	}
	return secret.Text(token), nil
}

// ConsumeResetToken runs act when token is the one in the file at path, once: the file
// is claimed by renaming it before act runs, and of any number of callers in any number
// of processes one claim succeeds. When act fails the token becomes usable again.
// A crash during act loses the token rather than risking its second use.
func ConsumeResetToken(path, token string, now time.Time, act func() error) error {
	claim, err := claimReset(path, strings.TrimSpace(token), now)
	if err != nil {
		return err
	}
	if err := act(); err != nil {
		return errors.Join(err, returnClaim(claim, path))
	}
	_ = os.Remove(claim) // nobody takes a token by this name, and the next CreateResetToken tidies up
	return nil
}

// claimReset checks the token and takes the file away under a name of its own. The lock
// makes wrong tries count and keeps them from disturbing a right one; it is not held
// while the caller hashes and stores.
func claimReset(path, token string, now time.Time) (claim string, err error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return "", errReset() // the usual case: no lock file for every stranger's try
	}
	unlock, err := privatefile.Lock(path)
	if err != nil {
		return "", err
	}
	defer unlock()
	f, err := readReset(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errReset()
	case err != nil:
		return "", err
	case !now.Before(f.ExpiresAt):
		return "", errReset()
	case !sameSecret(f.Token, token):
		return "", errors.Join(errReset(), countWrong(path, f))
	}
	claim = path + claimInfix + rand.Text()
	if err := os.Rename(path, claim); err != nil {
		return "", fmt.Errorf("claim reset token: %w", err)
	}
	// The claim must survive a power cut that act survives.
	return claim, privatefile.SyncDir(filepath.Dir(path))
}

func readReset(path string) (resetFile, error) {
	data, err := privatefile.Read(path)
	if err != nil {
		return resetFile{}, fmt.Errorf("read reset token: %w", err)
	}
	var f resetFile
	if err := json.Unmarshal(data, &f); err != nil || len(f.Token) != 2*resetBytes || f.ExpiresAt.IsZero() {
		return resetFile{}, fmt.Errorf("reset token file %s is damaged: make a new one with gateway-ctl reset-password", path)
	}
	return f, nil
}

func writeReset(path string, f resetFile) error {
	data, err := json.Marshal(f)
	if err == nil {
		err = privatefile.Replace(path, append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write reset token: %w", err)
	}
	return nil
}

func countWrong(path string, f resetFile) error {
	f.WrongTries++
	if f.WrongTries >= maxWrongReset {
		return os.Remove(path)
	}
	return writeReset(path, f)
}

// returnClaim puts the file back, unless a newer token is there already.
func returnClaim(claim, path string) error {
	unlock, err := privatefile.Lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	err = os.Link(claim, path)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if removed := os.Remove(claim); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	if err != nil {
		return fmt.Errorf("put the reset token back: %w", err)
	}
	return privatefile.SyncDir(filepath.Dir(path))
}

// removeClaims removes what a crash during an act left behind.
func removeClaims(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	prefix := filepath.Base(path) + claimInfix
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			if err := os.Remove(filepath.Join(filepath.Dir(path), e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}
