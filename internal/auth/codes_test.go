package auth

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"gateway/internal/secret"
)

func TestRecoveryCodes(t *testing.T) {
	shape := regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){3}$`)
	seen := map[secret.Text]bool{}
	codes := NewRecoveryCodes()
	for _, code := range codes {
		if !shape.MatchString(code.Reveal()) {
			t.Errorf("a code is not shaped like XXXXX-XXXXX-XXXXX-XXXXX")
		}
		seen[code] = true
	}
	if len(codes) != 10 || len(seen) != 10 {
		t.Errorf("%d codes, %d different, want 10", len(codes), len(seen))
	}
}

func TestHashRecoveryForgivesTyping(t *testing.T) {
	want := HashRecovery("01ABC-DEFGH-JKMNP-QRSTV")
	for _, tc := range []struct {
		name, code string
		same       bool
	}{
		{"lower case", "01abc-defgh-jkmnp-qrstv", true},
		{"no dashes", "01ABCDEFGHJKMNPQRSTV", true},
		{"spaces around and inside", "  01ABC DEFGH JKMNP QRSTV\n", true},
		{"letters for digits", "OIabc-defgh-jkmnp-qrstv", true},
		{"l for 1", "0labc-defgh-jkmnp-qrstv", true},
		{"another letter", "01ABC-DEFGH-JKMNP-QRSTW", false},
		{"a letter less", "01ABC-DEFGH-JKMNP-QRST", false},
		{"empty", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := bytes.Equal(HashRecovery(tc.code), want); got != tc.same {
				t.Errorf("same = %v, want %v", got, tc.same)
			}
		})
	}
}

func TestReadableCodesUseEveryLetter(t *testing.T) {
	code := strings.ReplaceAll(readableCode(4096, 4), "-", "")
	for _, letter := range readable {
		if n := strings.Count(code, string(letter)); n < 64 || n > 256 { // 128 expected, σ = 11
			t.Errorf("%c occurs %d times in 4096, want about 128", letter, n)
		}
	}
}

func TestNewToken(t *testing.T) {
	token, hash := NewToken()
	if !regexp.MustCompile(`^gwt_[A-Za-z0-9_-]{43}$`).MatchString(token.Reveal()) {
		t.Error("the token is not gwt_ and 43 characters of base64url")
	}
	again, ok := HashToken(token.Reveal())
	if !ok || !bytes.Equal(again, hash) || len(hash) != 32 {
		t.Errorf("hash = %x, %v, want %x", again, ok, hash)
	}
	if other, _ := NewToken(); other == token {
		t.Error("two tokens are the same")
	}
}

func TestHashTokenRefusesOtherShapes(t *testing.T) {
	token, _ := NewToken()
	plain := token.Reveal()
	for _, tc := range []struct{ name, token string }{
		{"empty", ""},
		{"only the prefix", "gwt_"},
		{"without the prefix", plain[4:]},
		{"with another prefix", "gwx_" + plain[4:]},
		{"a character short", plain[:46]},
		{"a character long", plain + "A"},
		{"not base64url", plain[:46] + "!"},
		{"a session token", "eyJhbGciOiJIUzI1NiJ9.e30.x"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if hash, ok := HashToken(tc.token); ok || hash != nil {
				t.Errorf("hash = %x, %v, want none", hash, ok)
			}
		})
	}
}
