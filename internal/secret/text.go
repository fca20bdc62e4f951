// Package secret keeps secrets secret: Text does not print, Box seals what the
// database stores, and the key files hold what the box and the session signer need.
// Which columns are sealed, and who may see what, is left to the components.
package secret

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// Redacted is what every printed or encoded Text reads as.
const Redacted = "<redacted>"

// Text is a secret string. It reads from JSON as a plain string and writes, prints and
// logs as Redacted. Keep it in exported fields: fmt cannot call the methods of a value
// it finds in an unexported one, and would print it. Nor is it for map keys, which
// encoding/json writes without asking.
type Text string

// Reveal returns the secret itself.
func (t Text) Reveal() string { return string(t) }

// String hides the secret from %s, %v and string building.
func (t Text) String() string { return Redacted }

// GoString hides the secret from %#v.
func (t Text) GoString() string { return Redacted }

// Format hides the secret from every other verb, %x and %d included.
func (t Text) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, Redacted) }

// LogValue hides the secret from slog.
func (t Text) LogValue() slog.Value { return slog.StringValue(Redacted) }

// MarshalJSON hides the secret from answers and audit entries.
func (t Text) MarshalJSON() ([]byte, error) { return json.Marshal(Redacted) }

// MarshalText hides the secret from every other encoder.
func (t Text) MarshalText() ([]byte, error) { return []byte(Redacted), nil }

// UnmarshalJSON takes the plain value.
func (t *Text) UnmarshalJSON(data []byte) error {
	// The error of encoding/json names the type but not the value; still, say our own.
	if err := json.Unmarshal(data, (*string)(t)); err != nil {
		return errors.New("must be a string")
	}
	return nil
}

// UnmarshalText takes the plain value.
func (t *Text) UnmarshalText(data []byte) error {
	*t = Text(data)
	return nil
}

// Value refuses to become a query argument. The driver would store either the plain
// secret or the word "<redacted>"; callers pass a sealed value, or Reveal on purpose.
func (t Text) Value() (driver.Value, error) {
	return nil, errors.New("a secret must be sealed, hashed or revealed before it is stored")
}
