package auth

import (
	"bytes"
	"crypto/subtle"
	"fmt"
	"image/png"
	"log/slog"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"gateway/internal/secret"
)

const (
	totpPeriod = 30 // seconds per step
	qrPixels   = 256
)

// Enrolment is what a user needs to set up an authenticator. PNG shows URL as a QR code
// and is therefore as secret as the other two.
type Enrolment struct {
	Secret secret.Text
	URL    secret.Text
	PNG    []byte
}

// String hides the picture too.
func (Enrolment) String() string { return secret.Redacted }

// LogValue hides the picture too.
func (Enrolment) LogValue() slog.Value { return slog.StringValue(secret.Redacted) }

// NewTOTP makes a new second factor with the parameters every authenticator
// understands: SHA-1, six digits, 30 seconds.
func NewTOTP(issuer, account string) (Enrolment, error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: account, Period: totpPeriod})
	if err != nil {
		return Enrolment{}, fmt.Errorf("make TOTP secret: %w", err)
	}
	image, err := key.Image(qrPixels, qrPixels)
	if err != nil {
		return Enrolment{}, fmt.Errorf("draw TOTP QR code: %w", err)
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image); err != nil {
		return Enrolment{}, fmt.Errorf("draw TOTP QR code: %w", err)
	}
	return Enrolment{Secret: secret.Text(key.Secret()), URL: secret.Text(key.URL()), PNG: picture.Bytes()}, nil
}

// Match tells whether code is right now, one step ago or one step ahead, and for which
// step. The caller must store that step by compare-and-set, and refuse one that is not
// higher than the last: a code works once.
func Match(totpSecret, code string, now time.Time) (step int64, ok bool) {
	code = strings.Join(strings.Fields(code), "") // authenticators show "123 456"
	current := now.Unix() / totpPeriod
	// All three are compared whatever the outcome, so that the time does not tell which one was near.
	for _, s := range [...]int64{current - 1, current + 1, current} {
		want, err := hotp.GenerateCodeCustom(totpSecret, uint64(s), hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err != nil {
			return 0, false
		}
		if subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			step, ok = s, true
		}
	}
	return step, ok
}
