package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"strings"
)

// readable is the alphabet of Crockford's base32: no I, L, O or U, so that a code can be
// read from a screen or a printout without doubt. Its 32 letters hold 5 bits each.
const readable = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// readableCode returns n random letters, with a dash after every group.
func readableCode(n, group int) string {
	random := make([]byte, n)
	_, _ = rand.Read(random) // never fails: crypto/rand crashes the program instead
	var code strings.Builder
	for i, b := range random {
		if i > 0 && i%group == 0 {
			code.WriteByte('-')
		}
		code.WriteByte(readable[b%byte(len(readable))]) // 256 is a multiple of 32: no letter is favoured
	}
	return code.String()
}

// normalise undoes what people do to codes: lower case, spaces, missing dashes, and the
// letters that look like digits.
func normalise(code string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '-', ' ', '\t', '\r', '\n':
			return -1
		case 'O':
			return '0'
		case 'I', 'L':
			return '1'
		}
		return r
	}, strings.ToUpper(code))
}

// sameSecret compares in a time that depends on neither content nor length: the hashes
// always have the same length.
func sameSecret(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
