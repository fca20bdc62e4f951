package auth

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"gateway/internal/fault"
)

var (
	testKey = bytes.Repeat([]byte{7}, 32)
	jane    = Claims{Subject: "0198-jane", SID: "0198-sid", Epoch: 3}
)

func newSigner(t *testing.T, now func() time.Time) *Signer {
	t.Helper()
	s, err := NewSigner(testKey, "cluster-1", now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func at(now time.Time) func() time.Time { return func() time.Time { return now } }

// shows AUTH-01
func TestASessionIsAJWTSignedWithHS256(t *testing.T) {
	token, err := newSigner(t, at(noon)).Sign(Session, jane)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("%d parts, want 3", len(parts))
	}
	for i, want := range []map[string]any{
		{"alg": "HS256", "typ": "gw-session"},
		{
			"iss": "cluster-1", "aud": []any{"gateway"}, "sub": "0198-jane", "sid": "0198-sid", "epoch": 3.0,
			"iat": float64(noon.Unix()), "exp": float64(noon.Add(8 * time.Hour).Unix()),
		},
	} {
		raw, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(got, want); d != "" {
			t.Errorf("part %d: %s", i, d)
		}
	}
	signature, err := jwt.SigningMethodHS256.Sign(parts[0]+"."+parts[1], testKey)
	if err != nil || base64.RawURLEncoding.EncodeToString(signature) != parts[2] {
		t.Errorf("signature is not HMAC-SHA-256 (%v)", err)
	}
}

func TestTokensLiveAsLongAsTheirKind(t *testing.T) {
	for kind, life := range map[Kind]time.Duration{Session: 8 * time.Hour, MFA: 5 * time.Minute, Device: 180 * 24 * time.Hour} {
		t.Run(string(kind), func(t *testing.T) {
			token, err := newSigner(t, at(noon)).Sign(kind, jane)
			if err != nil {
				t.Fatal(err)
			}
			got, err := newSigner(t, at(noon.Add(life-time.Second))).Parse(kind, token)
			if err != nil {
				t.Fatalf("a second before its end: %v", err)
			}
			want := Claims{Subject: jane.Subject, SID: jane.SID, Epoch: 3, IssuedAt: noon, Expires: noon.Add(life)}
			if d := cmp.Diff(got, want); d != "" {
				t.Error(d)
			}
			if _, err := newSigner(t, at(noon.Add(life))).Parse(kind, token); err == nil {
				t.Error("accepted at its end")
			}
			for _, other := range []Kind{Session, MFA, Device, "JWT", ""} {
				if _, err := newSigner(t, at(noon)).Parse(other, token); (err == nil) != (other == kind) {
					t.Errorf("taken for %q: %v", other, err)
				}
			}
		})
	}
}

// forge signs whatever it is told to, as an attacker with a library would.
func forge(t *testing.T, method jwt.SigningMethod, key any, header, claims map[string]any) string {
	t.Helper()
	token := jwt.NewWithClaims(method, jwt.MapClaims(claims))
	token.Header["typ"] = "gw-session"
	maps.Copy(token.Header, header)
	signed, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

func goodClaims(change map[string]any) map[string]any {
	claims := map[string]any{
		"iss": "cluster-1", "aud": "gateway", "sub": "0198-jane", "sid": "0198-sid", "epoch": 3,
		"iat": noon.Unix(), "exp": noon.Add(time.Hour).Unix(),
	}
	for name, value := range change {
		claims[name] = value
		if value == nil {
			delete(claims, name)
		}
	}
	return claims
}

func TestHostileTokensAreRefused(t *testing.T) {
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	hs256 := func(header, change map[string]any) string {
		return forge(t, jwt.SigningMethodHS256, testKey, header, goodClaims(change))
	}
	good := hs256(nil, nil)
	parts := strings.Split(good, ".")
	none := forge(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil, goodClaims(nil))
	for _, tc := range []struct {
		name, token string
		ok          bool
	}{
		{"the good one, to prove the forging", good, true},
		{"iat a little ahead", hs256(nil, map[string]any{"iat": noon.Add(time.Minute).Unix()}), true},
		{"alg none", none, false},
		{"alg none spelled otherwise", base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"nOnE","typ":"gw-session"}`)) + "." + parts[1] + ".", false},
		{"alg none with the old signature", strings.TrimSuffix(none, ".") + "." + parts[2], false},
		{"HS384 with our key", forge(t, jwt.SigningMethodHS384, testKey, nil, goodClaims(nil)), false},
		{"HS512 with our key", forge(t, jwt.SigningMethodHS512, testKey, nil, goodClaims(nil)), false},
		{"RS256", forge(t, jwt.SigningMethodRS256, rsaKey, nil, goodClaims(nil)), false},
		{"another key", forge(t, jwt.SigningMethodHS256, bytes.Repeat([]byte{8}, 32), nil, goodClaims(nil)), false},
		{"an empty key", forge(t, jwt.SigningMethodHS256, []byte{}, nil, goodClaims(nil)), false},
		{"another typ", hs256(map[string]any{"typ": "gw-mfa"}, nil), false},
		{"the usual typ", hs256(map[string]any{"typ": "JWT"}, nil), false},
		{"a typ that is no string", hs256(map[string]any{"typ": []string{"gw-session"}}, nil), false},
		{"another audience", hs256(nil, map[string]any{"aud": "other"}), false},
		{"no audience", hs256(nil, map[string]any{"aud": nil}), false},
		{"another issuer", hs256(nil, map[string]any{"iss": "cluster-2"}), false},
		{"no issuer", hs256(nil, map[string]any{"iss": nil}), false},
		{"expired", hs256(nil, map[string]any{"exp": noon.Add(-time.Second).Unix()}), false},
		{"no exp", hs256(nil, map[string]any{"exp": nil}), false},
		{"an exp that is no number", hs256(nil, map[string]any{"exp": "never"}), false},
		{"no iat", hs256(nil, map[string]any{"iat": nil}), false},
		{"iat in the future", hs256(nil, map[string]any{"iat": noon.Add(61 * time.Second).Unix()}), false},
		{"not yet valid", hs256(nil, map[string]any{"nbf": noon.Add(time.Minute).Unix()}), false},
		{"no subject", hs256(nil, map[string]any{"sub": nil}), false},
		{"no session id", hs256(nil, map[string]any{"sid": nil}), false},
		{"no epoch", hs256(nil, map[string]any{"epoch": nil}), false},
		{"an epoch that is no integer", hs256(nil, map[string]any{"epoch": 3.5}), false},
		{"claims of another token", strings.Join([]string{parts[0], strings.Split(hs256(nil, map[string]any{"sub": "admin"}), ".")[1], parts[2]}, "."), false},
		{"a cut signature", good[:len(good)-4], false},
		{"no signature", parts[0] + "." + parts[1] + ".", false},
		{"two parts", parts[0] + "." + parts[1], false},
		{"four parts", good + ".x", false},
		{"padding", good + "=", false},
		{"spaces", " " + good, false},
		{"empty", "", false},
		{"dots", "..", false},
		{"huge", strings.Repeat("A", 1<<20), false},
		{"huge but well signed", hs256(nil, map[string]any{"x": strings.Repeat("A", 5000)}), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			claims, err := newSigner(t, at(noon)).Parse(Session, tc.token)
			if (err == nil) != tc.ok {
				t.Fatalf("error = %v, want ok %v", err, tc.ok)
			}
			if tc.ok {
				return
			}
			if !fault.Is(err, fault.Unauthenticated) || claims != (Claims{}) {
				t.Errorf("error = %v with claims %+v, want an Unauthenticated fault and none", err, claims)
			}
		})
	}
}

func TestSignRefusesWhatParseWould(t *testing.T) {
	s := newSigner(t, at(noon))
	for _, tc := range []struct {
		name   string
		kind   Kind
		claims Claims
		ok     bool
	}{
		{"a session without an id", Session, Claims{Subject: "u"}, false},
		{"anything without a subject", Device, Claims{SID: "s"}, false},
		{"a kind that does not exist", "gw-root", jane, false},
		{"a device without an id", Device, Claims{Subject: "u"}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := s.Sign(tc.kind, tc.claims); (err == nil) != tc.ok {
				t.Errorf("error = %v, want ok %v", err, tc.ok)
			}
		})
	}
	if _, err := NewSigner(testKey[:31], "cluster-1", time.Now); err == nil {
		t.Error("a short key was taken")
	}
	if _, err := NewSigner(testKey, "", time.Now); err == nil {
		t.Error("an empty issuer was taken")
	}
}
