package auth

import (
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"gateway/internal/fault"
)

// Kind is what a signed token is for, and its `typ` header: a token of one kind is
// refused wherever another is asked for.
type Kind string

// The kinds of token.
const (
	Session Kind = "gw-session" // a signed-in user
	MFA     Kind = "gw-mfa"     // the password was right, the second factor is still due
	Device  Kind = "gw-device"  // this browser has signed in to this account before
)

// How long the tokens live from their signing.
const (
	SessionLife = 8 * time.Hour
	MFALife     = 5 * time.Minute
	DeviceLife  = 180 * 24 * time.Hour
)

// IdleLimit ends a cookie session without requests. The session row has the last one, the token does not.
const IdleLimit = 30 * time.Minute

const (
	audience = "gateway"
	// maxSkew is how far ahead the clock of the cluster node that signed may be.
	maxSkew = time.Minute
	// maxToken is far above what we sign; longer ones are not worth the decoding.
	maxToken = 4096
	// minKey is the output of the hash, below which HMAC-SHA-256 loses strength (RFC 7518, 3.2).
	minKey = 32
)

// Life is how long a token of this kind is valid; zero for a kind that does not exist.
func (k Kind) Life() time.Duration {
	switch k {
	case Session:
		return SessionLife
	case MFA:
		return MFALife
	case Device:
		return DeviceLife
	}
	return 0
}

// Claims are what a token says. The role is not among them: it comes from the database.
type Claims struct {
	Subject string // user id
	SID     string // id of the session; free for the other kinds
	Epoch   int64  // the user's session epoch; a higher one in the database revokes the token

	IssuedAt time.Time // set by Sign
	Expires  time.Time // set by Sign
}

// wire is the encoded form. Epoch is a pointer so that a token without it is told from epoch 0.
type wire struct {
	jwt.RegisteredClaims

	SID   string `json:"sid,omitempty"`
	Epoch *int64 `json:"epoch"`
}

// Signer signs and parses tokens by HS256. It is safe for concurrent use.
type Signer struct {
	key    []byte
	issuer string
	now    func() time.Time
	parser *jwt.Parser
}

// NewSigner returns the signer of a key of at least 32 bytes; issuer is the cluster's id.
func NewSigner(key []byte, issuer string, now func() time.Time) (*Signer, error) {
	if len(key) < minKey {
		return nil, fmt.Errorf("signing key has %d bytes, want at least %d", len(key), minKey)
	}
	if issuer == "" {
		return nil, errors.New("tokens need an issuer: the parser does not check an empty one")
	}
	parser := jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithIssuer(issuer), jwt.WithAudience(audience),
		jwt.WithExpirationRequired(), jwt.WithStrictDecoding(), jwt.WithTimeFunc(now),
	)
	return &Signer{key: key, issuer: issuer, now: now, parser: parser}, nil
}

// Sign returns a token of that kind, valid from now for the kind's life.
func (s *Signer) Sign(kind Kind, c Claims) (string, error) {
	if kind.Life() == 0 {
		return "", fmt.Errorf("sign: no token kind %q", kind)
	}
	if err := c.complete(kind); err != nil {
		return "", fmt.Errorf("sign %s: %w", kind, err)
	}
	now := s.now()
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, wire{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: s.issuer, Audience: jwt.ClaimStrings{audience}, Subject: c.Subject,
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(kind.Life())),
		},
		SID: c.SID, Epoch: &c.Epoch,
	})
	token.Header["typ"] = string(kind)
	return token.SignedString(s.key)
}

// Parse returns the claims of a valid token of that kind. The error is an
// Unauthenticated fault for the caller and says the reason to the log, without the token.
func (s *Signer) Parse(kind Kind, token string) (Claims, error) {
	claims, err := s.parse(kind, token)
	if err != nil {
		return Claims{}, fmt.Errorf("%w: %s token: %w", fault.New(fault.Unauthenticated, "not signed in, or the session has ended"), kind, err)
	}
	return claims, nil
}

func (s *Signer) parse(kind Kind, token string) (Claims, error) {
	if len(token) > maxToken {
		return Claims{}, errors.New("too long")
	}
	var w wire
	parsed, err := s.parser.ParseWithClaims(token, &w, func(t *jwt.Token) (any, error) {
		if typ, _ := t.Header["typ"].(string); kind.Life() == 0 || typ != string(kind) {
			return nil, errors.New("of another kind")
		}
		return s.key, nil
	})
	if err != nil {
		return Claims{}, err
	}
	if !parsed.Valid || w.Epoch == nil || w.IssuedAt == nil {
		return Claims{}, errors.New("a claim is missing")
	}
	if w.IssuedAt.After(s.now().Add(maxSkew)) {
		return Claims{}, errors.New("issued in the future")
	}
	c := Claims{Subject: w.Subject, SID: w.SID, Epoch: *w.Epoch, IssuedAt: w.IssuedAt.Time, Expires: w.ExpiresAt.Time}
	return c, c.complete(kind)
}

func (c Claims) complete(kind Kind) error {
	if c.Subject == "" {
		return errors.New("no subject")
	}
	if kind == Session && c.SID == "" {
		return errors.New("no session id")
	}
	return nil
}
