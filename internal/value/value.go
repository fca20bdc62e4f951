// Package value puts what operators type into the one form that is stored: host names,
// networks, lines of text. What a component alone takes is left to the component.
package value

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"gateway/internal/fault"
)

// HostName puts a name into the form in which it is stored and looked up. One in another
// script becomes its ASCII form.
func HostName(s string) (string, error) {
	name := strings.ToLower(strings.TrimSuffix(strings.TrimSpace(s), "."))
	if strings.ContainsFunc(name, func(r rune) bool { return r > '~' }) {
		ascii, err := idna.Lookup.ToASCII(name)
		if err != nil {
			return "", fault.Say("is not a name that can be written as a host name")
		}
		name = ascii
	}
	if name == "" || len(name) > 253 {
		return "", fault.Say("must have 1 to 253 characters")
	}
	if !isHostName(name) {
		return "", fault.Say("must be a host name: letters, digits and dashes, separated by dots")
	}
	if numeric(name) {
		return "", fault.Say("must be a name, not an address")
	}
	return name, nil
}

// FullName is a host name of at least two labels without underscores, as certificates and
// browsers want it.
func FullName(s string) (string, error) {
	name, err := HostName(s)
	if err != nil || !strings.Contains(name, ".") || strings.Contains(name, "_") {
		return "", fault.Say("must be a full host name such as www.example.com")
	}
	return name, nil
}

// numeric reports whether a name ends in a number. No name of a host does, and some who look
// names up take one for an address in an old notation: 0x7f.1 is 127.0.0.1.
func numeric(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if last[0] < '0' || last[0] > '9' {
		return false
	}
	_, err := strconv.ParseUint(last, 0, 64)
	return err == nil || strings.Trim(last, "0123456789") == ""
}

// isHostName is by hand, for there may be ten thousand to look at with every change.
func isHostName(name string) bool {
	length := 0 // of the part so far
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_':
			length++
		case c == '-' && length > 0:
			length++
		case c == '.' && length > 0 && name[i-1] != '-':
			length = 0
		default:
			return false
		}
		if length > 63 {
			return false
		}
	}
	return length > 0 && name[len(name)-1] != '-'
}

// Network is Prefix in the form in which it is stored.
func Network(s string) (string, error) {
	prefix, err := Prefix(s)
	if err != nil {
		return "", err
	}
	return prefix.String(), nil
}

// OptionalPrefix is Prefix of a field that may be empty, which is no network.
func OptionalPrefix(p *fault.Problems, field, s string) netip.Prefix {
	if s == "" {
		return netip.Prefix{}
	}
	prefix, err := Prefix(s)
	if err != nil {
		p.AddError(field, err)
	}
	return prefix
}

// Networks is each of them once, in order.
func Networks(p *fault.Problems, field string, in []string) []string {
	out := make([]string, 0, len(in))
	for i, s := range in {
		n, err := Network(strings.TrimSpace(s))
		if err != nil {
			p.AddError(fmt.Sprintf("%s[%d]", field, i), err)
			continue
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Line is text for people that never reaches a daemon's file as such; it is still one line.
func Line(s string) error {
	if strings.ContainsFunc(s, Unprintable) {
		return fault.Say("must be one line without control characters")
	}
	return nil
}

// Text is like Line, but may have several.
func Text(s string) error {
	if strings.ContainsFunc(s, func(r rune) bool { return Unprintable(r) && r != '\n' && r != '\t' && r != '\r' }) {
		return fault.Say("must not contain control characters")
	}
	return nil
}

// Unprintable are characters that show nothing, or turn around what others show.
func Unprintable(r rune) bool {
	return r < ' ' || r >= 0x7f && r <= 0x9f || r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// Visible is the text of somebody else, with a mark in place of each such character and of each byte
// that is no text.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if Unprintable(r) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// OrTrue is yes unless said otherwise.
func OrTrue(b *bool) *bool {
	if b == nil {
		yes := true
		return &yes
	}
	return b
}
