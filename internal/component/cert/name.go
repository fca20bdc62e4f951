package cert

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"gateway/internal/fault"
)

// nameForm is stricter than DNS: no authority signs an underscore, and a last part that
// begins with a digit would be an address.
var nameForm = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)

// parseName puts a name into the form in which it is stored: lower case, ASCII, no dot at
// its end. A wildcard stands for one label, at the beginning.
func parseName(s string) (string, error) {
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
		return "", errors.New("must be a name with at least two parts, as www.example.com or *.example.com")
	}
	return star + name, nil
}

// parseNames reads them all, the main one first, and refuses what is there twice.
func parseNames(p *fault.Problems, names []string) []string {
	out := make([]string, 0, len(names))
	for i, s := range names {
		at := fmt.Sprintf("names[%d]", i)
		name, err := parseName(s)
		switch {
		case err != nil:
			p.Add(at, "%s", err)
		case slices.Contains(out, name):
			p.Add(at, "is listed twice")
		default:
			out = append(out, name)
		}
	}
	return out
}

func wildcard(name string) bool { return strings.HasPrefix(name, "*.") }

// apex is the name without the wildcard: where its challenges and records are.
func apex(name string) string { return strings.TrimPrefix(name, "*.") }
