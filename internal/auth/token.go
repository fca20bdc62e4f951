package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"gateway/internal/secret"
)

const (
	// tokenPrefix lets secret scanners, and us, tell an API token from a session.
	tokenPrefix = "gwt_"
	tokenBytes  = 32
)

// NewToken returns a new API token, shown once, and the hash that is stored.
func NewToken() (token secret.Text, hash []byte) {
	random := make([]byte, tokenBytes)
	_, _ = rand.Read(random) // never fails: crypto/rand crashes the program instead
	plain := tokenPrefix + base64.RawURLEncoding.EncodeToString(random)
	hash, _ = HashToken(plain)
	return secret.Text(plain), hash
}

// HashToken returns the stored form of an API token, and false for what is not shaped
// like one. A plain hash will do: there is nothing to guess in 256 random bits.
func HashToken(token string) (hash []byte, ok bool) {
	body, ok := strings.CutPrefix(token, tokenPrefix)
	if !ok || len(body) != base64.RawURLEncoding.EncodedLen(tokenBytes) {
		return nil, false
	}
	if _, err := base64.RawURLEncoding.Strict().DecodeString(body); err != nil {
		return nil, false
	}
	sum := sha256.Sum256([]byte(token))
	return sum[:], true
}
