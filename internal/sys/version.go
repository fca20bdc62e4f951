package sys

import (
	"cmp"
	"strings"
)

// CompareVersions orders two Debian package versions as dpkg does (Debian policy
// 5.6.12): negative when a is older than b, zero when they are the same version.
func CompareVersions(a, b string) int {
	epochA, upstreamA, revisionA := splitVersion(a)
	epochB, upstreamB, revisionB := splitVersion(b)
	return cmp.Or(
		compareNumbers(epochA, epochB),
		compareParts(upstreamA, upstreamB),
		compareParts(revisionA, revisionB),
	)
}

// splitVersion takes [epoch:]upstream[-revision] apart. The upstream part may hold
// colons and hyphens itself, so the first colon and the last hyphen count.
func splitVersion(v string) (epoch, upstream, revision string) {
	if e, rest, ok := strings.Cut(v, ":"); ok {
		epoch, v = e, rest
	}
	if i := strings.LastIndexByte(v, '-'); i >= 0 {
		return epoch, v[:i], v[i+1:]
	}
	return epoch, v, ""
}

// compareParts compares by turns the longest run of non-digits and the longest run of
// digits, until one of them differs or both strings are used up.
func compareParts(a, b string) int {
	for a != "" || b != "" {
		var textA, textB, numberA, numberB string
		textA, a = cutRun(a, func(c byte) bool { return !isDigit(c) })
		textB, b = cutRun(b, func(c byte) bool { return !isDigit(c) })
		numberA, a = cutRun(a, isDigit)
		numberB, b = cutRun(b, isDigit)
		if d := cmp.Or(compareTexts(textA, textB), compareNumbers(numberA, numberB)); d != 0 {
			return d
		}
	}
	return 0
}

func cutRun(s string, in func(byte) bool) (run, rest string) {
	i := 0
	for i < len(s) && in(s[i]) {
		i++
	}
	return s[:i], s[i:]
}

// compareTexts compares bytewise, where letters sort before the rest and the tilde
// before everything, even before the end.
func compareTexts(a, b string) int {
	for i := range max(len(a), len(b)) {
		if d := cmp.Compare(weight(a, i), weight(b, i)); d != 0 {
			return d
		}
	}
	return 0
}

func weight(s string, i int) int {
	switch {
	case i >= len(s):
		return 0
	case s[i] == '~':
		return -1
	case 'a' <= s[i]|0x20 && s[i]|0x20 <= 'z':
		return int(s[i])
	default:
		return int(s[i]) + 256
	}
}

// compareNumbers works on the digits, since a date with a hash in it may be longer
// than any integer type. The empty string counts as zero.
func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
