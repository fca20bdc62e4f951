package auth

import (
	"crypto/sha256"

	"gateway/internal/secret"
)

const (
	recoveryCodes  = 10
	recoveryLength = 20 // 100 bits, so that a plain hash of it cannot be searched
)

// NewRecoveryCodes returns ten codes like XXXXX-XXXXX-XXXXX-XXXXX, each good for one
// login without the authenticator. They are shown once; HashRecovery is what is stored.
func NewRecoveryCodes() []secret.Text {
	codes := make([]secret.Text, recoveryCodes)
	for i := range codes {
		codes[i] = secret.Text(readableCode(recoveryLength, 5))
	}
	return codes
}

// HashRecovery returns the stored form of a code, however it was typed.
func HashRecovery(code string) []byte {
	sum := sha256.Sum256([]byte(normalise(code)))
	return sum[:]
}
