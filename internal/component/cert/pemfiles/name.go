package pemfiles

import (
	"errors"
	"regexp"
	"strings"

	"golang.org/x/net/idna"
)

// nameForm is stricter than DNS: no authority signs an underscore, and a last part that
// begins with a digit would be an address.
var nameForm = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)

// ParseName puts a name into the form in which it is stored: lower case, ASCII, no dot at
// its end. A wildcard stands for one label, at the beginning.
func ParseName(s string) (string, error) {
	star := ""
	name := strings.ToLower(strings.TrimSuffix(strings.TrimSpace(s), "."))
	if rest, ok := strings.CutPrefix(name, "*."); ok {
		star, name = "*.", rest
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r > '~' }) {
		ascii, err := idna.Lookup.ToASCII(name)
		if err != nil {
			return "", errors.New("has characters that no name can have")
		}
		name = ascii
	}
	if len(star+name) > 253 || !nameForm.MatchString(name) {
		return "", errors.New("must be a name with at least two labels, such as www.example.com or *.example.com")
	}
	return star + name, nil
}

// Wildcard reports whether a name stands for all names directly below another.
func Wildcard(name string) bool { return strings.HasPrefix(name, "*.") }
