package pemfiles

import (
	"strings"

	"gateway/internal/fault"
	"gateway/internal/value"
)

// ParseName puts a name into the form in which it is stored: lower case, ASCII, no dot at
// its end. A wildcard stands for one label, at the beginning. It is stricter than DNS: no
// authority signs an underscore.
func ParseName(s string) (string, error) {
	star, rest := "", strings.TrimSpace(s)
	if below, ok := strings.CutPrefix(rest, "*."); ok {
		star, rest = "*.", below
	}
	name, err := value.FullName(rest)
	if err != nil || len(star+name) > 253 {
		return "", fault.Say("must be a name with at least two labels, such as www.example.com or *.example.com")
	}
	return star + name, nil
}

// Wildcard reports whether a name stands for all names directly below another.
func Wildcard(name string) bool { return strings.HasPrefix(name, "*.") }
