// Package auth holds the mechanisms of authentication: passwords and the gate before
// their hashing, attempt limits, TOTP, recovery codes, API and session tokens, the
// reset token and the setup code. It knows no SQL and no HTTP; who may sign in, and
// what follows from it, is left to component/user and package api.
package auth

import (
	"strings"

	"gateway/internal/fault"
)

// Lengths are in bytes. bcrypt ignores what follows the 72nd, so longer passwords are
// refused rather than cut.
const (
	MinPassword = 12
	MaxPassword = 72
)

// CheckLength refuses a new password that is too short or that bcrypt could not tell
// apart from another one.
func CheckLength(pw string) error {
	switch {
	case len(pw) < MinPassword:
		return fault.New(fault.Invalid, "the password must have at least %d characters", MinPassword)
	case len(pw) > MaxPassword:
		return fault.New(fault.Invalid, "the password must have at most %d bytes (non-ASCII characters count as 2 to 4)", MaxPassword)
	case strings.ContainsRune(pw, 0):
		return fault.New(fault.Invalid, "the password must not contain a NUL character")
	}
	return nil
}

// hashable reports whether bcrypt tells pw apart from every other password: it stops
// at 72 bytes, and repeats the key after a NUL.
func hashable(pw string) bool {
	return len(pw) <= MaxPassword && !strings.ContainsRune(pw, 0)
}
