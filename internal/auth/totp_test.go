package auth

import (
	"bytes"
	"encoding/base32"
	"fmt"
	"image/png"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
)

// shows AUTH-16
func TestMatchFollowsRFC6238(t *testing.T) {
	key := base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))
	// Appendix B, the SHA-1 rows; six digits are the last six of eight.
	for _, tc := range []struct {
		unix int64
		code string
		step int64
	}{
		{59, "94287082", 0x1},
		{1111111109, "07081804", 0x23523EC},
		{1111111111, "14050471", 0x23523ED},
		{1234567890, "89005924", 0x273EF07},
		{2000000000, "69279037", 0x3F940AA},
		{20000000000, "65353130", 0x27BC86AA},
	} {
		t.Run(fmt.Sprintf("at %d", tc.unix), func(t *testing.T) {
			step, ok := Match(key, tc.code[2:], time.Unix(tc.unix, 0))
			if !ok || step != tc.step {
				t.Errorf("match = %#x, %v, want %#x, true", step, ok, tc.step)
			}
		})
	}
}

func TestMatchWindow(t *testing.T) {
	e, err := NewTOTP("Gateway", "jane@example.com")
	if err != nil {
		t.Fatal(err)
	}
	key := e.Secret.Reveal()
	code, err := totp.GenerateCode(key, noon)
	if err != nil {
		t.Fatal(err)
	}
	step := noon.Unix() / 30
	for _, tc := range []struct {
		name, key, code string
		now             time.Time
		ok              bool
	}{
		{"in its own step", key, code, noon.Add(29 * time.Second), true},
		{"one step late", key, code, noon.Add(59 * time.Second), true},
		{"one step early", key, code, noon.Add(-30 * time.Second), true},
		{"two steps late", key, code, noon.Add(60 * time.Second), false},
		{"two steps early", key, code, noon.Add(-31 * time.Second), false},
		{"with a space in the middle", key, code[:3] + " " + code[3:], noon, true},
		{"with a digit more", key, code + "0", noon, false},
		{"with a digit less", key, code[:5], noon, false},
		{"empty", key, "", noon, false},
		{"with a damaged secret", "not base32!", code, noon, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ok := Match(tc.key, tc.code, tc.now)
			if ok != tc.ok || (ok && got != step) {
				t.Errorf("match = %d, %v, want %d, %v", got, ok, step, tc.ok)
			}
		})
	}
}

func TestEnrolment(t *testing.T) {
	e, err := NewTOTP("Edge Gateway", "jane@example.com")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(e.Secret.Reveal())
	if err != nil || len(raw) != 20 {
		t.Errorf("secret has %d bytes, %v, want 20", len(raw), err)
	}
	u, err := url.Parse(e.URL.Reveal())
	if err != nil || u.Scheme != "otpauth" || u.Query().Get("secret") != e.Secret.Reveal() || u.Query().Get("issuer") != "Edge Gateway" {
		t.Errorf("the URL does not say scheme, secret and issuer (%v)", err)
	}
	image, err := png.Decode(bytes.NewReader(e.PNG))
	if err != nil || image.Bounds().Dx() != 256 || image.Bounds().Dy() != 256 {
		t.Errorf("picture: %v, want 256 by 256", err)
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("enrol", "e", e)
	if all := log.String() + fmt.Sprint(e); strings.Contains(all, "PNG") || strings.Contains(all, e.Secret.Reveal()) {
		t.Errorf("printed as %q", all)
	}
	if again, _ := NewTOTP("Edge Gateway", "jane@example.com"); again.Secret == e.Secret {
		t.Error("two enrolments have the same secret")
	}
	if _, err := NewTOTP("Edge Gateway", strings.Repeat("a", 64)+"@"+strings.Repeat("b", 180)+".example"); err != nil {
		t.Errorf("the longest address: %v", err)
	}
}
