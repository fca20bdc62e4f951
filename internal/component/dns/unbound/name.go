package unbound

import (
	"strings"

	"gateway/internal/fault"

	"golang.org/x/net/idna"
)

// A complete name has a dot at its end and is in lower case everywhere in this package:
// "www.example.com.".

// maxName is what a name may have without that dot, so that it fits into 255 octets on the wire.
const maxName = 253

var errWildcard = fault.Say("must not be a wildcard, which the resolver does not support; add the names one by one")

// complete checks a whole name, with or without its last dot.
func complete(s string) (string, error) {
	name := strings.ToLower(strings.TrimSuffix(s, "."))
	if strings.ContainsFunc(name, func(r rune) bool { return r > '~' }) {
		return "", foreign(name)
	}
	if name == "" || len(name) > maxName {
		return "", fault.Say("must have 1 to %d characters including its zone, not %d", maxName, len(name))
	}
	for label := range strings.SplitSeq(name, ".") {
		if err := checkLabel(label); err != nil {
			return "", err
		}
	}
	return name + ".", nil
}

func checkLabel(label string) error {
	switch {
	case label == "*":
		return errWildcard
	case label == "":
		return fault.Say("must not start with a dot or have two dots in a row")
	case len(label) > 63:
		return fault.Say("must not have labels of more than 63 characters")
	case label[0] == '-' || label[len(label)-1] == '-':
		return fault.Say("must not have a label that starts or ends with a dash")
	}
	for _, c := range []byte(label) {
		// The slash is in the names of small reverse zones (RFC 2317).
		if !isAlphanumeric(c) && c != '-' && c != '_' && c != '/' {
			return fault.Say("may contain only letters, digits, dashes, underscores and dots")
		}
	}
	return nil
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// foreign refuses a name in another script, and says what to write instead. It is not
// converted unasked: two spellings that look the same may be different names.
func foreign(name string) error {
	ascii, err := idna.Lookup.ToASCII(name)
	if err != nil {
		return fault.Say("has characters that no name can have")
	}
	return fault.Say("must be in its encoded form: %s", ascii)
}

// OwnerName is the complete name that a record's name means in a zone.
func OwnerName(name, zone string) (string, error) {
	name = strings.ToLower(name)
	switch {
	case name == "" || name == "@":
		return zone, nil
	case strings.HasSuffix(name, "."):
		return complete(name)
	case within(name+".", zone):
		return complete(name)
	default:
		return complete(name + "." + zone)
	}
}

// targetName is the complete name that a value means: a single word belongs to the zone,
// anything with a dot is complete. The usual rule, which appends the zone to that too, is
// the usual mistake.
func targetName(value, zone string) (string, error) {
	switch {
	case value == "@":
		return zone, nil
	case !strings.Contains(value, "."):
		return complete(value + "." + zone)
	default:
		return complete(value)
	}
}

// within reports whether a complete name is the zone's or below it.
func within(name, zone string) bool {
	return name == zone || strings.HasSuffix(name, "."+zone)
}

// parent is the name above, or "" above the topmost.
func parent(name string) string {
	_, up, _ := strings.Cut(name, ".")
	return up
}
